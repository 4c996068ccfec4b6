package types

// IsInvalid reports whether t could not be typed; whoever asks stays silent.
func IsInvalid(t Type) bool {
	_, ok := t.(*Invalid)
	return ok || t == nil
}

// IsInteger reports whether t is an integer, character or enumeration.
func IsInteger(t Type) bool {
	switch Resolve(t).(type) {
	case *Int, *Enum:
		return true
	}
	return false
}

// IsSigned reports whether t is an integer or enumeration with a sign.
func IsSigned(t Type) bool {
	switch t := Resolve(t).(type) {
	case *Int:
		return t.Signed
	case *Enum:
		return t.Signed
	}
	return false
}

// IsPointer reports whether t is a pointer.
func IsPointer(t Type) bool {
	_, ok := Resolve(t).(*Pointer)
	return ok
}

// IsScalar reports whether t fits a register: an integer or a pointer.
func IsScalar(t Type) bool { return IsInteger(t) || IsPointer(t) }

// IsString reports whether t is D's string.
func IsString(t Type) bool {
	_, ok := Resolve(t).(*String)
	return ok
}

// IsCharArray reports whether t is an array of characters, which D turns into
// a string where one is due.
func IsCharArray(t Type) bool {
	a, ok := Resolve(t).(*Array)
	if !ok {
		return false
	}
	e, ok := Resolve(a.Elem).(*Int)
	return ok && e.Bytes == 1
}

// Elem returns what a pointer points to or an array holds, or nil.
func Elem(t Type) Type {
	switch t := Resolve(t).(type) {
	case *Pointer:
		return t.Elem
	case *Array:
		return t.Elem
	}
	return nil
}

// Identical reports whether a and b are the same type once typedefs are
// stripped. Structs are the same if their kind and tag are.
func Identical(a, b Type) bool {
	a, b = Resolve(a), Resolve(b)
	switch a := a.(type) {
	case *Int:
		b, ok := b.(*Int)
		return ok && a.Bytes == b.Bytes && a.Signed == b.Signed
	case *Enum:
		b, ok := b.(*Enum)
		return ok && (a == b || a.Tag != "" && a.Tag == b.Tag)
	case *Float:
		b, ok := b.(*Float)
		return ok && a.Bytes == b.Bytes
	case *Void:
		_, ok := b.(*Void)
		return ok
	case *String:
		_, ok := b.(*String)
		return ok
	case *Pointer:
		b, ok := b.(*Pointer)
		return ok && Identical(a.Elem, b.Elem)
	case *Array:
		b, ok := b.(*Array)
		return ok && a.Len == b.Len && Identical(a.Elem, b.Elem)
	case *Struct:
		b, ok := b.(*Struct)
		return ok && (a == b || a.Tag != "" && a.Tag == b.Tag && a.Union == b.Union)
	case *Func:
		b, ok := b.(*Func)
		if !ok || len(a.Params) != len(b.Params) || a.Variadic != b.Variadic || !Identical(a.Result, b.Result) {
			return false
		}
		for i := range a.Params {
			if !Identical(a.Params[i], b.Params[i]) {
				return false
			}
		}
		return true
	case *Invalid:
		_, ok := b.(*Invalid)
		return ok
	}
	panic("types.Identical: unknown type")
}
