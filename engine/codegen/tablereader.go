package codegen

import (
	"slices"
	"unsafe"
)

// A TableReader empties a table.
type TableReader struct {
	*Table
	ages [2][]uint8 // by generation and number: how often the key has not come since, up to stale
}

// stale is how often a generation must be emptied until a key is given up that does not come.
const stale = 32

// A Use is how full a generation of a table was when it was emptied.
type Use struct {
	Keys  int // numbers that were given out
	New   int // of them, since it was emptied the time before
	Stale int // of them, to keys that do not come any more
}

// Worn reports whether the keys should give up their numbers: there is little room for new ones,
// or most do not come any more and are in the way. If the table can hardly be emptied sooner,
// there must be room for twice as many new ones as came last.
func (u Use) Worn(t *Table, hurried bool) bool {
	left, little := t.Room-u.Keys, max(t.Room/8, min(t.Room/2, fewKeys))
	return left <= little || hurried && left < 2*u.New || u.Keys > t.Room/4 && u.Stale > u.Keys/2
}

// given returns how many numbers of a generation were given out, and the keys.
func (t *Table) given(gen int, keys []uint64) (int, []uint64) {
	at := t.Keys[gen] / 8
	n := int(min(keys[at], uint64(t.Room)))
	return n, keys[at+1:][:n*t.Key/8]
}

// Take hands on the keys of a generation that have come since it was taken last, with their
// cells, those of the CPUs one after another, and sets these to zero. Keys are the words of
// MapNames.Keys, cells those of the values of MapNames.Cells for the generation. Key and
// cells are valid only during the call; the number is that of the key in the generation until
// Forget.
func (r *TableReader) Take(gen int, keys []uint64, cells [][]uint64, do func(number int, key []byte, cells []uint64) error) (u Use, err error) {
	given, text := r.given(gen, keys)
	own, ages := make([]uint64, len(cells)*r.Words), r.ages[gen]
	u.Keys, u.New = given, given-len(ages)
	ages = append(ages, make([]uint8, u.New)...)
	r.ages[gen] = ages
	for n := range given {
		from := r.Cells/8 + n*r.Words
		if n < given-u.New && !used(cells, from, from+r.Words) {
			if ages[n] < stale {
				ages[n]++
			} else {
				u.Stale++
			}
			continue
		}
		ages[n] = 0
		for cpu, all := range cells {
			cell := all[from : from+r.Words]
			copy(own[cpu*r.Words:], cell)
			clear(cell)
		}
		key := text[n*r.Key/8:]
		if err := do(n, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(key))), r.Key), own); err != nil {
			return u, err
		}
	}
	return u, nil
}

// Holds reports whether Take would hand on anything.
func (r *TableReader) Holds(gen int, keys []uint64, cells [][]uint64) bool {
	given, _ := r.given(gen, keys)
	from := r.Cells / 8
	return given > len(r.ages[gen]) || used(cells, from, from+given*r.Words)
}

// used reports whether any word from one on up to another, not including it, is not zero on
// any CPU.
func used(cells [][]uint64, from, to int) bool {
	return slices.ContainsFunc(cells, func(all []uint64) bool {
		return slices.ContainsFunc(all[from:to], func(w uint64) bool { return w != 0 })
	})
}

// Forget returns the keys of a generation, one after another, of which all give up their
// numbers. Who calls it takes them out of the hash.
func (r *TableReader) Forget(gen int, keys []uint64) []uint64 {
	_, text := r.given(gen, keys)
	keys[r.Keys[gen]/8] = 0
	r.ages[gen] = r.ages[gen][:0]
	return text
}
