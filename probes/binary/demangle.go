package binary

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Demangle returns a symbol's name as its source spells it: without a version,
// and in the syntax of C++ or Rust if it is a mangled name of these.
func Demangle(name string) string {
	if i := strings.IndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	if !Mangled(name) {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(12))
}

// Mangled reports whether a name looks like a mangled one of C++ or Rust.
func Mangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__Z")
}

// BareName returns the name of a function of C++ or Rust without its parameters
// and what follows them, as one types it into a probe description:
// ns::cls::method.
func BareName(name string) string {
	if i := strings.IndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	if !Mangled(name) {
		return name
	}
	return demangle.Filter(name, demangle.NoParams, demangle.MaxLength(12))
}
