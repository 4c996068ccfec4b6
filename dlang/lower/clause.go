package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
)

// The kinds of faults, as DTrace numbers them.
const (
	faultBadAddr   = 1
	faultDivZero   = 4
	faultNoScratch = 5
	faultBadSize   = 10
	faultBadIndex  = 11
	faultLoop      = 64 // DTrace has no loops, and so no number for this
)

// maxAction is the highest number of an action that a fault can name: it has 8
// bits in ir.OpFault.
const maxAction = 255

// The kinds of drops, as the engine numbers them.
const (
	dropPrincipal   = 0
	dropAggregation = 1
	dropDynamic     = 2
	dropSpecBuffer  = 3
	dropSpecNone    = 5
	dropStack       = 8
)

// unit makes the function of one unit.
func (l *lowerer) unit(index int, u *Unit) {
	f := &fn{
		lowerer: l,
		Builder: ir.NewBuilder(l.addFunc(u.Name, index)),
		unit:    u,
		index:   index,
		locals:  map[*check.Var]*ir.Value{},
		cells:   map[int]*ir.Value{},
	}
	l.now = f.Builder
	entry := f.Cur
	start := f.Block()
	f.Go(start)
	if s := l.target.Seal; s != nil && s.OwnOnly && u.Special == "" && !u.Clock {
		f.onlyOwner(l.prog.Chosen)
	}
	if u.Progeny != 0 {
		f.onlyProgeny(u.Clauses[0].Clause.AST, u.Progeny)
	}
	if len(u.Except) > 0 {
		f.except(f.processID(u.Clauses[0].Clause.AST), u.Except)
	}
	if u.Jump != 0 {
		f.onlyJump(u.Jump)
	}
	for i := range u.Clauses {
		if made := f.Fn.Size(); i > 0 && u.Enough > 0 && made > u.Enough {
			l.res.Sizes[index] = float64(made) / float64(i) * float64(len(u.Clauses))
			l.res.Left = true
			return
		}
		if !f.spent(u.Clauses[i].Clause.AST) {
			f.lowerClause(&u.Clauses[i])
		}
	}
	if n := len(u.Clauses); n > 0 {
		f.spent(u.Clauses[n-1].Clause.AST) // by its last statement
	}
	f.Return()
	f.Go(entry)
	f.clearLocals()
	f.noToken()
	f.Jump(start)
	f.scratch.settle()
	l.earlier += f.Fn.Size()
	l.rounds(f.Fn)
	l.res.Sizes[index] = float64(f.Fn.Size())
	l.made(f.Fn)
}

// made tells who waits for it of a function that is whole.
func (l *lowerer) made(fn *ir.Func) {
	if l.target.Made != nil {
		l.target.Made(fn)
	}
}

func (l *lowerer) addFunc(name string, unit int) *ir.Func {
	f := &ir.Func{Name: name, Unit: unit}
	l.out.Funcs = append(l.out.Funcs, f)
	return f
}

// lowerClause makes one clause, and ends where the next one begins.
func (f *fn) lowerClause(uc *UnitClause) {
	f.temps.endStatement()
	f.clauseBuilder = clauseBuilder{clause: uc.Clause, end: f.Block()}
	f.At = uc.Clause.AST.Span()
	f.beginScratch()
	if uc.Keys != nil {
		f.guard(f.Emit(ir.Value{Op: ir.OpKeyIn, Aux: uc.Keys}))
	}
	f.derivedGuard()
	if pred := uc.Clause.AST.Pred; pred != nil {
		body := f.Block()
		f.cond(pred, body, f.end)
		f.Go(body)
	}
	f.At = uc.Clause.AST.Span()
	f.body()
	switch {
	case !f.stopped:
		f.Jump(f.end)
	case f.stop == nil:
		f.Return() // after exit() no clause runs, not of this firing either
	default:
		leave := f.Block()
		f.Branch(f.Load(f.stop, 0, 8), leave, f.end)
		f.Go(leave)
		f.Return()
	}
	f.Go(f.end)
}

// body makes the statements of the clause. Where all of them run, there is one record from
// the beginning; else see region.go.
func (f *fn) body() {
	b := f.clause.AST.Body
	if b != nil && f.hasControl(b) {
		f.beginControl(b)
	} else if (f.clause.Records || f.clause.Default) && !f.clause.Speculates {
		f.openWhole()
	}
	f.action = 1
	if b != nil {
		f.block(b)
	}
	f.At = f.clause.AST.Span()
	if f.rec != nil {
		f.close()
	}
	if f.whole != nil {
		f.endControl()
	}
}

// guard goes on only if c is not 0; otherwise the clause ends.
func (f *fn) guard(c *ir.Value) {
	on := f.Block()
	f.Branch(c, on, f.end)
	f.Go(on)
}

// reserve makes room for what the clause records. Without room the clause does
// nothing at all, as DTrace has it.
func (f *fn) reserve() {
	rec := f.newRecord()
	full, room := f.ColdBlock(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, rec), full, room)
	f.Go(full)
	f.drop(dropPrincipal)
	f.Jump(f.end)
	f.Go(room)
	f.rec = rec
}

// newRecord begins a layout and asks for room for it, which there may not be.
func (f *fn) newRecord() *ir.Value {
	f.record = len(f.out.Records)
	f.out.Records = append(f.out.Records, ir.Record{Clause: f.clause.Index, Unit: f.index, Size: f.opts.HeaderSize(), Exits: f.mayExit(f.clause)})
	f.res.Layouts = append(f.res.Layouts, Layout{Clause: f.clause})
	return f.Emit(ir.Value{Op: ir.OpReserve, Imm: int64(f.record)})
}

func (f *fn) drop(kind int64) { f.Emit(ir.Value{Op: ir.OpDrop, Imm: kind}) }

// fault leaves the clause if status is not 0, with a fault of a kind about a
// value, or goes on elsewhere: see orElse.
func (f *fn) fault(status *ir.Value, kind int64, value *ir.Value) {
	if f.other != nil {
		good := f.Block()
		f.Branch(status, f.other, good)
		f.Go(good)
		return
	}
	bad, good := f.ColdBlock(), f.Block()
	f.Branch(status, bad, good)
	f.Go(bad)
	f.giveUp(kind, value)
	f.Go(good)
}

// giveUp ends the clause with a fault.
func (f *fn) giveUp(kind int64, value *ir.Value) {
	if f.other != nil {
		f.Jump(f.other)
		return
	}
	f.unrecord()
	f.needFaultRecord()
	action := int64(min(f.action, maxAction))
	f.noteAction(action)
	f.Emit(ir.Value{Op: ir.OpFault, Imm: int64(f.clause.First)<<16 | action<<8 | kind}, value)
	if !f.errorExits || f.unit.Special == "END" || f.unit.Special == "ERROR" {
		f.Jump(f.end)
		return
	}
	f.calls++
	stop := f.ColdBlock()
	f.Branch(f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: f.calls, Aux: ir.Sym("stopped")}), stop, f.end)
	f.Go(stop)
	f.Return() // a clause of ERROR has called exit()
}

// orElse calls do, which makes what goes on at other where the clause would have ended
// with a fault.
func (f *fn) orElse(other *ir.Block, do func()) {
	was := f.other
	f.other = other
	do()
	f.other = was
}

// unrecord throws away what the clause has recorded so far.
func (f *fn) unrecord() {
	if f.rec != nil {
		f.Op(ir.OpDiscard, f.rec)
		f.unspeculate()
	}
}

// noteAction remembers where an action stands that may fault.
func (f *fn) noteAction(action int64) {
	id := int64(f.clause.Index)<<8 | action
	if _, known := f.res.ActionsAt[id]; !known {
		f.res.ActionsAt[id] = f.At
	}
}

// callsExit reports whether a clause of ERROR calls exit(): after a fault then
// perhaps no other clause runs, not of the same firing either.
func (l *lowerer) callsExit(units []Unit) bool {
	found := false
	for i := range units {
		if units[i].Special != "ERROR" {
			continue
		}
		for _, c := range units[i].Clauses {
			found = found || l.mayExit(c.Clause)
		}
	}
	return found
}

// mayExit reports whether a clause calls exit() anywhere.
func (l *lowerer) mayExit(c *check.Clause) bool {
	found := false
	l.walk(c.AST, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && function.Find(call.Fn.Text).Stops {
			found = true
		}
		return !found
	})
	return found
}

// needFaultRecord gives the unit a layout for the records of its faults.
func (f *fn) needFaultRecord() {
	if f.faults[f.index] {
		return
	}
	f.faults[f.index] = true
	h := f.opts.HeaderSize()
	f.out.Records = append(f.out.Records, ir.Record{
		Clause: -1, Unit: f.index, Size: h + 16,
		Fields: []ir.RecordField{{Off: h, Size: 4}, {Off: h + 4, Size: 2}, {Off: h + 6, Size: 2}, {Off: h + 8, Size: 8}},
	})
	f.res.Layouts = append(f.res.Layouts, Layout{Actions: []Action{{Kind: ActFault, Data: faultData(h)}}})
}

func (f *fn) block(b *ast.Block) { f.stmts(b.Stmts) }

func (f *fn) stmt(s ast.Stmt) {
	if f.spent(s) {
		return
	}
	f.At = s.Span()
	f.temps.endStatement()
	switch s := s.(type) {
	case *ast.ExprStmt:
		f.effect(s.X)
		f.action++
	case *ast.AggAssign:
		f.aggAssign(s)
		f.action++
	case *ast.Block:
		f.block(s)
	case *ast.Empty:
	case *ast.If:
		f.ifStmt(s)
	case *ast.For:
		f.forStmt(s)
	case *ast.While:
		f.loop(s, loopParts{cond: s.Cond, body: s.Body})
	case *ast.DoWhile:
		f.loop(s, loopParts{cond: s.Cond, body: s.Body, bodyFirst: true})
	case *ast.Jump:
		f.jumpStmt(s)
	case *ast.Return:
		f.returnStmt(s)
	case *ast.DeclStmt:
		f.declStmt(s)
	default:
		panic("lower: unknown statement")
	}
}

// effect lowers an expression that is there for what it does.
func (f *fn) effect(x ast.Expr) {
	x = f.prog.Means.Unparen(x)
	switch x := x.(type) {
	case *ast.Call:
		f.callEffect(x)
		return
	case *ast.Assign:
		f.assign(x)
		return
	case *ast.Postfix:
		f.step(x.Op, x.X, false)
		return
	case *ast.Cond:
		f.condEffect(x)
		return
	}
	f.discard(x)
}

// discard computes x for its effects and faults.
func (f *fn) discard(x ast.Expr) {
	if b, ok := f.prog.Means.Unparen(x).(*ast.Binary); ok && b.Op == comma {
		f.effect(b.X)
		f.effect(b.Y)
		return
	}
	switch t := f.typeOf(x); {
	case isStr(t):
		f.memory(f.anyStr(x))
	case isScalar(t):
		f.word(x)
	}
}

// condEffect lowers c ? a : b as a statement, whose arms may be assignments.
func (f *fn) condEffect(x *ast.Cond) {
	yes, no, done := f.Block(), f.Block(), f.Block()
	f.cond(x.Cond, yes, no)
	f.Go(yes)
	f.effect(x.Then)
	f.Jump(done)
	f.Go(no)
	f.effect(x.Else)
	f.Jump(done)
	f.Go(done)
}
