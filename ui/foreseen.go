package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/dlang/outline"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/document"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// foreseen is a script that did not start, because it was found to take more of the machine
// than it may unasked.
type foreseen struct {
	estimate trace.Estimate
	script   trace.Script
	of       document.Ref // the text in the editor
	because  string       // what it was to be run again for
	lines    []int        // of its clauses, from 0
	heads    []string
}

func (*foreseen) wide() bool                       { return false }
func (*foreseen) title(*Model) string              { return "Run it?" }
func (*foreseen) body(m *Model) []string           { return m.drawForeseen() }
func (*foreseen) table(*Model) widget.Table[Model] { return foreseenActs }
func (*foreseen) click(*Model, int, int) tea.Cmd   { return nil }

// askForeseen asks whether it is to run all the same. Whoever is about to leave is not held
// up: the status line says that it did not start.
func (m *Model) askForeseen(f *foreseen) {
	if opened[*leaving](m) == nil {
		f.lines, f.heads = outline.Clauses(f.script.Text), outline.Heads(f.script.Text)
		m.overlay = f
	}
}

// foreseenActs are the answers. Who types while the estimate is made must not run the script
// by a letter.
var foreseenActs = widget.Table[Model]{Context: "foreseen", Acts: []widget.Act[Model]{
	{Name: "foreseen.run", Do: (*Model).runForeseen},
	{Name: "list.close", Do: (*Model).leaveForeseen},
}}

// leaveForeseen lets it be.
func (m *Model) leaveForeseen() tea.Cmd {
	m.say(plain, "not started: "+opened[*foreseen](m).estimate.String())
	return m.closeOverlay()
}

// runForeseen runs the script all the same. What it was found to take goes with it, to be
// told beside what it takes.
func (m *Model) runForeseen() tea.Cmd {
	f := opened[*foreseen](m)
	m.overlay = nil
	f.script.Foreseen = f.estimate
	return m.startScript(f.script, f.of, f.because)
}

// mostDear is how many clauses are named, those that take most.
const mostDear = 5

func (m *Model) drawForeseen() []string {
	k, f := m.looks, opened[*foreseen](m)
	var out []string
	var l ink.Line
	put := func(look ink.Ink, text string) {
		l.Reset(m.boxWidth()-2, k.popText)
		l.Skip(1)
		l.Put(look, widget.Cut(text, l.Left()-1))
		out = append(out, l.String())
	}
	say := func(look ink.Ink, text string) {
		for _, line := range strings.Split(ansi.Wordwrap(text, max(m.boxWidth()-4, 1), ""), "\n") {
			put(look, line)
		}
	}
	e := f.estimate
	say(k.heading, "It would take "+e.String()+".")
	say(k.popText, fmt.Sprintf("Unasked it may take %s of this machine (option estimate).", trace.Percent(e.Limit)))
	if e.Least {
		say(k.popText, "Its clauses were not tried, only how often they would run.")
	}
	put(k.popText, "")
	clauses := slices.SortedFunc(slices.Values(e.Cost.Clauses), func(a, b trace.ClauseCost) int { return cmp.Compare(b.Share, a.Share) })
	for _, c := range clauses[:min(len(clauses), mostDear)] {
		cost := fmt.Sprintf("%8s/s  %8s  %6s of a CPU", chart.Short(c.Hits), nanos(c.Nanos), trace.Percent(c.Share))
		put(k.popText, cost+"  "+f.clauseText(int(c.Clause)))
	}
	if len(clauses) > mostDear {
		put(k.popDetail, fmt.Sprintf("and %s more", widget.Count(len(clauses)-mostDear, "clause")))
	}
	if len(clauses) > 0 {
		put(k.popText, "")
	}
	return m.drawAnswers(out, "foreseen", foreseenActs.Helps(m, m.keys))
}

// clauseText returns what a clause enables, and where it stands.
func (f *foreseen) clauseText(clause int) string {
	if clause < 1 || clause > len(f.lines) {
		return ""
	}
	return widget.Safe(fmt.Sprintf("line %d: %s", f.lines[clause-1]+1, f.heads[clause-1]))
}
