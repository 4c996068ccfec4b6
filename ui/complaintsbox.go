package ui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A complaintsBox is the list of all complaints about the script, by their places.
type complaintsBox struct{ cursor }

func (*complaintsBox) wide() bool { return true }
func (*complaintsBox) title(m *Model) string {
	errors, warnings := m.doc().Complaints()
	return fmt.Sprintf("%s: %s, %s", m.doc().Name(), widget.Count(errors, "error"), widget.Count(warnings, "warning"))
}
func (*complaintsBox) body(m *Model) []string           { return m.drawComplaints() }
func (*complaintsBox) table(*Model) widget.Table[Model] { return complaintsActs }

func (b *complaintsBox) click(m *Model, _, y int) tea.Cmd {
	if row := b.top + y; y < m.complaintsHeight() && row < len(m.doc().Marks()) {
		b.row = row
		return m.toComplaint()
	}
	return nil
}

// noComplaints says why there is nothing to list.
func (m *Model) noComplaints() string {
	if len(m.doc().Marks()) == 0 {
		return "there are no complaints"
	}
	return ""
}

// openComplaints lists the complaints, with the cursor on the one nearest to that of the script.
func (m *Model) openComplaints() tea.Cmd {
	b := &complaintsBox{}
	m.overlay = b
	for i, k := range m.doc().Marks() {
		if k.From <= m.doc().Sel.Head {
			b.row = i
		}
	}
	return m.overComplaints(0)
}

// complaintsActs are what keys do in the list of complaints.
var complaintsActs = widget.Table[Model]{Context: "complaints", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).toComplaint},
	{Name: "edit.remedy", Off: (*Model).noRemedyHere, Do: (*Model).mendHere},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.overComplaints(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.overComplaints(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.overComplaints(-m.complaintsHeight()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.overComplaints(+m.complaintsHeight()) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.overComplaints(-1 << 20) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.overComplaints(+1 << 20) }},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

// complaintsHeight returns how many complaints are in view, above what is told of one.
func (m *Model) complaintsHeight() int {
	return max(min(len(m.doc().Marks()), m.boxLines()-whyHeight-1), 1)
}

func (m *Model) overComplaints(by int) tea.Cmd {
	opened[*complaintsBox](m).move(by, m.complaintsHeight(), len(m.doc().Marks()))
	return nil
}

// complaint returns the one under the cursor; nil if it is gone by now.
func (m *Model) complaint() *document.Mark {
	marks, row := m.doc().Marks(), opened[*complaintsBox](m).row
	if row >= len(marks) {
		return nil
	}
	return &marks[row]
}

// toComplaint goes to the complaint under the cursor.
func (m *Model) toComplaint() tea.Cmd {
	k := m.complaint()
	if k == nil {
		return nil
	}
	m.overlay = nil
	m.setFocus(editorSlot)
	return m.editor.ToOffset(k.From)
}

// noRemedyHere says why the complaint under the cursor cannot be mended.
func (m *Model) noRemedyHere() string {
	if k := m.complaint(); k == nil || len(k.Fixes) == 0 {
		return "nobody knows a remedy for this complaint"
	}
	return ""
}

// mendHere takes the remedy for the complaint under the cursor.
func (m *Model) mendHere() tea.Cmd {
	cmd := m.toComplaint()
	return tea.Batch(cmd, m.editor.Update(widget.DoMsg{Action: "edit.remedy"}))
}

func (m *Model) drawComplaints() []string {
	k, w, b := m.looks, m.boxWidth()-2, opened[*complaintsBox](m)
	var l ink.Line
	var out []string
	marks := m.doc().Marks()
	for i := b.top; i < len(marks) && len(out) < m.complaintsHeight(); i++ {
		base, place := k.popText, k.popKind
		if i == b.row {
			base, place = k.popSelected, ink.Ink{}
		}
		l.Reset(w, base)
		l.Skip(1)
		l.Right(place, fmt.Sprint(m.doc().Buf.Pos(marks[i].From).Line+1), 5)
		l.Skip(1)
		what := "warning"
		if marks[i].IsError() {
			what = "error"
		}
		l.Fit(place, what, 8)
		text, end := widget.Safe(marks[i].Msg), ""
		if len(marks[i].Fixes) > 0 {
			end = "remedy"
		}
		l.Fit(ink.Ink{}, text, max(l.Left()-8, 1))
		l.Right(place, end, min(l.Left(), 7))
		out = append(out, l.String())
	}
	if len(out) == 0 {
		l.Reset(w, k.popText)
		l.Put(k.popDetail, " no complaint is left")
		return append(out, l.String())
	}
	var told []string
	if c := m.complaint(); c != nil {
		told = words(widget.Safe(fmt.Sprintf("%s [%s]", c.Msg, c.Code)), w-2)
		if c.Hint != "" {
			told = append(told, words(widget.Safe(c.Hint), w-2)...)
		}
	}
	return m.below(out, told)
}

// below draws a rule under a list, and under that up to whyHeight lines that tell more of
// what the cursor is on.
func (m *Model) below(out, told []string) []string {
	k, w := m.looks, m.boxWidth()-2
	var l ink.Line
	l.Reset(w, k.popText)
	l.Rep(k.popBorder, k.glyphs.horizontal, w)
	out = append(out, l.String())
	for i := range min(whyHeight, max(m.boxLines()-len(out), 0)) {
		l.Reset(w, k.popText)
		l.Skip(1)
		if i < len(told) {
			l.Put(k.popText, told[i])
		}
		out = append(out, l.String())
	}
	return out
}
