package editor

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/widget"
)

// take puts s on our clipboard and on the terminal's.
func (m *Model) take(s string) tea.Cmd {
	m.clip = s
	if m.opts.Clipboard != nil && len(s) > widget.CopyMax {
		m.notice = fmt.Sprintf("copied here; %d KB are too much for the terminal's clipboard", len(s)>>10)
	}
	return widget.Copy(m.opts.Clipboard, s)
}

// copy also drops the selection, so that a second ctrl+c leaves the program as
// people expect.
func (m *Model) copy() tea.Cmd {
	cmd := m.take(m.doc.Selected())
	if m.notice == "" {
		m.notice = fmt.Sprintf("copied %d characters", len([]rune(m.clip)))
	}
	m.doc.Sel = text.At(m.doc.Sel.Head)
	return cmd
}

// cut takes the selection, or the line of the cursor with its newline.
func (m *Model) cut() tea.Cmd {
	if !m.doc.Sel.Empty() {
		cmd := m.take(m.doc.Selected())
		m.backspace()
		return cmd
	}
	n := m.doc.At().Line
	cmd := m.take(m.doc.Buf.Line(n) + "\n")
	m.deleteLine()
	return cmd
}

func (m *Model) paste() tea.Cmd { return m.insert(document.UnixLines(m.clip), text.Other) }
