package drain

import (
	"slices"

	"dscope.dev/engine/trace"
)

// Bounds of a sheet, in bytes of text and in firings, and of how many sheets a batch has: with
// a reader that stands still, all batches that wait hold no more than some 32 MB.
const (
	mostText   = 64 << 10
	mostPrints = 1 << 12
	mostSheets = 4
)

// A press sets the texts of firings that do nothing but print one behind another, on sheets
// that are an event each: one for each firing costs several times what its text does. There
// is none, nil, where the reader has not asked for it, or records wait for something.
type press struct {
	open   *trace.Prints // of the last event of the batch; nil if no more may be set there
	blank  *trace.Prints // what is set next if there is none
	sheets int           // events of the batch
	text   int           // how much the sheet before has held: this one will hold about as much
	list   int
}

func newPress() *press { return &press{blank: trace.NewPrints()} }

// sheet returns where the next text is set, which may be blank.
func (p *press) sheet() *trace.Prints {
	if p.open != nil {
		return p.open
	}
	p.blank.Text, p.blank.List = slices.Grow(p.blank.Text, p.text), slices.Grow(p.blank.List, p.list)
	return p.blank
}

// begin makes the blank sheet the open one.
func (p *press) begin() {
	p.open, p.blank = p.blank, trace.NewPrints()
	p.sheets++
}

// end ends a sheet: what comes next is of another CPU or turn, or stands behind another event.
func (p *press) end() {
	if p != nil && p.open != nil {
		p.text, p.list, p.open = len(p.open.Text), len(p.open.List), nil
	}
}

// clear forgets the sheets of a batch.
func (p *press) clear() {
	if p.end(); p != nil {
		p.sheets = 0
	}
}

// full reports whether no more should be set in a batch.
func (p *press) full() bool {
	if p == nil || p.sheets > mostSheets {
		return p != nil
	}
	return p.open != nil && (len(p.open.Text) >= mostText || len(p.open.List) >= mostPrints)
}

// print sets the text of a record, and reports whether that is all that there is to it.
func (d *Drain) print(from *ring, rec []byte) bool {
	p := d.press
	sheet := p.sheet()
	text, one, ok := d.dec.Print(sheet.Text, rec)
	if !ok {
		return false
	}
	if sheet == p.blank {
		p.begin()
		d.batch = append(d.batch, trace.Event{Kind: trace.PrintsEvent, Time: d.now, CPU: from.CPU, Prints: sheet})
	}
	one.End = uint32(len(text))
	sheet.Text, sheet.List = text, append(sheet.List, one)
	d.events++
	return true
}
