package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A command is a row of the palette.
type command struct {
	slot  slot
	where string // the slot's name; "" if it acts everywhere
	widget.Help
}

// commands returns what the palette offers for what was typed.
func (m *Model) commands() []command {
	var out []command
	query := m.overlay.query.Value()
	add := func(p slot, where string, rows []widget.Help) {
		for _, h := range rows {
			c := command{p, where, h}
			if matches(where+" "+h.Text, query) {
				out = append(out, c)
			}
		}
	}
	add(m.focus, "", always.Helps(m, m.keys))
	add(m.focus, m.focus.String(), m.front().Keys())
	for p := range slots {
		if p != m.focus {
			add(p, p.String(), m.in(p).Keys())
		}
	}
	return out
}

// matches reports whether all words of a query are in s.
func matches(s, query string) bool {
	s = strings.ToLower(s)
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

// paletteActs are what keys do in the list of commands; all else is typed.
var paletteActs = widget.Table[Model]{Context: "palette", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).takeCommand},
	{Name: "list.close", Do: (*Model).closeOverlay},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.choose(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.choose(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.choose(-10) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.choose(+10) }},
}}

// paletteKey types into what narrows the list of commands.
func (m *Model) paletteKey(msg tea.KeyMsg) {
	o := &m.overlay
	was := o.query.Value()
	if o.query.Press(m.keys, msg); o.query.Value() != was {
		o.row = 0
	}
	m.choose(0)
}

func (m *Model) takeCommand() tea.Cmd {
	if list := m.commands(); m.overlay.row < len(list) {
		return m.do(list[m.overlay.row])
	}
	return nil
}

// choose moves the bar of the list.
func (m *Model) choose(by int) tea.Cmd {
	o := &m.overlay
	list := m.commands()
	o.row += by
	o.row = max(min(o.row, len(list)-1), 0)
	o.top = widget.Scroll{Top: o.top, Height: max(m.boxHeight()-3, 1), Total: len(list)}.Show(o.row).Top
	return nil
}

// do acts on a command of the palette.
func (m *Model) do(c command) tea.Cmd {
	m.overlay, m.notice = overlay{}, notice{}
	if c.where == "" {
		return m.act(always.Named(c.Action))
	}
	m.setFocus(c.slot)
	return m.front().Update(widget.DoMsg{Action: c.Action})
}

func (m *Model) drawPalette() []string {
	k, w := m.looks, m.boxWidth()-2
	var l ink.Line
	l.Reset(w, k.popText)
	l.Put(k.popMatch, " > ")
	m.overlay.query.Draw(&l, l.Left(), k.popText, k.popSelected)
	out := []string{l.String()}
	list := m.commands()
	height := max(m.boxHeight()-3, 1)
	for i := m.overlay.top; i < len(list) && i < m.overlay.top+height; i++ {
		c := list[i]
		base, kind := k.popText, k.popKind
		if i == m.overlay.row {
			base, kind = k.popSelected, ink.Ink{}
		}
		l.Reset(w, base)
		l.Skip(1)
		l.Fit(kind, c.where, 7)
		l.Skip(1)
		first, _, _ := strings.Cut(keymap.Labels(c.On), " ")
		l.Fit(ink.Ink{}, c.Text, w-l.X()-14)
		l.Right(k.key, first, 12)
		out = append(out, l.String())
	}
	if len(list) == 0 {
		l.Reset(w, k.popText)
		l.Put(k.popDetail, "   no command matches")
		out = append(out, l.String())
	}
	return out
}
