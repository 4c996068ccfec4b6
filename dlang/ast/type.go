package ast

import "strings"

// Quals are the qualifiers written with a type. All but userland change nothing in D,
// which never writes to what it traces; the tree keeps them for the printer.
type Quals uint8

// The qualifiers.
const (
	Const Quals = 1 << iota
	Volatile
	Restrict
	Userland
)

// String returns the words of q with blanks between.
func (q Quals) String() string {
	var words []string
	for i, w := range [...]string{"const", "volatile", "restrict", "userland"} {
		if q&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// InUserland reports whether what t points to is said to lie in the process that
// fires: userland char *.
func InUserland(t Type) bool {
	switch t := t.(type) {
	case *Pointer:
		return t.Quals&Userland != 0 || InUserland(t.Elem)
	case *Array:
		return InUserland(t.Elem)
	case *Assoc:
		return InUserland(t.Elem)
	case *Basic:
		return t.Quals&Userland != 0
	case *Named:
		return t.Quals&Userland != 0
	case *Typeof:
		return t.Quals&Userland != 0
	case *Struct:
		return t.Quals&Userland != 0
	case *Enum:
		return t.Quals&Userland != 0
	}
	return false
}

// The types as they are written. Declarators are resolved by the parser: a
// type nests from the outside in, so int *a[3] is an ArrayType of PointerType
// of Basic.
type (
	// Basic is words such as unsigned long long, or string, or void.
	Basic struct {
		Words []string // in the order written, qualifiers left out
		Quals Quals
		At
	}

	// Named is a typedef name: uint32_t, or mod`size_t.
	Named struct {
		Module string // "" if not given
		Name   string
		Quals  Quals
		At
	}

	// Typeof is typeof(x) or typeof(type), as GNU C has it; exactly one of X and
	// Type is set.
	Typeof struct {
		X     Expr
		Type  Type
		Quals Quals
		At
	}
	// Struct is struct tag, struct tag { members }, or the same with union.
	// A tag may be scoped: struct mod`tag.
	Struct struct {
		Union   bool
		Module  string
		Tag     string // "" if anonymous
		Members []*Decl
		Defined bool // whether braces were written
		Quals   Quals
		Attrs
		Pack int // #pragma pack: members are aligned at this many bytes at most; 0 if they are as they want
		At
	}

	// Enum is enum tag { A, B = 3 }.
	Enum struct {
		Module  string
		Tag     string
		Values  []*Enumerator
		Defined bool
		Quals   Quals
		Attrs
		At
	}

	// Enumerator is NAME or NAME = expr.
	Enumerator struct {
		Name  *Name
		Value Expr // nil if it follows the one before
		At
	}

	// Pointer is elem *.
	Pointer struct {
		Elem  Type
		Quals Quals // of the pointer itself: char *const
		At
	}

	// Array is elem [len]; Len is nil for [].
	Array struct {
		Elem Type
		Len  Expr
		At
	}

	// Assoc is elem [type, type]: an associative array or the parameters of
	// an inline.
	Assoc struct {
		Elem Type
		Keys []*Param
		At
	}

	// Func is result (params).
	Func struct {
		Result   Type
		Params   []*Param
		Variadic bool
		At
	}

	// BadType is text that is no type; the parser has complained.
	BadType struct{ At }
)

func (*Basic) typ()   {}
func (*Named) typ()   {}
func (*Typeof) typ()  {}
func (*Struct) typ()  {}
func (*Enum) typ()    {}
func (*Pointer) typ() {}
func (*Array) typ()   {}
func (*Assoc) typ()   {}
func (*Func) typ()    {}
func (*BadType) typ() {}

// Param is a parameter: a type and perhaps a name.
type Param struct {
	Type Type
	Name *Name // nil if not given
	At
}

// Decl is one declaration; it may declare several names, or none (struct s;).
type Decl struct {
	Storage string // "", "typedef", "extern", "static", "self", "this", …
	Base    Type   // what stands before the declarators
	Names   []*Declarator
	Attrs
	At
}

// Declarator is one declared name with its whole type.
type Declarator struct {
	Name *Name // nil for an unnamed bit-field
	Type Type
	Bits Expr // width of a bit-field, or nil
	Init Expr // the first value of a local variable, or nil
	KSym bool // whether the name was written with a back-quote: extern int `x
	Attrs
	At
}

// Attrs are what a header of C says of the place of a thing in memory.
type Attrs struct {
	Packed bool // it is aligned at one byte
	Align  Expr // it is aligned at as many bytes at least; nil if nothing is said
}

// With returns what a and b say together.
func (a Attrs) With(b Attrs) Attrs {
	a.Packed = a.Packed || b.Packed
	if a.Align == nil {
		a.Align = b.Align
	}
	return a
}
