package ui

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/shelf"
	"dscope.dev/ui/widget"
)

// A Keep writes what is kept of a run as a recording and returns the name of the file.
// script is the file that the script is in; it may be "".
type Keep func(ctx context.Context, script string, p trace.Past) (file string, err error)

// keptMsg says what has become of a recording.
type keptMsg struct {
	run    int
	file   string
	thin   string
	events int
	err    error
}

// keptRows bounds how many rows of tables are written, each of which takes about 100
// bytes and 2 µs.
const keptRows = 4_000_000

// noKeep says why a run cannot be written as a recording.
func (m *Model) noKeep() string {
	switch {
	case m.opts.Keep == nil:
		return "recordings are not written here"
	case !m.run.shown():
		return "nothing has been run yet"
	}
	return ""
}

// keepShown writes the run that is shown.
func (m *Model) keepShown() tea.Cmd { return m.keep(m.lookedAt()) }

// keep writes what is kept of a run as a recording: it was kept without being asked.
func (m *Model) keep(r *shelf.Run) tea.Cmd {
	past, taken, of := m.past(r)
	thin := ""
	if taken < of {
		thin = fmt.Sprintf("%d of %d moments", taken, of)
	} else if of > 0 {
		thin = r.Kept()
	}
	m.say(plain, fmt.Sprintf("writing run %d …", r.Number))
	ctx, keep, script, run := m.open.ctx, m.opts.Keep, m.doc().Path(), r.Number
	return func() tea.Msg {
		file, err := keep(ctx, script, past)
		return keptMsg{run, file, thin, len(past.Events), err}
	}
}

// keptAs says where the recording is.
func (m *Model) keptAs(msg keptMsg) {
	if errors.Is(msg.err, context.Canceled) {
		return
	}
	if msg.err != nil {
		m.say(failure, msg.err.Error())
		return
	}
	text := fmt.Sprintf("run %d is in %s", msg.run, widget.Safe(msg.file))
	if msg.thin != "" {
		text += ", " + msg.thin
	}
	m.say(plain, text)
}
