package check

import (
	"fmt"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// value checks an expression whose value is wanted. What gives none is an error.
func (c *checker) value(x ast.Expr) types.Type { return c.valueFor(x, diag.OpAct) }

// valueFor is value with the tag that DTrace gives where x stands.
func (c *checker) valueFor(x ast.Expr, code diag.Code) types.Type {
	return c.made(x, c.objectFor(x, code), code)
}

// made makes a value of x, of type t, if that is left to its translator.
func (c *checker) made(x ast.Expr, t types.Type, code diag.Code) types.Type {
	if xl := c.translated(x); xl != nil && !types.IsInvalid(t) {
		return c.set(x, c.whole(x, xl, t, code))
	}
	return t
}

// object is value for what may be left to its translator: nothing is made of a
// translated object before it is known what is wanted of it.
func (c *checker) object(x ast.Expr) types.Type { return c.objectFor(x, diag.OpAct) }

func (c *checker) objectFor(x ast.Expr, code diag.Code) types.Type {
	switch u := c.prog.Means.Unparen(x).(type) {
	case *ast.AggRef:
		if code == diag.OpAct {
			code = diag.BadIdent
		}
		c.aggKeys(u)
		c.errorf(x, code, "an aggregation has no value that a clause could read").
			Suggest("print it: printa(@%s), or keep the sum in a variable", u.Name)
		return c.set(x, types.Bad)
	case *ast.Call:
		if t := c.expr(x); !types.IsVoid(t) {
			return t
		}
		word := "gives no value"
		if function.Find(u.Fn.Text).Action {
			word = "is an action and gives no value"
		}
		c.errorf(x, code, "%s() %s", u.Fn.Text, word).Suggest("make it a statement of its own: %s;", c.text(u))
		return c.set(x, types.Bad)
	}
	t := c.expr(x)
	if types.IsVoid(t) {
		c.errorf(x, code, "this has no value")
		return c.set(x, types.Bad)
	}
	return t
}

// expr checks x, whatever it is, and records its type.
func (c *checker) expr(x ast.Expr) types.Type {
	return c.set(x, c.typeOf(x))
}

// set records the type of x and returns it.
func (c *checker) set(x ast.Expr, t types.Type) types.Type {
	c.prog.Types[x] = t
	return t
}

// setConst records that x is the constant v of type t.
func (c *checker) setConst(x ast.Expr, v int64, t types.Type) types.Type {
	c.prog.Consts[x] = types.Wrap(v, t)
	return t
}

func (c *checker) typeOf(x ast.Expr) types.Type {
	switch x := x.(type) {
	case *ast.Ident:
		return c.ident(x, x.Name)
	case *ast.Var:
		return c.scoped(x)
	case *ast.KSym:
		return c.ksym(x)
	case *ast.AggRef:
		return c.valueFor(x, diag.BadIdent)
	case *ast.Macro:
		return c.macro(x)
	case *ast.Int:
		return c.intLit(x)
	case *ast.Char:
		return c.setConst(x, x.Value, charType(x))
	case *ast.String:
		return c.str(x, x.Value)
	case *ast.Unary:
		return c.unary(x)
	case *ast.Postfix:
		return c.step(x, x.Op, x.X)
	case *ast.Binary:
		return c.binary(x)
	case *ast.Assign:
		return c.assign(x)
	case *ast.Cond:
		return c.cond(x)
	case *ast.Call:
		return c.call(x, false)
	case *ast.Index:
		return c.index(x)
	case *ast.Member:
		return c.member(x)
	case *ast.Cast:
		return c.cast(x)
	case *ast.Sizeof:
		return c.sizeof(x)
	case *ast.Offsetof:
		return c.offsetof(x)
	case *ast.Xlate:
		return c.xlate(x)
	case *ast.Paren:
		return c.paren(x)
	case *ast.BadExpr:
		return types.Bad
	}
	panic("check: unknown expression")
}

// paren hands on what is known of the inner expression.
func (c *checker) paren(x *ast.Paren) types.Type {
	t := c.expr(x.X)
	if v, ok := c.prog.Consts[x.X]; ok {
		c.prog.Consts[x] = v
	}
	if s, ok := c.prog.Strings[x.X]; ok {
		c.prog.Strings[x] = s
	}
	return t
}

// intTypes are the types that an integer constant may have, in the order in
// which D tries them: the suffix says where to begin. As in C a decimal constant
// is unsigned only if it says so.
var intTypes = [...]types.Type{types.IntType, types.UInt, types.Long, types.ULong, types.LongLong, types.ULongLong}

func (c *checker) intLit(x *ast.Int) types.Type {
	if t := litType(x.Value, x.Unsigned, x.Longs, x.Text); t != nil {
		return c.setConst(x, int64(x.Value), t)
	}
	c.errorf(x, diag.IntOverflow, "%s fits no signed integer", x.Text).Suggest("make it unsigned: %su", x.Text).Insert(x.Span().To, "u")
	return types.Bad
}

// litType returns the type of a constant with these suffixes, or nil.
func litType(v uint64, unsigned bool, longs uint8, text string) types.Type {
	at := 2 * int(min(longs, 2))
	if unsigned {
		at++
	}
	return intType(v, at, unsigned || isDecimal(text))
}

// intType returns the first type from intTypes[at] on that holds v, or nil.
// oneSign says that only every second one, of the same sign, comes into question.
func intType(v uint64, at int, oneSign bool) types.Type {
	step := 1
	if oneSign {
		step = 2
	}
	for ; at < len(intTypes); at += step {
		if v <= limit(intTypes[at]) {
			return intTypes[at]
		}
	}
	return nil
}

// isDecimal reports whether a number is neither octal nor hexadecimal.
func isDecimal(text string) bool { return text != "" && text[0] != '0' || text == "0" }

// limit returns the largest value of an integer type.
func limit(t types.Type) uint64 {
	bits := 8 * uint(t.Size())
	if types.IsSigned(t) {
		bits--
	}
	return ^uint64(0) >> (64 - bits)
}

// charType returns the type of a character constant: int, as in C, unless it
// holds more characters than an int has bytes.
func charType(x *ast.Char) types.Type {
	if v := types.Wrap(x.Value, types.IntType); v == x.Value {
		return types.IntType
	}
	if v := types.Wrap(x.Value, types.UInt); v == x.Value {
		return types.UInt
	}
	return types.Long
}

// str records that x is the string constant s. Its type is as long as it needs.
func (c *checker) str(x ast.Expr, s string) types.Type {
	c.prog.Strings[x] = s
	if len(s)+1 > c.strsize {
		return types.StrType
	}
	return &types.String{Max: len(s) + 1}
}

// cond checks cond ? then : otherwise. One with a constant condition has been chosen
// from before, see chooser.
func (c *checker) cond(x *ast.Cond) types.Type {
	test := c.valueFor(x.Cond, diag.OpScalar)
	if !types.IsInvalid(test) && !types.IsScalar(types.Decay(test)) {
		c.errorf(x.Cond, diag.OpScalar, "the condition of ?: must be an integer or a pointer, not %s", test)
		test = types.Bad
	}
	if types.IsInvalid(test) || c.bothArms {
		c.looseArm(x.Then)
		c.looseArm(x.Else)
	}
	if types.IsInvalid(test) {
		return types.Bad
	}
	a, b := c.arm(x, x.Then), c.arm(x, x.Else)
	if types.IsInvalid(a) || types.IsInvalid(b) {
		return types.Bad
	}
	t, ok := c.join(x.Then, x.Else, a, b)
	if !ok {
		c.errorf(x, diag.OpIncompat, "the two arms of ?: have types that do not go together: %s and %s", a, b).
			Note(x.Then.Span(), "this is %s", a).Note(x.Else.Span(), "this is %s", b)
		return types.Bad
	}
	if types.IsPointer(t) && !c.isZero(x.Then) && !c.isZero(x.Else) && c.scratch(x.Then) != c.scratch(x.Else) {
		c.errorf(x, diag.AllocaMix, "one arm of ?: points to scratch memory, the other does not")
		return types.Bad
	}
	c.foldCond(x)
	return t
}

// arm checks one outcome of whole, a ?:, which may not be an action.
func (c *checker) arm(whole *ast.Cond, x ast.Expr) types.Type {
	switch u := c.prog.Means.Unparen(x).(type) {
	case *ast.Assign:
		ref, isAgg := c.prog.Means.Unparen(u.X).(*ast.AggRef)
		call, isCall := c.prog.Means.Unparen(u.Y).(*ast.Call)
		if !isAgg || !isCall || u.Op != token.Assign || !function.IsAgg(call.Fn.Text) {
			break
		}
		c.looseArm(x)
		c.errorf(x, diag.OpAct, "@%s cannot be filled depending on ?:, as its condition is not constant", ref.Name).
			Suggest("%s", c.asIf(whole, x))
		return c.set(x, types.Bad)
	case *ast.Call:
		f := function.Find(u.Fn.Text)
		if !f.Action {
			break
		}
		c.errorf(x, diag.OpAct, "an action cannot depend on ?:, unless its condition is constant").Suggest("%s", c.asIf(whole, x))
		c.argCount(&pending{ast: u, fn: f})
		return c.set(x, types.Bad)
	}
	return c.value(x)
}

// asIf writes the arm x of whole with an if.
func (c *checker) asIf(whole *ast.Cond, x ast.Expr) string {
	if x == whole.Then {
		return fmt.Sprintf("write if (%s) { %s; }", c.text(whole.Cond), c.text(x))
	}
	return fmt.Sprintf("write if (!(%s)) { %s; }", c.text(whole.Cond), c.text(x))
}

// looseArm checks an arm that may not be there, as far as its names go.
func (c *checker) looseArm(x ast.Expr) {
	switch u := c.prog.Means.Unparen(x).(type) {
	case *ast.Cond:
		c.expr(u)
	case *ast.Call:
		if !function.Find(u.Fn.Text).Action {
			c.expr(u)
			return
		}
		c.looseArgs(u)
	case *ast.Assign:
		ref, isAgg := c.prog.Means.Unparen(u.X).(*ast.AggRef)
		if !isAgg {
			c.expr(u)
			return
		}
		c.aggKeys(ref)
		c.aggregation(ref).perhaps = true
		if call, ok := c.prog.Means.Unparen(u.Y).(*ast.Call); ok {
			c.looseArgs(call)
		}
	default:
		c.expr(x)
	}
}

// join returns the type of an expression that is either x or y.
func (c *checker) join(x, y ast.Expr, a, b types.Type) (types.Type, bool) {
	switch {
	case types.IsInteger(a) && types.IsInteger(b):
		return types.Common(a, b), true
	case types.IsString(a) && types.IsStringLike(b), types.IsStringLike(a) && types.IsString(b):
		return longer(a, b), true
	case types.IsString(a) && c.isZero(y):
		c.asEmpty(y)
		return a, true
	case types.IsString(b) && c.isZero(x):
		c.asEmpty(x)
		return b, true
	case types.IsVoid(a) || types.IsVoid(b):
		return types.Bad, false
	}
	if s, ok := types.Resolve(a).(*types.Struct); ok && types.Identical(s, b) {
		return a, true
	}
	return c.pointers(x, y, a, b)
}

// longer returns the string type that holds what a or b holds.
func longer(a, b types.Type) types.Type {
	n, m := strMax(a), strMax(b)
	if n == 0 || m == 0 {
		return types.StrType
	}
	return &types.String{Max: max(n, m)}
}

// strMax returns how many bytes a string of type t may need; 0 if only the
// strsize option limits it.
func strMax(t types.Type) int {
	switch t := types.Resolve(t).(type) {
	case *types.String:
		return t.Max
	case *types.Array:
		return t.Len + 1
	}
	return 0
}

// pointers returns the pointer type that both a and b convert to: the same
// target, or void in one of them, or the constant 0.
func (c *checker) pointers(x, y ast.Expr, a, b types.Type) (types.Type, bool) {
	a, b = types.Decay(a), types.Decay(b)
	p, isPtr := types.Resolve(a).(*types.Pointer)
	q, isPtr2 := types.Resolve(b).(*types.Pointer)
	switch {
	case isPtr && isPtr2:
		switch {
		case types.Identical(p.Elem, q.Elem) || types.IsVoid(q.Elem):
			return a, true
		case types.IsVoid(p.Elem):
			return b, true
		case types.IsInteger(p.Elem) && types.IsInteger(q.Elem) && p.Elem.Size() == q.Elem.Size():
			return a, true
		}
	case isPtr && c.isZero(y):
		return a, true
	case isPtr2 && c.isZero(x):
		return b, true
	}
	return types.Bad, false
}

// asEmpty makes the constant 0, which stands where a string is due, the empty
// string: a string of D that holds nothing is empty, and NULL asks for that.
func (c *checker) asEmpty(x ast.Expr) {
	for {
		delete(c.prog.Consts, x)
		c.set(x, c.str(x, ""))
		c.prog.Nulls[x] = true
		p, ok := x.(*ast.Paren)
		if !ok {
			return
		}
		x = p.X
	}
}

// isZero reports whether x is the constant 0.
func (c *checker) isZero(x ast.Expr) bool {
	v, ok := c.prog.Consts[x]
	return ok && v == 0
}

// cast checks (type)x.
func (c *checker) cast(x *ast.Cast) types.Type {
	t := c.typ(x.Type)
	var from types.Type
	if sym, ok := c.prog.Means.Unparen(x.X).(*ast.KSym); ok && !types.IsInvalid(t) {
		from = c.set(x.X, c.castSymbol(sym, t))
	} else {
		from = c.valueFor(x.X, diag.CastInval)
	}
	if types.IsInvalid(t) || types.IsInvalid(from) {
		return types.Bad
	}
	if types.IsVoid(t) {
		return t
	}
	from = types.Decay(from)
	switch {
	case types.IsScalar(t) && types.IsScalar(from):
		if v, ok := c.prog.Consts[x.X]; ok {
			c.setConst(x, v, t)
		}
		return t
	case types.IsString(t) && (types.IsScalar(from) || types.IsStringLike(from)):
		return c.asString(x, x.X, from)
	case types.IsPointer(t) && types.IsString(from) && (types.IsStringLike(t) || types.IsVoid(types.Elem(t))):
		return t // the address of a copy
	}
	if s, ok := types.Resolve(t).(*types.Struct); ok && types.Identical(s, from) {
		return t
	}
	say := c.errorf(x, diag.CastInval, "%s cannot be cast to %s", from, t)
	if _, ok := types.Resolve(from).(*types.Struct); ok {
		say.Suggest("take a member of it, or its address with &")
	}
	return types.Bad
}

// asString gives the type of (string)x and stringof x.
func (c *checker) asString(whole, x ast.Expr, from types.Type) types.Type {
	if s, ok := c.prog.Strings[x]; ok {
		c.prog.Strings[whole] = s
	}
	inner := c.prog.Types[x]
	if n := strMax(inner); n > 0 && n <= c.strsize {
		return &types.String{Max: n}
	}
	return types.StrType
}

// isStep reports whether op is ++ or --.
func isStep(op token.Kind) bool { return op == token.Inc || op == token.Dec }
