package types

// Promote returns the type that an integer has in an expression: an enumeration
// becomes its integer. Other types stay: in D, unlike in C, what is narrower than
// an int does not become one, so the sum of two unsigned characters prints as one.
func Promote(t Type) Type {
	if e, ok := Resolve(t).(*Enum); ok {
		return enumInt(e)
	}
	return t
}

// enumInt returns the integer type that holds the values of e.
func enumInt(e *Enum) Type {
	switch {
	case e.Bytes == 8 && e.Signed:
		return Long
	case e.Bytes == 8:
		return ULong
	case e.Bytes == 4 && !e.Signed:
		return UInt
	}
	return IntType
}

// Common returns the type of what a and b, both integers, are combined to: the
// larger, or that without a sign if they are of one size.
func Common(a, b Type) Type {
	a, b = Promote(a), Promote(b)
	x, y := Resolve(a).(*Int), Resolve(b).(*Int)
	switch {
	case x.Bytes > y.Bytes:
		return a
	case x.Bytes < y.Bytes:
		return b
	case !x.Signed:
		return a
	case !y.Signed:
		return b
	}
	return a
}

// Wrap returns v as a value of the integer or pointer type t holds it: cut to
// its size, and extended to 64 bits by its sign.
func Wrap(v int64, t Type) int64 {
	if !IsInteger(t) {
		return v
	}
	shift := 64 - 8*uint(t.Size())
	if shift == 0 || shift > 64 {
		return v
	}
	if IsSigned(t) {
		return v << shift >> shift
	}
	return int64(uint64(v) << shift >> shift)
}

// IsVoid reports whether t is void.
func IsVoid(t Type) bool {
	_, ok := Resolve(t).(*Void)
	return ok
}

// IsStringLike reports whether t may stand where a string is due: a string, an
// array of characters or a pointer to characters.
func IsStringLike(t Type) bool {
	if IsString(t) || IsCharArray(t) {
		return true
	}
	p, ok := Resolve(t).(*Pointer)
	if !ok {
		return false
	}
	e, ok := Resolve(p.Elem).(*Int)
	return ok && e.Bytes == 1
}

// Decay returns the pointer that an array or a function becomes in an
// expression. Other types stay.
func Decay(t Type) Type {
	switch r := Resolve(t).(type) {
	case *Array:
		return &Pointer{Elem: r.Elem}
	case *Func:
		return &Pointer{Elem: r}
	}
	return t
}
