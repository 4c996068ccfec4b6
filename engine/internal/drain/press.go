package drain

import (
	"slices"

	"dscope.dev/engine/trace"
)

// Where a reader has asked for it, the texts of firings that do nothing but print are set one
// behind another: an event of its own for each costs several times what its text does.

// Bounds of such an event, in bytes of text and in firings, and of how many a batch has: with
// a reader that stands still, all batches that wait hold no more than some 32 MB.
const (
	mostText   = 64 << 10
	mostPrints = 1 << 12
	mostSheets = 4
)

// print sets the text of a record, and reports whether that is all that there is to it.
func (d *Drain) print(from *ring, rec []byte) bool {
	p := d.open
	if p == nil {
		p = d.blank
		p.Text, p.List = slices.Grow(p.Text, d.roomy.text), slices.Grow(p.List, d.roomy.list)
	}
	text, one, ok := d.dec.Print(p.Text, rec)
	if !ok {
		return false
	}
	if d.open == nil {
		d.batch = append(d.batch, trace.Event{Kind: trace.PrintsEvent, Time: d.now, CPU: from.CPU, Prints: p})
		d.open, d.blank = p, trace.NewPrints()
		d.sheets++
	}
	one.End = uint32(len(text))
	p.Text, p.List = text, append(p.List, one)
	d.events++
	return true
}

// A size is how much of Prints is in use. What comes is likely to be as much as what came
// last.
type size struct{ text, list int }

// close ends the event that texts are set in.
func (d *Drain) close() {
	if p := d.open; p != nil {
		d.open, d.roomy = nil, size{len(p.Text), len(p.List)}
	}
}

// full reports whether the batch should be handed on.
func (d *Drain) full() bool {
	p := d.open
	return len(d.batch) >= batchSize || d.sheets > mostSheets || p != nil && (len(p.Text) >= mostText || len(p.List) >= mostPrints)
}
