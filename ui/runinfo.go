package ui

import (
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// openRun shows what is known of the run beyond the status line: what was lost
// by kind, and how its probes were attached.
func (m *Model) openRun() tea.Cmd {
	m.overlay = overlay{kind: runOverlay}
	return nil
}

// notRun says why there is nothing to tell of a run.
func (m *Model) notRun() string {
	if !m.run.shown() && m.next.err == nil {
		return "nothing has been run yet"
	}
	return ""
}

// A fact is a line about the run.
type fact struct {
	name, text string
	look       ink.Ink
}

// runLines returns all that is known of the run.
func (m *Model) runLines() []fact {
	k, s := m.looks, m.run.status
	word, _, look := m.state()
	events := strconv.FormatUint(s.Events, 10)
	if m.run.active() {
		events += ", now " + chart.Short(s.Rate) + " a second"
	}
	out := []fact{
		{"state", word, look},
		{"elapsed", widget.Elapsed(s.Elapsed), k.value},
		{"events", events, k.value},
		{"probes", strconv.Itoa(s.Probes), k.value},
	}
	for _, err := range []error{m.next.err, m.run.err} {
		if err != nil {
			out = append(out, fact{"error", err.Error(), k.failure})
		}
	}
	for i, d := range s.Drops {
		out = append(out, fact{first(i, "lost"), datum.Drop(d), k.drops})
	}
	if len(s.Drops) == 0 {
		out = append(out, fact{"lost", "nothing", k.value})
	}
	for i, h := range s.Hooks {
		out = append(out, fact{first(i, "hooks"), h, k.popText})
	}
	return out
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
