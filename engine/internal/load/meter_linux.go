package load

import (
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/trace"
)

// The kernel times programs only if it is asked to, and that takes some 20 ns of each
// firing. So it is asked for short windows: one in costRate, and sooner where the air bag
// may have to open. On the average a firing becomes dearer by 1 ns. To begin
// and to end a window the kernel changes its own code, which took a paravirtual machine 5 ms
// each: nearly half of what a run cost that saw nothing. So windows come in costSeldom where
// the programs take next to nothing, and while the CPUs do next to nothing, which the programs
// are a part of, in costCalm.
const (
	costWindow = 100 * time.Millisecond
	costRate   = 2 * time.Second
	costSoon   = 500 * time.Millisecond
	costSeldom = 5 * time.Second
	costCalm   = 30 * time.Second
	smallShare = 0.0005 // of all CPUs
	calmShare  = 0.02   // of the CPUs that are traced
)

// dearWindows is how many more windows must have been above the limit than below it before the
// air bag opens, which takes two and a half seconds at least: a window alone may be a burst, or a
// neighbour's. On two CPUs windows of one steady load were seen to differ threefold.
const dearWindows = 5

// A Meter takes what the programs of a session cost.
type Meter struct {
	progs   []metered
	loaded  *Loaded
	added   int // extensions whose programs are among progs
	cpus    int
	limit   float64                       // share of all CPUs above which the air bag opens; 0 is never
	stats   func() (io.Closer, error)     // has the kernel time programs
	idle    func() (time.Duration, error) // how long all CPUs together have been idle
	window  io.Closer
	opened  time.Time
	next    time.Time
	looked  time.Time     // when idled was taken
	idled   time.Duration // as of idle
	dear    int           // windows above the limit less those below it since
	dearest float64
	last    trace.Cost
}

// metered is a program and what it had cost when the window was opened.
type metered struct {
	prog    *ebpf.Program
	clauses []uint32 // numbers of those that it serves, from 1
	late    bool     // it was added while the run went on, for clauses that are not told apart
	looks   uint64   // how often it runs for each firing: a clock looks more often than it fires
	before  ebpf.ProgramStats
}

// NewMeter returns nil if nobody wants to know the cost, or it cannot be taken.
func (k *Loaded) NewMeter() *Meter {
	o := &k.c.Options
	if !o.Timed && o.AirBag == 0 {
		return nil
	}
	m := k.timed()
	if m == nil || len(m.progs) == 0 && len(k.c.Openings) == 0 {
		return nil
	}
	m.limit = o.AirBag
	return m
}

// Timed returns a meter of the programs, nil if they are too many, or none.
func (k *Loaded) Timed() *Meter {
	if m := k.timed(); m != nil && len(m.progs) > 0 {
		return m
	}
	return nil
}

func (k *Loaded) timed() *Meter {
	if len(k.obj.Entries) > MostTimed {
		return nil
	}
	m := &Meter{loaded: k, cpus: len(k.online), next: time.Now(), stats: k.stats, idle: idleTime}
	if m.stats == nil {
		m.stats = func() (io.Closer, error) { return ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME)) }
	}
	for _, e := range k.obj.Entries {
		first := e.Units[0]
		if k.c.Units[first].Special != "" {
			continue
		}
		t := metered{prog: k.Prog(e.Prog), looks: 1}
		if _, ok := codegen.TickWord(k.obj.Units, first); ok {
			t.looks = k.obj.Units[first].Hook.Looks()
		}
		for _, i := range e.Units {
			for _, c := range k.c.Units[i].Clauses {
				t.clauses = append(t.clauses, uint32(c.Clause.Index)+1)
			}
		}
		if len(e.Units) > 1 { // several parts may serve one
			slices.Sort(t.clauses)
			t.clauses = slices.Compact(t.clauses)
		}
		m.progs = append(m.progs, t)
	}
	return m
}

// Turn opens or closes a window when it is time. It reports whether the air bag opens.
func (m *Meter) Turn(now time.Time) bool {
	switch {
	case m == nil || now.Before(m.next):
		return false
	case m.window == nil && m.calm(now) && m.last.Share < smallShare && now.Sub(m.opened) < costCalm:
		m.next = now.Add(costSeldom)
		return false
	case m.window == nil:
		m.Open(now)
		return false
	}
	m.Shut(now)
	m.weigh()
	m.next = now.Add(m.pause())
	return m.Opens()
}

// weigh counts the last window for the air bag or against it.
func (m *Meter) weigh() {
	if !m.above() {
		m.dear = max(m.dear-1, 0)
		return
	}
	m.dear++
	m.dearest = max(m.dearest, m.last.Share)
}

// above reports whether the last window was above the limit of the air bag.
func (m *Meter) above() bool { return m.limit != 0 && m.last.Share > m.limit }

// pause returns how long after the last window the next one is opened.
func (m *Meter) pause() time.Duration {
	switch {
	case m.dear > 0:
		return costSoon
	case m.last.Share < smallShare:
		return costSeldom
	}
	return costRate
}

// calm reports whether the CPUs have done next to nothing since it was asked last.
func (m *Meter) calm(now time.Time) bool {
	idled, err := m.idle()
	if err != nil {
		return false
	}
	long := now.Sub(m.looked)
	busy := long*time.Duration(m.loaded.all) - (idled - m.idled)
	calm := !m.looked.IsZero() && float64(busy) < calmShare*float64(long)*float64(m.cpus)
	m.looked, m.idled = now, idled
	return calm
}

// idleTime is the second figure of /proc/uptime, in which waiting for disks is no idleness.
func idleTime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	_, second, _ := strings.Cut(string(text), " ")
	return time.ParseDuration(strings.TrimSpace(second) + "s")
}

// Opens reports whether the air bag has opened.
func (m *Meter) Opens() bool { return m != nil && m.dear >= dearWindows }

// Open has the kernel time programs from now on, and reports whether it does.
func (m *Meter) Open(now time.Time) bool {
	window, err := m.stats()
	m.next = now.Add(costWindow)
	if err != nil {
		m.next = now.Add(time.Hour)
		return false
	}
	m.window, m.opened = window, now
	for ; m.added < len(m.loaded.added); m.added++ {
		for _, p := range m.loaded.added[m.added].Programs {
			m.progs = append(m.progs, metered{prog: p, late: true, looks: 1})
		}
	}
	for i := range m.progs {
		m.progs[i].before = m.progs[i].stats()
	}
	return true
}

func (t *metered) stats() ebpf.ProgramStats {
	if s, err := t.prog.Stats(); err == nil {
		return *s
	}
	return t.before
}

// Shut ends the window and works out what it has shown.
func (m *Meter) Shut(now time.Time) trace.Cost {
	long := now.Sub(m.opened)
	cost := trace.Cost{Window: long}
	by := map[uint32]*trace.ClauseCost{}
	for i := range m.progs {
		t := &m.progs[i]
		after := t.stats()
		ran, took := after.RunCount-t.before.RunCount, after.Runtime-t.before.Runtime
		if ran == 0 || len(t.clauses) == 0 && !t.late {
			continue
		}
		hits := float64(ran) / float64(t.looks) / long.Seconds()
		cost.Share += float64(took) / float64(long) / float64(m.cpus)
		cost.Hits += hits
		for _, n := range t.clauses {
			c := by[n]
			if c == nil {
				c = &trace.ClauseCost{Clause: n}
				by[n] = c
			}
			c.Hits += hits
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
	return cost
}

// Cost returns what the last window has shown.
func (m *Meter) Cost() trace.Cost {
	if m == nil {
		return trace.Cost{}
	}
	return m.last
}

// Close ends the window that is open, if one is.
func (m *Meter) Close() error {
	if m == nil || m.window == nil {
		return nil
	}
	err := m.window.Close()
	m.window = nil
	return err
}

// TooDear says why the air bag has opened.
func (m *Meter) TooDear() error { return &trace.DearError{Share: m.dearest, Limit: m.limit} }
