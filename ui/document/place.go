package document

import "dscope.dev/ui/document/text"

// Keep keeps a place of the text under a name.
func (d *Document) Keep(name rune, off int) {
	if d.places == nil {
		d.places = map[rune]int{}
	}
	d.places[name] = off
}

// Place returns a place that was kept, which has moved along with the text since.
func (d *Document) Place(name rune) (off int, ok bool) {
	off, ok = d.places[name]
	return off, ok
}

func (d *Document) movePlaces(shifts []text.Shift) {
	for name, off := range d.places {
		for _, s := range shifts {
			off = s.Move(off)
		}
		d.places[name] = off
	}
}
