package binary

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/types"
)

// A typeCache keeps types by their place, so that the same entry is the same type.
type typeCache map[ref]types.Type

// mostTypes is how many types are kept.
const mostTypes = 1 << 20

// Type returns the type that the debug information knows by a name. Kind is
// "struct", "union", "enum", or "" for typedefs, basic types and what C++ and Rust
// call without such a word.
func (d *Debug) Type(kind, name string) (t types.Type, err error) {
	defer d.ask()()
	defer guard(&err, "read types")
	ix, err := d.names()
	if err != nil {
		return nil, err
	}
	var kinds []uint16
	switch kind {
	case "struct":
		kinds = []uint16{tagStructureType}
	case "union":
		kinds = []uint16{tagUnionType}
	case "enum":
		kinds = []uint16{tagEnumerationType}
	case "":
		kinds = []uint16{tagTypedef, tagStructureType, tagUnionType, tagEnumerationType}
	}
	for _, k := range kinds {
		for _, n := range ix.called(ix.types, name, k) {
			if e, _, err := d.entry(n.at); err == nil && e.text(attrName) == name {
				return d.typeOf(n.at, 0), nil
			}
		}
	}
	if kind != "" {
		kind += " "
	}
	return nil, fmt.Errorf("the debug information knows no type %s%s", kind, name)
}

// typeAttr returns the type that an entry refers to, void if it refers to none.
func (d *Debug) typeAttr(e *entry, depth int) types.Type {
	at, ok := e.ref(attrType)
	if !ok {
		if _, there := e.get(attrType); there {
			return types.Bad // in a file that is not here
		}
		return types.VoidType
	}
	return d.typeOf(at, depth+1)
}

// typeOf returns the type that an entry describes. A type that is made of itself
// other than through a struct is no type.
func (d *Debug) typeOf(at ref, depth int) types.Type {
	if t, ok := d.types[at]; ok {
		return t
	}
	if depth > maxDepth {
		return types.Bad
	}
	e, r, err := d.entry(at)
	if err != nil {
		return types.Bad
	}
	if of, ok := e.ref(attrSignature); ok && of != at { // it lies in a unit of its own
		return d.typeOf(of, depth+1)
	}
	if d.types == nil || len(d.types) > mostTypes {
		d.types = typeCache{}
	}
	d.types[at] = types.Bad // until it is known
	t := d.convert(e, r, depth)
	d.types[at] = t
	return t
}

func (d *Debug) convert(e *entry, r *reader, depth int) types.Type {
	switch e.tag {
	case tagBaseType:
		return baseType(e)
	case tagPointerType, tagReferenceType, tagRvalueRefType:
		return &types.Pointer{Elem: d.typeAttr(e, depth)}
	case tagPtrToMember:
		return types.Long
	case tagConstType, tagVolatileType, tagRestrictType, tagAtomicType, tagImmutableType:
		return d.typeAttr(e, depth)
	case tagTypedef, tagTemplateAlias:
		return &types.Typedef{Name: e.text(attrName), Under: d.typeAttr(e, depth)}
	case tagStructureType, tagClassType, tagUnionType:
		return d.structType(e)
	case tagEnumerationType:
		return d.enumType(e, r, depth)
	case tagArrayType:
		return d.arrayType(e, r, depth)
	case tagSubroutineType:
		return d.funcType(e, r, depth)
	case tagSubrangeType:
		return d.typeAttr(e, depth)
	case tagUnspecifiedType:
		return types.VoidType
	}
	return types.Bad
}

// baseType returns an integer or a floating-point type.
func baseType(e *entry) types.Type {
	name, size := e.text(attrName), e.number(attrByteSize)
	switch enc := e.number(attrEncoding); {
	case size == 0:
		return types.VoidType
	case enc == encFloat || enc == encComplexFlt || enc == encDecimalFlt:
		return &types.Float{Name: name, Bytes: int(min(size, 64))}
	case size > 8:
		return &types.Array{Elem: types.UChar, Len: int(min(size, 64))} // __int128: as bytes
	case size&(size-1) != 0:
		return types.Bad
	default:
		signed := enc == encSigned || enc == encSignedChar
		char := size == 1 && (enc == encSignedChar || enc == encUnsignedCh) && (name == "char" || name == "signed char" || name == "unsigned char")
		return &types.Int{Name: name, Bytes: int(size), Signed: signed, Char: char}
	}
}

// structType returns a struct, whose members are read when somebody asks. One that
// is only declared here is looked for in the other units then.
func (d *Debug) structType(e *entry) types.Type {
	at, union, tag, kind := e.place(), e.tag == tagUnionType, e.text(attrName), kindOf(e.tag)
	return types.NewStruct(union, tag, func(s *types.Struct) {
		defer d.ask()()
		var err error
		defer guard(&err, "read types")
		d.fill(s, at, tag, kind)
	})
}

// fill gives s its members.
func (d *Debug) fill(s *types.Struct, at ref, tag string, kind uint16) {
	e, r, err := d.entry(at)
	if err != nil {
		return
	}
	if e.flag(attrDeclaration) {
		if e, r = d.definition(tag, kind); e == nil {
			return
		}
	}
	size := e.number(attrByteSize)
	if size > maxArray {
		return
	}
	var fields []types.Field
	owns := e.number(attrCallingConv) == ccPassByRef
	if e.kids {
		fields, owns = d.members(r, nil, owns, 0)
	}
	if owns {
		if d.byRef == nil {
			d.byRef = make(map[*types.Struct]bool)
		}
		d.byRef[s] = true
	}
	align := int(min(e.number(attrAlignment), 4096))
	if align == 0 {
		align = guessAlign(int(size), fields)
	}
	s.SetFields(fields, int(size), align)
}

// guessAlign returns the greatest alignment that a size and basic members allow.
func guessAlign(size int, fields []types.Field) int {
	align := 1
	for _, f := range fields {
		switch t := types.Resolve(f.Type).(type) {
		case *types.Int:
			align = max(align, t.Bytes)
		case *types.Pointer:
			align = 8
		case *types.Float:
			align = max(align, min(t.Bytes, 16))
		case *types.Enum:
			align = max(align, t.Bytes)
		case *types.Struct, *types.Array:
			align = max(align, 1)
		}
	}
	for align > 1 && size%align != 0 {
		align /= 2
	}
	return align
}

// definition returns the entry of a type that is only declared elsewhere.
func (d *Debug) definition(tag string, kind uint16) (*entry, *reader) {
	ix, err := d.names()
	if err != nil || tag == "" {
		return nil, nil
	}
	for _, n := range ix.called(ix.types, tag, kind) {
		e, r, err := d.entry(n.at)
		if err == nil && !e.flag(attrDeclaration) && e.text(attrName) == tag {
			return e, r
		}
	}
	return nil, nil
}

// members reads the members of a struct. Those of what it is derived from, and of
// the variants of a Rust enumeration, belong to it as those of an anonymous struct do.
// Owns is set if the type has a destructor of its own.
func (d *Debug) members(r *reader, fields []types.Field, owns bool, depth int) ([]types.Field, bool) {
	for r.c.err == nil && len(fields) < maxMembers {
		e := r.next()
		if e == nil {
			break
		}
		kids := e.kids
		switch e.tag {
		case tagMember, tagInheritance:
			if e.flag(attrExternal) || e.flag(attrDeclaration) { // static
				r.skip(e)
				continue
			}
			f, ok := d.member(e)
			r.skip(e)
			if ok {
				fields = append(fields, f)
			}
		case tagVariantPart, tagVariant:
			if kids && depth < maxDepth {
				fields, owns = d.members(r, fields, owns, depth+1)
			} else {
				r.skip(e)
			}
		case tagSubprogram:
			owns = owns || !e.flag(attrArtificial) && strings.HasPrefix(e.text(attrName), "~")
			r.skip(e)
		default:
			r.skip(e)
		}
	}
	return fields, owns
}

// member reads one member. Where it lies is a number of bits, which old compilers
// count from the other end.
func (d *Debug) member(e *entry) (types.Field, bool) {
	f := types.Field{Name: e.text(attrName)}
	if e.tag == tagInheritance {
		f.Name = ""
	}
	off, known := uint64(0), true
	if v, ok := e.get(attrMemberLoc); ok {
		off, known = constantOf(e.u, v)
	}
	f.Off = int(min(off, maxArray)) * 8
	f.Bits = int(min(e.number(attrBitSize), 64))
	if v, ok := e.get(attrDataBitOffset); ok {
		f.Off = int(min(v.u, maxArray*8))
	}
	if v, ok := e.get(attrBitOffset); ok && f.Bits > 0 {
		bytes := int(min(e.number(attrByteSize), 8))
		if bytes == 0 {
			bytes = 4
		}
		f.Off += bytes*8 - int(min(v.signed(), 64)) - f.Bits
	}
	f.Type = d.typeAttr(e, 0)
	return f, known && f.Off >= 0
}

// constantOf returns a distance that is a number, or the expression that adds one.
func constantOf(u *unit, v value) (uint64, bool) {
	if v.isNumber() || v.form == formSecOffset {
		return v.u, true
	}
	c := cursor{b: v.b, order: u.d.order}
	switch op := c.u8(); op {
	case opPlusUconst, opConstu:
		n := c.uleb()
		return n, c.err == nil && c.pos == len(c.b)
	}
	return 0, false
}

func (d *Debug) enumType(e *entry, r *reader, depth int) types.Type {
	t := &types.Enum{Tag: e.text(attrName), Bytes: int(min(e.number(attrByteSize), 8))}
	if under, ok := types.Resolve(d.typeAttr(e, depth)).(*types.Int); ok {
		t.Signed = under.Signed
		if t.Bytes == 0 {
			t.Bytes = under.Bytes
		}
	}
	if !e.kids {
		return t
	}
	for r.c.err == nil && len(t.Values) < maxMembers {
		k := r.next()
		if k == nil {
			break
		}
		if v, ok := k.get(attrConstValue); ok && k.tag == tagEnumerator {
			n := v.signed()
			if !t.Signed && v.form != formSdata {
				n = int64(v.u)
			}
			if n < 0 {
				t.Signed = true
			}
			t.Values = append(t.Values, types.Enumerator{Name: k.text(attrName), Value: n})
		}
		r.skip(k)
	}
	return t
}

// arrayType returns an array; one of several dimensions is one of arrays.
func (d *Debug) arrayType(e *entry, r *reader, depth int) types.Type {
	elem := d.typeAttr(e, depth)
	var lens []int
	for e.kids && r.c.err == nil && len(lens) < 16 {
		k := r.next()
		if k == nil {
			break
		}
		if k.tag == tagSubrangeType {
			n := uint64(0)
			if v, ok := k.get(attrCount); ok && v.isNumber() {
				n = v.u
			} else if v, ok := k.get(attrUpperBound); ok && v.isNumber() {
				n = uint64(v.signed() + 1)
				if v.form != formSdata {
					n = v.u + 1
				}
			}
			if n > maxArray {
				n = 0
			}
			lens = append(lens, int(n))
		}
		r.skip(k)
	}
	total := elements(elem)
	for i := len(lens) - 1; i >= 0; i-- {
		if lens[i] > 0 && total > maxArray/lens[i] {
			return types.Bad
		}
		total *= max(lens[i], 1)
		elem = &types.Array{Elem: elem, Len: lens[i]}
	}
	return elem
}

// elements returns how many elements an array of arrays has; 1 of what is none.
func elements(t types.Type) int {
	n := 1
	for range maxDepth {
		a, ok := types.Resolve(t).(*types.Array)
		if !ok {
			break
		}
		if n > maxArray/max(a.Len, 1) {
			return maxArray
		}
		n, t = n*max(a.Len, 1), a.Elem
	}
	return n
}

func (d *Debug) funcType(e *entry, r *reader, depth int) types.Type {
	f := &types.Func{Result: d.typeAttr(e, depth)}
	for e.kids && r.c.err == nil && len(f.Params) < maxMembers {
		k := r.next()
		if k == nil {
			break
		}
		switch k.tag {
		case tagFormalParameter:
			f.Params = append(f.Params, d.typeAttr(k, depth))
		case tagUnspecParams:
			f.Variadic = true
		}
		r.skip(k)
	}
	return f
}
