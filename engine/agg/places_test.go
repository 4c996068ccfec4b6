package agg_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

// TestPlaces adds under numbers what is also added without: it comes to the same, before and
// after rows are forgotten, and after a number became that of another key.
func TestPlaces(t *testing.T) {
	a := &check.Agg{Name: "n", Func: "count", Keys: []check.AggKey{{Type: types.Long}}}
	totals := agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{{Size: 8, Type: types.Long}}}}, 0)
	var places agg.Places
	add := func(number int, key, n uint64) {
		t.Helper()
		p := agg.Part{Words: 1, Key: binary.LittleEndian.AppendUint64(nil, key), Cells: []uint64{n, 1}}
		if number >= 0 {
			p.Places, p.Number = &places, number
		}
		if ok, err := totals.AddPart(&p, nil); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	want := func(text string) {
		t.Helper()
		got := ""
		for _, r := range totals.Table(0, agg.Order{Key: true}).Rows {
			got += fmt.Sprintf(" %d:%d", r.Keys[0].Int, r.Value)
		}
		if got != text {
			t.Errorf("got%s, want%s", got, text)
		}
	}
	add(0, 10, 1)
	add(3, 13, 5)
	add(-1, 10, 1)
	add(0, 10, 1)
	want(" 10:6 13:6")
	totals.Trunc(0, 0)
	add(3, 13, 1)
	want(" 13:2")
	totals.Clear(0)
	add(3, 13, 2)
	want(" 13:3")
	places.Forget()
	add(3, 30, 1)
	add(0, 10, 4)
	want(" 10:5 13:3 30:2")
	add(0, 10, 9)
	add(3, 30, 9)
	want(" 10:15 13:3 30:12")
}

// TestPlacesOfStacks has a number stay while what it stands for changes: a stack that the
// kernel numbered anew is looked for again.
func TestPlacesOfStacks(t *testing.T) {
	a := &check.Agg{Name: "n", Func: "count", Keys: []check.AggKey{{Kind: check.KeyStack}}}
	totals := agg.NewTotals([]lower.KeyLayout{{Agg: a, Data: []lower.Datum{{Size: 8, Enc: lower.EncStack}}}}, 0)
	var places agg.Places
	for i := range 2 {
		p := agg.Part{Words: 1, Key: make([]byte, 8), Cells: []uint64{1}, Places: &places}
		if _, err := totals.AddPart(&p, numbered{at: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := totals.Len(); n != 2 {
		t.Errorf("%d rows of two stacks", n)
	}
}

// numbered has one stack, of one address.
type numbered struct {
	agg.Names
	at uint64
}

func (n numbered) Stack(int64, int) []uint64 { return []uint64{n.at} }

func (n numbered) KernelFrames(list []trace.Frame, addr uint64, _ bool) []trace.Frame {
	return append(list, trace.Frame{Addr: addr})
}
