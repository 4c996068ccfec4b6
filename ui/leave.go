package ui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// leaving asks before something is lost by leaving.
type leaving struct {
	lost    []string
	unsaved bool // text is among it
	running bool // so is a run
}

func (*leaving) wide() bool                       { return false }
func (*leaving) title(*Model) string              { return "Leave?" }
func (*leaving) body(m *Model) []string           { return m.drawQuestion() }
func (*leaving) table(*Model) widget.Table[Model] { return leaveActs }
func (*leaving) click(*Model, int, int) tea.Cmd   { return nil }

// missed is how long a run has gone on when somebody would miss it though it has found
// nothing yet.
const missed = 10 * time.Second

// wouldMiss reports whether a run is in progress that somebody would miss: one that has
// found something, or has waited for it for some time. What is recorded can be seen again.
func (m *Model) wouldMiss() bool {
	if !m.run.active() || m.opts.Source != "" {
		return false
	}
	aggregated, _ := m.live.Summary()
	return m.run.printed || m.run.status.Events > 0 || aggregated != "" || m.run.status.Elapsed >= missed
}

// quit leaves, and asks first if unsaved text would be lost, or a run that would be missed.
func (m *Model) quit() tea.Cmd {
	var lost []string
	if m.wouldMiss() {
		lost = append(lost, fmt.Sprintf("run %d goes on (%s) and ends with the workbench", m.run.id, widget.Elapsed(m.run.status.Elapsed)))
	}
	text := m.editor.Unsaved()
	if len(text) == 1 && m.doc().Text() == m.opts.Text {
		text = nil
	}
	if lost = append(lost, text...); lost == nil {
		return m.leave()
	}
	m.overlay = &leaving{lost: lost, unsaved: text != nil, running: m.wouldMiss()}
	return nil
}

// leave ends the program: the run first, then what the editor keeps.
func (m *Model) leave() tea.Cmd {
	m.say(plain, "leaving …")
	m.overlay = nil
	open := m.open
	closing := func() tea.Msg {
		// Nobody is left to read an error here; Run tells of it.
		_ = open.closeAll()
		return nil
	}
	return tea.Sequence(closing, m.writeSession(), m.editor.Close(), tea.Quit)
}

// leaveActs are the answers to the question.
var leaveActs = widget.Table[Model]{Context: "leave", Acts: []widget.Act[Model]{
	{Name: "leave.save", Do: (*Model).saveFirst},
	{Name: "leave.write", Off: (*Model).noKeep, Do: (*Model).writeFirst},
	{Name: "leave.leave", Do: (*Model).leave},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

func (m *Model) saveFirst() tea.Cmd {
	if !opened[*leaving](m).unsaved {
		return nil
	}
	m.overlay = nil
	m.setFocus(editorSlot)
	return m.editor.Save()
}

// writeFirst writes the run in progress as a recording, and stays.
func (m *Model) writeFirst() tea.Cmd {
	m.overlay = nil
	return m.keep(m.present())
}

func (m *Model) drawQuestion() []string {
	k, w, q := m.looks, m.boxWidth()-2, opened[*leaving](m)
	var l ink.Line
	var out []string
	for _, text := range q.lost {
		l.Reset(w, k.popText)
		l.Skip(1)
		l.Put(k.popText, widget.Safe(text))
		out = append(out, l.String())
	}
	l.Reset(w, k.popText)
	for _, h := range leaveActs.Helps(m, m.keys) {
		switch {
		case h.Action == "leave.save" && !q.unsaved:
			continue
		case h.Action == "leave.write" && (!q.running || h.Off != ""):
			continue
		case h.Action == "leave.leave" && q.unsaved:
			h.Text += " without saving"
		}
		l.Skip(1)
		l.Put(k.key, m.keys.KeyIn("leave", h.Action))
		l.Put(k.popText, " "+h.Text+"  ")
	}
	return append(out, l.String())
}
