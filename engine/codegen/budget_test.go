package codegen

import (
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/probes"
)

// TestSelectionEnds selects a function of few operations that become very many
// instructions. Those are counted: it is given up soon behind what a program may have.
func TestSelectionEnds(t *testing.T) {
	b := newBed()
	for range 20_000 {
		b.Store(b.out, 0, 8, b.Emit(ir.Value{Op: ir.OpStackID, Size: 20}))
	}
	b.Return()
	hook := probes.Hook{Kind: probes.Function, Module: "vmlinux", Target: "vfs_read"}
	u := &Unit{Hook: hook, Hooks: []probes.Hook{hook}, Sites: []*probes.Site{{ID: 7, Hook: hook, Raw: 4, Words: 5}}}
	g, err := newGenerator(b.p, []*Unit{u}, Features{Arch: "amd64", CPUs: 2, CompatStatus: -1})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = g.programs()
	if err == nil || !strings.Contains(err.Error(), "far more than 32768 instructions") {
		t.Errorf("got %v", err)
	}
	const most = 1 << 12 // of one operation
	if n := g.selecting.emitted; n <= maxSelected || n > maxSelected+most {
		t.Errorf("%d instructions are selected, want little more than %d", n, maxSelected)
	}
}
