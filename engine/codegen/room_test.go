package codegen

import (
	"slices"
	"testing"

	"dscope.dev/dlang/ir"
)

// TestKeysOf sees that more bytes never hold fewer keys, and few keys what their
// bytes allow.
func TestKeysOf(t *testing.T) {
	on := func(cpus, tables int) *generator {
		return &generator{ir: &ir.Program{Aggs: slices.Repeat([]ir.Agg{{Key: 8}}, tables)}, f: Features{CPUs: cpus}}
	}
	for _, tt := range []struct{ cpus, tables, size, n, want int }{
		{2, 1, 1, 24, 1}, {2, 1, 24, 24, 1}, {2, 1, 3 << 10, 24, 128}, {2, 1, 64 << 10, 24, 2730}, {2, 1, 1 << 20, 24, 43690},
		{2, 1, 4 << 20, 24, manyKeys}, {2, 1, 8 << 20, 24, 2 * manyKeys}, {2, 1, 1 << 20, 1024, 1024}, {2, 1, 64 << 10, 1040, 63},
		{2, 4, 4 << 20, 24, manyKeys / 4}, {2, 100, 4 << 20, 24, fewKeys}, {64, 1, 4 << 20, 24, 1 << 16}, {512, 1, 4 << 20, 24, fewKeys},
	} {
		if got := on(tt.cpus, tt.tables).keysOf(tt.size, tt.n, 1); got != tt.want {
			t.Errorf("%d bytes hold %d keys of %d on %d CPUs in %d tables, want %d", tt.size, got, tt.n, tt.cpus, tt.tables, tt.want)
		}
	}
	for n := 8; n < 4096; n *= 3 {
		before := 0
		for size := 1; size < 64<<20; size += size/3 + 1 {
			got := on(8, 3).keysOf(size, n, 1)
			if got < before {
				t.Fatalf("%d bytes hold %d keys of %d, and fewer bytes %d", size, got, n, before)
			}
			before = got
		}
	}
}

// TestReached: however much is asked for, a program reaches all keys and cells.
func TestReached(t *testing.T) {
	for _, aggs := range [][]ir.Agg{
		{{Key: 8, Words: 1}}, {{Key: 8}}, {{Key: 4096, Words: 4000}, {Key: 8, Words: 1}, {Words: 1}},
		{{Key: 264, Short: 64, Words: 127}, {Key: 264, Short: 64, Words: 127}}, slices.Repeat([]ir.Agg{{Key: 24, Words: 127}}, 20),
	} {
		g, err := newGenerator(&ir.Program{Aggs: aggs}, nil, Features{Arch: "amd64", CPUs: 2, AggSize: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if max(g.keySize, g.cellSize) > mostOffset || max(g.keySize, g.cellSize) < mostOffset/8 {
			t.Errorf("%d aggregations: %d bytes of keys and %d of cells", len(aggs), g.keySize, g.cellSize)
		}
	}
}
