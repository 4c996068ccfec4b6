package kernel

import (
	"github.com/cilium/ebpf/btf"

	dtypes "dscope.dev/dlang/types"
)

// Convert returns t as a type of D. Qualifiers and tags are dropped.
func (k *Kernel) Convert(t btf.Type) dtypes.Type {
	k.types.mu.Lock()
	defer k.types.mu.Unlock()
	return k.convert(t)
}

// convert is Convert with the cache locked. It must not ask a Struct for
// anything, because completing it converts its members.
func (k *Kernel) convert(t btf.Type) dtypes.Type {
	t = unqualify(t)
	if d, ok := k.types.done[t]; ok {
		return d
	}
	switch t := t.(type) {
	case *btf.Int:
		return k.keep(t, integer(t))
	case *btf.Void, nil:
		return dtypes.VoidType
	case *btf.Float:
		return k.keep(t, &dtypes.Float{Name: t.Name, Bytes: int(t.Size)})
	case *btf.Pointer:
		p := &dtypes.Pointer{}
		k.keep(t, p) // before its target, which may lead back here
		p.Elem = k.convert(t.Target)
		return p
	case *btf.Array:
		return k.keep(t, &dtypes.Array{Elem: k.convert(t.Type), Len: int(t.Nelems)})
	case *btf.Typedef:
		d := &dtypes.Typedef{Name: t.Name}
		k.keep(t, d)
		d.Under = k.convert(t.Type)
		return d
	case *btf.Enum:
		return k.keep(t, enumeration(t))
	case *btf.Struct:
		return k.keep(t, k.structure(false, t.Name, t.Members, t.Size))
	case *btf.Union:
		return k.keep(t, k.structure(true, t.Name, t.Members, t.Size))
	case *btf.Fwd:
		return k.keep(t, k.forward(t))
	case *btf.FuncProto:
		return k.function(t)
	}
	return dtypes.Bad // functions, variables and sections are no types of D
}

func (k *Kernel) keep(t btf.Type, d dtypes.Type) dtypes.Type {
	k.types.done[t] = d
	return d
}

// unqualify strips what D does not know.
func unqualify(t btf.Type) btf.Type {
	for {
		switch q := t.(type) {
		case *btf.Const:
			t = q.Type
		case *btf.Volatile:
			t = q.Type
		case *btf.Restrict:
			t = q.Type
		case *btf.TypeTag:
			t = q.Type
		default:
			return t
		}
	}
}

// spelling gives C's short spelling of the names that compilers record.
func spelling(name string) dtypes.Type {
	switch name {
	case "char":
		return dtypes.Char
	case "signed char":
		return dtypes.SChar
	case "unsigned char":
		return dtypes.UChar
	case "short", "short int", "signed short":
		return dtypes.Short
	case "unsigned short", "short unsigned int":
		return dtypes.UShort
	case "int", "signed", "signed int":
		return dtypes.IntType
	case "unsigned", "unsigned int":
		return dtypes.UInt
	case "long", "long int", "signed long":
		return dtypes.Long
	case "unsigned long", "long unsigned int":
		return dtypes.ULong
	case "long long", "long long int":
		return dtypes.LongLong
	case "unsigned long long", "long long unsigned int":
		return dtypes.ULongLong
	}
	return nil
}

// integer converts an integer. One of 16 bytes, which D cannot compute with,
// becomes an array of its halves.
func integer(t *btf.Int) dtypes.Type {
	if d := spelling(t.Name); d != nil && d.Size() == int(t.Size) {
		return d
	}
	switch t.Size {
	case 1, 2, 4, 8:
		return &dtypes.Int{Name: t.Name, Bytes: int(t.Size), Signed: t.Encoding&btf.Signed != 0,
			Char: t.Encoding&btf.Char != 0}
	}
	return &dtypes.Typedef{Name: t.Name, Under: &dtypes.Array{Elem: dtypes.ULong, Len: int(t.Size) / 8}}
}

func enumeration(t *btf.Enum) *dtypes.Enum {
	e := &dtypes.Enum{Tag: t.Name, Bytes: int(t.Size), Signed: t.Signed}
	e.Values = make([]dtypes.Enumerator, len(t.Values))
	for i, v := range t.Values {
		e.Values[i] = dtypes.Enumerator{Name: v.Name, Value: enumValue(t, v.Value)}
	}
	return e
}

// enumValue extends a value by the sign of its enumeration.
func enumValue(t *btf.Enum, v uint64) int64 {
	if t.Signed && t.Size < 8 {
		shift := 64 - 8*t.Size
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// function converts a function type.
func (k *Kernel) function(t *btf.FuncProto) dtypes.Type {
	f := &dtypes.Func{}
	k.keep(t, f)
	f.Result = k.convert(t.Return)
	for i, p := range t.Params {
		if _, void := p.Type.(*btf.Void); void && i == len(t.Params)-1 && p.Name == "" {
			f.Variadic = true
			break
		}
		f.Params = append(f.Params, k.convert(p.Type))
	}
	return f
}

// structure returns a struct that converts its members when first asked.
func (k *Kernel) structure(union bool, tag string, members []btf.Member, size uint32) *dtypes.Struct {
	return dtypes.NewStruct(union, tag, func(s *dtypes.Struct) {
		k.types.mu.Lock()
		fields := make([]dtypes.Field, len(members))
		for i, m := range members {
			fields[i] = dtypes.Field{Name: m.Name, Type: k.convert(m.Type), Off: int(m.Offset), Bits: int(m.BitfieldSize)}
		}
		k.types.mu.Unlock()
		s.SetFields(fields, int(size), alignment(members, size))
	})
}

// forward returns a struct that takes its members from a definition of the
// same name, if one of the kernel's parts has it. A driver's private struct
// is often declared in vmlinux and defined in the module.
func (k *Kernel) forward(t *btf.Fwd) *dtypes.Struct {
	union := t.Kind == btf.FwdUnion
	kind := "struct"
	if union {
		kind = "union"
	}
	return dtypes.NewStruct(union, t.Name, func(s *dtypes.Struct) {
		for _, m := range append([]string{""}, k.Modules()...) {
			spec, err := k.moduleBTF(m)
			if err != nil {
				continue
			}
			if def, full := pick(spec, kind, t.Name); full {
				d := k.Convert(def).(*dtypes.Struct)
				s.SetFields(d.Fields(), d.Size(), d.Align())
				return
			}
		}
	})
}

// alignment works out how a struct is aligned, which BTF does not say: as its
// strictest member, unless a member or the size shows that it is packed.
func alignment(members []btf.Member, size uint32) int {
	most := 1
	for _, m := range members {
		a := alignOf(m.Type)
		if m.BitfieldSize == 0 && int(m.Offset/8)%a != 0 {
			return 1
		}
		most = max(most, a)
	}
	if int(size)%most != 0 {
		return 1
	}
	return most
}

func alignOf(t btf.Type) int {
	switch t := btf.UnderlyingType(t).(type) {
	case *btf.Int:
		return max(1, int(t.Size))
	case *btf.Enum:
		return max(1, int(t.Size))
	case *btf.Float:
		return max(1, min(16, int(t.Size)))
	case *btf.Pointer:
		return 8
	case *btf.Array:
		return alignOf(t.Type)
	case *btf.Struct:
		return alignment(t.Members, t.Size)
	case *btf.Union:
		return alignment(t.Members, t.Size)
	}
	return 1
}
