package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// Variables that can hold NULL have a word behind their string that says which
// it is. That of a self-> variable is not 0 if there is a string, because a
// thread's variables begin as zeros and an unassigned one is NULL. A global or
// this-> variable begins as "", and has the word, not 0 if it is NULL, only where
// the script can assign NULL to it. An element of an associative array is NULL
// if it is not there.

// findNullable lists the variables, other than those of threads, that NULL may be
// assigned to, directly or from another.
func (l *lowerer) findNullable() {
	l.nullVars = map[*check.Var]bool{}
	more := true
	note := func(v *check.Var, y ast.Expr) {
		if v != nil && types.IsString(v.Type) && v.Keys == nil && v.Scope != ast.Self && !l.nullVars[v] && l.nullable(y) {
			l.nullVars[v], more = true, true
		}
	}
	for more {
		more = false
		l.prog.Means.Walk(l.prog.Chosen, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Assign:
				v, _ := l.prog.Refs[l.prog.Means.Unparen(n.X)].(*check.Var)
				note(v, n.Y)
			case *ast.Declarator:
				if n.Init != nil {
					note(l.prog.Locals[n], n.Init)
				}
			case *ast.Call:
				if c := l.prog.Calls[n]; c != nil && c.User != nil {
					for i, a := range n.Args[:min(len(n.Args), len(c.User.Params))] {
						note(c.User.Params[i], a)
					}
				}
			}
			return true
		})
	}
}

// mayReturnNull reports whether a function of the script may return NULL.
func (l *lowerer) mayReturnNull(fn *check.Func) bool {
	found := false
	l.prog.Means.Walk(fn.AST.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.Return); ok && r.X != nil {
			found = found || l.nullable(r.X)
		}
		return !found
	})
	return found
}

// hasFlag reports whether v has the word that tells NULL from a string.
func (l *lowerer) hasFlag(v *check.Var) bool {
	return types.IsString(v.Type) && v.Keys == nil && (v.Scope == ast.Self || l.nullVars[v])
}

// flagged reports whether what x names may be NULL.
func (l *lowerer) flagged(x ast.Expr) bool {
	v, ok := l.prog.Refs[x].(*check.Var)
	return ok && types.IsString(v.Type) && (v.Keys != nil || l.hasFlag(v))
}

// cellSize returns the bytes in which v is kept.
func (l *lowerer) cellSize(v *check.Var) int {
	if l.hasFlag(v) {
		return l.varSize(v.Type) + 8
	}
	return l.varSize(v.Type) + l.spare(v)
}

// plainStr describes a global or this-> variable that lies at p.
func (f *fn) plainStr(v *check.Var, p *ir.Value) str {
	s := str{kind: memStr, ptr: p, size: f.strSize()}
	if f.hasFlag(v) {
		s.null = f.Load(p, int64(f.strSize()), 8)
	}
	return s
}

// setPlain assigns to one, and describes its new value.
func (f *fn) setPlain(v *check.Var, p *ir.Value, s str) str {
	f.putStr(s, p, 0, f.strSize(), false)
	if f.hasFlag(v) {
		f.Store(p, int64(f.strSize()), 8, f.nullness(s))
	}
	return str{kind: memStr, ptr: p, size: f.strSize(), null: s.null, none: s.none}
}

// selfStr copies the string of a self-> variable.
func (f *fn) selfStr(v *check.Var) str {
	off := int64(f.out.Vars[f.vars[v]].Offset)
	return f.copyIfThere(f.self(0), off, func(p *ir.Value) *ir.Value {
		return f.Op(ir.OpEq, f.Load(p, off+int64(f.strSize()), 8), f.Const(0))
	})
}

// copyIfThere copies a string that lies at p + off, unless p is null. Missing, if
// it is given, finds what else makes it NULL.
func (f *fn) copyIfThere(p *ir.Value, off int64, missing func(p *ir.Value) *ir.Value) str {
	size := f.strSize()
	buf := f.Alloca(size)
	null, there, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, p), null, there)
	f.Go(null)
	f.Store(buf, 0, 8, f.Const(0))
	yes := f.Const(1)
	f.Jump(done)
	f.Go(there)
	f.copyMem(buf, 0, p, off, size)
	no := f.Const(0)
	if missing != nil {
		no = missing(p)
	}
	f.Jump(done)
	f.Go(done)
	return str{kind: memStr, ptr: buf, size: size, null: f.Phi(yes, no)}
}

// setSelf assigns to a self-> variable.
func (f *fn) setSelf(v *check.Var, s str) str {
	off, flag := int64(f.out.Vars[f.vars[v]].Offset), int64(f.strSize())
	if s.none {
		f.withSelf(true, func(p *ir.Value) {
			f.Store(p, off, 8, f.Const(0))
			f.Store(p, off+flag, 8, f.Const(0))
		})
		return s
	}
	s = f.memory(s)
	there := f.Op(ir.OpEq, f.nullness(s), f.Const(0))
	f.withSelf(false, func(p *ir.Value) {
		f.putStr(s, p, off, f.strSize(), false)
		f.Store(p, off+flag, 8, there)
	})
	return s
}

// setElement assigns to an element of an associative array. NULL gives its
// storage back.
func (f *fn) setElement(v *check.Var, ix *ast.Index, s str) str {
	del := func(key *ir.Value) { f.Emit(ir.Value{Op: ir.OpAssocDel, Imm: f.vars[v]}, key) }
	if s.none {
		del(f.key(v, ix.Args))
		return s
	}
	size := f.strSize()
	buf := f.Alloca(size)
	f.putStr(s, buf, 0, size, true)
	key := f.key(v, ix.Args)
	if s.null == nil {
		f.put(v, key, buf)
		return str{kind: memStr, ptr: buf, size: size, tidy: true}
	}
	gone, kept, done := f.Block(), f.Block(), f.Block()
	f.Branch(s.null, gone, kept)
	f.Go(gone)
	del(key)
	f.Jump(done)
	f.Go(kept)
	f.put(v, key, buf)
	f.Jump(done)
	f.Go(done)
	return str{kind: memStr, ptr: buf, size: size, tidy: true, null: s.null}
}
