package agg

import (
	"cmp"
	"math/bits"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// An Order is how the rows of an aggregation are sorted: the options
// aggsortkey, aggsortkeypos and aggsortrev. The zero Order is DTrace's default:
// by value, ascending, then by key.
type Order struct {
	Key    bool // aggsortkey: by key alone
	KeyPos int  // aggsortkeypos: the element of the key that counts first, from 0
	Rev    bool // aggsortrev: descending
	Pos    int  // aggsortpos: which aggregation counts first where printa prints several, from 0
}

func (o Order) sorted() trace.Sorted {
	return trace.Sorted{ByKey: o.Key, KeyPos: max(o.KeyPos, 0), Rev: o.Rev}
}

// A weighed row carries what it is sorted by.
type weighed struct {
	row     *row
	primary word128 // the value in two's complement; of a histogram, its weighted sum
	tie     int64   // of a histogram, the count of zeros
}

func (a *aggregation) primary(cell []uint64) word128 {
	if a.scale != nil {
		return a.scale.weight(cell)
	}
	v := a.kind.value(cell)
	if !spell.Signed(a.fn) {
		return word128{0, uint64(v)}
	}
	return word128{uint64(v >> 63), uint64(v)}
}

func (a *aggregation) tie(cell []uint64) int64 {
	if a.scale == nil {
		return 0
	}
	return a.scale.atZero(cell)
}

func (o Order) compare(x, y weighed) int {
	n := 0
	if !o.Key {
		n = cmp.Or(compareSigned(x.primary, y.primary), cmp.Compare(x.tie, y.tie))
	}
	if n == 0 {
		n = CompareKeys(x.row.values, y.row.values, o.KeyPos)
	}
	if o.Rev {
		return -n
	}
	return n
}

// CompareKeys orders two tuples of the same types as DTrace does: element by
// element, beginning with number first and going round; integers as if they
// had no sign; stacks of the kernel, which take less room there, before those of
// processes.
func CompareKeys(x, y []trace.Value, first int) int {
	n := min(len(x), len(y))
	if first < 0 || first >= n {
		first = 0
	}
	for i := range n {
		j := (first + i) % n
		if c := compareValue(&x[j], &y[j]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

func compareValue(x, y *trace.Value) int {
	switch x.Kind {
	case trace.StringValue, trace.BytesValue:
		return cmp.Compare(x.Str, y.Str)
	case trace.StackValue, trace.UstackValue:
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(uint64(x.Int), uint64(y.Int)), compareFrames(x.Frames, y.Frames))
	case trace.SymValue:
		return cmp.Or(cmp.Compare(uint64(x.Int), uint64(y.Int)), cmp.Compare(symAddr(x), symAddr(y)), cmp.Compare(x.Str, y.Str))
	}
	mask := ^uint64(0)
	if s := max(x.Size, y.Size); s > 0 && s < 8 {
		mask = 1<<(8*s) - 1
	}
	return cmp.Compare(uint64(x.Int)&mask, uint64(y.Int)&mask)
}

func symAddr(v *trace.Value) uint64 {
	if len(v.Frames) == 0 {
		return 0
	}
	return v.Frames[0].Addr
}

// compareFrames compares stacks as the bytes that DTrace recorded, in which
// the lowest byte of an address comes first.
func compareFrames(x, y []trace.Frame) int {
	for i := range min(len(x), len(y)) {
		if c := cmp.Compare(bits.ReverseBytes64(x[i].Addr), bits.ReverseBytes64(y[i].Addr)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}
