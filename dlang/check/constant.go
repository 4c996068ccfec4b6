package check

import "dscope.dev/dlang/types"

// constants holds the names of numbers that D has even without its library: those of
// faults, in order of their numbers, are in the library too, where they have attributes.
var constants = func() map[string]*inline {
	m := map[string]*inline{}
	number := func(name string, n int64) { m[name] = &inline{name: name, typ: types.IntType, value: &n} }
	number("NULL", 0)
	for i, fault := range []string{"UNKNOWN", "BADADDR", "BADALIGN", "ILLOP", "DIVZERO", "NOSCRATCH", "KPRIV", "UPRIV",
		"TUPOFLOW", "BADSTACK", "BADSIZE", "BADINDEX"} {
		number("DTRACEFLT_"+fault, int64(i))
	}
	return m
}()
