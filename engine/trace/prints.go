package trace

import (
	"iter"
	"sync"
)

// Prints are many firings on one CPU of clauses that did nothing but printf(): as many events
// of kind DataEvent with one item of kind PrintfItem each, in a tenth of the memory. A run
// delivers them only to a reader that has asked for them.
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

// Bounds of the text and the list that Prints may keep when they are used again: those of
// less are not worth it.
const (
	leastUsed  = 16 << 10 // bytes of text
	mostUsed   = 1 << 20
	mostListed = 1 << 16
)

// Release says that nobody looks at p any more, nor at any part of it.
func (p *Prints) Release() {
	if cap(p.Text) < leastUsed || cap(p.Text) > mostUsed || cap(p.List) > mostListed {
		return
	}
	p.Text, p.List = p.Text[:0], p.List[:0]
	used.Put(p)
}

// Print returns firing i of an event of kind PrintsEvent as an event of its own.
func (e *Event) Print(i int) Event {
	f, text := &e.Prints.List[i], e.Prints.At(i)
	return Event{Time: e.Time, CPU: e.CPU, Host: e.Host, Probe: *f.Probe, Clause: f.Clause, Items: []Item{{Kind: PrintfItem, Text: string(text)}}}
}

// At returns what firing i printed.
func (p *Prints) At(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = p.List[i-1].End
	}
	return p.Text[from:p.List[i].End]
}

// Each yields the events of a batch, those within Prints one by one.
func Each(batch []Event) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for i := range batch {
			if e := &batch[i]; e.Kind != PrintsEvent {
				if !yield(e) {
					return
				}
			} else if !e.each(yield) {
				return
			}
		}
	}
}

// each yields the firings of e one by one, and reports whether all were wanted.
func (e *Event) each(yield func(*Event) bool) bool {
	for i := range e.Prints.List {
		if one := e.Print(i); !yield(&one) {
			return false
		}
	}
	return true
}

// Firings returns how many events a batch is of, those within Prints counted one by one.
func Firings(batch []Event) int {
	n := len(batch)
	for i := range batch {
		if e := &batch[i]; e.Kind == PrintsEvent {
			n += len(e.Prints.List) - 1
		}
	}
	return n
}
