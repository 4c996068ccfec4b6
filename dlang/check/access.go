package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/machine"
	"dscope.dev/dlang/types"
)

// index checks x[…]: of args[], of a built-in array, of an associative array,
// or of a C array or pointer.
func (c *checker) index(x *ast.Index) types.Type {
	switch base := c.prog.Means.Unparen(x.X).(type) {
	case *ast.AggRef:
		c.errorf(x, diag.AggMultiDim, "@%s has one tuple of keys, not several", base.Name).
			Suggest("put all keys into one pair of brackets: @%s[a, b]", base.Name)
		return types.Bad
	case *ast.Ident, *ast.Var, *ast.Macro:
		if t, ok := c.indexNamed(x, base); ok {
			return t
		}
	}
	t := c.value(x.X)
	if types.IsInvalid(t) {
		for _, k := range x.Args {
			c.expr(k)
		}
		return types.Bad
	}
	return c.element(x, t)
}

// indexNamed handles the bases that are no C values: args[], uregs[], regs[] and
// associative arrays. It reports whether base is one of these.
func (c *checker) indexNamed(x *ast.Index, base ast.Expr) (types.Type, bool) {
	scope, name := ast.Global, ""
	switch b := base.(type) {
	case *ast.Ident:
		name = b.Name
	case *ast.Var:
		scope, name = b.Scope, b.Name
	case *ast.Macro:
		if n, ok := c.macroIdent(b); ok {
			name = n
		}
	}
	v := c.vars[varKey{scope, name}]
	if scope == ast.Global {
		v = c.globalVar(base, name)
	}
	switch {
	case v == nil && scope == ast.Global && name == "args":
		return c.args(x), true
	case v == nil && scope == ast.Global && (name == "uregs" || name == "regs"):
		return c.registers(x, name), true
	case v == nil && scope == ast.Global && c.inlineNamed(name) != nil:
		return c.indexInline(x, c.inlineNamed(name)), true
	case v == nil || types.IsInvalid(v.Type) && v.Keys == nil:
		return nil, false
	case v.Keys != nil:
		c.prog.Refs[base], c.prog.Refs[x] = v, v
		if v.open {
			return c.readOpen(x, v), true
		}
		return c.assoc(x, v), true
	case isArray(v.Type) || types.IsPointer(v.Type) || types.IsString(v.Type):
		return nil, false
	}
	c.prog.Refs[base] = v
	c.errorf(x, diag.BadIdent, "%s is %s, not an array", shownName(v), article(v.Type)).
		Note(v.First, "its type was settled here")
	return types.Bad, true
}

func isArray(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Array)
	return ok
}

// assoc checks the keys of an associative array against its first use.
func (c *checker) assoc(x *ast.Index, v *Var) types.Type {
	if len(x.Args) != len(v.Keys) {
		c.errorf(x, diag.ProtoLen, "%s[] takes %s, not %d", shownName(v), count(len(v.Keys), "key"), len(x.Args)).
			Note(v.First, "its keys were settled here")
		return types.Bad
	}
	ok := true
	for i, k := range x.Args {
		t := c.keyValue(k)
		switch want := v.Keys[i]; {
		case types.IsInvalid(want) && !types.IsInvalid(t) && !c.absent() && !c.list.Failed():
			v.Keys[i] = keptAs(t) // left open by a clause that never fires
		case types.IsInvalid(t) || types.IsInvalid(want):
			ok = false
		case !c.keyFits(k, want, t):
			c.errorf(k, diag.ProtoArg, "key %d of %s[] is %s, not %s", i+1, shownName(v), article(want), t).
				Note(v.First, "its keys were settled here")
			ok = false
		case !v.Declared && types.IsInteger(want) && types.IsInteger(t) && t.Size() > want.Size():
			v.Keys[i] = types.Common(want, t) // so that no two keys become one
		}
	}
	if !ok {
		return c.unknown()
	}
	return v.Type
}

// keyFits reports whether a key of type t may stand where want was used first.
func (c *checker) keyFits(k ast.Expr, want, t types.Type) bool {
	switch {
	case types.IsInteger(want) && types.IsInteger(t):
		return true
	case types.IsString(want) && c.isZero(k):
		c.asEmpty(k)
		return true
	case types.IsString(want) || types.IsCharArray(want):
		return types.IsStringLike(t)
	}
	if isStruct(want) || isArray(want) {
		return types.Identical(want, t)
	}
	_, ok := c.pointers(nil, k, want, t)
	return ok
}

// args checks args[n].
func (c *checker) args(x *ast.Index) types.Type {
	if len(x.Args) != 1 {
		c.errorf(x, diag.ProtoLen, "args[] takes one number, not %d", len(x.Args))
		return types.Bad
	}
	t := c.value(x.Args[0])
	n, isConst := c.prog.Consts[x.Args[0]]
	switch {
	case types.IsInvalid(t):
		return types.Bad
	case !isConst || !types.IsInteger(t):
		c.errorf(x.Args[0], diag.ProtoArg, "args[] needs a constant number: each argument has its own type").
			Suggest("use arg0 to arg9 for raw values")
		return types.Bad
	case c.clause == nil:
		c.errorf(x, diag.ArgsNone, "args[] has a meaning only in a clause")
		return types.Bad
	}
	if c.disagree(x) {
		return types.Bad
	}
	if n < 0 || int(n) >= len(c.clause.Args) || n > 1<<20 {
		return c.argsBeyond(x, n)
	}
	a := c.clause.Args[n]
	if why := c.lacking(a.Slot); why != "" {
		c.errorf(x, diag.ArgsIndex, "args[%d] cannot be had here: %s", n, why)
		return types.Bad
	}
	if a.Why != "" {
		c.errorf(x, diag.ArgsType, "args[%d], of type %s, cannot be had here: %s", n, a.TypeName(), a.Why)
		return types.Bad
	}
	if a.Type == nil || types.IsInvalid(a.Type) {
		c.errorf(x, diag.ArgsType, "the type of args[%d] is not known here", n).Suggest("use arg%d, the raw value", n)
		return types.Bad
	}
	if c.brokenArg(x, a.Slot) {
		return types.Bad
	}
	if (a.As != "" || a.to != nil) && !x.Raw {
		return c.translatedArg(x, a)
	}
	c.prog.Refs[x] = &ArgRef{N: int(n), Arg: a}
	return a.Type
}

// lacking says why a raw argument of the clause carries nothing, or "".
func (c *checker) lacking(slot int) string {
	if c.clause == nil || slot != 0 {
		return ""
	}
	for _, s := range c.clause.Probes {
		if s.Lacks != "" {
			return s.Lacks
		}
	}
	return ""
}

// disagree complains if the probes of the clause have different arguments.
func (c *checker) disagree(x *ast.Index) bool {
	sets, first := c.clause.Probes, -1
	for i, s := range sets {
		if s.Count == 0 {
			continue
		}
		if s.Disagree {
			c.errorf(x, diag.ArgsMulti, "the probes of this clause have different arguments").
				Note(c.clause.AST.Probes[i].Span(), "this matches %s", count(s.Count, "probe")).
				Suggest("name one probe, or use arg0 to arg9")
			return true
		}
		if first < 0 {
			first = i
		}
		if !sameArgs(sets[first].Args, s.Args) {
			c.errorf(x, diag.ArgsMulti, "the probes of this clause have different arguments").
				Note(c.clause.AST.Probes[first].Span(), "this has %s", argList(sets[first].Args)).
				Note(c.clause.AST.Probes[i].Span(), "this has %s", argList(s.Args)).
				Suggest("write a clause for each, or use arg0 to arg9")
			return true
		}
	}
	if first < 0 { // where that is no mistake, nobody knows the arguments
		c.unknown()
	}
	return first < 0
}

func (c *checker) argsBeyond(x *ast.Index, n int64) types.Type {
	have := len(c.clause.Args)
	if have == 0 {
		c.errorf(x, diag.ArgsIndex, "this probe has no typed arguments").
			Note(c.clause.AST.Probes[0].Span(), "this probe").Suggest("use arg0 to arg9 for raw values, if it has any")
		return types.Bad
	}
	c.errorf(x, diag.ArgsIndex, "args[%d] does not exist: the last is args[%d]", n, have-1).
		Note(c.clause.AST.Probes[0].Span(), "this has %s", argList(c.clause.Args))
	return types.Bad
}

// argList spells the types of args for a note.
func argList(args []Arg) string {
	if len(args) == 0 {
		return "no typed arguments"
	}
	s := ""
	for i, a := range args {
		if i > 0 {
			s += ", "
		}
		s += a.TypeName()
	}
	return "(" + s + ")"
}

// registers checks uregs[n] and regs[n].
func (c *checker) registers(x *ast.Index, name string) types.Type {
	if len(x.Args) != 1 {
		c.errorf(x, diag.ProtoLen, "%s[] takes one register, not %d", name, len(x.Args))
		return types.Bad
	}
	t := c.value(x.Args[0])
	n, isConst := c.prog.Consts[x.Args[0]]
	most := int64(machine.Here().Regs)
	if name == "uregs" {
		most = int64(machine.Here().Regs + len(machine.Here().Thread))
	}
	switch {
	case types.IsInvalid(t):
		return types.Bad
	case !types.IsInteger(t) || !isConst:
		c.errorf(x.Args[0], diag.ProtoArg, "%s[] needs the number of a register as a constant", name).Suggest("%s[R_PC]", name)
		return types.Bad
	case n < 0 || n >= most:
		c.errorf(x.Args[0], diag.TypeSystem, "%s[] has no register %d", name, n).Suggest("%s[R_PC]", name)
		return types.Bad
	}
	ref := c.builtinRef(builtinTable[name])
	c.prog.Refs[x], c.prog.Refs[x.X] = ref, ref
	return types.UInt64
}

// element checks x[i] of a C array or pointer.
func (c *checker) element(x *ast.Index, t types.Type) types.Type {
	if len(x.Args) != 1 {
		c.errorf(x, diag.ArrBadRef, "%s is %s, not an associative array: it takes one index", c.text(x.X), article(t)).
			Suggest("for more dimensions write [i][j]")
		return types.Bad
	}
	i := c.value(x.Args[0])
	if types.IsInvalid(i) {
		return types.Bad
	}
	if !types.IsString(t) && !types.IsPointer(types.Decay(t)) {
		c.errorf(x.X, diag.DerefNonPtr, "%s is %s, and has no elements", c.text(x.X), article(t))
		return types.Bad
	}
	if !types.IsInteger(i) {
		c.errorf(x.Args[0], diag.OpInt, "an index must be an integer, not %s", i)
		return types.Bad
	}
	if types.IsString(t) {
		return types.Char
	}
	if a, ok := types.Resolve(t).(*types.Array); ok {
		if n, isConst := c.prog.Consts[x.Args[0]]; isConst && (a.Len > 1 || c.placeOf(x.X) == placeVar) && (n < 0 || n >= int64(a.Len)) {
			c.errorf(x.Args[0], diag.ArrBounds, "index %d lies outside of the array, whose last is %d", n, a.Len-1)
			return types.Bad
		}
	}
	return c.pointee(x.X, types.Elem(types.Decay(t)))
}

// pointee returns what a pointer leads to, unless that is nothing.
func (c *checker) pointee(x ast.Expr, elem types.Type) types.Type {
	switch e := types.Resolve(elem).(type) {
	case *types.Void:
		c.errorf(x, diag.DerefVoid, "%s points to void, so nothing says what lies there", c.text(x)).
			Suggest("say what it is: *(int *)%s", c.text(x))
		return types.Bad
	case *types.Func:
		c.errorf(x, diag.DerefFunc, "%s points to a function, which has no value", c.text(x)).
			Suggest("print its name with func(%s)", c.text(x))
		return types.Bad
	case *types.Struct:
		if !e.Complete() {
			if full, ok := c.completed(e); ok {
				return full
			}
		}
	}
	return elem
}

// completed asks the kernel for the definition of a struct that was only announced.
func (c *checker) completed(s *types.Struct) (types.Type, bool) {
	if s.Tag == "" {
		return nil, false
	}
	kind := "struct"
	if s.Union {
		kind = "union"
	}
	if t, ok := c.tags[kind+" "+s.Tag]; ok && t != s {
		return t, true
	}
	t, err := c.lookupType(kind, "", s.Tag)
	if full, ok := t.(*types.Struct); err == nil && ok && full.Complete() {
		return full, true
	}
	return nil, false
}

// deref checks *x.
func (c *checker) deref(x *ast.Unary, t types.Type) types.Type {
	if !types.IsPointer(types.Decay(t)) {
		say := c.errorf(x, diag.DerefNonPtr, "%s is %s, and * follows pointers only", c.text(x.X), article(t))
		if types.IsInteger(t) {
			say.Suggest("say what lies at that address: *(int *)%s", c.text(x.X))
		}
		return types.Bad
	}
	if _, isFunc := types.Resolve(t).(*types.Func); isFunc {
		return c.pointee(x.X, t)
	}
	return c.pointee(x.X, types.Elem(types.Decay(t)))
}

// member checks x.name and x->name.
func (c *checker) member(x *ast.Member) types.Type {
	t := c.object(x.X)
	if types.IsInvalid(t) {
		return types.Bad
	}
	s, ok := c.structOf(x, t)
	if !ok {
		return types.Bad
	}
	if !s.Complete() {
		full, ok := c.completed(s)
		if !ok {
			c.foreign(c.errorf(x, diag.OpIncomplete, "nothing tells what is inside %s", s), x.Name)
			return types.Bad
		}
		s = full.(*types.Struct)
	}
	if x.Name.Text == "" { // the parser has said that the name is missing
		return types.Bad
	}
	if xl := c.translated(x.X); xl != nil {
		return c.translatedMember(x, xl, s)
	}
	f, ok := s.Member(x.Name.Text)
	if !ok {
		say := c.errorf(x.Name, diag.TypeMember, "%s has no member %s", s, x.Name.Text)
		if c.foreign(say, x.Name) {
			return types.Bad
		}
		if near := nearest(x.Name.Text, memberNames(s)); near != "" {
			say.Suggest("did you mean %s?", near).Instead(x.Name.Span(), near)
		}
		return types.Bad
	}
	c.prog.Members[x] = f
	return f.Type
}

// structOf returns the struct that . or -> applies to.
func (c *checker) structOf(x *ast.Member, t types.Type) (*types.Struct, bool) {
	name := x.Name.Text
	if !x.Arrow {
		if s, ok := types.Resolve(t).(*types.Struct); ok {
			return s, true
		}
		say := c.errorf(x, diag.OpSou, "%s is %s, and . selects from a struct or union", c.text(x.X), article(t))
		if p, ok := types.Resolve(types.Decay(t)).(*types.Pointer); ok && isStruct(p.Elem) {
			say.Suggest("follow the pointer: %s->%s", c.text(x.X), name).Instead(selector(x), "->")
		}
		return nil, false
	}
	p, ok := types.Resolve(types.Decay(t)).(*types.Pointer)
	if !ok {
		say := c.errorf(x, diag.OpPtr, "%s is %s, and -> follows a pointer", c.text(x.X), article(t))
		if isStruct(t) {
			say.Suggest("select with a dot: %s.%s", c.text(x.X), name).Instead(selector(x), ".")
		}
		return nil, false
	}
	s, ok := types.Resolve(p.Elem).(*types.Struct)
	if !ok {
		say := c.errorf(x, diag.OpSou, "%s points to %s, which has no members", c.text(x.X), p.Elem)
		if types.IsVoid(p.Elem) {
			say.Suggest("say what it points to: ((struct name *)%s)->%s", c.text(x.X), name)
		}
		return nil, false
	}
	return s, true
}

func isStruct(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Struct)
	return ok
}

// memberNames lists the members of s, those of anonymous members included.
func memberNames(s *types.Struct) []string {
	var names []string
	for _, f := range s.Fields() {
		if f.Name != "" {
			names = append(names, f.Name)
			continue
		}
		if inner, ok := types.Resolve(f.Type).(*types.Struct); ok {
			names = append(names, memberNames(inner)...)
		}
	}
	return names
}
