package drain

import (
	"slices"

	"dscope.dev/engine/record"
	"dscope.dev/engine/trace"
)

// A clause with a loop that records leaves a record for each round. They are
// parts of one event, which is delivered when its last part has come. That one may
// never come, because a buffer was full or a round had a fault; then the event is
// delivered as far as it goes.

// Bounds of what waits for more parts: events of one clause on one CPU, which may
// interrupt one another, and the items of one event.
const (
	mostOpen  = 4
	mostItems = 1 << 16
)

// parts holds the events of which the last part has not come.
type parts struct{ open []openEvent }

type openEvent struct {
	event trace.Event
	stamp uint64
}

// add takes a part, and returns the events that are to be delivered now.
func (p *parts) add(r record.Record) []trace.Event {
	e := &r.Event
	i := slices.IndexFunc(p.open, func(o openEvent) bool {
		return o.stamp == r.Stamp && o.event.CPU == e.CPU && o.event.Clause == e.Clause
	})
	switch {
	case i >= 0:
		o := &p.open[i].event
		o.Items = append(o.Items, e.Items...)
	case len(e.Items) > 0:
		p.open = append(p.open, openEvent{r.Event, r.Stamp})
		i = len(p.open) - 1
	default:
		return nil // nothing was recorded
	}
	if r.Last || len(p.open[i].event.Items) >= mostItems {
		return p.take(i)
	}
	if others := p.of(e.CPU, e.Clause); len(others) > mostOpen {
		return p.take(others[0])
	}
	return nil
}

// of lists the open events of a clause on a CPU, the oldest first.
func (p *parts) of(cpu int, clause uint32) []int {
	var list []int
	for i, o := range p.open {
		if o.event.CPU == cpu && o.event.Clause == clause {
			list = append(list, i)
		}
	}
	return list
}

func (p *parts) take(i int) []trace.Event {
	e := p.open[i].event
	p.open = slices.Delete(p.open, i, i+1)
	return []trace.Event{e}
}

// fault returns what is to be delivered before a fault of a clause, which has
// ended the youngest of its events.
func (p *parts) fault(e *trace.Event) []trace.Event {
	if list := p.of(e.CPU, e.Clause); len(list) > 0 {
		return p.take(list[len(list)-1])
	}
	return nil
}

// rest returns all that has waited in vain.
func (p *parts) rest() []trace.Event {
	var list []trace.Event
	for len(p.open) > 0 {
		list = append(list, p.take(0)...)
	}
	return list
}
