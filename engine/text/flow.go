package text

import (
	"strings"

	"dscope.dev/engine/trace"
)

// A flow is where indentation by entry and return has got to.
type flow struct {
	indent map[int]int // by CPU
	probe  uint32      // the last event's
	clause uint32
}

// flowColumns prints the columns of a run that indents: entries are marked ->
// (=> for system calls) and indent what follows, returns <- (<=) end it. A
// second clause of the same probe does not indent again.
func (p *Printer) flowColumns(e *trace.Event) {
	if p.last.indent == nil {
		p.last.indent = make(map[int]int)
	}
	arrow, in := "| ", p.last.indent[e.CPU]
	syscall := e.Probe.Provider == "syscall"
	shows := e.Probe.Function
	again := p.last.probe == e.Probe.ID && p.last.clause != e.Clause
	switch {
	case endsIn(e.Probe.Name, "entry") && !again:
		arrow = " -> "
		if syscall {
			arrow = " => "
		}
		p.last.indent[e.CPU] = in + 2
	case endsIn(e.Probe.Name, "return"):
		arrow = " <- "
		if syscall {
			arrow = " <= "
		}
		in = max(in-2, 0)
		p.last.indent[e.CPU] = in
	default:
		shows += ":" + e.Probe.Name
	}
	if !p.o.Testing {
		p.b = append(padInt(p.b, int64(e.CPU), 3), ' ')
	}
	p.b = p.appendText(p.b, strings.Repeat(" ", in)+arrow+shows, 41)
	p.b = append(p.b, ' ')
	p.last.probe, p.last.clause = e.Probe.ID, e.Clause
}

// endsIn reports whether a probe's name is word or ends in -word.
func endsIn(name, word string) bool {
	rest, ok := strings.CutSuffix(name, word)
	return ok && (rest == "" || strings.HasSuffix(rest, "-"))
}
