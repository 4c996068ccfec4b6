package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// storage lays out the variables and aggregations of the script.
func (l *lowerer) storage(units []Unit) {
	l.findTuples()
	globals, cell := 0, 0
	for _, v := range l.prog.Vars {
		if v.Scope == ast.This || v.Scope == ast.Local {
			continue
		}
		size, name := l.cellSize(v), v.Name
		out := ir.Var{Size: size}
		switch {
		case l.ofThread(v):
			out.Kind, out.Offset = ir.SelfVar, cell
			cell += size
		case v.Keys != nil:
			out.Kind, out.Key, out.Lasts = ir.AssocVar, l.tuples[v].size, l.lasting[v]
		default:
			out.Kind, out.Offset = ir.GlobalVar, globals
			globals += size
		}
		switch {
		case v.Scope == ast.Self:
			name = "self->" + name
		case l.threads[v]:
			name += "[tid]"
		}
		out.Name = name
		l.vars[v] = int64(len(l.out.Vars))
		l.out.Vars = append(l.out.Vars, out)
	}
	uses := l.aggUses(units)
	for _, a := range l.prog.Aggs {
		l.agg(a, uses[a])
	}
	l.join()
	l.pool()
	l.samples()
}

// varSize returns the bytes in which a value of type t is kept.
func (l *lowerer) varSize(t types.Type) int {
	if types.IsString(t) {
		return l.strSize()
	}
	return max(round8(t.Size()), 8)
}

// local returns the working memory of a this-> variable or of one of a block.
func (f *fn) local(v *check.Var) *ir.Value {
	p := f.locals[v]
	if p == nil {
		p = f.Builder.Alloca(f.cellSize(v))
		f.locals[v] = p
	}
	return p
}

// clearLocals makes all this-> variables zero where the firing begins.
func (f *fn) clearLocals() {
	for _, v := range f.prog.Vars {
		p := f.locals[v]
		if p != nil && v.Scope != ast.Local { // those have a value where they are declared
			f.clear(v, p)
		}
	}
}

// clear makes the variable at p zero.
func (f *fn) clear(v *check.Var, p *ir.Value) {
	switch {
	case types.IsString(v.Type):
		f.Store(p, 0, 8, f.Const(0))
		if f.hasFlag(v) {
			f.Store(p, int64(f.strSize()), 8, f.Const(0))
		}
	case isObject(v.Type):
		f.zero(p, 0, p.Size)
	default:
		f.Store(p, 0, keptAs(v).Size(), f.Const(0))
	}
}

// keptAs is the type that the value of a scalar variable is kept in.
func keptAs(v *check.Var) types.Type {
	if v.Wide {
		return types.Int64
	}
	return v.Type
}

// An lvalue is where a scalar can be read and assigned.
type lvalue struct {
	get func() *ir.Value
	set func(w *ir.Value) // w is extended as the type of the place says
}

// lvalue describes what x stands for on the left of an assignment. What x
// contains is computed once.
func (f *fn) lvalue(x ast.Expr) lvalue {
	x = f.prog.Means.Unparen(x)
	if v, ok := f.prog.Refs[x].(*check.Var); ok {
		ix, ok := x.(*ast.Index)
		if !ok || f.threads[v] {
			return lvalue{func() *ir.Value { return f.getVar(v) }, func(w *ir.Value) { f.setVar(v, w) }}
		}
		key := f.key(v, ix.Args)
		if f.lasting[v] {
			return f.lastingElement(v, key)
		}
		return lvalue{func() *ir.Value { return f.getAssoc(v, key) }, func(w *ir.Value) { f.setAssoc(v, key, w) }}
	}
	if ix, ok := x.(*ast.Index); ok && types.IsString(f.typeOf(ix.X)) {
		i := f.as(ix.Args[0], types.Int64)
		return lvalue{func() *ir.Value { return f.character(f.anyStr(ix.X), i) }, func(w *ir.Value) { f.setCharacter(ix.X, i, w) }}
	}
	p := f.place(x)
	return lvalue{func() *ir.Value { return f.rvalue(p) }, func(w *ir.Value) { f.assignPlace(p, w, x) }}
}

// assign lowers x = y and x op= y and returns the value that x then has, for
// scalars. Strings return nothing of use.
func (f *fn) assign(x *ast.Assign) *ir.Value {
	t := f.typeOf(x.X)
	if isStr(t) {
		f.assignStr(x)
		return nil
	}
	if isObject(t) {
		f.assignObject(x)
		return nil
	}
	into, _ := f.prog.Refs[f.prog.Means.Unparen(x.X)].(*check.Var)
	op := x.Op.Binary()
	if x.Op == assignOp {
		var w *ir.Value
		if into != nil && f.prog.KeepsWhole(into, x.Y) {
			w = f.word(x.Y)
		} else {
			w = f.as(x.Y, t)
		}
		f.lvalue(x.X).set(w)
		return w
	}
	v := f.lvalue(x.X)
	a := operand{x.X, v.get(), t}
	b := operand{x.Y, f.word(x.Y), f.typeOf(x.Y)}
	w := f.arith(op, a, b)
	if into == nil || !into.Wide {
		w = f.extend(w, t)
	}
	v.set(w)
	return w
}

// getVar reads a scalar variable. A thread that has assigned none of its
// variables reads 0.
func (f *fn) getVar(v *check.Var) *ir.Value {
	if n, ok := f.counters[v]; ok {
		return f.Const(n)
	}
	switch {
	case v.Scope == ast.This || v.Scope == ast.Local:
		return f.loadAs(f.local(v), 0, keptAs(v))
	case f.ofThread(v):
		out := f.out.Vars[f.vars[v]]
		return f.orZero(f.self(0), func(p *ir.Value) *ir.Value { return f.loadAs(p, int64(out.Offset), keptAs(v)) })
	}
	return f.loadAs(f.global(v), 0, keptAs(v))
}

func (f *fn) self(create int64) *ir.Value { return f.Emit(ir.Value{Op: ir.OpSelf, Imm: create}) }

func (f *fn) global(v *check.Var) *ir.Value {
	return f.Emit(ir.Value{Op: ir.OpGlobal, Imm: f.vars[v]})
}

// loadAs reads a scalar of type t, which is kept in its own size.
func (f *fn) loadAs(p *ir.Value, off int64, t types.Type) *ir.Value {
	t = types.Decay(t)
	w := f.Load(p, off, t.Size())
	if types.IsSigned(t) {
		return f.extend(w, t)
	}
	return w
}

// orZero reads through p, or gives 0 if p is null.
func (f *fn) orZero(p *ir.Value, read func(p *ir.Value) *ir.Value) *ir.Value {
	null, there, done := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, p), null, there)
	f.Go(there)
	w := read(p)
	f.Jump(done)
	f.Go(null)
	zero := f.Const(0)
	f.Jump(done)
	f.Go(done)
	return f.Phi(w, zero)
}

// setVar assigns a scalar variable.
func (f *fn) setVar(v *check.Var, w *ir.Value) {
	switch {
	case v.Scope == ast.This || v.Scope == ast.Local:
		f.Store(f.local(v), 0, keptAs(v).Size(), w)
	case f.ofThread(v):
		off := int64(f.out.Vars[f.vars[v]].Offset)
		f.withSelf(w.Op == ir.OpConst && w.Imm == 0, func(p *ir.Value) { f.Store(p, off, keptAs(v).Size(), w) })
	default:
		f.Store(f.global(v), 0, keptAs(v).Size(), w)
	}
}

// withSelf writes to the cell of the thread. A cell that is not there is made,
// unless what is written is zero: that is what reading it would give anyway.
func (f *fn) withSelf(zero bool, write func(p *ir.Value)) {
	create := int64(1)
	if zero {
		create = 0
	}
	p := f.self(create)
	null, there, done := f.Block(), f.Block(), f.Block()
	null.Cold = !zero
	f.Branch(f.Op(ir.OpPtrEq0, p), null, there)
	f.Go(null)
	if zero {
		f.Jump(done)
	} else {
		f.noRoom()
	}
	f.Go(there)
	write(p)
	f.Jump(done)
	f.Go(done)
}

// getAssoc reads a scalar element of an associative array.
func (f *fn) getAssoc(v *check.Var, key *ir.Value) *ir.Value {
	p := f.Emit(ir.Value{Op: ir.OpAssocGet, Imm: f.vars[v]}, key)
	return f.orZero(p, func(p *ir.Value) *ir.Value { return f.loadAs(p, 0, keptAs(v)) })
}

// setAssoc assigns an element. Assigning 0 gives its storage back.
func (f *fn) setAssoc(v *check.Var, key, w *ir.Value) {
	del, put, done := f.Block(), f.Block(), f.Block()
	f.Branch(w, put, del)
	f.Go(del)
	f.Emit(ir.Value{Op: ir.OpAssocDel, Imm: f.vars[v]}, key)
	f.Jump(done)
	f.Go(put)
	val := f.Alloca(8)
	f.Store(val, 0, 8, w)
	f.put(v, key, val)
	f.Jump(done)
	f.Go(done)
}

// put stores the value at val under key, or ends the clause if there is no room.
func (f *fn) put(v *check.Var, key, val *ir.Value) {
	status := f.Emit(ir.Value{Op: ir.OpAssocPut, Imm: f.vars[v]}, key, val)
	full, kept := f.ColdBlock(), f.Block()
	f.Branch(status, full, kept)
	f.Go(full)
	f.noRoom()
	f.Go(kept)
}

// noRoom counts a dynamic variable that could not be kept and ends the clause: what
// comes after would not see what it assigned. As in DTrace, nothing of the firing
// is recorded.
func (f *fn) noRoom() {
	f.drop(dropDynamic)
	f.unrecord()
	f.Jump(f.end)
}

// indexWord lowers x[…] of a scalar type.
func (f *fn) indexWord(x *ast.Index) *ir.Value {
	if types.IsString(f.typeOf(x.X)) && f.prog.Refs[x] == nil {
		if n, ok := f.foreknown(x.Args[0]); ok && f.isExecname(x.X) && 0 <= n && n < commSize && f.strLimit() >= commSize {
			return f.commCharacter(n)
		}
		s := f.before(x.X, x.Args[0])
		return f.character(s, f.as(x.Args[0], types.Int64))
	}
	switch ref := f.prog.Refs[x].(type) {
	case *check.Var:
		if f.threads[ref] {
			return f.getVar(ref)
		}
		return f.getAssoc(ref, f.key(ref, x.Args))
	case *check.ArgRef:
		w := f.arg(x, ref.Arg.Slot)
		return f.extend(w, types.Decay(f.typeOf(x)))
	case *check.Builtin:
		return f.register(x, ref)
	}
	return f.rvalue(f.place(x))
}
