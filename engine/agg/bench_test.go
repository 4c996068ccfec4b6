package agg_test

import (
	"encoding/binary"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
)

// BenchmarkDrain adds a thousand keys of four CPUs and takes a snapshot.
func BenchmarkDrain(b *testing.B) {
	for _, fn := range []string{"count", "quantize"} {
		b.Run(fn, func(b *testing.B) {
			a := &check.Agg{Name: "n", Func: fn, Keys: []check.AggKey{{Type: types.Long}}}
			t := agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{{Size: 8, Type: types.Long}}}}, 0)
			cells := make([]uint64, 4*agg.Words(fn, nil))
			for i := range cells {
				cells[i] = uint64(i & 1)
			}
			key := make([]byte, 8)
			b.ReportAllocs()
			for b.Loop() {
				for k := range 1000 {
					binary.LittleEndian.PutUint64(key, uint64(k))
					if _, err := t.Add(0, key, cells, nil); err != nil {
						b.Fatal(err)
					}
				}
				t.Tables(agg.Order{})
			}
		})
	}
}

// An aggregation has room for as many bytes as it is given, here those of two
// keys, and what finds none is told.
func TestLimit(t *testing.T) {
	a := &check.Agg{Name: "n", Func: "count", Keys: []check.AggKey{{Type: types.Long}}}
	totals := agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{{Size: 8, Type: types.Long}}}}, 500)
	for i, want := range []bool{true, true, false} {
		if ok, err := totals.Add(0, []byte{byte(i), 0, 0, 0, 0, 0, 0, 0}, []uint64{1}, nil); ok != want || err != nil {
			t.Errorf("key %d: %v, %v; want %v", i, ok, err, want)
		}
	}
	if ok, _ := totals.Add(0, make([]byte, 8), []uint64{1}, nil); !ok {
		t.Error("no room for a key that is there")
	}
	totals.Trunc(0, 1)
	if ok, _ := totals.Add(0, []byte{9, 0, 0, 0, 0, 0, 0, 0}, []uint64{1}, nil); !ok || totals.Len() != 2 {
		t.Errorf("room %v, %d keys after trunc; want room and 2", ok, totals.Len())
	}
}

// A table stays as it was while more is added, and the next one shares with it the buckets of
// keys to which nothing came.
func TestTablesStay(t *testing.T) {
	a := &check.Agg{Name: "n", Func: "quantize", Keys: []check.AggKey{{Type: types.Long}}}
	totals := agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{{Size: 8, Type: types.Long}}}}, 0)
	cell := make([]uint64, agg.Words("quantize", nil))
	cell[80] = 3
	add := func(key byte) {
		if _, err := totals.Add(0, []byte{key, 0, 0, 0, 0, 0, 0, 0}, cell, nil); err != nil {
			t.Fatal(err)
		}
	}
	add(1)
	add(2)
	add(2)
	before := totals.Table(0, agg.Order{}).Rows
	add(1)
	add(1)
	after := totals.Table(0, agg.Order{}).Rows
	if b := before[0].Buckets; b[1].Count != 3 || before[0].Value != 3 {
		t.Errorf("what was given away has changed: %v", b)
	}
	if b := after[1].Buckets; b[1].Count != 9 || after[1].Value != 9 {
		t.Errorf("what was added is not shown: %v", b)
	}
	if &before[1].Buckets[0] != &after[0].Buckets[0] {
		t.Error("buckets of a key to which nothing came are made anew")
	}
	totals.Clear(0)
	if b := totals.Table(0, agg.Order{}).Rows[0].Buckets; b[0].Count != 0 || b[min(1, len(b)-1)].Count != 0 {
		t.Errorf("after clear() there is %v", b)
	}
}

func TestBadDrain(t *testing.T) {
	a := &check.Agg{Name: "n", Func: "sum", Keys: []check.AggKey{{Type: types.Long}}}
	totals := agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{{Size: 8, Type: types.Long}}}}, 0)
	if _, err := totals.Add(0, []byte{1, 2, 3}, []uint64{1, 1}, nil); err == nil {
		t.Error("a key that is too short is no error")
	}
	if _, err := totals.Add(0, make([]byte, 8), []uint64{1, 1, 1}, nil); err == nil {
		t.Error("half a cell is no error")
	}
}
