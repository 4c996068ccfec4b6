package plan

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// What tables take is what the kernel allots when they are made.
func TestMapMemory(t *testing.T) {
	for _, tt := range []struct {
		spec ebpf.MapSpec
		want int64
	}{
		{ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 12, MaxEntries: 10}, 160},
		{ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: 10}, 320},
		{ebpf.MapSpec{Type: ebpf.PerCPUHash, KeySize: 4, ValueSize: 8, MaxEntries: 10}, 10 * (4*8 + 8 + entryMemory)},
		{ebpf.MapSpec{Type: ebpf.Hash, KeySize: 8, ValueSize: 8, MaxEntries: 10}, 10 * (16 + entryMemory)},
		{ebpf.MapSpec{Type: ebpf.Hash, KeySize: 8, ValueSize: 8, MaxEntries: 10, Flags: 1}, 0},
		{ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: 4096}, 4096},
	} {
		if got := mapMemory(&tt.spec, 4); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.spec.Type, got, tt.want)
		}
	}
	u := &codegen.Unit{Hook: probes.Hook{Kind: probes.Function}, Hooks: make([]probes.Hook, 100)}
	if got := hookMemory(u); got != 100*functionMemory {
		t.Errorf("100 functions take %d", got)
	}
}

// Buffers that nobody asked a size for are as large as the machine can spare.
func TestRoomyBuf(t *testing.T) {
	for _, tt := range []struct {
		left int64
		cpus int
		want int
	}{
		{512 << 20, 2, 4 << 20},
		{2 << 30, 2, 8 << 20},
		{24 << 30, 2, 16 << 20},
		{64 << 30, 512, 4 << 20},
		{1 << 40, 512, 16 << 20},
		{math.MaxInt64, 1, 16 << 20},
	} {
		if got := roomyBuf(4<<20, mostBuf, tt.left, tt.cpus); got != tt.want {
			t.Errorf("%d CPUs, %d bytes left: %d, want %d", tt.cpus, tt.left, got, tt.want)
		}
	}
	if got := roomyBuf(4<<20, mostLarge, 24<<30, 2); got != 32<<20 {
		t.Errorf("for large records: %d", got)
	}
}

// What the machine has not is refused by name, with the remedy; what costs nothing is not
// looked at.
func TestAfford(t *testing.T) {
	m := &Machine{Kernel: kernel.Open()}
	defer m.Kernel.Close()
	var err error
	if m.Facts, err = m.Kernel.Facts(); err != nil {
		t.Skip(err)
	}
	if err := m.AffordsProbes("fbt:::", BulkFrom); err != nil {
		t.Errorf("%d probes: %v", BulkFrom, err)
	}
	var large *TooLarge
	if err := m.AffordsProbes("fbt:::", 1<<40); !errors.As(err, &large) || large.Takes != 1<<40*probeMemory || large.Hint() == "" {
		t.Errorf("too many probes: %v", err)
	}
	c := &Plan{Object: &codegen.Object{Spec: &ebpf.CollectionSpec{Maps: map[string]*ebpf.MapSpec{
		"agg": {Type: ebpf.Hash, KeySize: 8, ValueSize: 1 << 30, MaxEntries: 1 << 30}}}, Buf: 4 << 20}}
	if err := m.Affords(c); !errors.As(err, &large) || !strings.Contains(err.Error(), "lower bufsize (4 MB for each CPU)") {
		t.Errorf("too large a table: %v", err)
	}
	c.Object.Spec.Maps["agg"].MaxEntries = 0
	if err := m.Affords(c); err != nil {
		t.Errorf("a small script: %v", err)
	}
}
