package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/browser"
	"dscope.dev/ui/document"
	"dscope.dev/ui/editor"
	"dscope.dev/ui/patience"
)

// An asker keeps questions to the backend from piling up while somebody types:
// one is under way, the latest waits, those between are never asked.
type asker struct {
	busy bool
	next tea.Cmd
}

// asks are the questions that typing raises.
type asks struct {
	check, complete asker
	told            int // number of the latest question about probes
	ready           ready
}

// ask issues a question, or keeps it until the one under way is answered.
func (a *asker) ask(q tea.Cmd) tea.Cmd {
	if a.busy {
		a.next = q
		return nil
	}
	a.busy = true
	return q
}

// answered issues the question that waits.
func (a *asker) answered() tea.Cmd {
	q := a.next
	a.busy, a.next = q != nil, nil
	return q
}

// Answers of the backend.
type (
	checkDueMsg struct{ changed editor.ChangedMsg }
	checkedMsg  struct {
		about document.Ref
		list  diag.List
		err   error // there was no answer
	}
	completedMsg struct {
		about document.Ref
		from  int
		list  []trace.Completion
	}
	probesMsg struct {
		catalog *browser.Catalog
		err     error
	}
)

// The time that a check waits for the next keystroke, and that the backend may
// take for an answer.
const (
	pause     = 120 * time.Millisecond
	answering = 10 * time.Second
)

// ask puts a question of the editor to the backend.
func (m *Model) ask(msg tea.Msg) tea.Cmd {
	back, parent := m.back, m.open.ctx
	switch msg := msg.(type) {
	case editor.ChangedMsg:
		return tea.Tick(pause, func(time.Time) tea.Msg { return checkDueMsg{msg} })
	case editor.CompleteMsg:
		script := m.written(msg.Text)
		return m.asks.complete.ask(func() tea.Msg {
			ctx, cancel := patience.Limit(parent, answering)
			defer cancel()
			from, list := back.Complete(ctx, script, msg.Offset)
			return completedMsg{msg.Ref, from, list}
		})
	}
	return nil
}

// answered takes an answer; one about an older text is ignored by the editor.
func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case checkDueMsg:
		return m.check(msg.changed)
	case checkedMsg:
		if msg.err == nil {
			m.editor.SetDiagnostics(msg.about, msg.list)
		} else if errors.Is(msg.err, patience.ErrSlow) { // what was known before stays
			m.say(warning, "check the script: "+msg.err.Error())
		}
		return m.asks.check.answered()
	case completedMsg:
		m.editor.SetCompletions(msg.about, msg.from, msg.list)
		return m.asks.complete.answered()
	}
	return nil
}

// check has a text checked, unless it has changed again.
func (m *Model) check(c editor.ChangedMsg) tea.Cmd {
	if c.Ref != m.doc().Ref() {
		return nil
	}
	if strings.TrimSpace(c.Text) == "" { // nothing has been written yet, so nothing is wrong
		m.editor.SetDiagnostics(c.Ref, nil)
		return nil
	}
	back, parent, script := m.back, m.open.ctx, m.written(c.Text)
	return m.asks.check.ask(func() tea.Msg {
		list, err := patience.Within(parent, answering, func(ctx context.Context) (diag.List, error) { return back.Check(ctx, script), ctx.Err() })
		return checkedMsg{c.Ref, list, err}
	})
}

// readProbes asks for all probes and makes them ready for searching.
func (m *Model) readProbes() tea.Cmd {
	back, ctx := m.back, m.open.ctx
	return func() tea.Msg {
		probes, infos, err := back.Probes(ctx, "")
		if err != nil {
			return probesMsg{nil, err}
		}
		return loadedProbes(probes, infos)
	}
}

func loadedProbes(probes []trace.Probe, infos []trace.ProviderInfo) probesMsg {
	return probesMsg{browser.NewCatalog(probes, infos), nil}
}

func (m *Model) gotProbes(msg probesMsg) tea.Cmd {
	if msg.err != nil {
		m.browser.SetError(msg.err)
		m.say(failure, "list the probes: "+msg.err.Error())
		return nil
	}
	return m.browser.SetCatalog(msg.catalog)
}
