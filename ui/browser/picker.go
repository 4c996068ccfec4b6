package browser

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/patience"
	"dscope.dev/ui/widget"
)

// A picker is the list of processes that one is chosen from. It narrows as one types.
type picker struct {
	open  bool
	id    int             // of the latest question
	list  []trace.Process // nil until it is answered
	names []string        // what is searched of each, in lower case
	err   error
	input widget.Input
	found []int // indices into list, best first
	at    int   // the selected one of found
	top   int
}

// processesMsg answers the question which processes run.
type processesMsg struct {
	id   int
	list []trace.Process
	err  error
}

// noProcesses says why no process can be chosen.
func (m *Model) noProcesses() string {
	if m.source == nil {
		return "what is shown was recorded: its processes are gone"
	}
	return ""
}

// leads reports whether r is a family whose probes are those of processes.
func (m *Model) leads(r row) bool {
	if m.scope != nil || r.level != providerLevel || r.len() > 0 || r.reason != "" || m.source == nil {
		return false
	}
	return slices.ContainsFunc(m.catalog.providers, func(p trace.ProviderInfo) bool { return p.Name == r.label && p.Processes })
}

// openPicker asks which processes run, and shows them.
func (m *Model) openPicker() tea.Cmd {
	m.picker = picker{open: true, id: m.picker.id + 1}
	id, source := m.picker.id, m.source
	return func() tea.Msg {
		list, err := patience.Within(context.Background(), looking, source.Processes)
		return processesMsg{id, list, err}
	}
}

// picked takes the list.
func (m *Model) picked(msg processesMsg) {
	p := &m.picker
	if !p.open || msg.id != p.id {
		return
	}
	p.list, p.err, p.names = msg.list, msg.err, make([]string, len(msg.list))
	for i, q := range msg.list {
		p.names[i] = strings.ToLower(strconv.Itoa(q.PID) + ":" + q.Name + ":" + q.User + ":" + q.Line)
	}
	p.search()
	m.settle()
}

// search looks for what was typed: all that run, by number, if that is nothing.
func (p *picker) search() {
	words := strings.Fields(strings.ToLower(p.input.Value()))
	p.found, p.at, p.top = nil, 0, 0
	scores := make([]int, len(p.list))
	for i, name := range p.names {
		missing := slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) })
		if missing {
			continue
		}
		for _, w := range words {
			scores[i] += score1(name, w)
		}
		p.found = append(p.found, i)
	}
	slices.SortStableFunc(p.found, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
}

// pickActs are what keys do in the list of processes; all else is typed.
var pickActs = widget.Table[Model]{Context: "probes.process", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).pickProcess},
	{Name: "list.close", Do: func(m *Model) tea.Cmd { m.picker.open = false; return nil }},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.picker.move(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.picker.move(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.picker.move(-m.page()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.picker.move(+m.page()) }},
}}

// pickKey types into what narrows the list.
func (m *Model) pickKey(msg tea.KeyMsg) {
	p := &m.picker
	was := p.input.Value()
	if p.input.Press(m.keys, msg); p.input.Value() != was {
		p.search()
	}
}

func (p *picker) move(by int) tea.Cmd {
	p.at = min(max(p.at+by, 0), max(len(p.found)-1, 0))
	return nil
}

// pickProcess opens the selected process.
func (m *Model) pickProcess() tea.Cmd {
	p := &m.picker
	if p.at >= len(p.found) {
		return nil
	}
	p.open = false
	return m.enterScope(p.list[p.found[p.at]])
}

// selected returns the process under the cursor of the list.
func (p *picker) selected() (trace.Process, bool) {
	if p.at >= len(p.found) {
		return trace.Process{}, false
	}
	return p.list[p.found[p.at]], true
}

// drawPicked draws line n of the list: number, user, name, command line.
func (m *Model) drawPicked(l *ink.Line, n int) {
	p, k := &m.picker, m.looks
	if n >= len(p.found) {
		l.Reset(m.w, ink.Ink{})
		switch {
		case n > 0:
		case p.err != nil:
			l.Fit(k.unavailable, " "+widget.Safe(p.err.Error()), m.w)
		case p.list == nil:
			l.Put(k.muted, " reading the processes …")
		default:
			l.Put(k.muted, " no process matches")
		}
		return
	}
	q := p.list[p.found[n]]
	m.cursorLine(l, n == p.at)
	l.Put(k.count, pad(strconv.Itoa(q.PID), 7))
	l.Skip(1)
	name := widget.Safe(q.Name)
	l.Put(k.leaf, widget.Cut(name, l.Left()))
	l.Skip(1)
	if q.User != "" && l.Left() > 0 {
		l.Fit(k.typ, widget.Safe(q.User), min(ink.Width(widget.Safe(q.User)), l.Left()))
		l.Skip(1)
	}
	if l.Left() > 0 {
		l.Fit(k.muted, widget.Safe(q.Line), l.Left())
	}
}

// pad puts s at the right of w cells.
func pad(s string, w int) string { return strings.Repeat(" ", max(w-len(s), 0)) + s }

// aboutPicked tells of the process under the cursor.
func (m *Model) aboutPicked() []text {
	k := m.looks
	q, ok := m.picker.selected()
	if !ok {
		return nil
	}
	name, pid, user := widget.Safe(q.Name), strconv.Itoa(q.PID), widget.Safe(q.User)
	who := text{{k.muted, " process "}, {k.count, pid}, {k.muted, " of "}, {k.typ, user}}
	all := []text{append(text{{k.leaf, " " + name}}, who...)}
	if ink.Width(" "+name+" process "+pid+" of "+user) > m.w {
		all = []text{{{k.leaf, " " + name}}, who}
	}
	all = append(all, wrap(k.help, q.Line, m.w)...)
	return append(all, wrap(k.muted, m.keys.KeyIn("probes.process", "list.take")+" shows what of it can be probed", m.w)...)
}
