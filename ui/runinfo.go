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

// drawFacts draws lines, with w cells for the names.
func (m *Model) drawFacts(all []fact, w int) []string {
	k := m.looks
	all = all[min(m.overlay.top, len(all)):]
	var out []string
	var l ink.Line
	for _, f := range all[:min(len(all), m.boxHeight()-2)] {
		l.Reset(m.boxWidth()-2, k.popText)
		l.Put(k.heading, fmt.Sprintf(" %-*s", w, f.name))
		l.Fit(f.look, widget.Safe(f.text), l.Left())
		out = append(out, l.String())
	}
	return out
}
