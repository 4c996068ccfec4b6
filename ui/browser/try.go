package browser

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// mostTried is how many probes may be counted at once: hooking a function takes time, and
// each firing a little of the machine's.
const mostTried = 500

// A TryMsg asks the parent to count, by program, how often what Pattern covers fires in
// a second, beside whatever else runs, and to answer with a TriedMsg. Ctx ends when nobody
// wants to know any more.
type TryMsg struct {
	ID      int
	Pattern string
	Ctx     context.Context
}

// A TriedMsg is the answer to the TryMsg of the same ID.
type TriedMsg struct {
	ID    int
	Names []Tried // the most frequent first
	Lost  uint64  // firings that could not be counted
	Err   error
}

// A Tried is how often one program fired a probe.
type Tried struct {
	Name string
	N    int64
}

// A trial is the last probe that was tried.
type trial struct {
	id      int
	pattern string
	cancel  context.CancelFunc // nil once it is over
	got     TriedMsg
}

// try counts the firings of what is selected.
func (m *Model) try() tea.Cmd {
	r, ok := m.selected()
	switch {
	case !ok:
		return nil
	case r.reason != "":
		m.why = r.label + ": " + r.reason
		return nil
	case m.leads(r):
		return m.openPicker()
	case m.catalog.unread(r):
		m.why = "how many functions its files have is not known before they are read: try a file, or a function"
		return nil
	case !r.leaf && r.len() == 0:
		m.why = "there are no probes in it to count"
		return nil
	case r.len() > mostTried:
		m.why = fmt.Sprintf("%d probes are too many to try: at most %d are hooked at once", r.len(), mostTried)
		return nil
	case m.scope != nil && m.scope.ended != nil:
		m.why = m.scope.ended.Error()
		return nil
	}
	m.giveUpTrial()
	ctx, cancel := context.WithCancel(context.Background())
	m.trial = trial{id: m.trial.id + 1, pattern: m.pattern(r), cancel: cancel}
	msg := TryMsg{m.trial.id, m.trial.pattern, ctx}
	return func() tea.Msg { return msg }
}

// unread reports whether a description of r covers functions of files that were not read,
// so that its length tells less than would be hooked.
func (c *Catalog) unread(r row) bool {
	return r.files && slices.ContainsFunc(c.process.Modules, func(f trace.Module) bool { return !c.read[f.Path] })
}

// trying reports whether firings are being counted.
func (m *Model) trying() bool { return m.trial.cancel != nil }

// giveUpTrial ends the counting before its time.
func (m *Model) giveUpTrial() {
	if m.trying() {
		m.trial.cancel()
		m.trial = trial{id: m.trial.id}
	}
}

// tried takes what has been counted.
func (m *Model) tried(msg TriedMsg) {
	if msg.ID == m.trial.id && m.trying() {
		m.trial.cancel()
		m.trial.cancel, m.trial.got = nil, msg
	}
}

// aboutTrial tells what has been counted of what the cursor is on.
func (m *Model) aboutTrial(r row) []text {
	k, t := m.looks, m.trial
	switch {
	case t.pattern == "" || t.pattern != m.pattern(r):
		return nil
	case m.trying():
		return []text{{{k.match, " counting for a second …"}}}
	case t.got.Err != nil:
		return wrap(k.unavailable, t.got.Err.Error(), m.w)
	}
	var total int64
	for _, n := range t.got.Names {
		total += n.N
	}
	if total == 0 && t.got.Lost == 0 {
		return []text{{{k.match, " none in a second"}}}
	}
	head := text{{k.match, " " + widget.Group(uint64(total)) + " in a second"}}
	if t.got.Lost > 0 {
		head = append(head, run{k.unavailable, ", " + widget.Group(t.got.Lost) + " lost"})
	}
	all := []text{head}
	const most = 3
	for _, n := range t.got.Names[:min(len(t.got.Names), most)] {
		all = append(all, text{{k.count, fmt.Sprintf(" %9s ", widget.Group(uint64(n.N)))}, {k.leaf, widget.Safe(n.Name)}})
	}
	if rest := len(t.got.Names) - most; rest > 0 {
		all[len(all)-1] = append(all[len(all)-1], run{k.muted, ", " + widget.Count(rest, "more program")})
	}
	return all
}

// measure inserts clauses that tell how long the selected function takes.
func (m *Model) measure() tea.Cmd {
	r, ok := m.selected()
	if !ok {
		return nil
	}
	if !r.leaf && r.level != functionLevel || r.len() == 0 || r.file > 0 {
		m.why = "choose a system call, or a function: what has an entry and a return"
		return nil
	}
	p := m.catalog.probes[r.from]
	entry, end := p, p
	entry.Name, end.Name = "entry", "return"
	if r.leaf && p.Name != entry.Name && p.Name != end.Name || !m.catalog.has(entry) || !m.catalog.has(end) {
		m.why = "what has no entry and return takes no time: " + p.String()
		return nil
	}
	text := latency(p, func(p trace.Probe) string {
		return m.aimed(trace.Spell(p.Provider) + ":" + trace.Spell(p.Module) + ":" + trace.Spell(p.Function) + ":" + p.Name)
	})
	return func() tea.Msg { return InsertMsg{text} }
}

// has reports whether a probe is in the catalog, whatever its number.
func (c *Catalog) has(p trace.Probe) bool {
	for i := range c.probes {
		q := c.probes[i]
		if q.ID = p.ID; q == p {
			return true
		}
	}
	return false
}

// A choice is that of an argument of the selected probe.
type choice struct {
	open  bool
	probe trace.Probe
	at    int
}

// chooseArgument asks of which argument somebody wants to know what it is like, if there are
// several.
func (m *Model) chooseArgument() tea.Cmd {
	p, leaf := m.current()
	if !leaf {
		m.why = "choose a probe: a branch has no arguments"
		return nil
	}
	switch i, known := m.info[p]; {
	case !known:
		m.why = "its arguments are being read"
	case i.err != nil:
		m.why = i.err.Error()
	case len(i.info.Args) == 0:
		m.why = "it has no arguments that are known by type"
	default:
		m.choice = choice{open: true, probe: p}
		if len(i.info.Args) == 1 {
			return m.takeArgument()
		}
	}
	return nil
}

// choiceActs are what keys do while an argument is chosen.
var choiceActs = widget.Table[Model]{Context: "probes.argument", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).takeArgument},
	{Name: "list.close", Do: func(m *Model) tea.Cmd { m.choice = choice{}; return nil }},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.toArgument(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.toArgument(+1) }},
}}

func (m *Model) toArgument(by int) tea.Cmd {
	m.choice.at = min(max(m.choice.at+by, 0), len(m.info[m.choice.probe].info.Args)-1)
	return nil
}

// takeArgument inserts a clause for the argument.
func (m *Model) takeArgument() tea.Cmd {
	c, r := m.choice, row{}
	m.choice = choice{}
	r, ok := m.selected()
	if !ok {
		return nil
	}
	text, why := argument(m.pattern(r), c.probe, c.at, m.info[c.probe].info.Args[c.at])
	if why != "" {
		m.why = why
		return nil
	}
	return func() tea.Msg { return InsertMsg{text} }
}
