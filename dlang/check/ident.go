package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/types"
)

// ident resolves a plain name, read from x: a variable of the script, an
// inline, a built-in, an enumerator.
func (c *checker) ident(x ast.Expr, name string) types.Type {
	if v := c.params[name]; v != nil {
		c.prog.Refs[x] = v
		return v.Type
	}
	if v := c.globalVar(x, name); v != nil {
		return c.variable(x, v, name)
	}
	if e := c.enums[name]; e != nil {
		return c.enumConst(x, e)
	}
	if in := c.inlineNamed(name); in != nil {
		return c.useInline(x, in)
	}
	if b, ok := builtinTable[name]; ok {
		return c.builtin(x, b)
	}
	if k, ok := constants[name]; ok && c.enums[name] == nil {
		return c.useInline(x, k)
	}
	if e := c.enumerator(name); e != nil {
		return c.enumConst(x, e)
	}
	if isFunction(name) || c.funcs[name] != nil {
		c.errorf(x, diag.BadIdent, "%s is a function, not a variable", name).Suggest("call it: %s(…)", name)
		return types.Bad
	}
	say := c.errorf(x, diag.UnknownIdent, "failed to resolve %s: Unknown variable name", name)
	if c.foreign(say, x) {
		return types.Bad
	}
	if near := c.nearVar(name); near != "" {
		say.Suggest("did you mean %s?", near).Instead(x.Span(), near)
		return types.Bad
	}
	if _, err := c.env.Symbol("", name); err == nil {
		say.Suggest("write `%s if you mean the kernel's", name).Instead(x.Span(), "`"+name)
		return types.Bad
	}
	say.Suggest("assign it in a clause above")
	return types.Bad
}

// variable records that x reads v. An associative array needs an index.
func (c *checker) variable(x ast.Expr, v *Var, shown string) types.Type {
	c.prog.Refs[x] = v
	if v.open {
		return c.readOpen(x, v)
	}
	if v.Keys != nil {
		c.errorf(x, diag.BadIdent, "%s is an associative array: it has no value without a key", shown).
			Note(v.First, "its keys were settled here").
			Suggest("%s[…]", shown)
		return types.Bad
	}
	return v.Type
}

// scoped resolves self->name or this->name.
func (c *checker) scoped(x *ast.Var) types.Type {
	if v := c.vars[varKey{x.Scope, x.Name}]; v != nil {
		return c.variable(x, v, shownName(v))
	}
	shown := x.Scope.String() + "->" + x.Name
	say := c.errorf(x, diag.UnknownVar, "%s has not been assigned or declared above", shown)
	if near := c.nearScoped(x); near != "" {
		say.Suggest("did you mean %s?", near).Instead(x.Span(), near)
		return types.Bad
	}
	say.Suggest("move the clause that assigns %s up, or declare it: %s int %s;", shown, x.Scope, x.Name)
	return types.Bad
}

// shownName spells v as the script does.
func shownName(v *Var) string {
	if v.Scope == ast.Global || v.Scope == ast.Local {
		return v.Name
	}
	return v.Scope.String() + "->" + v.Name
}

// enumerator finds an enumerator of the script or of the kernel.
func (c *checker) enumerator(name string) *EnumConst {
	if e := c.enums[name]; e != nil {
		return e
	}
	if v, t, ok := c.env.Enumerator(name); ok {
		return &EnumConst{Name: name, Type: t, Value: v}
	}
	return nil
}

func (c *checker) enumConst(x ast.Expr, e *EnumConst) types.Type {
	c.prog.Refs[x] = e
	c.setConst(x, e.Value, types.Long)
	return c.set(x, e.Type)
}

// ksym resolves a variable of the kernel.
func (c *checker) ksym(x *ast.KSym) types.Type {
	s, ok := c.symbol(x)
	if !ok {
		return types.Bad
	}
	if s.Type == nil {
		c.errorf(x, diag.NoSymType, "the kernel tells no type for %s", s.Name).
			Suggest("say what it is: (int)`%s, or declare it above: extern int %s;", s.Name, s.Name)
		return types.Bad
	}
	return s.Type
}

// symAddress checks &`sym, which needs no type.
func (c *checker) symAddress(x *ast.KSym) types.Type {
	s, ok := c.symbol(x)
	switch {
	case !ok:
		return types.Bad
	case s.Type == nil:
		c.set(x, types.VoidType)
		return types.VoidPtr
	}
	c.set(x, s.Type)
	return &types.Pointer{Elem: s.Type}
}

func (c *checker) symbol(x *ast.KSym) (Symbol, bool) {
	if x.Module == "D" || x.Module == "C" {
		say := c.errorf(x, diag.UnknownIdent, "no type is called %s`%s, and no variable can be", x.Module, x.Name)
		if c.vars[varKey{ast.Global, x.Name}] != nil {
			say.Suggest("the variable of the script is %s", x.Name)
		}
		return Symbol{}, false
	}
	s, err := c.env.Symbol(x.Module, x.Name)
	if err != nil {
		where := "the kernel has"
		if x.Module != "" {
			where = "module " + x.Module + " has"
		}
		say := c.errorf(x, diag.UnknownIdent, "%s no symbol %s", where, x.Name)
		if c.foreign(say, x) {
			return Symbol{}, false
		}
		if more := hintOf(err); more != "" {
			say.Suggest("%s", more)
		}
		return Symbol{}, false
	}
	if t := c.externs[x.Name]; s.Type == nil && t != nil {
		s.Type = t
	}
	c.prog.Refs[x] = &KernelSym{s}
	return s, true
}

// fresh returns a new variable if x names one that does not exist yet, and nil
// otherwise. The variable joins the program in declareUse.
func (c *checker) fresh(x ast.Expr) *Var {
	switch x := c.prog.Means.Unparen(x).(type) {
	case *ast.Ident:
		return c.freshGlobal(x.Name)
	case *ast.Macro:
		if name, ok := c.macroIdent(x); ok {
			return c.freshGlobal(name)
		}
	case *ast.Var:
		return c.freshOr(c.vars[varKey{x.Scope, x.Name}], x.Scope, x.Name)
	case *ast.Index:
		if _, nested := c.prog.Means.Unparen(x.X).(*ast.Index); !nested {
			return c.fresh(x.X)
		}
	}
	return nil
}

// freshOr returns v if it is open, a new variable if there is none, and else nil.
func (c *checker) freshOr(v *Var, scope ast.Scope, name string) *Var {
	switch {
	case v == nil:
		return &Var{Name: name, Scope: scope}
	case c.isOpen(v):
		return v
	}
	return nil
}

func (c *checker) freshGlobal(name string) *Var {
	if v := c.vars[varKey{ast.Global, name}]; v != nil {
		return c.freshOr(v, v.Scope, name)
	}
	isInline := c.inlines[name] != nil || c.libraryItem(name, lib.Inline) != nil
	_, isBuiltin := builtinTable[name]
	_, isConst := constants[name]
	if isInline || isBuiltin || isConst || takesName(name) || c.funcs[name] != nil || c.enums[name] != nil {
		return nil
	}
	return &Var{Name: name}
}

// declareUse brings v to life with type t, because x assigns it.
func (c *checker) declareUse(x ast.Expr, v *Var, t types.Type) bool {
	if ix, ok := c.prog.Means.Unparen(x).(*ast.Index); ok {
		if v.Scope == ast.This {
			c.errorf(x, diag.TupleNoArray, "this->%s cannot be an associative array: this-> variables live for one firing", v.Name).
				Suggest("use self->%s or a global", v.Name)
			return false
		}
		v.Keys = nil
		for _, k := range ix.Args {
			v.Keys = append(v.Keys, c.keyType(k))
		}
	}
	v.Type, v.First = t, x.Span()
	if v.open {
		v.open = false
	} else {
		v.open = c.absent() && types.IsInvalid(t)
		c.addVar(v)
	}
	c.bind(x, v)
	return true
}

// bind records that x stands for v, whose keys have been checked. It spares x
// a second check, which would double with every array in the key of another.
func (c *checker) bind(x ast.Expr, v *Var) {
	c.set(x, v.Type)
	c.prog.Refs[x] = v
	switch x := x.(type) {
	case *ast.Paren:
		c.bind(x.X, v)
	case *ast.Index:
		c.prog.Refs[c.prog.Means.Unparen(x.X)] = v
	}
}

func (c *checker) addVar(v *Var) {
	v.Index = len(c.prog.Vars)
	c.prog.Vars = append(c.prog.Vars, v)
	c.vars[varKey{v.Scope, v.Name}] = v
}

// keyType checks one key of an associative array and returns the type that the
// array keeps it in: strings are kept at full length, since a later key may be longer.
func (c *checker) keyType(k ast.Expr) types.Type {
	return keptAs(c.keyValue(k))
}

// keptAs returns the type in which an array keeps a key of type t.
func keptAs(t types.Type) types.Type {
	if types.IsStringLike(t) && !types.IsPointer(t) {
		return types.StrType
	}
	return t
}

// keyValue checks an expression that is used as a key.
func (c *checker) keyValue(k ast.Expr) types.Type {
	t := c.valueFor(k, diag.KeyType)
	if types.IsInvalid(t) {
		return t
	}
	switch r := types.Resolve(t).(type) {
	case *types.Struct:
		if !r.Complete() {
			c.errorf(k, diag.KeyType, "nothing tells what is inside %s", r)
			return types.Bad
		}
	case *types.Func, *types.Float:
		c.errorf(k, diag.KeyType, "%s cannot be a key", t)
		return types.Bad
	}
	return t
}
