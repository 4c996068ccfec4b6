package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// A noteMsg is what a run that starts waits for.
type noteMsg struct {
	id    int
	text  string
	notes <-chan string
}

// noting returns a context with which a start puts what it waits for into notes. A
// screen that is late sees the last.
func noting(ctx context.Context) (_ context.Context, notes chan string) {
	notes = make(chan string, 1)
	return trace.WithNotes(ctx, func(text string) {
		select {
		case <-notes:
		default:
		}
		notes <- text
	}), notes
}

// nextNote waits for a note; the channel is closed when the start is over.
func nextNote(id int, notes <-chan string) tea.Cmd {
	return func() tea.Msg {
		text, ok := <-notes
		if !ok {
			return nil
		}
		return noteMsg{id, text, notes}
	}
}

// noted shows what a start waits for, as long as that is what the user waits for.
func (m *Model) noted(msg noteMsg) tea.Cmd {
	if msg.id == m.next.id && m.next.under() {
		m.waited(m.next)
		m.next.note = msg.text
		if msg.text != trace.Estimating { // which the state tells of
			m.say(plain, msg.text)
		}
		if msg.text == "" {
			msg.text = "starting …"
		}
		if !m.run.active() {
			m.live.SetEmpty(msg.text)
		}
	}
	return nextNote(msg.id, msg.notes)
}

// waited takes back what was said while the run started.
func (m *Model) waited(p pending) {
	if p.note != "" && m.notice.text == p.note {
		m.say(plain, "")
	}
}
