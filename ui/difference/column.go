package difference

import (
	"math/bits"

	"dscope.dev/engine/trace"
)

// A column is one dimension taken apart: a code for each example, or -1 where it is not
// known. Where an example has several values at once, as a stack has frames, codes are
// of stacks and sets says what each holds.
type column struct {
	s     *sample
	dim   trace.Dimension
	own   bool
	part  Part
	codes []int32
	value []Value
	sets  [][]int32
	tally []*tally
	known [2]mass
}

// A tally is one value of one dimension.
type tally struct {
	value           int32
	inside, outside Share
	least, most     float64
	chance          float64
	claimed         bool
}

// few is how many different numbers are looked at one by one; more are put into ranges.
const few = 64

// columns takes a dimension apart.
func (s *sample) columns(d dimension) []*column {
	c := &column{s: s, dim: d.Dimension, own: d.own, codes: make([]int32, len(s.all))}
	if s.hasStacks(d) {
		return s.stacks(c, d)
	}
	ints, texts := map[int64]int32{}, map[string]int32{}
	for i, e := range s.all {
		v := d.fact(e)
		switch {
		case v == nil || v.Kind == trace.StackValue || v.Kind == trace.UstackValue:
			c.codes[i] = -1
		case v.Kind == trace.IntValue || v.Kind == trace.UintValue:
			code, ok := ints[v.Int]
			if !ok {
				code = c.add(Value{Value: *v})
				ints[v.Int] = code
			}
			c.codes[i] = code
		default:
			code, ok := texts[v.Str]
			if !ok {
				code = c.add(Value{Value: *v})
				texts[v.Str] = code
			}
			c.codes[i] = code
		}
	}
	if len(ints) > few && len(texts) == 0 && !isName(d.Dimension) && !c.areAddresses() {
		c.toRanges()
	}
	return []*column{c}
}

func (c *column) add(v Value) int32 {
	c.value = append(c.value, v)
	return int32(len(c.value) - 1)
}

func (s *sample) hasStacks(d dimension) bool {
	for _, e := range s.all {
		if v := d.fact(e); v != nil {
			return v.Kind == trace.StackValue || v.Kind == trace.UstackValue
		}
	}
	return false
}

// address is where addresses of processes and the kernel mostly begin.
const address = 1 << 40

// areAddresses reports whether most values are as great as addresses, which are names.
func (c *column) areAddresses() bool {
	n := 0
	for _, v := range c.value {
		if uint64(v.Value.Int) >= address {
			n++
		}
	}
	return n > len(c.value)/2
}

// toRanges puts numbers into ranges that are as wide as they are great.
func (c *column) toRanges() {
	to := make([]int32, len(c.value))
	at := map[int64]int32{}
	old := c.value
	c.value, c.part = nil, Range
	for i, v := range old {
		low, high := powers(v.Value)
		code, ok := at[low]
		if !ok {
			code = c.add(Value{Value: v.Value, Low: low, High: high})
			at[low] = code
		}
		to[i] = code
	}
	for i, code := range c.codes {
		if code >= 0 {
			c.codes[i] = to[code]
		}
	}
}

// powers returns the range from one power of two up to the next that a number is in:
// 0, 1, 2 to 3, 4 to 7, and the same below 0.
func powers(v trace.Value) (low, high int64) {
	n := uint64(v.Int)
	below := v.Kind == trace.IntValue && v.Int < 0
	if below {
		n = -n
	}
	if n == 0 {
		return 0, 0
	}
	first := uint64(1) << (bits.Len64(n) - 1)
	last := first<<1 - 1
	switch {
	case below && first == 1<<63:
		return -1 << 63, -1 << 63
	case below:
		return -int64(last), -int64(first)
	}
	return int64(first), int64(last)
}

// scarce is in how many examples a value has to be for it to be looked at: rarer ones
// can hardly differ, and each that is looked at makes it harder to claim the others.
const scarce = 5

// tallies weighs the values of a column, and returns those that are looked at.
func (c *column) tallies() []*tally {
	by := make([][2]mass, max(len(c.value), len(c.sets)))
	for i, code := range c.codes {
		if code >= 0 {
			side := c.s.sideOf(i)
			by[code][side].add(c.s.weight[i])
			c.known[side].add(c.s.weight[i])
		}
	}
	if c.sets != nil {
		by = c.spread(by)
	}
	var looked []*tally
	for v, side := range by {
		n := side[0].n + side[1].n
		if n < scarce {
			continue
		}
		t := &tally{value: int32(v), chance: 1, inside: share(side[0], c.known[0]), outside: share(side[1], c.known[1])}
		c.tally = append(c.tally, t)
		if n < c.known[0].n+c.known[1].n { // what all firings have cannot differ
			looked = append(looked, t)
		}
	}
	return looked
}

// constant reports whether all examples have the same value.
func (c *column) constant() bool { return len(c.value) <= 1 }

// spread gives what stacks weigh to the frames on them. Frames that are on the same
// stacks are one thing to look at: only the innermost keeps its weight.
func (c *column) spread(stacks [][2]mass) [][2]mass {
	out := make([][2]mass, len(c.value))
	alike := make([]uint64, len(c.value)) // which stacks a frame is on
	for code, set := range c.sets {
		mark := scatter(uint64(code))
		for _, frame := range set {
			alike[frame] += mark
			for side := range 2 {
				out[frame][side].join(stacks[code][side])
			}
		}
	}
	first := map[uint64]bool{}
	for frame := range out { // in the order in which they were met: from the leaf
		if first[alike[frame]] {
			out[frame] = [2]mass{}
		}
		first[alike[frame]] = true
	}
	return out
}

// scatter makes a number of which the bits say nothing; sums of them tell sets apart.
func scatter(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
