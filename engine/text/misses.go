package text

import (
	"strconv"

	"dscope.dev/engine/trace"
)

// misses are the firings that were skipped because a probe was at work on the CPU, or in a
// thread that lost the CPU meanwhile, as in system calls since Linux 7.0. DTrace has no such
// drops: with the option quiet they are told at the end only.
type misses struct {
	count uint64
	lines int        // that have told of them
	last  trace.Drop // what was told last
}

// missesMean says what such drops are, and what to do, once.
const missesMean = "dtrace: recursion misses are firings while a probe was at work on the same CPU or in a thread that waits for it: " +
	"enable fewer functions, or not those that the probes themselves come to, such as locks"

// dropped tells of drops.
func (p *Printer) dropped(d trace.Drop) {
	if d.Kind != trace.DropRecursion {
		p.complain(ofHost(p.from, appendDrop(nil, d, p.o.Tags)))
		return
	}
	p.missed.count += d.Count
	p.missed.last = d
	if !p.o.Quiet {
		p.tellMisses(d)
	}
}

func (p *Printer) tellMisses(d trace.Drop) {
	p.complain(ofHost(p.from, appendDrop(nil, d, p.o.Tags)))
	if p.missed.lines++; p.missed.lines == 1 && !p.o.Testing {
		p.complain([]byte(missesMean))
	}
}

// missedInAll tells at the end of what has not been told, or was in several lines.
func (p *Printer) missedInAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m := &p.missed; {
	case m.count == 0:
	case m.lines == 0:
		d := m.last
		if d.Count < m.count { // whose names are not all
			d.Count, d.Where = m.count, ""
		}
		p.tellMisses(d)
	case m.lines > 1:
		p.complain(append(strconv.AppendUint([]byte("dtrace: "), m.count, 10), " recursion misses in all"...))
	}
}
