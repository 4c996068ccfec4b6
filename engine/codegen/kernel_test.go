package codegen

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/rlimit"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/kmap"
	"dscope.dev/probes"
)

// needKernel skips a test that loads programs where that is not allowed.
func needKernel(t testing.TB) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := rlimit.RemoveMemlock(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("loading eBPF programs needs root")
	}
	t.Skip("loading eBPF programs needs root")
}

// offset returns where a member of task_struct lies, by the kernel's BTF.
func offset(t testing.TB, names ...string) int {
	t.Helper()
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		t.Fatal(err)
	}
	var st *btf.Struct
	if err := spec.TypeByName("task_struct", &st); err != nil {
		t.Fatal(err)
	}
	off := 0
	for _, n := range names {
		found := false
		for _, m := range st.Members {
			if m.Name == n {
				off += int(m.Offset.Bytes())
				st, _ = btf.UnderlyingType(m.Type).(*btf.Struct)
				found = true
				break
			}
		}
		if !found {
			t.Fatalf("task_struct has no %v", names)
		}
	}
	return off
}

// liveFeatures returns the features of this machine, without leaving out our
// own process.
func liveFeatures(t testing.TB) Features {
	f := Features{Arch: runtime.GOARCH, CPUs: ebpf.MustPossibleCPU(), RawCookie: features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnGetAttachCookie) == nil, Verifier: QuirksOf(kernel(6, 18)),
		TaskTGID: offset(t, "tgid"), TaskRuntime: offset(t, "se", "sum_exec_runtime"), CompatStatus: -1, BufSize: 1 << 16}
	if runtime.GOARCH == "amd64" {
		f.CompatStatus, f.CompatMask = offset(t, "thread_info", "status"), 2
	}
	return f
}

// begin is the unit of BEGIN.
func begin() *Unit {
	return &Unit{Hook: probes.Hook{Kind: probes.Test, Target: "BEGIN"},
		Sites: []*probes.Site{{Probe: probes.Probe{Provider: "dtrace", Name: "BEGIN"}, ID: 1}}}
}

// loadAll loads an object and fills its rings.
func loadAll(t testing.TB, o *Object) *ebpf.Collection {
	t.Helper()
	c, err := ebpf.NewCollection(o.Spec)
	if err != nil {
		var ve *ebpf.VerifierError
		if errors.As(err, &ve) {
			at, why := VerifierPlace(ve, o)
			t.Logf("%s", o.Listing())
			t.Fatalf("place %v: %s\n%+v", at, why, ve)
		}
		t.Fatalf("%v\n%s", err, o.Listing())
	}
	t.Cleanup(c.Close)
	if o.Maps.Rings != "" {
		rings := c.Maps[o.Maps.Rings]
		for cpu := range rings.MaxEntries() {
			m, err := ebpf.NewMap(o.Spec.Maps[o.Maps.Rings].InnerMap)
			if err != nil {
				t.Fatal(err)
			}
			if err := rings.Put(cpu, m); err != nil {
				t.Fatal(err)
			}
			m.Close()
		}
	}
	return c
}

// runTest runs the program of unit 0 with words as its arguments.
func runTest(t testing.TB, o *Object, c *ebpf.Collection, words ...uint64) {
	t.Helper()
	var ctx [maxArgs]uint64
	copy(ctx[:], words)
	if _, err := c.Programs[o.Progs[0]].Run(&ebpf.RunOptions{Context: ctx[:]}); err != nil {
		t.Fatal(err)
	}
}

// generate makes the object of one function.
func generate(t testing.TB, p *ir.Program, f Features, units ...*Unit) *Object {
	t.Helper()
	o, err := Generate(p, units, f)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// keyedCells returns the cells of the keys of an aggregation in a generation, those of all CPUs
// summed, from its front and its tables.
func keyedCells(t testing.TB, o *Object, c *ebpf.Collection, agg, gen int) map[string][]uint64 {
	t.Helper()
	cpus, maps, words := ebpf.MustPossibleCPU(), o.Maps.Aggs[agg], o.IR.Aggs[agg].Words
	sums := map[string][]uint64{}
	add := func(key []byte, cells []uint64) error {
		name := string(key) + strings.Repeat("\x00", o.IR.Aggs[agg].Key-len(key))
		if sums[name] == nil {
			sums[name] = make([]uint64, words)
		}
		for i, w := range cells {
			sums[name][i%words] += w
		}
		return nil
	}
	if m := c.Maps[o.Maps.Fronts]; m != nil {
		all, err := kmap.New(m, int(m.ValueSize()/8), cpus).At(uint32(gen))
		if err != nil {
			t.Fatal(err)
		}
		if err := maps.Front.Each(all, cpus, add); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range maps.Tables {
		inTable(t, o, c, &table, gen, add)
	}
	return sums
}

// inTable hands on the keys of a table in a generation, which is left as it is.
func inTable(t testing.TB, o *Object, c *ebpf.Collection, table *Table, gen int, add func(key []byte, cells []uint64) error) {
	t.Helper()
	keys := make([]uint64, c.Maps[o.Maps.Keys].ValueSize()/8)
	if err := c.Maps[o.Maps.Keys].Lookup(uint32(0), keys); err != nil {
		t.Fatal(err)
	}
	cells := make([][]uint64, ebpf.MustPossibleCPU())
	for cpu := range cells {
		cells[cpu] = make([]uint64, c.Maps[o.Maps.Cells].ValueSize()/8)
		if err := c.Maps[o.Maps.Cells].Lookup(uint32(gen*len(cells)+cpu), cells[cpu]); err != nil {
			t.Fatal(err)
		}
	}
	r := TableReader{Table: table}
	if _, err := r.Take(gen, keys, cells, func(_ int, key []byte, cells []uint64) error { return add(key, cells) }); err != nil {
		t.Fatal(err)
	}
}

func TestExit(t *testing.T) {
	needKernel(t)
	fn := &ir.Func{Name: "begin", Unit: 0}
	b := ir.NewBuilder(fn)
	b.Op(ir.OpStop)
	g := b.Emit(ir.Value{Op: ir.OpGlobal})
	b.Store(g, 0, 8, b.Op(ir.OpAdd, b.Emit(ir.Value{Op: ir.OpArg, Imm: 1}), b.Const(5)))
	b.Return()
	p := &ir.Program{Funcs: []*ir.Func{fn}, Vars: []ir.Var{{Name: "x", Kind: ir.GlobalVar, Size: 8}}}
	o := generate(t, p, liveFeatures(t), begin())
	c := loadAll(t, o)
	runTest(t, o, c, 0, 37)
	var control [ControlSize]byte
	if err := c.Maps[o.Maps.Control].Lookup(uint32(0), &control); err != nil || control[ControlStop] != 1 {
		t.Fatal(err, control)
	}
	var x uint64
	if err := c.Maps[o.Maps.Globals].Lookup(uint32(0), &x); err != nil || x != 42 {
		t.Fatal(err, x)
	}
	t.Log(o.Listing())
}
