package agg

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"

	"dscope.dev/engine/trace"
)

// TestMergedIsExact has several machines count, merges what each of them shows, and wants what
// one machine shows that has counted all of it: to the last digit, in the same order.
func TestMergedIsExact(t *testing.T) {
	for _, some := range someFuncs {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 1))
			whole := newCounting(some.f, some.params)
			var parts []trace.Table
			for range 1 + r.IntN(5) {
				part := newCounting(some.f, some.params)
				for range r.IntN(40) {
					key, v := r.Int64N(6), oddInt(r)
					part.count(key, v)
					whole.count(key, v)
				}
				parts = append(parts, part.table())
			}
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			got, want := merge(t, parts), whole.table()
			if !reflect.DeepEqual(got.Rows, want.Rows) {
				t.Fatalf("%v%v, seed %d: the merged rows are\n%v\nand those of one machine\n%v", some.f, some.params, seed, got.Rows, want.Rows)
			}
		}
	}
}

// TestMergedBeginsAnew fills one Merged twice: keys that are gone leave nothing.
func TestMergedBeginsAnew(t *testing.T) {
	c := newCounting(trace.Avg, nil)
	c.count(1, 10)
	first := c.table()
	m, err := NewMerged(&first)
	if err != nil {
		t.Fatal(err)
	}
	c = newCounting(trace.Avg, nil)
	c.count(2, 30)
	for _, table := range []trace.Table{first, first, c.table()} {
		m.Begin(1)
		add(t, m, table)
		if got := m.Table(); !reflect.DeepEqual(got.Rows, table.Rows) {
			t.Errorf("got %v, want %v", got.Rows, table.Rows)
		}
	}
}

// TestMergedRefuses gives it what no machine of ours sends.
func TestMergedRefuses(t *testing.T) {
	for _, table := range []trace.Table{
		{Name: "l", Func: trace.Lquantize}, {Name: "l", Func: trace.Lquantize, Params: []int64{5, 5}},
		{Name: "l", Func: trace.Lquantize, Params: []int64{-1 << 62, 1 << 62, 1}},
		{Name: "ll", Func: trace.Llquantize, Params: []int64{10, 0, 40, 20}}, {Name: "ll", Func: trace.Llquantize, Params: []int64{1, 0, 3, 3}},
	} {
		if _, err := NewMerged(&table); err == nil {
			t.Errorf("%v%v is taken", table.Func, table.Params)
		}
	}
	for _, bad := range []struct {
		f   trace.AggFunc
		row trace.Row
	}{
		{trace.Avg, trace.Row{Value: 3, Count: 1}}, // of an older dscope
		{trace.Quantize, trace.Row{Buckets: []trace.Bucket{{Low: 3, High: 5, Count: 1}}}},
		{trace.Quantize, trace.Row{Buckets: []trace.Bucket{{Low: 1, High: 1}, {Low: 4, High: 7}}}},
		{trace.Quantize, trace.Row{Buckets: make([]trace.Bucket, 500)}},
	} {
		m, err := NewMerged(&trace.Table{Name: "a", Func: bad.f})
		if err != nil {
			t.Fatal(err)
		}
		m.Begin(1)
		if err := m.Add([]byte("k"), &bad.row, func() []trace.Value { return nil }); err == nil {
			t.Errorf("%v: %v is taken", bad.f, bad.row)
		}
		if rows := m.Table().Rows; len(rows) != 0 {
			t.Errorf("%v: %v has left %v", bad.f, bad.row, rows)
		}
	}
}

// A counting is one machine's aggregation, with an integer as its key.
type counting struct{ a *aggregation }

func newCounting(f trace.AggFunc, params []int64) counting {
	a := &aggregation{name: "a", fn: f, params: params, types: []string{"long"}, normal: 1, rows: map[string]*row{}, words: words(f, params)}
	if f.IsHistogram() {
		a.scale = scaleOf(f, params)
	}
	return counting{a}
}

func (c counting) count(key, v int64) {
	id := string(binary.LittleEndian.AppendUint64(nil, uint64(key)))
	x := c.a.rows[id]
	if x == nil {
		x = &row{key: id, values: []trace.Value{{Kind: trace.IntValue, Int: key}}, cell: make([]uint64, c.a.words)}
		c.a.rows[id] = x
	}
	count(c.a.fn, c.a.params, x.cell, v, 1)
}

func (c counting) table() trace.Table {
	rows := c.a.sorted(Order{}, false)
	t := c.a.table(Order{}, len(rows))
	for i, x := range rows {
		t.Rows[i] = c.a.show(x, nil)
	}
	return t
}

func merge(t *testing.T, parts []trace.Table) trace.Table {
	t.Helper()
	m, err := NewMerged(&parts[0])
	if err != nil {
		t.Fatal(err)
	}
	m.Begin(1)
	for _, p := range parts {
		add(t, m, p)
	}
	return m.Table()
}

func add(t *testing.T, m *Merged, from trace.Table) {
	t.Helper()
	for i := range from.Rows {
		r := &from.Rows[i]
		if err := m.Add([]byte(r.ID), r, func() []trace.Value { return r.Keys }); err != nil {
			t.Fatal(err)
		}
	}
}
