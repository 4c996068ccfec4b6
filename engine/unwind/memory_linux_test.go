package unwind

import (
	"testing"

	"dscope.dev/probes/space"
)

// TestMemory holds that a memory lets go of the oldest, keeps within its bound, and takes nothing
// that would leave little room for others.
func TestMemory(t *testing.T) {
	stamp := func(i int) space.Stamp { return space.Stamp{Size: int64(i)} }
	m := memory{most: 1000}
	for i := range 10 {
		m.put(stamp(i), content{Rows: make(rows, 168), Specific: uint32(i)})
	}
	for i := range 10 {
		c, ok := m.get(stamp(i))
		if ok != (i >= 5) || ok && c.Specific != uint32(i) {
			t.Errorf("of ten files of 200 rows, file %d: %v %v", i, ok, c.Specific)
		}
	}
	m.put(stamp(100), content{Rows: make(rows, 300)})
	if _, ok := m.get(stamp(100)); ok || m.rows != 1000 || len(m.oldest) != 5 || len(m.by) != 5 {
		t.Errorf("after a file that is too large (kept: %v): %d rows of %d and %d files", ok, m.rows, len(m.by), len(m.oldest))
	}
	m.put(stamp(9), content{Specific: 1})
	if c, _ := m.get(stamp(9)); c.Specific != 9 || m.rows != 1000 {
		t.Errorf("a file that says something twice: %v, %d rows", c.Specific, m.rows)
	}
}
