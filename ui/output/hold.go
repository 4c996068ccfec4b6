package output

import "slices"

// While the window is held, what was kept when that began is shown, however much comes
// meanwhile: at 200,000 lines a second the ring turns over three times a second. What comes
// goes into the ring as always, so for as long there may be two rings' worth of memory.

// kept returns what is shown.
func (m *Model) kept() *ring {
	if m.held != nil {
		return m.held
	}
	return m.ring
}

// hold takes what is kept now for as long as the window is held.
func (m *Model) hold() {
	switch {
	case m.follow:
		m.held = nil
	case m.held == nil:
		m.held = m.ring.fixed()
	}
}

// further takes in what has come since the window was held, for who has come to its end.
func (m *Model) further() (more bool) {
	if m.held == nil || m.ring.end() == m.held.end() {
		return false
	}
	m.held = m.ring.fixed()
	return true
}

// fixed returns the ring as it is now; entries are never written once they are in it.
func (r *ring) fixed() *ring {
	one := *r
	one.entries, one.head = slices.Clone(r.entries[r.head:]), 0
	return &one
}
