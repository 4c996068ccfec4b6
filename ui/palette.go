package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
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
	add(m.focus, "", widget.Helps(m, always))
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

func (m *Model) paletteKey(msg tea.KeyMsg) tea.Cmd {
	o := &m.overlay
	list := m.commands()
	switch msg.Type {
	case tea.KeyEsc, tea.KeyCtrlP:
		m.overlay = overlay{}
		return nil
	case tea.KeyEnter:
		if o.row < len(list) {
			return m.do(list[o.row])
		}
		return nil
	case tea.KeyUp, tea.KeyCtrlK:
		o.row--
	case tea.KeyDown, tea.KeyCtrlJ:
		o.row++
	case tea.KeyPgUp:
		o.row -= 10
	case tea.KeyPgDown:
		o.row += 10
	default:
		was := o.query.Value()
		if o.query.Press(msg); o.query.Value() != was {
			o.row = 0
		}
	}
	list = m.commands()
	o.row = max(min(o.row, len(list)-1), 0)
	o.top = widget.Scroll{Top: o.top, Height: max(m.boxHeight()-3, 1), Total: len(list)}.Show(o.row).Top
	return nil
}

// do acts on a command of the palette as its first key would.
func (m *Model) do(c command) tea.Cmd {
	m.overlay, m.notice = overlay{}, notice{}
	first, _, _ := strings.Cut(c.On, " ")
	msg, ok := widget.ParseKey(first)
	if !ok {
		m.say(failure, "no key is called "+first)
		return nil
	}
	if c.where == "" {
		return m.act(always, msg)
	}
	m.setFocus(c.slot)
	return m.front().Update(msg)
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
		first, _, _ := strings.Cut(widget.KeyLabels(c.On), " ")
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
