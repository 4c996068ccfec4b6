package ui

import (
	"fmt"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A fact is a line about the run.
type fact struct {
	name, text string
	look       ink.Ink
}

// first returns the name of a group for the first of its lines.
func first(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// factName is how many cells the name of a fact has.
const factName = 10

// laid breaks facts into lines that fit the box. Columns that are set apart by blanks stay so
// where the line is not broken.
func (m *Model) laid(all []fact) (out []fact) {
	w := max(m.boxWidth()-2-factName-1, 1)
	for _, f := range all {
		text := widget.Safe(f.text)
		if ink.Width(text) <= w {
			out = append(out, fact{f.name, text, f.look})
			continue
		}
		for i, line := range words(text, w) {
			out = append(out, fact{first(i, f.name), line, f.look})
		}
	}
	return out
}

// drawFacts draws those lines that are in view.
func (m *Model) drawFacts(all []fact, in *reading) []string {
	k := m.looks
	all = m.laid(all)
	from, to := in.window(m, len(all))
	var out []string
	var l ink.Line
	for _, f := range all[from:to] {
		l.Reset(m.boxWidth()-2, k.popText)
		l.Put(k.heading, fmt.Sprintf(" %-*s", factName-1, f.name))
		l.Fit(f.look, f.text, l.Left())
		out = append(out, l.String())
	}
	return out
}
