package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A short loop that counts is made as its rounds, one behind another. In each of them the
// counter is a constant: curthread->comm[i] is then a byte of the task_struct that is known to
// be there, and not one to ask the kernel's helper for.
const (
	mostRounds = 32
	mostNodes  = 512 // of the rounds together
)

// mostValues is how many a function has at the most whose loops are made as their rounds for the
// verifier.
const mostValues = 4096

// rounds does so with all loops of a function that are left, where the verifier follows each round
// anyway.
func (l *lowerer) rounds(fn *ir.Func) {
	if l.target.RoundByRound {
		ir.Rounds(fn, mostValues)
	}
}

// unrolls reports whether the loop s is made so. A body that records, calls functions, handles
// strings or goes round itself is not: it would take room, and gain little.
func (l *lowerer) unrolls(s ast.Stmt, info *check.Loop, parts loopParts) bool {
	if info.Counter == nil || info.Rounds > mostRounds || l.modeOf(s) != silent {
		return false
	}
	nodes, plain, indexed := 0, true, map[ast.Expr]bool{}
	for _, part := range []ast.Node{parts.body, parts.step} {
		l.prog.Means.Walk(part, func(n ast.Node) bool {
			nodes++
			switch n := n.(type) {
			case *ast.For, *ast.While, *ast.DoWhile:
				plain = false
			case *ast.Index:
				indexed[n.X] = types.IsCharArray(l.typeOf(n.X)) || l.isExecname(n.X)
			case *ast.Call:
				plain = plain && (l.prog.Calls[n] == nil || l.prog.Calls[n].User == nil)
			}
			if x, ok := n.(ast.Expr); ok {
				plain = plain && (indexed[x] || !isStr(l.typeOf(x)))
			}
			return plain
		})
	}
	return plain && int64(nodes)*info.Rounds <= mostNodes
}

// unroll lowers the rounds of a loop.
func (f *fn) unroll(info *check.Loop, l loopParts) {
	at, action, done := f.At, f.action, f.Block()
	if f.counters == nil {
		f.counters = map[*check.Var]int64{}
	}
	for round := range info.Rounds {
		f.action = action + 1
		f.counters[info.Counter] = info.From + round*info.By
		next := f.Block()
		f.loopBody(l.body, &around{done: done, next: next, opened: f.opened})
		f.Jump(next)
		f.Go(next)
		f.At = at
		f.temps.endStatement()
		f.effect(l.step)
		f.action++
	}
	delete(f.counters, info.Counter)
	f.Jump(done)
	f.Go(done)
}

// foreknown returns the value of x if it is known while the script is compiled, the counters of
// loops that are unrolled included.
func (f *fn) foreknown(x ast.Expr) (int64, bool) {
	x = f.prog.Means.Unparen(x)
	if n, ok := f.prog.Consts[x]; ok {
		return n, true
	}
	if v, ok := f.prog.Refs[x].(*check.Var); ok {
		n, ok := f.counters[v]
		return n, ok
	}
	b, ok := x.(*ast.Binary)
	if !ok || b.Op != token.Plus && b.Op != token.Minus {
		return 0, false
	}
	n, known := f.foreknown(b.X)
	m, both := f.foreknown(b.Y)
	if b.Op == token.Minus {
		m = -m
	}
	return n + m, known && both
}
