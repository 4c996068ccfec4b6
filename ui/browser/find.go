package browser

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/patience"
	"dscope.dev/ui/widget"
)

// How long the tracer may take: to describe a probe, which is asked for again at the next key
// while the cursor is on it; and to look at processes, which takes long on a busy machine and
// can be left.
const (
	describing = 5 * time.Second
	looking    = time.Minute
)

func (m *Model) startSearch() tea.Cmd {
	m.typing = true
	return m.readAll()
}

// searchOn looks for what was typed before there was anything to look through.
func (m *Model) searchOn() tea.Cmd {
	if !m.Searching() {
		return nil
	}
	return tea.Batch(m.readAll(), m.search())
}

// leave goes back to the tree.
func (m *Model) leave() tea.Cmd {
	m.stop()
	m.typing, m.input, m.query, m.result = false, widget.Input{}, "", nil
	m.hit, m.hitTop = 0, 0
	return nil
}

// stop ends the search under way, and makes its answer stale.
func (m *Model) stop() {
	m.id++
	m.taken = false
	if m.cancel != nil {
		m.cancel()
		m.cancel = nil
	}
}

// searchActs are what keys do while the query is typed.
var searchActs = widget.Table[Model]{Context: "probes.search", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).takeSearch},
	{Name: "list.done", Do: func(m *Model) tea.Cmd { m.typing = false; return nil }},
	{Name: "list.close", Do: (*Model).leave},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.move(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.move(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.move(-m.page()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.move(+m.page()) }},
}}

func (m *Model) takeSearch() tea.Cmd {
	m.typing = false
	switch {
	case m.query == "":
		return m.leave()
	case m.cancel != nil: // what is shown answers an earlier query
		m.taken = true
		return nil
	}
	return m.insert()
}

// found takes the answer to the query.
func (m *Model) found(r *result) tea.Cmd {
	taken := m.taken
	m.stop()
	m.result, m.hit, m.hitTop = r, 0, 0
	if taken {
		return tea.Batch(m.ask(), m.insert())
	}
	return m.ask()
}

// typeKey types into the query.
func (m *Model) typeKey(msg tea.KeyMsg) tea.Cmd {
	m.input.Press(m.keys, msg)
	if m.input.Value() == m.query {
		return nil
	}
	m.query = m.input.Value()
	return m.search()
}

// search begins to look for the query. The command holds nothing of the model
// but values that never change.
func (m *Model) search() tea.Cmd {
	m.stop()
	if m.query == "" || m.catalog == nil {
		m.result = nil
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	id, index, query, last := m.id, m.catalog.index, m.query, m.result
	return func() tea.Msg { return foundMsg{id, index.search(ctx, query, last)} }
}

// current returns the probe under the cursor.
func (m *Model) current() (trace.Probe, bool) {
	r, ok := m.selected()
	if !ok || !r.leaf || m.catalog == nil {
		return trace.Probe{}, false
	}
	return m.catalog.probes[r.from], true
}

// ask arranges that the tracer is asked about the probe under the cursor, if
// the cursor still is on it after a rest.
func (m *Model) ask() tea.Cmd {
	p, ok := m.current()
	if !ok || m.describe == nil || p == m.waiting {
		return nil
	}
	if i, known := m.info[p]; known && !errors.Is(i.err, patience.ErrSlow) {
		return nil
	}
	m.waiting = p
	return tea.Tick(rest, func(time.Time) tea.Msg { return restMsg{p} })
}

// asked asks the tracer, unless the cursor has gone on.
func (m *Model) asked(msg restMsg) tea.Cmd {
	p, ok := m.current()
	if !ok || p != msg.probe {
		if m.waiting == msg.probe {
			m.waiting = trace.Probe{}
		}
		return nil
	}
	describe := m.describe
	return func() tea.Msg {
		info, err := patience.Within(context.Background(), describing, func(ctx context.Context) (trace.ProbeInfo, error) { return describe(ctx, p) })
		return infoMsg{p, info, err}
	}
}

// remembered is how many descriptions are kept.
const remembered = 512

func (m *Model) learn(msg infoMsg) {
	if len(m.info) >= remembered {
		clear(m.info)
	}
	m.info[msg.probe] = msg
	if m.waiting == msg.probe {
		m.waiting = trace.Probe{}
	}
}
