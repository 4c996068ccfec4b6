package ui

import (
	"fmt"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/history"
)

// rememberBegin remembers that the run that is shown has begun.
func (m *Model) rememberBegin(script trace.Script) tea.Cmd {
	if m.history == nil {
		return nil
	}
	r := &m.run
	r.past = history.Run{
		ID: fmt.Sprintf("%d-%d", time.Now().UnixNano(), os.Getpid()), Began: r.began, Kernel: m.opts.Kernel, Target: script.Target, Change: r.change,
	}
	if d := m.editor.Desk().About(r.of); d != nil {
		r.past.Path, r.past.Call = d.Path(), d.Call.Line
	}
	store, begun := m.history, r.past
	return func() tea.Msg { return rememberedMsg{"history", store.Begin(begun, script.Text)} }
}

// rememberEnd remembers how the run that is shown ended; nil if that has been done, or there is
// none.
func (m *Model) rememberEnd() tea.Cmd {
	cmd := m.rememberSoFar()
	m.run.past.Ended = m.run.past.Ended || cmd != nil
	return cmd
}

// rememberSoFar remembers the run that is shown as if it had ended now, for a program that ends
// and may not see the end of its run; if it does, that is remembered instead. It is nil where
// rememberEnd is.
func (m *Model) rememberSoFar() tea.Cmd {
	r := &m.run
	if m.history == nil || r.past.ID == "" || r.past.Ended {
		return nil
	}
	end := r.past
	end.Length, end.Events, end.Drops, end.Figures = r.status.Elapsed, r.status.Events, uint64(datum.Drops(r.status.Drops)), m.live.Figures()
	if r.err != nil {
		end.Err = r.err.Error()
	}
	store := m.history
	return func() tea.Msg { return rememberedMsg{"history", store.End(end)} }
}
