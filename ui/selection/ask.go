package selection

import tea "github.com/charmbracelet/bubbletea"

// An AskMsg is a question about a selection that a pane passes on: it has no answers.
type AskMsg struct {
	Of  Selection
	For Question
}

// A Question is what can be asked about a selection.
type Question uint8

// The questions.
const (
	Examples Question = iota // real firings that fell into it
	Differs                  // what is different about them
	Narrow                   // a script that keeps no more
)

// Ask puts a question.
func (s Selection) Ask(q Question) tea.Cmd {
	return func() tea.Msg { return AskMsg{s, q} }
}
