package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// A function of the script is expanded where it is called. So it costs no call,
// what it is given as constants is folded, and strings, faults and records are
// what they are in a clause. No function comes to call itself, so that its
// parameters and locals need to exist only once.

// A frame is a function that is being expanded, or the clause itself.
type frame struct {
	fn     *check.Func // nil for the clause
	ret    *ir.Block   // where return goes
	result *ir.Value   // memory for the value; nil if there is none
	opened *openRecord // the record that was open at the call
}

// userWord calls a function whose value is a scalar, or nothing.
func (f *fn) userWord(x *ast.Call, fn *check.Func) *ir.Value {
	p := f.expand(x, fn)
	if p == nil {
		return f.Const(0)
	}
	return f.loadAs(p, 0, fn.Result)
}

// userStr calls a function whose value is a string.
func (f *fn) userStr(x *ast.Call, fn *check.Func) str {
	p := f.expand(x, fn)
	s := str{kind: memStr, ptr: p, size: f.strSize()}
	if f.mayReturnNull(fn) {
		s.null = f.Load(p, int64(f.strSize()), 8)
	}
	return s
}

// expand lowers a call and returns the memory that holds its value, which is
// good until the statement ends.
func (f *fn) expand(x *ast.Call, fn *check.Func) *ir.Value {
	fr := &frame{fn: fn, ret: f.Block(), opened: f.opened}
	switch {
	case types.IsString(fn.Result):
		fr.result = f.Alloca(f.strSize() + 8)
	case !types.IsVoid(fn.Result):
		fr.result = f.Builder.Alloca(8)
	}
	if f.deep(x) {
		return fr.result
	}
	f.passArgs(x, fn)

	at, taken := f.At, f.temps.taken
	outer := f.spot
	f.frame, f.around, f.temps.taken = fr, nil, nil
	f.nested++
	f.calling++
	f.stmts(fn.AST.Body.Stmts)
	f.Jump(fr.ret)
	f.Go(fr.ret)
	f.temps.endStatement()
	f.spot, f.temps.taken, f.At = outer, taken, at
	return fr.result
}

// passArgs assigns the arguments to the parameters, once all are computed.
func (f *fn) passArgs(x *ast.Call, fn *check.Func) {
	var store []func()
	for i, a := range x.Args {
		v := fn.Params[i]
		if types.IsString(v.Type) {
			s := f.settled(a, x.Args[i+1:]...)
			store = append(store, func() { f.setPlain(v, f.local(v), s) })
			continue
		}
		w := f.as(a, v.Type)
		store = append(store, func() { f.setVar(v, w) })
	}
	for _, s := range store {
		s()
	}
}

// returnStmt lowers return. In a clause it ends the clause.
func (f *fn) returnStmt(s *ast.Return) {
	switch fr := f.frame; {
	case s.X == nil:
	case types.IsString(fr.fn.Result):
		v := f.settled(s.X)
		f.putStr(v, fr.result, 0, f.strSize(), false)
		if f.mayReturnNull(fr.fn) {
			f.Store(fr.result, int64(f.strSize()), 8, f.nullness(v))
		}
	default:
		f.Store(fr.result, 0, types.Decay(fr.fn.Result).Size(), f.as(s.X, fr.fn.Result))
	}
	f.leave(f.frame.opened, f.frame.ret)
}

// declStmt gives local variables their first values, which are zero unless the
// script says otherwise: also in every round of a loop.
func (f *fn) declStmt(s *ast.DeclStmt) {
	for _, n := range s.Decl.Names {
		v := f.prog.Locals[n]
		switch {
		case v == nil:
		case n.Init == nil:
			f.clear(v, f.local(v))
		case types.IsString(v.Type):
			f.setPlain(v, f.local(v), f.settled(n.Init))
		case isObject(v.Type):
			if f.target.Seal != nil {
				f.clear(v, f.local(v)) // what lies behind it, too
			}
			f.copyObject(f.local(v), 0, f.object(n.Init), v.Type.Size())
		default:
			f.setVar(v, f.as(n.Init, v.Type))
		}
	}
	f.action++
}

// walk calls visit for n and, where visit returns true, for each of its children,
// and walks the functions that are called there as well.
func (l *lowerer) walk(n ast.Node, visit func(ast.Node) bool) {
	seen := map[*check.Func]bool{}
	var each func(ast.Node) bool
	each = func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			if c := l.prog.Calls[call]; c != nil && c.User != nil && !seen[c.User] {
				seen[c.User] = true
				l.prog.Means.Walk(c.User.AST.Body, each)
			}
		}
		return visit(n)
	}
	l.prog.Means.Walk(n, each)
}
