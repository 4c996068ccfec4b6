package ast

import (
	"reflect"

	"dscope.dev/dlang/token"
)

// Equal reports whether a and b say the same: whether they are alike in all but
// places and comments. Nil and empty lists of children are alike, except for the
// second arguments of a probe, where nil means not declared. It is for tests
// and goes by reflection.
func Equal(a, b Node) bool {
	return equal(reflect.ValueOf(a), reflect.ValueOf(b))
}

// skipped holds the types of fields that say where, not what.
var skipped = [...]reflect.Type{
	reflect.TypeFor[At](), reflect.TypeFor[token.Span](), reflect.TypeFor[*token.File](),
	reflect.TypeFor[[]Comment](),
}

func equal(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	if isSkipped(a.Type()) {
		return true
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Struct:
		if d, ok := a.Interface().(ProbeDecl); ok && (d.Out == nil) != (b.Interface().(ProbeDecl).Out == nil) {
			return false
		}
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}
