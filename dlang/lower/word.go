package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

const (
	comma    = token.Comma
	assignOp = token.Assign
)

func isStr(t types.Type) bool { return types.IsString(t) || types.IsCharArray(t) }

func isScalar(t types.Type) bool { return types.IsScalar(types.Decay(t)) }

// word lowers an expression of a scalar type. What is computed has 64 bits, what
// is read is extended to them. Arrays and functions become their addresses.
func (f *fn) word(x ast.Expr) *ir.Value {
	x = f.prog.Means.Unparen(x)
	if n, ok := f.prog.Consts[x]; ok {
		return f.Const(n)
	}
	switch x := x.(type) {
	case *ast.Ident, *ast.Var, *ast.Macro, *ast.KSym:
		return f.name(x)
	case *ast.Unary:
		return f.unary(x)
	case *ast.Postfix:
		return f.step(x.Op, x.X, true)
	case *ast.Binary:
		return f.binary(x)
	case *ast.Assign:
		return f.assign(x)
	case *ast.Cond:
		return f.condWord(x)
	case *ast.Call:
		return f.callWord(x)
	case *ast.Index:
		return f.indexWord(x)
	case *ast.Member:
		return f.rvalue(f.place(x))
	case *ast.Cast:
		if f.takesCopy(x) {
			return f.copied(x.X)
		}
		return f.as(x.X, f.typeOf(x))
	}
	return f.errorf(x, "this expression is not supported yet")
}

// as lowers x and converts it to type t.
func (f *fn) as(x ast.Expr, t types.Type) *ir.Value {
	w := f.word(x)
	if f.prog.IsWide(x) {
		return f.extend(w, t)
	}
	switch f.prog.Means.Unparen(x).(type) {
	case *ast.Unary, *ast.Binary, *ast.Cond, *ast.Assign:
		if types.IsInteger(t) {
			return f.extend(w, t) // may have all 64 bits, whatever its type
		}
	}
	return f.convert(w, f.typeOf(x), t)
}

// convert makes a value of type to from one that is extended as from says.
func (f *fn) convert(w *ir.Value, from, to types.Type) *ir.Value {
	if !types.IsInteger(to) || to.Size() >= 8 {
		return w
	}
	if types.IsInteger(from) {
		fits := from.Size() < to.Size() && (!types.IsSigned(from) || types.IsSigned(to))
		same := from.Size() == to.Size() && types.IsSigned(from) == types.IsSigned(to)
		if fits || same {
			return w
		}
	}
	return f.extend(w, to)
}

// extend cuts w to the size of t and extends it again.
func (f *fn) extend(w *ir.Value, t types.Type) *ir.Value {
	if !types.IsInteger(t) || t.Size() >= 8 || t.Size() == 0 {
		return w
	}
	op := ir.OpZExt
	if types.IsSigned(t) {
		op = ir.OpSExt
	}
	return f.Emit(ir.Value{Op: op, Size: t.Size()}, w)
}

// name lowers a plain name.
func (f *fn) name(x ast.Expr) *ir.Value {
	switch ref := f.prog.Refs[x].(type) {
	case *check.Var:
		if isArray(ref.Type) {
			return f.address(f.place(x), x)
		}
		return f.getVar(ref)
	case *check.Builtin:
		return f.builtin(x, ref)
	case *check.EnumConst:
		return f.Const(ref.Value)
	case *check.KernelSym:
		return f.rvalue(f.place(x))
	}
	return f.errorf(x, "this name is not supported yet")
}

func (f *fn) unary(x *ast.Unary) *ir.Value {
	switch x.Op {
	case token.Minus:
		return f.Op(ir.OpNeg, f.word(x.X))
	case token.Plus:
		return f.word(x.X)
	case token.Tilde:
		return f.Op(ir.OpNot, f.word(x.X))
	case token.Not:
		return f.Op(ir.OpEq, f.word(x.X), f.Const(0))
	case token.Star:
		return f.rvalue(f.place(x))
	case token.Amp:
		return f.address(f.place(x.X), x)
	case token.Inc, token.Dec:
		return f.step(x.Op, x.X, false)
	}
	return f.errorf(x, "operator %s is not supported yet", x.Op)
}

func (f *fn) binary(x *ast.Binary) *ir.Value {
	switch x.Op {
	case token.Comma:
		f.effect(x.X)
		return f.word(x.Y)
	case token.AndAnd, token.OrOr:
		return f.truth(x)
	case token.XorXor:
		a := f.Op(ir.OpNe, f.word(x.X), f.Const(0))
		return f.Op(ir.OpXor, a, f.Op(ir.OpNe, f.word(x.Y), f.Const(0)))
	}
	if isComparison(x.Op) {
		return f.compare(x)
	}
	a := operand{x.X, f.word(x.X), f.typeOf(x.X)}
	b := operand{x.Y, f.word(x.Y), f.typeOf(x.Y)}
	return f.arith(x.Op, a, b)
}

// An operand is one side of an operator.
type operand struct {
	x ast.Expr
	w *ir.Value
	t types.Type
}

// arith computes a op b in 64 bits, as D does whatever the types are. They only
// say whether a quotient, rest or shift to the right minds the sign.
func (f *fn) arith(op token.Kind, a, b operand) *ir.Value {
	ta, tb := types.Decay(a.t), types.Decay(b.t)
	if types.IsPointer(ta) || types.IsPointer(tb) {
		return f.pointerArith(op, a, b, ta, tb)
	}
	if op == token.Shl || op == token.Shr {
		return f.Op(shiftOp(op, types.Promote(ta)), a.w, b.w)
	}
	if op == token.Slash || op == token.Percent {
		return f.divide(op, a.w, b.w, types.IsSigned(types.Common(ta, tb)))
	}
	return f.Op(arithOps[op], a.w, b.w)
}

var arithOps = map[token.Kind]ir.Op{
	token.Plus: ir.OpAdd, token.Minus: ir.OpSub, token.Star: ir.OpMul,
	token.Amp: ir.OpAnd, token.Pipe: ir.OpOr, token.Caret: ir.OpXor,
}

func shiftOp(op token.Kind, t types.Type) ir.Op {
	switch {
	case op == token.Shl:
		return ir.OpShl
	case types.IsSigned(t):
		return ir.OpShrA
	}
	return ir.OpShrL
}

// divide computes x / y or x % y. Division by zero is a fault. The
// smallest number divided by -1 gives itself, and no rest.
func (f *fn) divide(op token.Kind, x, y *ir.Value, signed bool) *ir.Value {
	o := map[bool]map[token.Kind]ir.Op{
		true:  {token.Slash: ir.OpDivS, token.Percent: ir.OpModS},
		false: {token.Slash: ir.OpDivU, token.Percent: ir.OpModU},
	}[signed][op]
	if y.Op != ir.OpConst || y.Imm == 0 { // the checker refuses only zeros that it sees
		f.fault(f.Op(ir.OpEq, y, f.Const(0)), faultDivZero, f.Const(0))
	}
	return f.Op(o, x, y)
}

// pointerArith computes p + i, i + p, p - i and p - q, in units of what the
// pointer points to.
func (f *fn) pointerArith(op token.Kind, a, b operand, ta, tb types.Type) *ir.Value {
	switch {
	case types.IsPointer(ta) && types.IsPointer(tb):
		return f.Op(ir.OpDivS, f.Op(ir.OpSub, a.w, b.w), f.Const(int64(types.Elem(ta).Size())))
	case types.IsPointer(tb):
		return f.Op(ir.OpAdd, f.scaled(a.w, types.Elem(tb)), b.w)
	case op == token.Minus:
		return f.Op(ir.OpSub, a.w, f.scaled(b.w, types.Elem(ta)))
	}
	return f.Op(ir.OpAdd, a.w, f.scaled(b.w, types.Elem(ta)))
}

func (f *fn) scaled(w *ir.Value, elem types.Type) *ir.Value {
	if n := elem.Size(); n != 1 {
		return f.Op(ir.OpMul, w, f.Const(int64(n)))
	}
	return w
}

// condWord lowers c ? a : b.
func (f *fn) condWord(x *ast.Cond) *ir.Value {
	return f.either(x.Cond, func() *ir.Value { return f.word(x.Then) }, func() *ir.Value { return f.word(x.Else) })
}

// either computes one of two words, as c says.
func (f *fn) either(c ast.Expr, then, other func() *ir.Value) *ir.Value {
	yes, no, done := f.Block(), f.Block(), f.Block()
	f.cond(c, yes, no)
	f.Go(yes)
	a := then()
	f.Jump(done)
	f.Go(no)
	b := other()
	f.Jump(done)
	f.Go(done)
	return f.Phi(a, b)
}

// step lowers ++ and --. It returns the value from before if old is set, else
// the new one.
func (f *fn) step(op token.Kind, x ast.Expr, old bool) *ir.Value {
	t := f.typeOf(x)
	v := f.lvalue(x)
	was := v.get()
	by := int64(1)
	if types.IsPointer(t) {
		by = int64(types.Elem(t).Size())
	}
	o := ir.OpAdd
	if op == token.Dec {
		o = ir.OpSub
	}
	now := f.Op(o, was, f.Const(by))
	if into, _ := f.prog.Refs[f.prog.Means.Unparen(x)].(*check.Var); into == nil || !into.Wide {
		now = f.extend(now, t)
	}
	v.set(now)
	if old {
		return was
	}
	return now
}
