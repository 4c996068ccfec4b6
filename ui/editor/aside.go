package editor

import (
	"dscope.dev/ui/document"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// asides are words beside lines of one version of the text, such as what a clause costs.
// They stand at the right edge where the text leaves room for them.
type asides struct {
	of    document.Ref
	words map[int]string // by line, from 0
}

// SetAsides writes words beside lines, counted from 0, for as long as the text is that one.
func (m *Model) SetAsides(of document.Ref, words map[int]string) {
	m.asides = asides{of, words}
}

// aside draws the words beside line n.
func (d *drawing) aside(n int) {
	m := d.m
	word := widget.Safe(m.asides.words[n])
	if word == "" || m.asides.of != m.doc.Ref() {
		return
	}
	if x := m.w - ink.Width(word) - 1; x > d.l.X() {
		d.l.To(x)
		d.l.Put(m.look.muted, word)
	}
}
