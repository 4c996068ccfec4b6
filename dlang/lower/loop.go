package lower

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
)

// A loop that the compiler has not found the end of counts its rounds, and the
// round that would exceed the bound that it states is a fault: what a loop would
// still have done is never left undone in silence. The kernel has a bound of its
// own, of some millions of rounds in all loops of a firing (OpMayGo); meeting
// that is the same fault.

// loopParts are the parts of a loop, of which those that are nil are absent.
type loopParts struct {
	cond, step ast.Expr
	body       ast.Stmt
	bodyFirst  bool // whether the condition is tested after the body only
}

// around is a loop while its body is lowered.
type around struct {
	done, next *ir.Block   // where break and continue go
	opened     *openRecord // the record that is open around the loop; nil if there is none
}

func (f *fn) forStmt(s *ast.For) {
	if s.Init != nil {
		f.stmt(s.Init)
	}
	f.loop(s, loopParts{cond: s.Cond, step: s.Step, body: s.Body})
}

// loop lowers a loop.
//
//	head: if !cond goto done     (not the first time of a do while)
//	body: if rounds == max goto over; rounds++; …
//	next: step; if the kernel agrees goto head else over
func (f *fn) loop(s ast.Stmt, l loopParts) {
	if f.rec != nil && f.modeOf(s) == several {
		f.errorf(s, "a loop cannot record speculatively: each of its rounds makes a record of its own")
		return
	}
	info := f.prog.Loops[s]
	defer f.readClocks(s)()
	if f.unrolls(s, info, l) {
		f.unroll(info, l)
		return
	}
	at, action := f.At, f.action
	head, body, next, over, done := f.Block(), f.Block(), f.Block(), f.ColdBlock(), f.Block()
	var rounds *ir.Value
	if !info.Proved {
		rounds = f.Builder.Alloca(8)
		f.Store(rounds, 0, 8, f.Const(0))
	}
	if l.bodyFirst {
		f.Jump(body)
	} else {
		f.Jump(head)
	}

	f.Go(head)
	f.temps.endStatement()
	if l.cond != nil {
		f.cond(l.cond, body, done)
	} else {
		f.Jump(body)
	}
	f.action++

	f.Go(body)
	if rounds != nil {
		f.count(rounds, info.Max, over)
	}
	f.loopBody(l.body, &around{done: done, next: next, opened: f.opened})
	f.Jump(next)

	f.Go(next)
	f.At = at
	f.temps.endStatement()
	if l.step != nil {
		f.effect(l.step)
		f.action++
	}
	f.Branch(f.Emit(ir.Value{Op: ir.OpMayGo, Imm: info.Max}), head, over)

	f.Go(over)
	after := f.action
	f.action = action
	f.giveUp(faultLoop, f.Const(info.Max))
	f.action = after
	f.Go(done)
}

// count counts a round, or goes to over if there have been as many as may be.
func (f *fn) count(rounds *ir.Value, most int64, over *ir.Block) {
	n, on := f.Load(rounds, 0, 8), f.Block()
	f.Branch(f.Op(ir.OpLeU, f.Const(most), n), over, on)
	f.Go(on)
	f.Store(rounds, 0, 8, f.Op(ir.OpAdd, n, f.Const(1)))
}

func (f *fn) loopBody(s ast.Stmt, a *around) {
	outer := f.spot
	f.around = a
	f.nested++
	f.stmts([]ast.Stmt{s})
	f.afterExit(s)
	f.spot = outer
}

// jumpStmt lowers break and continue.
func (f *fn) jumpStmt(s *ast.Jump) {
	to := f.around.done
	if s.Op == token.KwContinue {
		to = f.around.next
	}
	f.leave(f.around.opened, to)
}

// leave goes to a place where the record was that of p, and goes on in a block
// that nothing leads to.
func (f *fn) leave(p *openRecord, to *ir.Block) {
	if f.opened != p {
		f.handOn(f.opened)
	}
	f.Jump(to)
	f.Go(f.Block())
}

// readClocks reads before the outermost loop what the loop asks of the clocks: as
// all facts of a firing they are the same in all of its rounds. It returns what
// ends the loop.
func (f *fn) readClocks(s ast.Stmt) func() {
	if f.clocks != nil {
		return func() {}
	}
	clocks := map[string]*ir.Value{}
	f.walk(s, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if b, ok := f.prog.Refs[x].(*check.Builtin); ok && clocks[b.Name] == nil && strings.HasSuffix(b.Name, "timestamp") {
			clocks[b.Name] = f.builtin(x, b)
		}
		return true
	})
	f.clocks = clocks
	return func() { f.clocks = nil }
}
