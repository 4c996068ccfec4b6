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
//
// That is worth while as long as something may soon have gone: for a while after a process was
// heard of, and after stacks have come. Where nothing comes looks become as rare as turns of
// the drain are, and one that is due costs no turn of its own.

// An early names functions of Python while their processes live.
type early struct {
	stacks    []*kmap.Table // those of processes, of both generations
	processes []uint32      // that run Python
	met       map[uint64]bool
	found     int // stacks with functions of Python, at the last look
	next      time.Time
	rhythm    rhythm
}

// How soon stacks are looked at, how many times as long as it took they are then left alone,
// and of how many functions it is known that they were seen.
const (
	earlyEvery = 20 * time.Millisecond
	earlyRest  = 20
	maxMet     = 1 << 16
)

// How long looks stay as soon after there was a reason for it, and how rare they become.
const (
	earlyWhile = 2 * time.Second
	earlyLate  = 250 * time.Millisecond
)

// A rhythm is how soon the next look is due.
type rhythm struct {
	gap    time.Duration
	reason time.Time // when there was one to look soon
}

// after returns how long after a look the next one is due. If there was a reason, that is soon.
func (r *rhythm) after(now time.Time, reason bool) time.Duration {
	switch {
	case reason:
		r.reason = now
		fallthrough
	case now.Sub(r.reason) < earlyWhile:
		r.gap = earlyEvery
	default:
		r.gap = min(r.gap*3/2, earlyLate)
	}
	return r.gap
}

// rare reports whether looks are so rare that the drain need not turn for one.
func (r *rhythm) rare() bool { return r.gap >= earlyLate }

func (n *Table) newEarly() *early {
	e := &early{met: make(map[uint64]bool)}
	for _, m := range n.maps {
		if !m.User || !m.Walked {
			continue
		}
		for _, gen := range m.gens {
			e.stacks = append(e.stacks, kmap.New(gen, m.Depth, 1))
		}
	}
	return e
}

// look names the functions that stacks have, if any process runs Python. It returns after how
// long it should be called again; 0 leaves that to the drain.
func (e *early) look(n *Table, processes []uint32) (again time.Duration, err error) {
	if len(e.stacks) == 0 || len(processes) == 0 {
		return 0, nil
	}
	began := time.Now()
	fresh := !slices.Equal(processes, e.processes)
	if fresh || len(e.met) > maxMet { // a function of one may have the address of another's
		e.processes = processes
		clear(e.met)
	}
	if fresh || !began.Before(e.next) {
		before, met := e.found, len(e.met)
		e.found = 0
		for _, s := range e.stacks {
			if err := s.Peek(func(_ []byte, frames []uint64) { e.meet(n, frames) }); err != nil {
				return 0, err
			}
		}
		gap := e.rhythm.after(began, fresh || e.found > before || len(e.met) > met)
		e.next = time.Now().Add(max(gap, earlyRest*time.Since(began)))
	}
	if e.rhythm.rare() {
		return 0, nil
	}
	return max(time.Until(e.next), time.Millisecond), nil
}

// meet names the functions of a stack that are new, in each process that may be the one.
func (e *early) meet(n *Table, frames []uint64) {
	has := false
	for _, a := range frames {
		if a == 0 {
			break
		}
		if !python.IsMark(a) {
			continue
		}
		has = true
		if e.met[a>>python.UnitBits] {
			continue
		}
		e.met[a>>python.UnitBits] = true
		for _, pid := range e.processes {
			n.User(pid, a)
		}
	}
	if has {
		e.found++
	}
}
