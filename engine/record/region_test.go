package record

import (
	"testing"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
)

// TestReached leaves out what an if has kept from being recorded, also where what
// would have been recorded lies between things that were.
func TestReached(t *testing.T) {
	for flags, want := range map[[2]uint64][]int64{
		{0, 0}: {10},
		{1, 0}: {10, 20},
		{0, 1}: {10, 30, 40},
		{1, 1}: {10, 20, 30, 40},
	} {
		f := newFixture()
		for n := range int64(4) {
			f.action(lower.ActTrace, fn("trace"), uint64(10*(n+1)))
		}
		for i, of := range []int{0, 0, 1, 1} { // the first is always there
			if i > 0 {
				f.layout.Actions[i].Flag = len(f.rec) + 8*of
			}
		}
		f.rec = append(f.rec, words(flags[:])...)
		var got []int64
		for _, it := range f.decode(t).Event.Items {
			if it.Kind != trace.ValueItem {
				t.Errorf("%v: an item of kind %d", flags, it.Kind)
			}
			got = append(got, it.Value.Int)
		}
		if len(got) != len(want) {
			t.Errorf("%v: %v, want %v", flags, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%v: %v, want %v", flags, got, want)
			}
		}
	}
}

// TestPart tells the parts of an event from records that are all there is.
func TestPart(t *testing.T) {
	f := newFixture()
	f.action(lower.ActTrace, fn("trace"), uint64(1))
	if r := f.decode(t); r.Part || r.Last || r.Stamp != 0 {
		t.Errorf("a whole event is part %v, last %v, stamp %d", r.Part, r.Last, r.Stamp)
	}
	f.layout.Stamp, f.layout.Last = len(f.rec), true
	f.rec = append(f.rec, words([]uint64{1 << 40})...)
	if r := f.decode(t); !r.Part || !r.Last || r.Stamp != 1<<40 {
		t.Errorf("the last part is part %v, last %v, stamp %d", r.Part, r.Last, r.Stamp)
	}
}
