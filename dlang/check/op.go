package check

import (
	"strconv"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// unary checks op x.
func (c *checker) unary(x *ast.Unary) types.Type {
	switch {
	case isStep(x.Op):
		return c.step(x, x.Op, x.X)
	case x.Op == token.Amp:
		return c.address(x)
	}
	t := c.objectFor(x.X, operatorCode(x.Op, true))
	if xl := c.translated(x.X); xl != nil && x.Op == token.Star {
		return c.derefTranslated(x, xl, t)
	}
	t = c.made(x.X, t, operatorCode(x.Op, true))
	if types.IsInvalid(t) {
		return types.Bad
	}
	switch x.Op {
	case token.Star:
		return c.deref(x, t)
	case token.KwStringof:
		return c.stringof(x, t)
	case token.Not:
		if !types.IsScalar(types.Decay(t)) {
			return c.operand(x.X, diag.OpScalar, "!", "an integer or a pointer", t)
		}
		c.foldUnary(x, types.IntType)
		return types.IntType
	case token.Minus, token.Plus:
		if !types.IsInteger(t) {
			return c.operand(x.X, diag.OpArith, x.Op.String(), "a number", t)
		}
	case token.Tilde:
		if !types.IsInteger(t) {
			return c.operand(x.X, diag.OpInt, "~", "an integer", t)
		}
	default:
		panic("check: unknown unary operator " + x.Op.String())
	}
	p := types.Promote(t)
	c.foldUnary(x, p)
	return p
}

// operatorCode gives the tag for an operand that has no value at all.
func operatorCode(op token.Kind, unary bool) diag.Code {
	switch op {
	case token.KwStringof:
		return diag.StringofType
	case token.Not, token.AndAnd, token.OrOr, token.XorXor:
		return diag.OpScalar
	case token.Tilde, token.Pipe, token.Caret, token.Percent, token.Amp, token.Shl, token.Shr:
		return diag.OpInt
	case token.Slash:
		return diag.OpArith
	case token.Star:
		if unary {
			return diag.DerefNonPtr
		}
		return diag.OpArith
	case token.Plus, token.Minus:
		if unary {
			return diag.OpArith
		}
	}
	return diag.OpIncompat
}

// operand complains about one operand of an operator.
func (c *checker) operand(x ast.Expr, code diag.Code, op, want string, have types.Type) types.Type {
	say := c.errorf(x, code, "operator %s needs %s, not %s", op, want, have)
	if types.IsString(have) && code == diag.OpScalar {
		say.Suggest("compare the string: %s != NULL", c.text(x))
	}
	return types.Bad
}

func (c *checker) stringof(x *ast.Unary, t types.Type) types.Type {
	from := types.Decay(t)
	if types.IsScalar(from) || types.IsStringLike(from) {
		return c.asString(x, x.X, from)
	}
	c.errorf(x, diag.StringofType, "stringof cannot make a string of %s", t)
	return types.Bad
}

// address checks &x. Only what lies in memory has an address; D's variables
// move about and have none.
func (c *checker) address(x *ast.Unary) types.Type {
	if sym, ok := c.prog.Means.Unparen(x.X).(*ast.KSym); ok {
		return c.symAddress(sym)
	}
	t := c.valueFor(x.X, diag.AddrofVar)
	if types.IsInvalid(t) {
		return types.Bad
	}
	switch c.placeOf(x.X) {
	case placeVar:
		if !c.isWhole(x.X) {
			break
		}
		c.errorf(x, diag.AddrofVar, "a variable of D has no address").
			Suggest("copy the value itself, or keep it in memory from alloca()")
		return types.Bad
	case placeNone:
		c.errorf(x, diag.AddrofLval, "& needs something that lies in memory, not a computed value")
		return types.Bad
	}
	if m, ok := c.prog.Means.Unparen(x.X).(*ast.Member); ok && c.prog.Members[m].Bits > 0 {
		c.errorf(x, diag.AddrofBits, "the bit-field %s has no address of its own", m.Name.Text)
		return types.Bad
	}
	return &types.Pointer{Elem: t}
}

// isWhole reports whether x is a variable, not a part of one, or lies in an
// associative array, whose elements come and go.
func (c *checker) isWhole(x ast.Expr) bool {
	v := c.varOf(x)
	return c.prog.Refs[c.prog.Means.Unparen(x)] == v || v != nil && v.Keys != nil
}

// step checks ++ and --, before or after.
func (c *checker) step(whole ast.Expr, op token.Kind, x ast.Expr) types.Type {
	if v := c.fresh(x); v != nil {
		c.declareUse(x, v, types.Int64)
		return types.Int64
	}
	t := c.value(x)
	switch {
	case types.IsInvalid(t) || !c.writable(x, op):
		return types.Bad
	case !types.IsScalar(t):
		return c.operand(x, diag.OpScalar, op.String(), "an integer or a pointer", t)
	case types.IsPointer(t) && types.Elem(t).Size() == 0:
		return c.unsized(x, diag.OpVFPtr, op, t)
	}
	return t
}

// unsized complains about arithmetic on a pointer to what has no size.
func (c *checker) unsized(x ast.Expr, code diag.Code, op token.Kind, t types.Type) types.Type {
	c.errorf(x, code, "%s cannot step over %s, which has no size", op, types.Elem(t)).
		Suggest("say what it points to: (char *)%s", c.text(x))
	return types.Bad
}

// binary checks x op y.
func (c *checker) binary(x *ast.Binary) types.Type {
	if x.Op == token.Comma {
		return c.comma(x)
	}
	code := operatorCode(x.Op, false)
	a := c.valueFor(x.X, code)
	b := c.enumTag(x, a)
	if b == nil {
		b = c.valueFor(x.Y, code)
	}
	if types.IsInvalid(a) || types.IsInvalid(b) {
		c.meansText(x, a, b)
		return types.Bad
	}
	t := c.combine(x, x.Op, x.X, x.Y, a, b)
	if !types.IsInvalid(t) {
		c.foldBinary(x)
		c.failedCall(x)
	}
	return t
}

// meansText says what may be meant by a name that nothing has and that is compared with a
// string: execname == dd.
func (c *checker) meansText(x *ast.Binary, a, b types.Type) {
	name := x.Y
	if types.IsInvalid(a) {
		name, a = x.X, b
	}
	id, ok := c.prog.Means.Unparen(name).(*ast.Ident)
	if !ok || !types.IsString(a) || len(c.list) == 0 {
		return
	}
	if say := c.list[len(c.list)-1]; say.Code == diag.UnknownIdent && say.At == id.Span() && len(say.Fixes) == 0 {
		say.Suggest("a text has quotes: %q", id.Name).Instead(id.Span(), strconv.Quote(id.Name))
	}
}

func (c *checker) comma(x *ast.Binary) types.Type {
	if call, ok := c.prog.Means.Unparen(x.X).(*ast.Call); ok && function.Find(call.Fn.Text).Action {
		c.value(x.X)
	} else {
		c.expr(x.X)
	}
	t := c.value(x.Y)
	if v, ok := c.prog.Consts[x.Y]; ok && !c.hasEffect(x.X) {
		c.prog.Consts[x] = v
	}
	return t
}

// enumTag resolves the right side of a comparison in the enumeration of the
// left: args[0]->state == ZOMBIE.
func (c *checker) enumTag(x *ast.Binary, left types.Type) types.Type {
	e, ok := types.Resolve(left).(*types.Enum)
	id, isIdent := c.prog.Means.Unparen(x.Y).(*ast.Ident)
	if !ok || !isIdent || !isComparison(x.Op) {
		return nil
	}
	for _, v := range e.Values {
		if v.Name == id.Name {
			c.enumConst(id, &EnumConst{v.Name, left, v.Value})
			c.prog.Consts[x.Y] = v.Value
			return c.set(x.Y, left)
		}
	}
	return nil
}

func isComparison(op token.Kind) bool {
	switch op {
	case token.Eq, token.Ne, token.Lt, token.Le, token.Gt, token.Ge:
		return true
	}
	return false
}

// combine gives the type of x op y, for a plain or a compound operator.
func (c *checker) combine(whole ast.Expr, op token.Kind, x, y ast.Expr, a, b types.Type) types.Type {
	switch op {
	case token.AndAnd, token.OrOr, token.XorXor:
		for _, s := range []struct {
			x ast.Expr
			t types.Type
		}{{x, a}, {y, b}} {
			if !types.IsScalar(types.Decay(s.t)) {
				return c.operand(s.x, diag.OpScalar, op.String(), "integers or pointers", s.t)
			}
		}
		return types.IntType
	case token.Amp, token.Pipe, token.Caret, token.Percent:
		return c.arith(op, diag.OpInt, x, y, a, b)
	case token.Shl, token.Shr:
		if types.IsInvalid(c.arith(op, diag.OpInt, x, y, a, b)) {
			return types.Bad
		}
		return types.Promote(a)
	case token.Star, token.Slash:
		return c.arith(op, diag.OpArith, x, y, a, b)
	case token.Plus, token.Minus:
		return c.additive(whole, op, x, y, a, b)
	}
	if isComparison(op) {
		return c.compare(whole, op, x, y, a, b)
	}
	panic("check: unknown binary operator " + op.String())
}

func (c *checker) arith(op token.Kind, code diag.Code, x, y ast.Expr, a, b types.Type) types.Type {
	want := "integers"
	if code == diag.OpArith {
		want = "numbers"
	}
	switch {
	case !types.IsInteger(a):
		return c.operand(x, code, op.String(), want, a)
	case !types.IsInteger(b):
		return c.operand(y, code, op.String(), want, b)
	case (op == token.Slash || op == token.Percent) && c.isZero(y):
		c.errorf(y, diag.DivZero, "this divides by zero")
		return types.Bad
	}
	return types.Common(a, b)
}

// additive checks + and -, which pointers take part in.
func (c *checker) additive(whole ast.Expr, op token.Kind, x, y ast.Expr, a, b types.Type) types.Type {
	if types.IsInteger(a) && types.IsInteger(b) {
		return types.Common(a, b)
	}
	p, q := types.Decay(a), types.Decay(b)
	switch {
	case op == token.Plus && (types.IsString(a) && types.IsInteger(b) || types.IsInteger(a) && types.IsString(b)):
		return types.StrType // without its first characters
	case types.IsPointer(p) && types.IsInteger(q):
		if types.Elem(p).Size() == 0 {
			return c.unsized(x, diag.OpIncompat, op, p)
		}
		return p
	case op == token.Plus && types.IsInteger(p) && types.IsPointer(q):
		if types.Elem(q).Size() == 0 {
			return c.unsized(y, diag.OpIncompat, op, q)
		}
		return q
	case op == token.Minus && types.IsPointer(p) && types.IsPointer(q) && types.Identical(types.Elem(p), types.Elem(q)):
		if types.Elem(p).Size() == 0 {
			return c.unsized(x, diag.OpIncompat, op, p)
		}
		return types.Long
	}
	return c.incompatible(whole, op, a, b)
}

func (c *checker) incompatible(n ast.Node, op token.Kind, a, b types.Type) types.Type {
	say := c.errorf(n, diag.OpIncompat, "%s %s %s: these types do not go together", a, op, b)
	switch {
	case op == token.Plus && (types.IsString(a) || types.IsString(b)):
		say.Suggest("join strings with strjoin(a, b)")
	case types.IsString(a) && types.IsPointer(b), types.IsPointer(a) && types.IsString(b):
		say.Suggest("make the pointer a string: stringof(p) for a kernel address, copyinstr(p) for one of the process")
	}
	return types.Bad
}

// compare checks == != < <= > >=.
func (c *checker) compare(whole ast.Expr, op token.Kind, x, y ast.Expr, a, b types.Type) types.Type {
	if types.IsInteger(a) && types.IsInteger(b) {
		return types.IntType
	}
	if types.IsStringLike(a) && types.IsStringLike(b) && (types.IsString(a) || types.IsString(b)) {
		return types.IntType
	}
	if types.IsString(a) && c.isZero(y) || types.IsString(b) && c.isZero(x) {
		if types.IsString(a) {
			x = y
		}
		c.asEmpty(x)
		return types.IntType
	}
	if _, ok := c.pointers(x, y, a, b); ok {
		return types.IntType
	}
	return c.incompatible(whole, op, a, b)
}
