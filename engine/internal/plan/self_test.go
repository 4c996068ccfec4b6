package plan

import (
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// TestMakesSelf finds what would allocate within the allocator, before 6.4.
func TestMakesSelf(t *testing.T) {
	self := func(make int64) []*ir.Block { return []*ir.Block{{Vals: []*ir.Value{{Op: ir.OpSelf, Imm: make}}}} }
	entry := func(name string) probes.Hook { return probes.Hook{Kind: probes.Function, Target: name} }
	back := func(name string) probes.Hook {
		return probes.Hook{Kind: probes.Function, Target: name, Return: true}
	}
	for _, tt := range []struct {
		what string
		hook probes.Hook
		make int64
		want bool
	}{
		{"reads where a lock is held", back("_raw_spin_lock"), 0, false},
		{"writes where a lock is held", back("_raw_spin_lock"), 1, true},
		{"writes before a lock is taken", entry("_raw_spin_lock"), 1, false},
		{"writes before one is given back", entry("_raw_spin_unlock_irqrestore"), 1, true},
		{"writes where one was waited for", probes.Hook{Kind: probes.Tracepoint, Target: "contention_end"}, 1, true},
		{"writes where one is waited for", probes.Hook{Kind: probes.Tracepoint, Target: "contention_begin"}, 1, false},
		{"writes in the allocator", entry("rmqueue_bulk"), 1, true},
		{"writes in files", entry("vfs_read"), 1, false},
		{"writes in an instruction", probes.Hook{Kind: probes.Instruction, Target: "_raw_spin_lock", Offset: 4}, 1, true},
	} {
		units := []*codegen.Unit{{Hook: probes.Hook{Kind: probes.Test, Target: "BEGIN"}}, {Hook: tt.hook}}
		p := &ir.Program{Funcs: []*ir.Func{{Name: "BEGIN"}, {Name: "at", Unit: 1, Blocks: self(tt.make)}}}
		if _, got := makesSelf(units, p); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, got, tt.want)
		}
	}
	units := []*codegen.Unit{{Hook: back("_raw_spin_lock")}}
	p := &ir.Program{Funcs: []*ir.Func{{Name: "sub", Unit: -1, Blocks: self(1)}, {Name: "at", Blocks: []*ir.Block{{Vals: []*ir.Value{{Op: ir.OpCall}}}}}}}
	if _, got := makesSelf(units, p); !got {
		t.Error("what a function of the script does was not seen")
	}
}
