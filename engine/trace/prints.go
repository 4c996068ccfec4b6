package trace

import (
	"iter"
	"sync"
)

// Prints are many firings on one CPU of clauses that did nothing but printf(): as many events
// of kind DataEvent with one item of kind PrintfItem each, in a tenth of the memory. A run
// delivers them only to a reader of this process that has asked for them.
type Prints struct {
	Text []byte // all that they printed, one after another
	List []Print
}

// A Print is one of Prints.
type Print struct {
	Probe  *Probe
	Clause uint32 // as in Event
	End    uint32 // of its text
}

// used are Prints whose memory may serve again: that of a flood is not made anew for each
// batch, every page of which would be a fault.
var used = sync.Pool{New: func() any { return new(Prints) }}

// NewPrints returns Prints of no firings.
func NewPrints() *Prints { return used.Get().(*Prints) }

// mostUsed is how much memory Prints may keep when they are used again.
const mostUsed = 1 << 20

// Release says that nobody looks at p any more, nor at any part of it.
func (p *Prints) Release() {
	if cap(p.Text) > mostUsed {
		return
	}
	p.Text, p.List = p.Text[:0], p.List[:0]
	used.Put(p)
}

// Each yields the events of a batch, those within Prints one by one. An event is to be used
// before the next is asked for.
func Each(batch []Event) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for i := range batch {
			e := &batch[i]
			if e.Kind != PrintsEvent {
				if !yield(e) {
					return
				}
				continue
			}
			if !e.Prints.each(e, yield) {
				return
			}
		}
	}
}

// each yields the firings of e one by one, and reports whether all were wanted.
func (p *Prints) each(e *Event, yield func(*Event) bool) bool {
	items := []Item{{Kind: PrintfItem}}
	one := Event{Time: e.Time, CPU: e.CPU, Host: e.Host}
	from := uint32(0)
	for i := range p.List {
		f := &p.List[i]
		items[0].Text = string(p.Text[from:f.End])
		one.Probe, one.Clause, one.Items = *f.Probe, f.Clause, items
		if !yield(&one) {
			return false
		}
		from = f.End
	}
	return true
}
