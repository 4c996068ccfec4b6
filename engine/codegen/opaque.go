package codegen

import (
	"slices"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// The verifier follows the arguments of a tracepoint by their types, and before Linux
// 6.16 refuses to hand a program one whose type it cannot follow: const void *, a
// pointer to a pointer. To a raw tracepoint program, which it tells no types, it hands
// all of them.

// opaque reports whether the tracepoint of u has such an argument. Its program is then
// one of a raw tracepoint.
func (u *Unit) opaque() bool {
	if u.Hook.Kind != probes.Tracepoint || u.Hook.Select == probes.BySyscall {
		return false
	}
	return slices.ContainsFunc(u.Sites, func(s *probes.Site) bool {
		return slices.ContainsFunc(atHook(s).Args, func(a probes.Arg) bool { return !followed(a.Type) })
	})
}

// followed reports whether the verifier of every kernel knows an argument of this type:
// a number, or a pointer to a structure or to characters.
func followed(t types.Type) bool {
	p, ok := types.Resolve(t).(*types.Pointer)
	if !ok {
		return true
	}
	switch elem := types.Resolve(p.Elem).(type) {
	case *types.Struct:
		return true
	case *types.Int:
		return elem.Bytes == 1
	}
	return false
}
