package ui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// missed is how long a run has gone on when somebody would miss it.
const missed = 10 * time.Second

// quit leaves, and asks first if unsaved text would be lost or a run that has gone on
// for some time ended.
func (m *Model) quit() tea.Cmd {
	var lost []string
	if m.run.active() && m.run.status.Elapsed >= missed {
		lost = append(lost, fmt.Sprintf("run %d goes on (%s) and ends with the workbench", m.run.id, widget.Elapsed(m.run.status.Elapsed)))
	}
	text := m.editor.Unsaved()
	if m.editor.Text() == m.opts.Text {
		text = ""
	}
	if text != "" {
		lost = append(lost, text)
	}
	if lost == nil {
		return m.leave()
	}
	m.overlay = overlay{kind: questionOverlay, lost: lost, unsaved: text != ""}
	return nil
}

// leave ends the program: the run first, then what the editor keeps.
func (m *Model) leave() tea.Cmd {
	m.say(plain, "leaving …")
	m.overlay = overlay{}
	open := m.open
	closing := func() tea.Msg {
		// Nobody is left to read an error; Run reports those of runs.
		open.err = open.closeAll()
		return nil
	}
	return tea.Sequence(closing, m.editor.Close(), tea.Quit)
}

func (m *Model) questionKey(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "y", "Y":
		return m.leave()
	case "s", "S":
		if !m.overlay.unsaved {
			return nil
		}
		m.overlay = overlay{}
		m.setFocus(editorSlot)
		return m.editor.Save()
	case "n", "N", "esc", "q":
		m.overlay = overlay{}
	}
	return nil
}

func (m *Model) drawQuestion() []string {
	k, w := m.looks, m.boxWidth()-2
	var l ink.Line
	var out []string
	for _, text := range m.overlay.lost {
		l.Reset(w, k.popText)
		l.Skip(1)
		l.Put(k.popText, widget.Safe(text))
		out = append(out, l.String())
	}
	keys := [][2]string{{"y", "leave"}, {"esc", "stay"}}
	if m.overlay.unsaved {
		keys = [][2]string{{"s", "save"}, {"y", "leave without saving"}, {"esc", "stay"}}
	}
	l.Reset(w, k.popText)
	for _, h := range keys {
		l.Skip(1)
		l.Put(k.key, h[0])
		l.Put(k.popText, " "+h[1]+"  ")
	}
	return append(out, l.String())
}
