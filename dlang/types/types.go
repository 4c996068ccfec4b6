// Package types holds the types of D: C's, plus string.
//
// A Type is immutable once it is complete and may be shared by goroutines.
// Structs of the kernel are completed when somebody first asks for a member,
// because a kernel has a hundred thousand types and a script uses ten.
//
// Sizes and offsets are those of the traced machine: 64-bit, little-endian
// (LP64), for x86-64 and arm64 alike.
package types

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// A Type is a type of D. The set of implementations is closed.
type Type interface {
	// String spells the type as D would declare it: struct task_struct *.
	String() string
	// Size is in bytes; 0 for void, functions and incomplete types.
	Size() int
	// Align is in bytes; at least 1.
	Align() int
	typ()
}

type (
	// Int is an integer or character type.
	Int struct {
		Name   string // int, unsigned long, char, uint8_t's base, …
		Bytes  int    // 1, 2, 4 or 8
		Signed bool
		Char   bool // prints as a character with %c; an array of it is a string
	}

	// Float is a floating-point type: it can be declared but not computed with.
	Float struct {
		Name  string
		Bytes int
	}

	// Void is void.
	Void struct{}

	// String is D's string: zero-terminated, of at most Max bytes with the
	// terminator. Max 0 means the strsize option; a smaller class is kept where
	// the source is known to be short (execname: 16).
	String struct{ Max int }

	// Pointer is elem *.
	Pointer struct{ Elem Type }

	// Array is elem [Len].
	Array struct {
		Elem Type
		Len  int
	}

	// Typedef is another name for Under.
	Typedef struct {
		Name    string
		Under   Type
		Aligned int // in bytes, if a header asks for more than Under wants
	}

	// Func is a function type.
	Func struct {
		Result   Type
		Params   []Type
		Variadic bool
	}

	// Enum is an enumeration.
	Enum struct {
		Tag    string
		Bytes  int
		Signed bool
		Values []Enumerator
	}

	// Invalid is the type of what could not be typed. It is contagious and mute:
	// whoever meets it says nothing, for it was reported where it arose.
	Invalid struct{}
)

// An Enumerator is one name of an Enum.
type Enumerator struct {
	Name  string
	Value int64
}

// A Struct is a struct or union.
type Struct struct {
	Union bool
	Tag   string // "" if anonymous

	complete func(*Struct) // fills the rest; nil once done or if never defined
	once     sync.Once
	fields   []Field
	index    atomic.Pointer[map[string]Field] // of the members of a large one, once one was looked for
	size     int
	align    int
	known    bool
}

// A Field is a member of a Struct.
type Field struct {
	Name string // "" for an anonymous struct or union, whose members belong to the outer one
	Type Type
	Off  int  // in bits from the start of the struct
	Bits int  // width of a bit-field in bits; 0 if it is none
	User bool // a pointer that the script calls userland
}

func (*Int) typ()     {}
func (*Float) typ()   {}
func (*Void) typ()    {}
func (*String) typ()  {}
func (*Pointer) typ() {}
func (*Array) typ()   {}
func (*Typedef) typ() {}
func (*Func) typ()    {}
func (*Enum) typ()    {}
func (*Struct) typ()  {}
func (*Invalid) typ() {}

// NewStruct returns a struct or union that complete fills by SetFields when
// somebody first asks what is inside; nil leaves it incomplete.
func NewStruct(union bool, tag string, complete func(*Struct)) *Struct {
	return &Struct{Union: union, Tag: tag, complete: complete}
}

// SetFields completes s. Offsets are in bits, size and align in bytes.
func (s *Struct) SetFields(fields []Field, size, align int) {
	s.fields, s.size, s.align, s.known = fields, size, max(align, 1), true
	s.index.Store(nil)
}

func (s *Struct) need() {
	s.once.Do(func() {
		if s.complete != nil {
			s.complete(s)
			s.complete = nil
		}
	})
}

// Complete reports whether the members of s are known.
func (s *Struct) Complete() bool { s.need(); return s.known }

// Fields returns the members in the order of their declaration.
func (s *Struct) Fields() []Field { s.need(); return s.fields }

// Size returns the size in bytes, 0 if s is incomplete.
func (s *Struct) Size() int { s.need(); return s.size }

// OffsetOf returns the offset in bytes of a member of a member … of s, or 0 if
// there is none. s may be nil.
func (s *Struct) OffsetOf(path ...string) int {
	off := 0
	for _, name := range path {
		if s == nil {
			return 0
		}
		m, ok := s.Member(name)
		if !ok {
			return 0
		}
		off += m.Off / 8
		s, _ = Resolve(m.Type).(*Struct)
	}
	return off
}

// Align returns the alignment in bytes.
func (s *Struct) Align() int { s.need(); return max(s.align, 1) }

// String returns struct tag.
func (s *Struct) String() string {
	word := "struct"
	if s.Union {
		word = "union"
	}
	if s.Tag == "" {
		return word + " {…}"
	}
	return word + " " + s.Tag
}

// large is of how many members an index is worth while.
const large = 32

// Member finds a member by name, looking into anonymous members too. The
// returned offset counts from the start of s.
func (s *Struct) Member(name string) (found Field, ok bool) {
	if name == "" {
		return Field{}, false
	}
	if len(s.Fields()) < large {
		s.members(0, func(f Field) bool {
			if ok = f.Name == name; ok {
				found = f
			}
			return !ok
		})
		return found, ok
	}
	index := s.index.Load()
	if index == nil {
		index = &map[string]Field{}
		s.members(0, func(f Field) bool {
			if _, twice := (*index)[f.Name]; !twice {
				(*index)[f.Name] = f
			}
			return true
		})
		s.index.Store(index)
	}
	found, ok = (*index)[name]
	return found, ok
}

// members hands on the members of s that have names, those of anonymous members
// included, as long as more are wanted. Offsets are by off bits more than in s.
func (s *Struct) members(off int, more func(Field) bool) bool {
	for _, f := range s.Fields() {
		f.Off += off
		if f.Name != "" {
			if !more(f) {
				return false
			}
		} else if inner, ok := Resolve(f.Type).(*Struct); ok && !inner.members(f.Off, more) {
			return false
		}
	}
	return true
}

// Size and Align of the others.

func (t *Int) Size() int      { return t.Bytes }
func (t *Int) Align() int     { return t.Bytes }
func (t *Int) String() string { return t.Name }

func (t *Float) Size() int      { return t.Bytes }
func (t *Float) Align() int     { return min(t.Bytes, 16) }
func (t *Float) String() string { return t.Name }

func (*Void) Size() int      { return 0 }
func (*Void) Align() int     { return 1 }
func (*Void) String() string { return "void" }

func (t *String) Size() int    { return t.Max }
func (*String) Align() int     { return 1 }
func (*String) String() string { return "string" }

func (*Pointer) Size() int  { return 8 }
func (*Pointer) Align() int { return 8 }

// String spells what the type says from the inside out, as C does.
func (t *Pointer) String() string { return declare(t, "") }

func (t *Array) Size() int      { return t.Elem.Size() * t.Len }
func (t *Array) Align() int     { return t.Elem.Align() }
func (t *Array) String() string { return declare(t, "") }

// declare spells the declaration of a t called by the declarator inner, or of
// none if that is empty.
func declare(t Type, inner string) string {
	switch t := t.(type) {
	case *Pointer:
		inner = "*" + inner
		switch t.Elem.(type) {
		case *Array, *Func:
			inner = "(" + inner + ")"
		}
		return declare(t.Elem, inner)
	case *Array:
		return declare(t.Elem, fmt.Sprintf("%s[%d]", inner, t.Len))
	case *Func:
		return declare(t.Result, inner+"("+params(t)+")")
	}
	if inner == "" {
		return t.String()
	}
	return t.String() + " " + inner
}

func (t *Typedef) Size() int      { return t.Under.Size() }
func (t *Typedef) Align() int     { return max(t.Under.Align(), t.Aligned) }
func (t *Typedef) String() string { return t.Name }

func (*Func) Size() int        { return 0 }
func (*Func) Align() int       { return 1 }
func (t *Func) String() string { return declare(t, "") }

func params(f *Func) string {
	var list []string
	for _, p := range f.Params {
		list = append(list, p.String())
	}
	if f.Variadic {
		list = append(list, "...")
	}
	if len(list) == 0 {
		return "void"
	}
	return strings.Join(list, ", ")
}

func (t *Enum) Size() int  { return t.Bytes }
func (t *Enum) Align() int { return max(t.Bytes, 1) }
func (t *Enum) String() string {
	if t.Tag == "" {
		return "enum {…}"
	}
	return "enum " + t.Tag
}

func (*Invalid) Size() int      { return 0 }
func (*Invalid) Align() int     { return 1 }
func (*Invalid) String() string { return "invalid type" }

// Resolve strips typedefs.
func Resolve(t Type) Type {
	for {
		d, ok := t.(*Typedef)
		if !ok {
			return t
		}
		t = d.Under
	}
}

// The basic types of the traced machine.
var (
	Char      = &Int{"char", 1, true, true}
	SChar     = &Int{"signed char", 1, true, true}
	UChar     = &Int{"unsigned char", 1, false, true}
	Short     = &Int{"short", 2, true, false}
	UShort    = &Int{"unsigned short", 2, false, false}
	IntType   = &Int{"int", 4, true, false}
	UInt      = &Int{"unsigned int", 4, false, false}
	Long      = &Int{"long", 8, true, false}
	ULong     = &Int{"unsigned long", 8, false, false}
	LongLong  = &Int{"long long", 8, true, false}
	ULongLong = &Int{"unsigned long long", 8, false, false}

	Int8   = &Typedef{Name: "int8_t", Under: SChar}
	Int16  = &Typedef{Name: "int16_t", Under: Short}
	Int32  = &Typedef{Name: "int32_t", Under: IntType}
	Int64  = &Typedef{Name: "int64_t", Under: Long}
	UInt8  = &Typedef{Name: "uint8_t", Under: UChar}
	UInt16 = &Typedef{Name: "uint16_t", Under: UShort}
	UInt32 = &Typedef{Name: "uint32_t", Under: UInt}
	UInt64 = &Typedef{Name: "uint64_t", Under: ULong}

	VoidType = &Void{}
	VoidPtr  = &Pointer{VoidType}
	StrType  = &String{}
	Bad      = &Invalid{}
)
