package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/narrow"
	"dscope.dev/ui/patience"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/why"
	"dscope.dev/ui/widget"
)

// A whyBox shows the box of the root that answers questions about a selection, which has keys
// of its own.
type whyBox struct{}

func (*whyBox) wide() bool                           { return true }
func (*whyBox) title(m *Model) string                { return widget.Cut(m.box.Title(), max(m.boxWidth()-6, 0)) }
func (*whyBox) body(m *Model) []string               { return m.box.Rows() }
func (*whyBox) table(*Model) (t widget.Table[Model]) { return t }
func (*whyBox) click(m *Model, _, y int) tea.Cmd     { return m.box.Click(y) }

// asked opens the box that answers a question about what is selected in the live pane.
func (m *Model) asked(msg selection.AskMsg) tea.Cmd {
	m.overlay = &whyBox{}
	m.box.SetSize(m.boxWidth()-2, m.boxHeight()-2)
	m.box.SetRecorded(m.onlyRecorded())
	return m.box.Open(msg, m.live.Examples(), m.lookedAt().Script)
}

// answeredWhy takes what the box has to say.
func (m *Model) answeredWhy(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case why.RankedMsg, why.FoundMsg:
		return m.box.Update(msg)
	case why.LookMsg:
		return m.look(msg)
	case why.TakeMsg:
		return m.narrow(msg)
	case why.CloseMsg:
		if opened[*whyBox](m) != nil {
			m.overlay = nil
		}
	}
	return nil
}

// onlyRecorded says why what runs now cannot be asked about.
func (m *Model) onlyRecorded() string {
	if _, ok := m.back.(Follower); !ok {
		return "a recording tells nothing of what runs now, and can be asked nothing new"
	}
	return ""
}

// look asks the backend where numbers of an example lead.
func (m *Model) look(msg why.LookMsg) tea.Cmd {
	back, ok := m.back.(Follower)
	if !ok {
		return nil
	}
	parent := m.open.ctx
	return func() tea.Msg {
		ctx, cancel := patience.Limit(parent, answering)
		defer cancel()
		found := why.FoundMsg{ID: msg.ID}
		for _, l := range msg.Leads {
			to, err := back.Lead(ctx, l)
			found.To = append(found.To, why.Found{Text: to, Err: patience.Told(ctx, err)})
		}
		return found
	}
}

// narrow makes a change of the script that was shown, and runs the result. Places in the
// script are those that it had when the run began. A question takes the place of whatever
// is there, which one step of undo brings back.
func (m *Model) narrow(msg why.TakeMsg) tea.Cmd {
	if msg.Text != "" {
		m.overlay = nil
		all := narrow.Edit{From: 0, To: len(m.doc().Text()), Text: msg.Text}
		return tea.Batch(m.editor.Apply([]narrow.Edit{all}), m.start())
	}
	if m.doc().Text() != msg.Script {
		m.say(warning, "the script has been edited since the run began: run it, then narrow it")
		return nil
	}
	m.overlay = nil
	return tea.Batch(m.editor.Apply(msg.Edits), m.start())
}
