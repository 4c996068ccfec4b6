package check

import (
	"slices"
	"strings"

	"dscope.dev/dlang/function"
)

// FunctionList lists the functions of D by name: actions, subroutines and
// aggregating functions.
func FunctionList() []Known {
	var list []Known
	for f := range function.All() {
		list = append(list, Known{f.Name, f.Proto, f.Help, f.Why})
	}
	for f := range function.Aggregates() {
		list = append(list, Known{f.Name, f.Proto, f.Help, ""})
	}
	slices.SortFunc(list, func(a, b Known) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// isFunction reports whether D has a function of that name.
func isFunction(name string) bool { return function.Is(name) || function.IsAgg(name) }

// takesName reports whether no variable can have the name, since it is a function's. One that no
// DTrace has leaves its name to the scripts that were written for DTrace.
func takesName(name string) bool {
	return isFunction(name) && function.Find(name).Home != function.Nowhere
}
