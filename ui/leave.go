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
	return tea.Sequence(closing, m.rememberSoFar(), m.writeSession(), m.editor.Close(), tea.Quit)
}

// leaveActs are the answers to the question.
var leaveActs = widget.Table[Model]{Context: "leave", Acts: []widget.Act[Model]{
	{Name: "leave.save", Off: (*Model).allSaved, Do: (*Model).saveFirst},
	{Name: "leave.write", Off: (*Model).noWriteFirst, Do: (*Model).writeFirst},
	{Name: "leave.leave", Do: (*Model).leave},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

// allSaved says why there is nothing to save.
func (m *Model) allSaved() string {
	if !opened[*leaving](m).unsaved {
		return "nothing is to be saved"
	}
	return ""
}

// noWriteFirst says why there is no run to write.
func (m *Model) noWriteFirst() string {
	if !opened[*leaving](m).running {
		return "no run goes on"
	}
	return m.noKeep()
}

func (m *Model) saveFirst() tea.Cmd {
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
		for _, line := range words(widget.Safe(text), w-2) {
			l.Reset(w, k.popText)
			l.Skip(1)
			l.Fit(k.popText, line, l.Left())
			out = append(out, l.String())
		}
	}
	answers := leaveActs.Helps(m, m.keys)
	for i, h := range answers {
		if h.Action == "leave.leave" && q.unsaved {
			answers[i].Text += " without saving"
		}
	}
	return m.drawAnswers(out, "leave", answers)
}

// drawAnswers draws the keys that a box asks for in as many lines as they take. What is not
// to be had is no answer.
func (m *Model) drawAnswers(out []string, context string, answers []widget.Help) []string {
	k, w := m.looks, m.boxWidth()-2
	var l ink.Line
	l.Reset(w, k.popText)
	for _, h := range answers {
		if h.Off != "" {
			continue
		}
		key := m.keys.KeyIn(context, h.Action)
		if need := 1 + ink.Width(key) + 1 + ink.Width(h.Text); l.X() > 0 && need > l.Left() {
			out = append(out, l.String())
			l.Reset(w, k.popText)
		}
		l.Skip(1)
		l.Put(k.key, key)
		l.Fit(k.popText, " "+h.Text, min(1+ink.Width(h.Text), l.Left()))
		l.Skip(min(2, l.Left()))
	}
	return append(out, l.String())
}
