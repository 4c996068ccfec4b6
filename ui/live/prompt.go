package live

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/filter"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A prompt is the line in which a filter is typed.
type prompt struct {
	a      string // name of the aggregation
	input  widget.Input
	before filter.Filter
	wrong  error // why the last good filter still holds
}

// Typing reports whether letters are text of a filter or a find now.
func (m *Model) Typing() bool { return m.prompt != nil || m.finding() }

// Takes asks for what a filter is typed with, for what gives up a selection, and leaves every
// other key to the root first.
func (m *Model) Takes(msg tea.KeyMsg, reserved bool) bool {
	if m.Typing() {
		return !reserved
	}
	a := m.act(msg)
	return m.takesBack(msg) || a != nil && a.Name == "live.unselect" && m.pick != nil
}

// openFilter lets a filter be typed. What is there already is selected.
func (m *Model) openFilter() tea.Cmd {
	a, v := m.current()
	m.prompt = &prompt{a: a.name, input: widget.NewInput(v.sieve.filter.String()), before: v.sieve.filter}
	m.prompt.input.SelectAll()
	return nil
}

// openInverse begins a filter that leaves keys out.
func (m *Model) openInverse() tea.Cmd {
	m.openFilter()
	m.prompt.input = widget.NewInput("!")
	m.typed()
	return nil
}

// filterActs are what keys do while a filter is typed.
var filterActs = widget.Table[Model]{Context: "live.filter", Acts: []widget.Act[Model]{
	{Name: "list.take", Off: (*Model).wrongFilter, Do: (*Model).takeFilter},
	{Name: "list.close", Do: (*Model).dropFilter},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.move(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.move(+1) }},
}}

// typeFilter handles a key while a filter is typed.
func (m *Model) typeFilter(msg tea.KeyMsg) tea.Cmd {
	if act := filterActs.Find(m.keys, msg); act != nil {
		var cmd tea.Cmd
		cmd, m.why = act.Try(m)
		return cmd
	}
	if m.prompt.input.Press(m.keys, msg) {
		m.typed()
	}
	return nil
}

// typed filters by what has been typed so far, if that can be done.
func (m *Model) typed() {
	f, err := filter.Parse(m.prompt.input.Value())
	if m.prompt.wrong = err; err == nil {
		m.setFilter(m.prompt.a, f)
	}
}

func (m *Model) setFilter(name string, f filter.Filter) {
	v := m.sieveOf(name)
	v.filter = f
	v.asked++
	for _, a := range m.shown().aggs {
		if a.name == name {
			m.view(a).sift(a)
		}
	}
}

// SetFilter filters the keys of the aggregations of a name, now and when there are some. What
// is no filter filters nothing.
func (m *Model) SetFilter(name, text string) {
	if f, err := filter.Parse(text); err == nil {
		m.setFilter(name, f)
	}
}

// Filters returns the filters of aggregations by name, as they were typed.
func (m *Model) Filters() map[string]string {
	out := map[string]string{}
	for name, s := range m.sieves {
		if text := s.filter.String(); text != "" {
			out[name] = text
		}
	}
	return out
}

func (m *Model) wrongFilter() string {
	if err := m.prompt.wrong; err != nil {
		return err.Error()
	}
	return ""
}

// takeFilter keeps the filter, and gives up what is selected of the keys that it hides.
func (m *Model) takeFilter() tea.Cmd {
	name := m.prompt.a
	m.prompt = nil
	for _, a := range m.shown().aggs {
		p := m.picked(a)
		if a.name != name || p == nil {
			continue
		}
		hidden := func(id string) bool { return a.rows[id] != nil && a.rows[id].out }
		if p.rows = slices.DeleteFunc(p.rows, hidden); p.kind == rows && len(p.rows) == 0 || p.kind == buckets && hidden(p.from.row) {
			m.pick = nil
		}
	}
	return nil
}

// dropFilter goes back to the filter before.
func (m *Model) dropFilter() tea.Cmd {
	p := m.prompt
	m.prompt = nil
	m.setFilter(p.a, p.before)
	return nil
}

// room is how many lines sections have.
func (m *Model) room() int {
	if m.prompt != nil {
		return max(m.h-1, 0)
	}
	return m.h
}

// drawPrompt draws the line in which a filter is typed, and what it leaves.
func (m *Model) drawPrompt(l *ink.Line) {
	k, p := m.looks, m.prompt
	look, right := k.Axis, ""
	for _, a := range m.shown().aggs {
		if a.name == p.a {
			v := m.view(a)
			right = fmt.Sprintf("%d of %s", v.left, widget.Count(len(v.all), "key"))
		}
	}
	if p.wrong != nil {
		look, right = k.Drop, p.wrong.Error()
	}
	right = widget.Cut(right, max(m.w/2, 0))
	l.Reset(m.w, ink.Ink{})
	l.Put(k.Title, "/")
	p.input.Draw(l, m.w-ink.Width(right)-3, k.Value, k.Cursor)
	l.To(m.w - ink.Width(right) - 1)
	l.Put(look, right)
}
