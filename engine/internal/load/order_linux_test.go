package load

import (
	"slices"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// TestAttachOrder wants the functions before the tracepoints, and what signals a
// process behind both: it would act on one of which not all is seen yet.
func TestAttachOrder(t *testing.T) {
	p, err := ir.Parse(`func u0 unit=0
b0:
	v0 = const #10
	signal v0
	return

func u1 unit=1
b0:
	return

func u2 unit=2
b0:
	return
`)
	if err != nil {
		t.Fatal(err)
	}
	unit := func(kind probes.HookKind) *codegen.Unit { return &codegen.Unit{Hook: probes.Hook{Kind: kind}} }
	units := []*codegen.Unit{unit(probes.Tracepoint), unit(probes.Tracepoint), unit(probes.Function)}
	entries := []codegen.Entry{{Units: []int{0}}, {Units: []int{1}}, {Units: []int{2}}}
	var got []int
	for _, e := range attachOrder(entries, units, actors(p)) {
		got = append(got, e.Units[0])
	}
	if want := []int{2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("attached in the order %v, want %v", got, want)
	}
}
