package codegen

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
)

// TestFrontLayout: places lie behind one another, none beyond what there is.
func TestFrontLayout(t *testing.T) {
	for _, c := range []struct {
		name string
		cpus int
		aggs []ir.Agg
		want []Front
		size int
	}{
		{"one count", 4, []ir.Agg{{Key: 16, Words: 1}}, []Front{{0, 8, 16, 1}}, 256},
		{"no key", 4, []ir.Agg{{Words: 1}}, []Front{{}}, 0},
		{"two", 4, []ir.Agg{{Key: 16, Words: 1}, {Key: 8, Words: 66}}, []Front{{0, 8, 16, 1}, {256, 4, 8, 66}}, 256 + 4*544},
		{"in the cells of another", 4, []ir.Agg{{Key: 16, Words: 2}, {Key: 16, Words: 1, In: 1, At: 1}}, []Front{{0, 8, 16, 2}, {}}, 320},
		{"keys that may be short", 4, []ir.Agg{{Key: 264, Short: 64, Words: 1}}, []Front{{0, 8, 64, 1}}, 640},
		{"long keys", 4, []ir.Agg{{Key: 136, Words: 1}}, []Front{{}}, 0},
		{"large cells", 4, []ir.Agg{{Key: 8, Words: 1000}}, []Front{{}}, 0},
		{"many CPUs", 8192, []ir.Agg{{Key: 8, Words: 10}, {Key: 8, Words: 20}, {Key: 8, Words: 1}}, []Front{{0, 2, 8, 10}, {}, {192, 2, 8, 1}}, 240},
	} {
		g, err := newGenerator(&ir.Program{Aggs: c.aggs}, nil, Features{Arch: "amd64", CPUs: c.cpus})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.fronts, c.want) || g.frontSize != c.size {
			t.Errorf("%s: %v in %d bytes, want %v in %d", c.name, g.fronts, g.frontSize, c.want, c.size)
		}
	}
}

// TestFrontOfSmall: a table that was asked to be small holds no more keys than that says.
func TestFrontOfSmall(t *testing.T) {
	for _, size := range []int{24 * (leastKeys - 1), 24 * leastKeys} {
		g, err := newGenerator(&ir.Program{Aggs: []ir.Agg{{Key: 8, Words: 1}}}, nil, Features{Arch: "amd64", CPUs: 4, AggSize: size})
		if err != nil {
			t.Fatal(err)
		}
		if keys := g.keysIn(0); keys != size/24 || (g.frontSize > 0) != (keys == leastKeys) {
			t.Errorf("%d bytes: %d before a table of %d keys", size, g.frontSize, keys)
		}
	}
}

// TestFrontEach: what several CPUs have of a key belongs together, and only what is full counts.
func TestFrontEach(t *testing.T) {
	f := Front{Off: 8, Slots: 2, Key: 8, Words: 2}
	words := slices.Concat(
		[]uint64{9, FrontFull, 'a', 1, 2, FrontFull, 'b', 3, 4},
		[]uint64{9, FrontFull, 'c', 5, 6, FrontFull, 'b', 7, 8},
		[]uint64{9, FrontFull, 'a', 10, 20, frontTaken, 'b', 0, 0},
	)
	got := map[string]string{}
	if err := f.Each(words, 3, func(key []byte, cells []uint64) error {
		got[fmt.Sprint(key[0], key[1:])] += fmt.Sprint(cells)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"97 [0 0 0 0 0 0 0]": "[1 2 0 0 10 20]", "99 [0 0 0 0 0 0 0]": "[0 0 5 6 0 0]", "98 [0 0 0 0 0 0 0]": "[3 4 7 8 0 0]"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestFront: of two keys that share a place, whoever comes first has it; the other one is in the
// table, and so is what finds the place about to be taken. Another generation begins afresh.
func TestFront(t *testing.T) {
	b := newBed()
	b.p.Aggs = []ir.Agg{{Name: "k", Key: 16, Words: 400}} // cells so large that there is one place
	k := b.Alloca(16)
	for _, w := range []int64{7, 8, 7} {
		b.Store(k, 0, 8, b.Const(w))
		b.Store(k, 8, 8, b.Const(1))
		p := b.Emit(ir.Value{Op: ir.OpAggCell}, k)
		b.isNull(p)
		b.Store(p, 8, 8, b.Op(ir.OpAdd, b.Load(p, 8, 8), b.Const(w)))
	}
	_, o, c := b.run(t)
	key := func(w byte) string { return string([]byte{w, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}) }
	holds := func(gen int, seven, eight uint64) {
		t.Helper()
		cells := keyedCells(t, o, c, 0, gen)
		if len(cells) != 2 || cells[key(7)][1] != seven || cells[key(8)][1] != eight {
			t.Errorf("generation %d: 7 has %v and 8 has %v of %d keys, want %d and %d", gen, cells[key(7)][:2], cells[key(8)][:2], len(cells), seven, eight)
		}
	}
	keys := func(gen, want int) {
		t.Helper()
		n := 0
		inTable(t, o, c, &o.Maps.Aggs[0].Tables[0], gen, func([]byte, []uint64) error { n++; return nil })
		if n != want {
			t.Errorf("the table of generation %d has %d keys, want %d", gen, n, want)
		}
	}
	holds(0, 14, 8)
	keys(0, 1)
	control := make([]byte, ControlSize)
	control[ControlGen] = 1
	if err := c.Maps[o.Maps.Control].Put(uint32(0), control); err != nil {
		t.Fatal(err)
	}
	fronts := make([][]byte, ebpf.MustPossibleCPU())
	for i := range fronts {
		fronts[i] = make([]byte, c.Maps[o.Maps.Fronts].ValueSize())
		fronts[i][0] = frontTaken
	}
	if err := c.Maps[o.Maps.Fronts].Put(uint32(1), fronts); err != nil {
		t.Fatal(err)
	}
	runTest(t, o, c)
	holds(1, 14, 8)
	keys(1, 2)
	holds(0, 14, 8)
}
