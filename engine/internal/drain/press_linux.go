package drain

import (
	"bytes"
	"slices"

	"dscope.dev/engine/trace"
)

// Bounds of what is set in one batch, in bytes of text and in firings: with a reader that
// stands still, all batches that wait hold no more than some 50 MB.
const (
	mostText   = 64 << 10
	mostPrints = 1 << 12
	mostWhole  = 2 // sheets that keep their memory however little they hold, to serve again
)

// A press sets the texts of firings that do nothing but print one behind another, on sheets
// that are an event each: one for each firing costs several times what its text does. There
// is none, nil, where the reader has not asked for it, or records wait for something.
type press struct {
	open   *trace.Prints // of the last event of the batch; nil if no more may be set there
	blank  *trace.Prints // what is set next if none is open; nil if it is yet to be made
	sheets int           // of the batch, that have ended
	text   int           // bytes there
	prints int           // firings there
}

// sheet returns where the next text is set, which may be blank.
func (p *press) sheet() *trace.Prints {
	if p.open != nil {
		return p.open
	}
	if p.blank == nil {
		p.blank = trace.NewPrints()
		p.blank.Text, p.blank.List = slices.Grow(p.blank.Text, mostText), slices.Grow(p.blank.List, mostPrints)
	}
	return p.blank
}

// begin makes the blank sheet the open one.
func (p *press) begin() { p.open, p.blank = p.blank, nil }

// end ends a sheet: what comes next is of another CPU or turn, or stands behind another event.
// One that holds little is cut to that, where sheets turn out to be many.
func (p *press) end() {
	if p == nil || p.open == nil {
		return
	}
	sheet := p.open
	p.open, p.sheets, p.text, p.prints = nil, p.sheets+1, p.text+len(sheet.Text), p.prints+len(sheet.List)
	if p.sheets > mostWhole && len(sheet.Text) < mostText/4 && len(sheet.List) < mostPrints/4 {
		p.blank = &trace.Prints{Text: sheet.Text[:0], List: sheet.List[:0]}
		sheet.Text, sheet.List = bytes.Clone(sheet.Text), slices.Clone(sheet.List)
	}
}

// clear forgets the sheets of a batch, which are the reader's by now.
func (p *press) clear() {
	if p != nil {
		*p = press{blank: p.blank}
	}
}

// full reports whether no more should be set in a batch.
func (p *press) full() bool {
	if p == nil {
		return false
	}
	text, prints := p.text, p.prints
	if p.open != nil {
		text, prints = text+len(p.open.Text), prints+len(p.open.List)
	}
	return text >= mostText || prints >= mostPrints
}

// print sets the texts of rec and of the records behind it, as long as that is all that there
// is to them and there is room, for a while. It returns the record that it has come to, or
// that there is none.
func (d *Drain) print(from *ring, rec []byte) (other []byte, more bool, err error) {
	p := d.press
	sheet := p.sheet()
	text, list := sheet.Text, sheet.List
	mostText, mostPrints := mostText-p.text, mostPrints-p.prints
	begun := len(list)
	for n := 1; ; n++ {
		longer, one, ok := d.dec.Print(text, rec)
		if !ok {
			other, more = rec, true
			break
		}
		text = longer
		one.End = uint32(len(text))
		list = append(list, one)
		if more = true; n == lookAt || len(text) >= mostText || len(list) >= mostPrints || d.took && from.Left() <= 0 {
			break
		}
		if rec, more, err = from.Next(); !more || err != nil {
			break
		}
	}
	set := len(list) - begun
	if set > 0 && sheet == p.blank {
		p.begin()
		d.batch = append(d.batch, trace.Event{Kind: trace.PrintsEvent, Time: d.now, CPU: from.CPU, Prints: sheet})
	}
	sheet.Text, sheet.List = text, list
	d.events += uint64(set)
	d.read += uint64(set)
	return other, more, err
}
