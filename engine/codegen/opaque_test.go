package codegen

import (
	"testing"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
)

// TestOpaque gives a tracepoint arguments of types that the verifier follows or not.
func TestOpaque(t *testing.T) {
	task := types.NewStruct(false, "task_struct", nil)
	for _, tt := range []struct {
		typ  types.Type
		want bool
	}{
		{types.ULong, false},
		{&types.Pointer{Elem: task}, false},
		{&types.Pointer{Elem: &types.Typedef{Name: "task_t", Under: task}}, false},
		{&types.Pointer{Elem: types.Char}, false},
		{&types.Pointer{Elem: &types.Void{}}, true}, // const void * is the same type here
		{&types.Pointer{Elem: &types.Pointer{Elem: types.Char}}, true},
		{&types.Pointer{Elem: types.IntType}, true},
	} {
		on := &probes.Site{Args: []probes.Arg{{Type: types.IntType}, {Type: tt.typ}}}
		made := &probes.Site{Derived: &probes.Derivation{On: on}}
		for _, s := range []*probes.Site{on, made} {
			u := &Unit{Hook: probes.Hook{Kind: probes.Tracepoint}, Sites: []*probes.Site{s}}
			if got := u.opaque(); got != tt.want {
				t.Errorf("opaque of %v (derived: %v) = %v", tt.typ, s.Derived != nil, got)
			}
		}
	}
}
