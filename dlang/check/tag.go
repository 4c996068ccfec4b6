package check

import (
	"errors"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// structType resolves struct tag, or defines it.
func (c *checker) structType(t *ast.Struct) types.Type {
	kind := "struct"
	if t.Union {
		kind = "union"
	}
	if !t.Defined {
		if found := c.tagType(t, kind, t.Module, t.Tag); found != nil {
			return found
		}
		_, err := c.env.Type(kind, t.Module, t.Tag)
		if t.Module != "" && errors.Is(err, ErrNoType) {
			c.errorf(t, diag.UnknownType, "module %s has no %s %s", t.Module, kind, t.Tag)
			return types.Bad
		}
		// A forward reference: good for pointers until it is defined, or the
		// module is loaded.
		s := types.NewStruct(t.Union, t.Tag, nil)
		c.tags[kind+" "+t.Tag] = s
		return s
	}
	s := types.NewStruct(t.Union, t.Tag, nil)
	if t.Tag != "" {
		if old, ok := c.tags[kind+" "+t.Tag].(*types.Struct); ok {
			if old.Complete() {
				c.errorf(t, diag.DeclTypeRedef, "%s %s is defined twice", kind, t.Tag)
				return old
			}
			s = old
		}
		c.tags[kind+" "+t.Tag] = s
	}
	c.layout(s, t)
	return s
}

// announce checks struct tag; which as in C says that the script will define it,
// whatever the kernel has by that name.
func (c *checker) announce(t *ast.Struct) {
	kind := "struct"
	if t.Union {
		kind = "union"
	}
	if key := kind + " " + t.Tag; !t.Defined && t.Tag != "" && t.Module == "" && c.tags[key] == nil {
		c.tags[key] = types.NewStruct(t.Union, t.Tag, nil)
	}
}

// A layouter places members one after another as the C of this machine does.
type layouter struct {
	fields []types.Field
	pack   int // the alignment that no member exceeds, 0 if any may
	bits   int // the next free bit
	size   int // of a union, in bits
	align  int // in bytes
	union  bool
}

// layout completes s from its members.
func (c *checker) layout(s *types.Struct, t *ast.Struct) {
	l := layouter{align: max(c.aligned(t.Attrs), 1), union: t.Union, pack: packOf(t)}
	seen := map[string]bool{}
	for _, d := range t.Members {
		if len(d.Names) == 0 {
			c.anonymous(&l, d, c.typ(d.Base))
			continue
		}
		for _, n := range d.Names {
			n.Attrs = n.Attrs.With(d.Attrs)
			c.layoutMember(&l, n, seen)
		}
	}
	end := max(l.bits, l.size)
	bytes := (end + 7) / 8
	s.SetFields(l.fields, (bytes+l.align-1)/l.align*l.align, l.align)
}

// anonymous adds a struct or union without a name, whose members belong to the outer one.
func (c *checker) anonymous(l *layouter, d *ast.Decl, t types.Type) {
	if s, ok := types.Resolve(t).(*types.Struct); ok && s.Complete() {
		l.place("", t, c.memberAlign(l, d.Attrs, t))
		return
	}
	if !types.IsInvalid(t) {
		c.errorf(d, diag.DeclMemberName, "a member needs a name")
	}
}

func (c *checker) layoutMember(l *layouter, n *ast.Declarator, seen map[string]bool) {
	t := c.typ(n.Type)
	name := ""
	if n.Name != nil {
		name = n.Name.Text
	}
	switch {
	case types.IsInvalid(t):
		return
	case name != "" && seen[name]:
		c.errorf(n.Name, diag.TypeSystem, "member %s is declared twice", name)
		return
	case types.IsVoid(t):
		c.errorf(n, diag.DeclVoid, "a member cannot be void")
		return
	case isFunc(t):
		c.errorf(n, diag.DeclVoid, "a member cannot be a function").Suggest("a pointer to one can: (*%s)()", name)
		return
	case n.Bits != nil:
		c.bitField(l, n, name, t)
		return
	case types.IsString(t):
		t = c.innerString()
		l.bits, l.align = roundUp(l.bits, 64), max(l.align, 8)
	}
	if s, ok := types.Resolve(t).(*types.Struct); ok && !s.Complete() {
		c.errorf(n, diag.DeclIncomplete, "nothing tells what is inside %s", t)
		return
	}
	seen[name] = true
	l.place(name, t, c.memberAlign(l, n.Attrs, t))
	l.fields[len(l.fields)-1].User = types.IsPointer(t) && ast.InUserland(n.Type)
}

// innerString is a string that is a part of something: as much as a variable
// takes, where words can be stored.
func (c *checker) innerString() types.Type { return &types.String{Max: roundUp(c.strsize+1, 8)} }

func isFunc(t types.Type) bool {
	_, ok := types.Resolve(t).(*types.Func)
	return ok
}

func (c *checker) bitField(l *layouter, n *ast.Declarator, name string, t types.Type) {
	width, ok := c.constant(n.Bits)
	switch {
	case types.IsInvalid(c.prog.Types[n.Bits]):
	case !types.IsInteger(t):
		c.errorf(n, diag.DeclBitsType, "a bit-field must be an integer, not %s", t)
	case !ok || width < 0 || width == 0 && name != "":
		c.errorf(n.Bits, diag.DeclBitsConst, "the width of a bit-field must be a positive constant")
	case width > int64(8*t.Size()):
		c.errorf(n.Bits, diag.DeclBitsSize, "%d bits do not fit %s", width, article(t))
	case width == 0:
		l.bits = roundUp(l.bits, 8*t.Size())
	default:
		l.placeBits(name, t, int(width), c.memberAlign(l, n.Attrs, t))
	}
}

// place places a member that is aligned at so many bytes.
func (l *layouter) place(name string, t types.Type, align int) {
	l.begin(align)
	l.bits = roundUp(l.bits, 8*align)
	l.fields = append(l.fields, types.Field{Name: name, Type: t, Off: l.bits})
	l.end(8 * t.Size())
}

// placeBits places a bit-field, which does not cross a unit of its type unless it is
// packed.
func (l *layouter) placeBits(name string, t types.Type, bits, align int) {
	l.begin(align)
	unit := 8 * t.Size()
	if align >= t.Align() && l.bits/unit != (l.bits+bits-1)/unit {
		l.bits = roundUp(l.bits, unit)
	}
	if name != "" {
		l.fields = append(l.fields, types.Field{Name: name, Type: t, Off: l.bits, Bits: bits})
	}
	l.end(bits)
}

func (l *layouter) begin(align int) {
	if l.union {
		l.bits = 0
	}
	l.align = max(l.align, align)
}

func (l *layouter) end(bits int) {
	l.bits += bits
	l.size = max(l.size, l.bits)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// enumType resolves enum tag, or defines it.
func (c *checker) enumType(t *ast.Enum) types.Type {
	if !t.Defined {
		if found := c.tagType(t, "enum", t.Module, t.Tag); found != nil {
			return found
		}
		c.errorf(t, diag.UnknownType, "no enum is called %s", t.Tag)
		return types.Bad
	}
	e := &types.Enum{Tag: t.Tag, Bytes: 4, Signed: true}
	if c.inHeader(t) {
		defer foreignEnum(e, t.Packed)
	}
	if t.Tag != "" {
		if _, ok := c.tags["enum "+t.Tag]; ok {
			c.errorf(t, diag.DeclTypeRedef, "enum %s is defined twice", t.Tag)
			return types.Bad
		}
		c.tags["enum "+t.Tag] = e
	}
	next := int64(0)
	for _, v := range t.Values {
		next = c.enumValue(e, v, next)
	}
	return e
}

// enumValue adds one enumerator and returns the value that the next one has.
func (c *checker) enumValue(e *types.Enum, v *ast.Enumerator, next int64) int64 {
	if v.Value != nil {
		n, ok := c.constant(v.Value)
		if !ok {
			if !types.IsInvalid(c.prog.Types[v.Value]) {
				c.errorf(v.Value, diag.DeclEnumConst, "the value of %s must be an integer constant", v.Name.Text)
			}
			return next + 1
		}
		next = n
		if types.Identical(types.Promote(c.prog.Types[v.Value]), types.UInt) && !c.inHeader(v) {
			next = types.Wrap(n, types.IntType) // 0xffffffff is -1
		}
	}
	name := v.Name.Text
	switch {
	case next != types.Wrap(next, types.IntType) && !c.inHeader(v):
		c.errorf(v, diag.DeclEnumBig, "%s does not fit an int: its value would be %d", name, next)
		return 0
	case c.enums[name] != nil && c.enums[name].Type == e:
		c.errorf(v.Name, diag.TypeSystem, "%s is declared already", name)
		return next + 1
	case builtinTable[name] != nil && c.inHeader(v):
		return next + 1 // the name stays D's
	case c.enums[name] != nil || c.vars[varKey{ast.Global, name}] != nil || builtinTable[name] != nil:
		c.errorf(v.Name, diag.DeclRedef, "%s is declared already", name)
		return next + 1
	}
	e.Values = append(e.Values, types.Enumerator{Name: name, Value: next})
	c.enums[name] = &EnumConst{Name: name, Type: e, Value: next}
	return next + 1
}
