package lower

import (
	"maps"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// To assign 0 gives an element of an associative array back, and the kernel may then make it the
// element of another key. Arrays of which a script never gives one back, such as counters, last:
// where an element of theirs is found it stays, and can be written in place. That is one search
// instead of two and takes no lock, which in probes of locks would fire them again.

// findLasting lists the arrays of scalars that are only counted up and assigned what is never 0.
// The few whose sums come to 0 nevertheless keep their elements, which read the same.
func (l *lowerer) findLasting() {
	l.lasting = map[*check.Var]bool{}
	if !slices.ContainsFunc(l.prog.Vars, func(v *check.Var) bool { return v.Keys != nil }) {
		return
	}
	givenBack := map[*check.Var]bool{}
	for _, item := range l.prog.Chosen.Items {
		l.prog.Means.Walk(item, func(n ast.Node) bool {
			x, lasts := l.assignment(n)
			if x == nil {
				return true
			}
			v, ok := l.prog.Refs[l.prog.Means.Unparen(x)].(*check.Var)
			switch {
			case !ok || v.Keys == nil || l.threads[v] || !types.IsScalar(types.Decay(v.Type)):
			case lasts:
				l.lasting[v] = true
			default:
				givenBack[v] = true
			}
			return true
		})
	}
	maps.DeleteFunc(l.lasting, func(v *check.Var, _ bool) bool { return givenBack[v] })
}

// assignment returns what n assigns, if it does, and whether that is something else than 0.
func (l *lowerer) assignment(n ast.Node) (x ast.Expr, lasts bool) {
	switch n := n.(type) {
	case *ast.Assign:
		return n.X, n.Op == token.PlusAssign || n.Op == token.PipeAssign || n.Op == assignOp && l.neverZero(n.Y)
	case *ast.Unary:
		if n.Op == token.Inc || n.Op == token.Dec {
			return n.X, n.Op == token.Inc
		}
	case *ast.Postfix:
		return n.X, n.Op == token.Inc
	}
	return nil, false
}

// neverZero reports whether x is plainly another number than 0: a constant, or the time.
func (l *lowerer) neverZero(x ast.Expr) bool {
	x = l.prog.Means.Unparen(x)
	if n, ok := l.prog.Consts[x]; ok {
		return n != 0
	}
	b, ok := l.prog.Refs[x].(*check.Builtin)
	return ok && (b.Name == "timestamp" || b.Name == "walltimestamp")
}

// lastingElement describes an element of an array that lasts.
func (f *fn) lastingElement(v *check.Var, key *ir.Value) lvalue {
	find := func() *ir.Value { return f.Emit(ir.Value{Op: ir.OpAssocGet, Imm: f.vars[v]}, key) }
	var found *ir.Value
	return lvalue{
		get: func() *ir.Value {
			found = find()
			return f.orZero(found, func(p *ir.Value) *ir.Value { return f.loadAs(p, 0, keptAs(v)) })
		},
		set: func(w *ir.Value) {
			if found == nil {
				found = find()
			}
			missing, there, done := f.ColdBlock(), f.Block(), f.Block()
			f.Branch(f.Op(ir.OpPtrEq0, found), missing, there)
			f.Go(missing)
			f.makeElement(v, key, w, find, done)
			f.Go(there)
			f.Store(found, 0, 8, w)
			f.Jump(done)
			f.Go(done)
		},
	}
}

// makeElement gives a key that was not found its element, unless what it would hold is 0, and
// goes to done. If another CPU has made it meanwhile, it is that one which is written.
func (f *fn) makeElement(v *check.Var, key, w *ir.Value, find func() *ir.Value, done *ir.Block) {
	put, again, other := f.ColdBlock(), f.ColdBlock(), f.ColdBlock()
	f.Branch(w, put, done)
	f.Go(put)
	val := f.Alloca(8)
	f.Store(val, 0, 8, w)
	f.Branch(f.Emit(ir.Value{Op: ir.OpAssocPut, Imm: f.vars[v]}, key, val), again, done)
	f.Go(again)
	made, full := find(), f.ColdBlock()
	f.Branch(f.Op(ir.OpPtrEq0, made), full, other)
	f.Go(full)
	f.noRoom()
	f.Go(other)
	f.Store(made, 0, 8, w)
	f.Jump(done)
}
