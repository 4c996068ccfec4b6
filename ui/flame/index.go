package flame

// An index finds the node of a parent and a name. It holds numbers alone, and the node 0,
// the root, is none, so that an empty place needs no sign of its own.
type index struct {
	keys []uint64
	vals []int32
	n    int
}

// grow makes room for n entries.
func (x *index) grow(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	old := *x
	*x = index{keys: make([]uint64, size), vals: make([]int32, size)}
	for i, v := range old.vals {
		if v != 0 {
			x.put(old.keys[i], v)
		}
	}
}

// find returns the place of a key, or that where it would stand.
func (x *index) find(key uint64) int {
	mask := uint64(len(x.keys) - 1)
	at := key * 0x9e3779b97f4a7c15
	for at = (at ^ at>>32) & mask; x.vals[at] != 0 && x.keys[at] != key; at = (at + 1) & mask {
	}
	return int(at)
}

func (x *index) get(key uint64) int32 { return x.vals[x.find(key)] }

func (x *index) put(key uint64, v int32) {
	if x.n++; 2*x.n > len(x.keys) {
		x.grow(2 * x.n)
		x.n++
	}
	at := x.find(key)
	x.keys[at], x.vals[at] = key, v
}
