package ui

import tea "github.com/charmbracelet/bubbletea"

// wordMsg is a word of what works beside the screen.
type wordMsg struct{ text string }

// nextWord waits for one, if there is anybody who may have one.
func (m *Model) nextWord() tea.Cmd {
	words := m.opts.Words
	if words == nil {
		return nil
	}
	return func() tea.Msg {
		text, ok := <-words
		if !ok {
			return nil
		}
		return wordMsg{text}
	}
}

// heard shows it, also when the next key has wiped the status line.
func (m *Model) heard(msg wordMsg) tea.Cmd {
	m.say(warning, msg.text)
	m.output.Note(msg.text)
	return m.nextWord()
}
