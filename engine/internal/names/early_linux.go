package names

import (
	"slices"
	"time"

	"dscope.dev/engine/kmap"
	"dscope.dev/engine/python"
)

// The functions of Python in a stack are named by what their process has in memory. Keys are
// read once a second (aggrate), and by then a process that was quick has ended; so the stacks
// that keys refer to are looked at sooner, for functions that are new.

// An early names functions of Python while their processes live.
type early struct {
	stacks    []*kmap.Table // those of processes, of both generations
	processes []uint32      // that run Python
	met       map[uint64]bool
	next      time.Time
}

// How soon stacks are looked at, how many times as long as it took they are then left alone,
// and of how many functions it is known that they were seen.
const (
	earlyEvery = 20 * time.Millisecond
	earlyRest  = 20
	maxMet     = 1 << 16
)

func (n *Table) newEarly() *early {
	e := &early{met: make(map[uint64]bool)}
	for _, m := range n.maps {
		if !m.User || !m.Own {
			continue
		}
		for _, gen := range m.gens {
			e.stacks = append(e.stacks, kmap.New(gen, m.Depth, 1))
		}
	}
	return e
}

// look names the functions that stacks have, if any process runs Python. It reports whether one does.
func (e *early) look(n *Table, processes []uint32) (bool, error) {
	began := time.Now()
	if len(e.stacks) == 0 || len(processes) == 0 || began.Before(e.next) {
		return len(e.stacks) > 0 && len(processes) > 0, nil
	}
	if !slices.Equal(processes, e.processes) || len(e.met) > maxMet { // a function of one may have the address of another's
		e.processes = processes
		clear(e.met)
	}
	for _, s := range e.stacks {
		if err := s.Peek(func(_ []byte, frames []uint64) { e.meet(n, frames) }); err != nil {
			return true, err
		}
	}
	e.next = time.Now().Add(max(earlyEvery, earlyRest*time.Since(began)))
	return true, nil
}

// meet names the functions of a stack that are new, in each process that may be the one.
func (e *early) meet(n *Table, frames []uint64) {
	for _, a := range frames {
		if a == 0 {
			return
		}
		if !python.IsMark(a) || e.met[a>>python.UnitBits] {
			continue
		}
		e.met[a>>python.UnitBits] = true
		for _, pid := range e.processes {
			n.User(pid, a)
		}
	}
}
