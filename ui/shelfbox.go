package ui

import (
	"fmt"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/shelf"
	"dscope.dev/ui/widget"
)

// present returns the run that goes on, or has ended last, as the shelf keeps it.
func (m *Model) present() *shelf.Run {
	return &shelf.Run{Number: m.run.id, Script: m.run.script, Began: m.run.began, Status: m.run.status, Err: m.run.err, Change: m.run.change, Line: m.live.Present()}
}

// lookedAt returns the run whose pictures are shown.
func (m *Model) lookedAt() *shelf.Run {
	if m.visited != nil {
		return m.visited
	}
	return m.present()
}

// allRuns returns every run there is, the newest first.
func (m *Model) allRuns() []*shelf.Run {
	var out []*shelf.Run
	if m.run.shown() {
		out = append(out, m.present())
	}
	for _, r := range slices.Backward(m.kept.Runs()) {
		out = append(out, r)
	}
	return out
}

// noRuns says why there is nothing to list.
func (m *Model) noRuns() string {
	switch {
	case !m.run.shown():
		return "nothing has been run yet"
	case len(m.kept.Runs()) == 0:
		return "no other run: each is kept when the next begins"
	}
	return ""
}

// A shelfBox is the list of the runs.
type shelfBox struct {
	cursor
	picked int // number of the run that others are compared with; 0 if none is picked
}

func (*shelfBox) wide() bool                       { return true }
func (*shelfBox) title(*Model) string              { return "Runs" }
func (*shelfBox) body(m *Model) []string           { return m.drawShelf() }
func (*shelfBox) table(*Model) widget.Table[Model] { return shelfActs }

func (b *shelfBox) click(m *Model, _, y int) tea.Cmd {
	if y < 1 || y > m.shelfHeight() {
		return nil
	}
	return m.toRun(b.top + y - 1 - b.row)
}

// openShelf lists the runs, with the cursor on the one that is shown.
func (m *Model) openShelf() tea.Cmd {
	shown := m.lookedAt().Number
	b := &shelfBox{}
	m.overlay = b
	b.row = max(slices.IndexFunc(m.allRuns(), func(r *shelf.Run) bool { return r.Number == shown }), 0)
	return m.toRun(0)
}

// shelfActs are what keys do in the list of runs.
var shelfActs = widget.Table[Model]{Context: "shelf", Acts: []widget.Act[Model]{
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.toRun(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.toRun(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.toRun(-m.shelfHeight()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.toRun(+m.shelfHeight()) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.toRun(-shelf.Most) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.toRun(+shelf.Most) }},
	{Name: "list.take", Off: (*Model).noPictures, Do: (*Model).visit},
	{Name: "shelf.script", Do: (*Model).putBack},
	{Name: "shelf.pick", Off: (*Model).noPictures, Do: (*Model).pickRun},
	{Name: "timeline.write", Off: (*Model).noKeep, Do: func(m *Model) tea.Cmd { r := m.chosen(); m.closeOverlay(); return m.keep(r) }},
	{Name: "compare.open", Off: (*Model).noPair, Do: (*Model).compareRuns},
	{Name: "timeline.now", Off: (*Model).isNow, Do: func(m *Model) tea.Cmd { m.closeOverlay(); return m.now() }},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

// shelfHeight returns how many runs are in view: one line is the heading, one tells of
// the budget.
func (m *Model) shelfHeight() int { return max(m.boxHeight()-4, 1) }

func (m *Model) toRun(by int) tea.Cmd {
	opened[*shelfBox](m).move(by, m.shelfHeight(), len(m.allRuns()))
	return nil
}

// chosen returns the run under the cursor.
func (m *Model) chosen() *shelf.Run {
	list := m.allRuns()
	return list[min(opened[*shelfBox](m).row, len(list)-1)]
}

// noPictures says why there is nothing to see of the run under the cursor.
func (m *Model) noPictures() string { return pictureless(m.chosen()) }

// pictureless says why there is nothing to see of a run.
func pictureless(r *shelf.Run) string {
	switch {
	case r.Kept() != "" && !r.Pictures():
		return fmt.Sprintf("the pictures of run %d were given up to keep the budget", r.Number)
	case !r.Pictures():
		return fmt.Sprintf("run %d has aggregated nothing", r.Number)
	}
	return ""
}

// visit shows the run under the cursor as it ended; the one that goes on does so.
func (m *Model) visit() tea.Cmd {
	r := m.chosen()
	m.overlay = nil
	m.setFocus(liveSlot)
	if r.Number == m.run.id {
		return m.now()
	}
	m.visited = r
	m.live.Visit(r.Line, fmt.Sprintf("run %d", r.Number))
	m.output.ShowUntil(r.Number, r.Length())
	m.say(plain, fmt.Sprintf("%s goes back to run %d", m.keys.Key("timeline.now"), m.run.id))
	return nil
}

// putBack makes the script of the run under the cursor that of the editor, in one step
// of undo.
func (m *Model) putBack() tea.Cmd {
	r := m.chosen()
	m.overlay = nil
	m.setFocus(editorSlot)
	if r.Script == m.doc().Text() {
		m.say(plain, fmt.Sprintf("the script is that of run %d already", r.Number))
		return nil
	}
	m.say(plain, m.keys.Key("edit.undo")+" brings yours back")
	return m.editor.SetText(r.Script)
}

// pickRun picks the run under the cursor to be compared with, or no longer.
func (m *Model) pickRun() tea.Cmd {
	if b, n := opened[*shelfBox](m), m.chosen().Number; b.picked != n {
		b.picked = n
	} else {
		b.picked = 0
	}
	return nil
}

// drawShelf draws the list of runs.
func (m *Model) drawShelf() []string {
	k, w, b := m.looks, m.boxWidth()-2, opened[*shelfBox](m)
	var l ink.Line
	list := m.allRuns()
	l.Reset(w, k.popText)
	l.Put(k.heading, "   run  began       length  drops  script, against the run before")
	out := []string{l.String()}
	for i := b.top; i < len(list) && len(out) <= m.shelfHeight(); i++ {
		m.drawRun(&l, list[i], i == b.row)
		out = append(out, l.String())
	}
	l.Reset(w, k.popText)
	text := fmt.Sprintf(" the runs before take %s of %s; the oldest give way first", mega(m.kept.Bytes()), mega(shelf.Budget))
	if n := m.kept.Gone(); n > 0 {
		text += fmt.Sprintf(": %d forgotten", n)
	}
	l.Fit(k.popDetail, text, l.Left())
	return append(out, l.String())
}

// mega writes a number of bytes in MB.
func mega(bytes int) string { return strconv.Itoa((bytes+1<<20-1)>>20) + " MB" }

// drawRun draws one run of the list.
func (m *Model) drawRun(l *ink.Line, r *shelf.Run, cursor bool) {
	k := m.looks
	base, kind := k.popText, k.popKind
	if cursor {
		base, kind = k.popSelected, ink.Ink{}
	}
	l.Reset(m.boxWidth()-2, base)
	shown, picked := " ", " "
	if r.Number == m.lookedAt().Number {
		shown = m.looks.chart.Glyph("▸", ">")
	}
	if r.Number == opened[*shelfBox](m).picked {
		picked = "="
	}
	l.Put(kind, shown+picked)
	l.Right(ink.Ink{}, strconv.Itoa(r.Number), 4)
	l.Skip(2)
	l.Put(ink.Ink{}, r.Began.Format("15:04:05"))
	length := widget.Elapsed(r.Length())
	if r.Number == m.run.id && m.run.active() {
		length += "+" // it goes on
	} else {
		length += " "
	}
	l.Right(ink.Ink{}, length, 11)
	drops := datum.Drops(r.Status.Drops)
	look := kind
	if drops > 0 && !cursor {
		look = k.drops
	}
	l.Right(look, chart.Short(float64(drops)), 6)
	l.Skip(2)
	change := r.Change
	if r.Err != nil {
		change = "failed; " + change
	}
	if kept := r.Kept(); kept != "" {
		change = kept + "; " + change
	}
	l.Fit(ink.Ink{}, widget.Safe(change), l.Left())
}
