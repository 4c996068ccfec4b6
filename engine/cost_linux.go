package engine

import (
	"io"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/trace"
)

// The kernel times programs only if it is asked to, and that takes some 20 ns of each
// firing. So it is asked for short windows: one in costRate, and sooner where the last
// was above the limit of the air bag. On the average a firing becomes dearer by 1 ns.
const (
	costWindow = 100 * time.Millisecond
	costRate   = 2 * time.Second
	costSoon   = 500 * time.Millisecond
)

// dearWindows is how many windows in a row must be above the limit before the air bag
// opens, which takes two and a half seconds: a window alone may be a burst, or a
// neighbour's. On two CPUs windows of one steady load were seen to differ threefold.
const dearWindows = 5

// mostTimed is how many programs a run may have for its cost to be taken: to ask for
// the figures of one costs about 2 µs, twice in each window.
const mostTimed = 2000

// A meter takes what the programs of a session cost.
type meter struct {
	progs   []metered
	cpus    int
	limit   float64 // share of all CPUs above which the air bag opens; 0 is never
	window  io.Closer
	opened  time.Time
	next    time.Time
	dear    int // windows above the limit in a row
	dearest float64
	last    trace.Cost
}

// metered is a program and what it had cost when the window was opened.
type metered struct {
	prog    *ebpf.Program
	clauses []uint32 // numbers of those that it serves, from 1
	before  ebpf.ProgramStats
}

// newMeter returns nil if nobody wants to know the cost, or it cannot be taken.
func newMeter(s *Session) *meter {
	o := &s.c.Options
	if !o.Timed && o.AirBag == 0 {
		return nil
	}
	m := s.timed()
	if m != nil {
		m.limit = o.AirBag
	}
	return m
}

// timed returns a meter of the programs of s, nil if they are too many.
func (s *Session) timed() *meter {
	if len(s.c.Units) > mostTimed {
		return nil
	}
	m := &meter{cpus: len(s.kernel.online), next: time.Now()}
	for i, u := range s.c.Units {
		p := s.kernel.prog(i)
		if p == nil || u.Special != "" {
			continue
		}
		t := metered{prog: p}
		for _, c := range u.Clauses {
			t.clauses = append(t.clauses, uint32(c.Clause.Index)+1)
		}
		m.progs = append(m.progs, t)
	}
	if len(m.progs) == 0 {
		return nil
	}
	return m
}

// turn opens or closes a window when it is time. It reports whether the air bag opens.
func (m *meter) turn(now time.Time) bool {
	switch {
	case m == nil || now.Before(m.next):
		return false
	case m.window == nil:
		m.open(now)
		return false
	}
	m.shut(now)
	m.next = now.Add(costRate)
	if m.limit == 0 || m.last.Share <= m.limit {
		m.dear = 0
		return false
	}
	m.next = now.Add(costSoon)
	m.dear++
	m.dearest = max(m.dearest, m.last.Share)
	return m.opens()
}

// opens reports whether the air bag has opened.
func (m *meter) opens() bool { return m != nil && m.dear >= dearWindows }

// open has the kernel time programs from now on. Where it does not, nothing is known.
func (m *meter) open(now time.Time) {
	window, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	m.next = now.Add(costWindow)
	if err != nil {
		m.next = now.Add(time.Hour)
		return
	}
	m.window, m.opened = window, now
	for i := range m.progs {
		m.progs[i].before = m.progs[i].stats()
	}
}

func (t *metered) stats() ebpf.ProgramStats {
	if s, err := t.prog.Stats(); err == nil {
		return *s
	}
	return t.before
}

// shut ends the window and works out what it has shown.
func (m *meter) shut(now time.Time) {
	long := now.Sub(m.opened)
	cost := trace.Cost{Window: long}
	by := map[uint32]*trace.ClauseCost{}
	for i := range m.progs {
		t := &m.progs[i]
		after := t.stats()
		hits, took := after.RunCount-t.before.RunCount, after.Runtime-t.before.Runtime
		if hits == 0 || len(t.clauses) == 0 {
			continue
		}
		cost.Share += float64(took) / float64(long) / float64(m.cpus)
		cost.Hits += float64(hits) / long.Seconds()
		for _, n := range t.clauses {
			c := by[n]
			if c == nil {
				c = &trace.ClauseCost{Clause: n}
				by[n] = c
			}
			c.Hits += float64(hits) / long.Seconds()
			c.Share += float64(took) / float64(long) / float64(len(t.clauses))
		}
	}
	for _, c := range by {
		c.Nanos = c.Share * 1e9 / c.Hits
		cost.Clauses = append(cost.Clauses, *c)
	}
	slices.SortFunc(cost.Clauses, func(a, b trace.ClauseCost) int { return int(a.Clause) - int(b.Clause) })
	m.last = cost
	m.Close()
}

// cost returns what the last window has shown.
func (m *meter) cost() trace.Cost {
	if m == nil {
		return trace.Cost{}
	}
	return m.last
}

// Close ends the window that is open, if one is.
func (m *meter) Close() error {
	if m == nil || m.window == nil {
		return nil
	}
	err := m.window.Close()
	m.window = nil
	return err
}

// tooDear says why the air bag has opened.
func (m *meter) tooDear() error { return &trace.DearError{Share: m.dearest, Limit: m.limit} }
