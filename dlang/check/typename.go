package check

import (
	"errors"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/types"
)

// typ resolves a type as it is written.
func (c *checker) typ(t ast.Type) types.Type {
	if done, ok := c.defined[t]; ok {
		return done
	}
	switch t := t.(type) {
	case *ast.Basic:
		return c.basic(t)
	case *ast.Named:
		return c.namedType(t)
	case *ast.Typeof:
		return c.once(t, true, func() types.Type { return c.typeof(t) })
	case *ast.Struct:
		return c.once(t, t.Defined, func() types.Type { return c.structType(t) })
	case *ast.Enum:
		return c.once(t, t.Defined, func() types.Type { return c.enumType(t) })
	case *ast.Pointer:
		elem := c.typ(t.Elem)
		if types.IsInvalid(elem) {
			return types.Bad
		}
		return &types.Pointer{Elem: elem}
	case *ast.Array:
		return c.arrayType(t)
	case *ast.Func:
		return c.funcType(t)
	case *ast.Assoc:
		c.errorf(t, diag.DeclDynamic, "an associative array is no type: only a variable can be one")
		return types.Bad
	case *ast.BadType, nil:
		return types.Bad
	}
	panic("check: unknown type")
}

// once makes sure that a definition is made once, though all the declarators
// that follow it lead to it.
func (c *checker) once(t ast.Type, defines bool, make func() types.Type) types.Type {
	if done, ok := c.defined[t]; ok {
		return done
	}
	made := make()
	if defines {
		c.defined[t] = made
	}
	return made
}

func (c *checker) basic(t *ast.Basic) types.Type {
	words := slices.Clone(t.Words)
	slices.Sort(words)
	if b, ok := basicTypes[strings.Join(words, " ")]; ok {
		return b
	}
	code := diag.DeclCombo
	has := func(w string) bool { return slices.Contains(words, w) }
	switch {
	case has("char") && (has("short") || has("long")):
		code = diag.DeclChar
	case has("void") && len(words) > 1:
		code = diag.DeclVoidAttr
	case has("short") && has("long"):
		code = diag.TypeSystem
	case has("signed") && has("unsigned"):
		code = diag.DeclSign
	}
	c.errorf(t, code, "%s is no type", strings.Join(t.Words, " "))
	return types.Bad
}

// namedType resolves a typedef: of the script, of D, of the kernel, in this order.
func (c *checker) namedType(t *ast.Named) types.Type {
	if t.Module == "" || t.Module == "D" {
		if d, ok := c.typedefs[t.Name]; ok {
			return d
		}
	}
	if t.Module == "" || t.Module == "C" || t.Module == "D" {
		if d, ok := typedefTable[t.Name]; ok {
			return d
		}
		if d, ok := basicTypes[t.Name]; ok {
			return d
		}
	}
	if found := c.libraryType(t); found != nil {
		return found
	}
	found, err := c.lookupType("typedef", moduleOf(t.Module), t.Name)
	if err == nil {
		return found
	}
	code := diag.Syntax // as in DTrace, where only a type can be read there
	if t.Module != "" {
		code = diag.UnknownType
	}
	say := c.errorf(t, code, "no type is called %s", c.text(t))
	if c.foreign(say, t) {
		return types.Bad
	}
	for _, kind := range []string{"struct", "union", "enum"} {
		if _, err := c.lookupType(kind, t.Module, t.Name); err == nil || c.tags[kind+" "+t.Name] != nil {
			say.Suggest("write %s %s", kind, c.text(t)).Insert(t.Span().From, kind+" ")
			return types.Bad
		}
	}
	if near := nearest(t.Name, c.typeNames()); near != "" {
		say.Suggest("did you mean %s?", near).Instead(t.Span(), near)
	}
	return types.Bad
}

func (c *checker) typeNames() []string {
	var list []string
	for name := range typedefTable {
		list = append(list, name)
	}
	for name := range c.typedefs {
		list = append(list, name)
	}
	return list
}

// lookupType asks the Env and remembers its answer for this script.
func (c *checker) lookupType(kind, module, name string) (types.Type, error) {
	key := kind + " " + module + "`" + name
	if t, ok := c.named[key]; ok {
		if t == nil {
			return nil, ErrNoType
		}
		return t, nil
	}
	t, err := c.env.Type(kind, module, name)
	if err != nil || types.IsInvalid(t) {
		c.named[key] = nil
		return nil, errors.Join(ErrNoType, err)
	}
	c.named[key] = t
	return t, nil
}

// tagType finds struct s, union u or enum e: of the script, then of the kernel.
func (c *checker) tagType(n ast.Node, kind, module, tag string) types.Type {
	if module == "" || module == "D" {
		if t, ok := c.tags[kind+" "+tag]; ok {
			return t
		}
	}
	if t, err := c.lookupType(kind, moduleOf(module), tag); err == nil {
		return t
	}
	if module == "" || module == "D" {
		return c.libraryTag(kind, tag)
	}
	return nil
}

func (c *checker) arrayType(t *ast.Array) types.Type {
	elem := c.typ(t.Elem)
	if types.IsInvalid(elem) {
		return types.Bad
	}
	if types.IsString(elem) {
		elem = c.innerString()
	}
	switch {
	case types.IsVoid(elem):
		c.errorf(t, diag.DeclVoid, "an array cannot hold void")
		return types.Bad
	case elem.Size() == 0 && !types.IsString(elem):
		c.errorf(t, diag.DeclIncomplete, "an array cannot hold %s, whose size is not known", elem)
		return types.Bad
	case t.Len == nil:
		return &types.Array{Elem: elem}
	}
	n, ok := c.constant(t.Len)
	if !ok || n < 0 || n == 0 && !c.inHeader(t.Len) {
		if types.IsInvalid(c.prog.Types[t.Len]) {
			return types.Bad
		}
		c.errorf(t.Len, diag.DeclArray, "the length of an array must be a positive constant")
		return types.Bad
	}
	if size := int64(elem.Size()); n > 1<<31-1 || size > 0 && n > (1<<31-1)/size {
		c.errorf(t.Len, diag.DeclArrayBig, "this array is too big")
		return types.Bad
	}
	return &types.Array{Elem: elem, Len: int(n)}
}

// constant checks x and returns its value if it is an integer constant.
func (c *checker) constant(x ast.Expr) (int64, bool) {
	t := c.value(x)
	v, ok := c.prog.Consts[x]
	return v, ok && types.IsInteger(t)
}

// sizeof checks sizeof (type) and sizeof x. The operand is typed, never computed.
func (c *checker) sizeof(x *ast.Sizeof) types.Type {
	t, at := c.sizeofOperand(x)
	if types.IsInvalid(t) {
		return types.Bad
	}
	size := t.Size()
	if types.IsString(t) {
		size = c.strsize
		if text, ok := c.prog.Strings[x.X]; ok {
			size = len(text) + 1
		}
	}
	if s, ok := types.Resolve(t).(*types.Struct); ok && !s.Complete() {
		if full, ok := c.completed(s); ok {
			size = full.Size()
		}
	}
	if x.Align {
		size = t.Align()
	}
	if size == 0 {
		c.errorf(at, diag.SizeofType, "sizeof cannot tell the size of %s", t)
		return types.Bad
	}
	return c.setConst(x, int64(size), named("size_t"))
}

// typeof resolves typeof(x). Like the operand of sizeof, x is not computed.
func (c *checker) typeof(t *ast.Typeof) types.Type {
	of, _ := c.sizeofOperand(&ast.Sizeof{Type: t.Type, X: t.X, At: t.At})
	return of
}

func (c *checker) sizeofOperand(x *ast.Sizeof) (types.Type, ast.Node) {
	if x.X == nil {
		return c.typ(x.Type), x.Type
	}
	// The parser cannot tell (name) as a type from a variable in parentheses.
	if id, ok := c.prog.Means.Unparen(x.X).(*ast.Ident); ok && !c.isValueName(id.Name) {
		t := &ast.Named{Name: id.Name, At: id.At}
		if c.typedefs[id.Name] != nil || typedefTable[id.Name] != nil || c.libraryItem(id.Name, lib.Type) != nil {
			return c.typ(t), t
		}
		if found, err := c.lookupType("typedef", "", id.Name); err == nil {
			return found, t
		}
	}
	t := c.expr(x.X)
	if m, ok := c.prog.Means.Unparen(x.X).(*ast.Member); ok && c.prog.Members[m].Bits > 0 {
		c.errorf(x.X, diag.SizeofBits, "the bit-field %s has no size in bytes", m.Name.Text)
		return types.Bad, x.X
	}
	return t, x.X
}

// isValueName reports whether name is something that has a value here.
func (c *checker) isValueName(name string) bool {
	if c.vars[varKey{ast.Global, name}] != nil || builtinTable[name] != nil {
		return true
	}
	return c.params[name] != nil || c.inlineNamed(name) != nil || c.enums[name] != nil
}

// offsetof checks offsetof(type, member).
func (c *checker) offsetof(x *ast.Offsetof) types.Type {
	t := c.typ(x.Type)
	if types.IsInvalid(t) {
		return types.Bad
	}
	s, ok := types.Resolve(t).(*types.Struct)
	if !ok {
		c.errorf(x.Type, diag.OffsetofType, "offsetof needs a struct or union, not %s", t)
		return types.Bad
	}
	if !s.Complete() {
		c.errorf(x.Type, diag.OffsetofType, "nothing tells what is inside %s", s)
		return types.Bad
	}
	f, ok := s.Member(x.Member.Text)
	if !ok {
		say := c.errorf(x.Member, diag.TypeSystem, "%s has no member %s", s, x.Member.Text)
		if near := nearest(x.Member.Text, memberNames(s)); near != "" {
			say.Suggest("did you mean %s?", near).Instead(x.Member.Span(), near)
		}
		return types.Bad
	}
	if f.Bits > 0 {
		c.errorf(x.Member, diag.OffsetofBits, "the bit-field %s has no offset in bytes", f.Name)
		return types.Bad
	}
	return c.setConst(x, int64(f.Off/8), named("size_t"))
}
