package check

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// isPrototype reports whether t, as it is written, is a function: its declaration
// is one of the kernel's, with extern or without.
func isPrototype(t ast.Type) bool {
	_, ok := t.(*ast.Func)
	return ok
}

// extern checks extern type name; which says what type a symbol of the kernel has
// where the kernel does not. What it does say of a variable must be the same. A
// function may well be one of the C library that the kernel has by the same name, and
// all that a header declares is a program's.
func (c *checker) extern(n *ast.Declarator) {
	if _, ok := n.Type.(*ast.Assoc); ok {
		c.errorf(n, diag.DeclDynamic, "the kernel has no associative arrays")
		return
	}
	t, name := c.typ(n.Type), n.Name.Text
	if types.IsInvalid(t) {
		c.externs[name] = types.Bad
		return
	}
	if types.IsVoid(t) {
		c.errorf(n, diag.DeclVoid, "a symbol cannot be void").Suggest("void *%s", name)
		return
	}
	old, ok := c.externs[name]
	if !ok && !isFunc(t) && !c.inHeader(n) {
		if s, err := c.env.Symbol("", name); err == nil && s.Type != nil {
			old, ok = s.Type, true
		}
	}
	if ok && !c.inHeader(n) && !types.IsInvalid(old) && !types.Identical(old, t) {
		c.errorf(n, diag.DeclRedef, "%s is declared differently already: it is %s", name, article(old))
		return
	}
	c.externs[name] = t
}

// castSymbol gives the type of a symbol that is cast to t. Where nothing tells
// one, its memory is taken to hold what the cast says; of code the address is
// meant.
func (c *checker) castSymbol(sym *ast.KSym, t types.Type) types.Type {
	s, ok := c.symbol(sym)
	if !ok {
		return types.Bad
	}
	from := s.Type
	switch {
	case from == nil && s.Code:
		from = &types.Func{Result: types.VoidType}
	case from == nil && types.IsString(t):
		from = &types.Array{Elem: types.Char, Len: c.strsize}
	case from == nil && types.IsVoid(t):
		from = types.Char
	case from == nil:
		from = t
	}
	return c.set(sym, from)
}

// funcType resolves a function.
func (c *checker) funcType(t *ast.Func) types.Type {
	f := &types.Func{Result: c.typ(t.Result), Variadic: t.Variadic}
	if types.IsInvalid(f.Result) {
		return types.Bad
	}
	switch types.Resolve(f.Result).(type) {
	case *types.Array, *types.Func:
		c.errorf(t, diag.DeclProtoType, "a function cannot give %s", f.Result).Suggest("a pointer can point to it")
		return types.Bad
	}
	for _, p := range t.Params {
		f.Params = append(f.Params, c.paramType(t, p))
	}
	return f
}

// paramType resolves the type of a parameter.
func (c *checker) paramType(f *ast.Func, p *ast.Param) types.Type {
	if _, ok := p.Type.(*ast.Assoc); ok {
		c.errorf(p, diag.DeclProtoType, "a parameter cannot be an associative array")
		return types.Bad
	}
	t := c.paramUnsized(p)
	switch {
	case !types.IsVoid(t):
	case p.Name != nil:
		c.errorf(p.Name, diag.DeclVoidName, "a void parameter has no name")
		return types.Bad
	case len(f.Params) > 1 || f.Variadic:
		c.errorf(p, diag.DeclVoidParam, "void says that there are no parameters, and stands alone")
		return types.Bad
	}
	return types.Decay(t)
}

// paramUnsized resolves the type of a parameter. Of an array the length does not
// matter, which in C may be another parameter.
func (c *checker) paramUnsized(p *ast.Param) types.Type {
	if a, ok := p.Type.(*ast.Array); ok && c.inHeader(p) {
		return c.typ(&ast.Array{Elem: a.Elem, At: a.At})
	}
	return c.typ(p.Type)
}

// inHeader reports whether n stands in a header that the script includes: what it
// says is not for D, and takes nothing away from D.
func (c *checker) inHeader(n ast.Node) bool { return c.prog.Script.File.InHeader(n.Span().From) }
