package check

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// assign checks x = y and x op= y. The first assignment to a name declares it.
func (c *checker) assign(x *ast.Assign) types.Type {
	if agg, ok := c.prog.Means.Unparen(x.X).(*ast.AggRef); ok {
		if which, ok := c.prog.Means.Unparen(x.Y).(*ast.Cond); ok {
			return c.eitherFn(x, agg, which)
		}
		c.value(x.Y)
		c.errorf(x.Y, diag.AggFunc, "@%s takes the result of an aggregating function", agg.Name).
			Suggest("@%s = sum(%s)", agg.Name, c.text(x.Y))
		return types.Bad
	}
	if v := c.fresh(x.X); v != nil {
		if x.Op != token.Assign {
			return c.tooEarly(x, v)
		}
		return c.firstAssign(x, v)
	}
	if _, two := x.X.(*ast.Binary); two && c.meansEqual(x) {
		return types.Bad
	}
	lt, rt := c.expr(x.X), c.value(x.Y)
	if types.IsInvalid(lt) || types.IsInvalid(rt) {
		return types.Bad
	}
	if c.fills[x] {
		return lt
	}
	if !c.keepable(x, rt) {
		return types.Bad
	}
	switch types.Resolve(lt).(type) {
	case *types.Array, *types.Func:
		c.errorf(x.X, diag.OpArrFun, "%s cannot be assigned as a whole", lt)
		return types.Bad
	}
	if c.meansEqual(x) || !c.writable(x.X, x.Op) {
		return types.Bad
	}
	if op := x.Op.Binary(); op != token.Bad {
		return c.compound(x, op, lt, rt)
	}
	if !c.assignable(x, lt, rt) {
		return types.Bad
	}
	c.noteScratch(x)
	c.noteStore(x.X, token.Bad, x.Y)
	return lt
}

// eitherFn complains about an aggregation whose function depends on a ?: that is not
// constant.
func (c *checker) eitherFn(x *ast.Assign, agg *ast.AggRef, which *ast.Cond) types.Type {
	c.aggKeys(agg)
	c.aggregation(agg).perhaps = true
	if t := c.valueFor(which.Cond, diag.OpScalar); !types.IsInvalid(t) {
		c.errorf(x.Y, diag.AggFunc, "@%s takes the result of an aggregating function, and which cannot depend on ?:, unless its condition is constant", agg.Name).
			Suggest("use two aggregations, and if")
	}
	return types.Bad
}

// firstAssign declares v by its first assignment. The right side is checked
// first, because v is not known in it.
func (c *checker) firstAssign(x *ast.Assign, v *Var) types.Type {
	rt := c.value(x.Y)
	if types.IsInvalid(rt) {
		// The name is known from here on, so that one mistake makes one complaint.
		c.declareUse(x.X, v, types.Bad)
		return types.Bad
	}
	if !c.keepable(x, rt) {
		c.declareUse(x.X, v, types.Bad)
		return types.Bad
	}
	t := c.stored(x.Y, rt)
	if isNarrow(t) && c.wide[varKey{v.Scope, v.Name}] {
		t = types.Int64
	}
	if !c.declareUse(x.X, v, t) || types.IsInvalid(t) {
		return types.Bad
	}
	c.noteScratch(x)
	c.noteStore(x.X, token.Bad, x.Y)
	return t
}

// tooEarly complains about x += y where nothing has given x a value and a type.
func (c *checker) tooEarly(x *ast.Assign, v *Var) types.Type {
	c.value(x.Y)
	say := c.errorf(x.X, diag.UnknownVar, "%s has not been assigned or declared above", shownName(v))
	if _, isArray := c.prog.Means.Unparen(x.X).(*ast.Index); !isArray {
		say.Suggest("declare it: %s", strings.TrimSpace(fmt.Sprintf("%s int64_t %s;", v.Scope, v.Name)))
	}
	c.declareUse(x.X, v, types.Bad)
	return types.Bad
}

// stored returns the type of a variable that is made to hold a value of type t.
func (c *checker) stored(x ast.Expr, t types.Type) types.Type {
	switch r := types.Resolve(t).(type) {
	case *types.String:
		return types.StrType
	case *types.Array:
		if types.IsCharArray(t) {
			return types.StrType
		}
		return types.Decay(t)
	case *types.Struct:
		if !r.Complete() {
			c.errorf(x, diag.OpIncomplete, "nothing tells what is inside %s", r)
			return types.Bad
		}
		return t
	case *types.Func:
		return types.Decay(t)
	case *types.Float:
		c.errorf(x, diag.OpIncompat, "D cannot compute with %s", t)
		return types.Bad
	}
	return t
}

// noteScratch remembers that a variable points into scratch memory. Code for
// such a pointer differs from code for any other, so a variable is one or the other.
func (c *checker) noteScratch(x *ast.Assign) {
	if v := c.varOf(x.X); v != nil {
		c.pointAt(v, x, x.Y)
	}
}

// pointAt notes that what x does makes v the value y.
func (c *checker) pointAt(v *Var, x ast.Node, y ast.Expr) {
	if c.isZero(y) {
		return
	}
	scratch := c.scratch(y)
	if scratch && (c.inVariable(y) || !types.IsScalar(v.Type)) {
		v.Scratch = true // what follows it asks what the address is
		return
	}
	if !types.IsScalar(v.Type) {
		return
	}
	if !scratch && !types.IsPointer(v.Type) {
		return
	}
	before, seen := c.points[v]
	if !seen {
		c.points[v] = pointing{scratch, x.Span()}
		v.Scratch = scratch
		c.notePointer(v, y, true)
		return
	}
	c.notePointer(v, y, false)
	if before.scratch != scratch {
		what := map[bool]string{true: "scratch memory", false: "other memory"}
		c.errorf(x, diag.AllocaMix, "%s cannot point to %s here", shownName(v), what[scratch]).
			Note(before.at, "it points to %s here", what[!scratch]).Suggest("use two variables")
	}
}

// A pointing is where a variable was first made to point.
type pointing struct {
	scratch bool
	at      token.Span
}

// assignable complains unless a value of type rt may be stored into lt.
func (c *checker) assignable(x *ast.Assign, lt, rt types.Type) bool {
	if c.converts(lt, rt, x.X, x.Y) {
		return true
	}
	say := c.errorf(x, diag.OpIncompat, "%s cannot hold %s: it is %s", c.text(x.X), rt, article(lt))
	if v, ok := c.prog.Refs[c.prog.Means.Unparen(x.X)].(*Var); ok {
		how := "its first assignment settled the type here"
		if v.Declared {
			how = "it was declared here"
		}
		say.Note(v.First, "%s", how)
	}
	if types.IsString(lt) && types.IsScalar(rt) {
		say.Suggest("make it a string: lltostr(%s)", c.text(x.Y))
	}
	return false
}

// converts reports whether a value of type rt becomes lt by assignment.
func (c *checker) converts(lt, rt types.Type, lhs, rhs ast.Expr) bool {
	switch {
	case types.IsPointer(lt) && rhs != nil && c.prog.Means.Translation(rhs) != nil:
		return types.IsVoid(types.Elem(lt)) // what it points to is not what it translates
	case types.IsInteger(lt) && types.IsInteger(rt):
		return true
	case types.IsString(lt) && types.IsStringLike(rt):
		return true
	case types.IsString(lt) && c.isZero(rhs):
		c.asEmpty(rhs)
		return true
	case types.IsPointer(lt):
		p, ok := c.pointers(lhs, rhs, lt, rt)
		return ok && !types.IsInvalid(p)
	case isStruct(lt):
		return types.Identical(lt, rt) || c.isZero(rhs) && c.dynamic(lhs)
	}
	return false
}

// dynamic reports whether x is a variable whose storage is given back by
// assigning 0: of a thread, or an element of an associative array.
func (c *checker) dynamic(x ast.Expr) bool {
	v, ok := c.prog.Refs[c.prog.Means.Unparen(x)].(*Var)
	return ok && (v.Scope == ast.Self || v.Keys != nil)
}

// compound checks x op= y, once both sides are typed.
func (c *checker) compound(x *ast.Assign, op token.Kind, lt, rt types.Type) types.Type {
	if (op == token.Plus || op == token.Minus) && !types.IsString(lt) && !types.IsString(rt) {
		switch {
		case types.IsPointer(lt) && types.Elem(lt).Size() == 0:
			return c.unsized(x.X, diag.OpVFPtr, x.Op, lt)
		case types.IsInteger(lt) && !types.IsInteger(rt):
			c.errorf(x, diag.OpVFPtr, "%s cannot step an integer by %s", x.Op, article(rt))
			return types.Bad
		}
	}
	if op == token.Plus && (types.IsString(lt) || types.IsString(rt)) {
		return c.incompatible(x, x.Op, lt, rt)
	}
	t := c.combine(x, op, x.X, x.Y, lt, rt)
	switch {
	case types.IsInvalid(t):
		return types.Bad
	case types.IsPointer(t) != types.IsPointer(lt):
		return c.incompatible(x, x.Op, lt, rt)
	}
	c.noteStore(x.X, op, x.Y)
	return lt
}

// article puts a or an before the name of t.
func article(t types.Type) string {
	s := t.String()
	switch s[0] {
	case 'a', 'e', 'i', 'o':
		return "an " + s
	case 'u':
		if strings.HasPrefix(s, "unsigned") { // not a union, a uint64_t, a ushort_t
			return "an " + s
		}
	}
	return "a " + s
}

// meansEqual complains about an assignment to a built-in variable, or to what an operator
// gives, within an expression: where a comparison is meant.
func (c *checker) meansEqual(x *ast.Assign) bool {
	if x.Op != token.Assign || ast.Expr(x) == c.alone {
		return false
	}
	left := c.prog.Means.Unparen(x.X)
	var say *diag.Diagnostic
	if b, ok := c.prog.Refs[left].(*Builtin); ok {
		say = c.errorf(x.X, diag.OpWrite, "%s cannot change the built-in variable %s", x.Op, b.Name)
	} else if two, ok := x.X.(*ast.Binary); ok { // a && b = c
		left, say = two.Y, c.errorf(x.X, diag.OpLval, "%s needs a variable on its left", x.Op)
	} else {
		return false
	}
	between := token.Span{From: x.X.Span().To, To: x.Y.Span().From}
	if i := strings.IndexByte(c.source().Text(between), '='); i >= 0 {
		at := between.From + token.Pos(i)
		say.Suggest("compare with ==: %s == %s", c.text(left), c.text(x.Y)).Instead(token.Span{From: at, To: at + 1}, "==")
	}
	return true
}
