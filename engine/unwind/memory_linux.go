package unwind

import (
	"slices"
	"sync"

	"dscope.dev/probes/space"
)

// A memory keeps what files have said for the runs to come: one that looks at stacks asks for
// the files of all processes when it begins, and who changes a script runs it again and again.
type memory struct {
	most int // rows

	mu     sync.Mutex
	by     map[space.Stamp]content
	oldest []space.Stamp
	rows   int
}

// said is what is kept between runs: 16 MiB, of which a C library takes a quarter of one.
var said = memory{most: 2 << 20}

// get returns what a file said before.
func (m *memory) get(of space.Stamp) (content, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.by[of]
	return c, ok
}

// put keeps what a file said, which nobody changes from now on.
func (m *memory) put(of space.Stamp, c content) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.by[of]; ok || weight(c) > m.most/4 {
		return
	}
	if m.by == nil {
		m.by = map[space.Stamp]content{}
	}
	m.by[of], m.oldest, m.rows = c, append(m.oldest, of), m.rows+weight(c)
	n := 0
	for ; m.rows > m.most; n++ {
		m.rows -= weight(m.by[m.oldest[n]])
		delete(m.by, m.oldest[n])
	}
	m.oldest = slices.Delete(m.oldest, 0, n)
}

// weight is how many rows something is kept as: a file that has none takes room, too.
func weight(c content) int { return len(c.Rows) + 32 }
