package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// quit leaves, and asks first if unsaved text would be lost.
func (m *Model) quit() tea.Cmd {
	if lost := m.editor.Unsaved(); lost != "" && m.editor.Text() != m.opts.Text {
		m.overlay = overlay{kind: questionOverlay, text: lost}
		return nil
	}
	return m.leave()
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
	l.Reset(w, k.popText)
	l.Skip(1)
	l.Put(k.popText, widget.Safe(m.overlay.text))
	out := []string{l.String()}
	l.Reset(w, k.popText)
	for _, h := range [][2]string{{"s", "save"}, {"y", "leave without saving"}, {"esc", "stay"}} {
		l.Skip(1)
		l.Put(k.key, h[0])
		l.Put(k.popText, " "+h[1]+"  ")
	}
	return append(out, l.String())
}
