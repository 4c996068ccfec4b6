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

// drawFacts draws those lines that are in view.
func (m *Model) drawFacts(all []fact, in *reading) []string {
	k := m.looks
	from, to := in.window(m, len(all))
	var out []string
	var l ink.Line
	for _, f := range all[from:to] {
		l.Reset(m.boxWidth()-2, k.popText)
		l.Put(k.heading, fmt.Sprintf(" %-9s", f.name))
		l.Fit(f.look, widget.Safe(f.text), l.Left())
		out = append(out, l.String())
	}
	return out
}
