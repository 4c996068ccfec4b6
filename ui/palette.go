package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/question"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A command is a row of the palette: something to do, or a question to ask.
type command struct {
	slot  slot
	where string // the slot's name; "" if it acts everywhere
	widget.Help
	question *question.Question // nil if it is something to do
}

// commands returns what the palette offers for what was typed: commands, then questions.
func (m *Model) commands() []command {
	var out []command
	query := m.overlay.query.Value()
	add := func(p slot, where string, rows []widget.Help) {
		for _, h := range rows {
			c := command{slot: p, where: where, Help: h}
			if matches(where+" "+h.Text, query) {
				out = append(out, c)
			}
		}
	}
	if !m.overlay.asking {
		add(m.focus, "", always.Helps(m, m.keys))
		add(m.focus, m.focus.String(), m.front().Keys())
		for p := range slots {
			if p != m.focus {
				add(p, p.String(), m.in(p).Keys())
			}
		}
	}
	for i := range m.overlay.found {
		out = append(out, command{question: &m.overlay.found[i]})
	}
	return out
}

// underBar returns the selected command.
func (m *Model) underBar() command {
	if list := m.commands(); m.overlay.row < len(list) {
		return list[m.overlay.row]
	}
	return command{}
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
	{Name: "question.run", Off: (*Model).noQuestion, Do: (*Model).runQuestion},
	{Name: "list.close", Do: (*Model).closeOverlay},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.choose(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.choose(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.choose(-10) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.choose(+10) }},
}}

// paletteKey types into what narrows the list of commands.
func (m *Model) paletteKey(msg tea.KeyMsg) tea.Cmd {
	o := &m.overlay
	was := o.query.Value()
	if o.query.Press(m.keys, msg); o.query.Value() != was {
		o.row, o.found = 0, question.Find(o.query.Value())
	}
	return m.choose(0)
}

func (m *Model) takeCommand() tea.Cmd {
	switch c := m.underBar(); {
	case c.question != nil:
		m.closeOverlay()
		return m.openQuestion(c.question, false)
	case c.Action != "":
		return m.do(c)
	}
	return nil
}

// choose moves the bar of the list.
func (m *Model) choose(by int) tea.Cmd {
	o := &m.overlay
	list := m.commands()
	o.row += by
	o.row = max(min(o.row, len(list)-1), 0)
	o.top = widget.Scroll{Top: o.top, Height: m.listHeight(), Total: len(list)}.Show(o.row).Top
	return m.checkReady()
}

// about is how many lines below the list tell of the row under the bar.
const about = 6

// listHeight returns how many rows of the list there is room for.
func (m *Model) listHeight() int {
	if h := m.boxHeight() - 3; h >= 2*about+4 {
		return h - about
	} else {
		return max(h, 1)
	}
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
	height := m.listHeight()
	for i := m.overlay.top; i < len(list) && i < m.overlay.top+height; i++ {
		m.drawCommand(&l, list[i], i == m.overlay.row)
		out = append(out, l.String())
	}
	if len(list) == 0 {
		l.Reset(w, k.popText)
		l.Put(k.popDetail, "   no command and no question matches")
		out = append(out, l.String())
	}
	if height+3 == m.boxHeight() {
		return out
	}
	for len(out) < height+1 { // what is told of a row stands still
		l.Reset(w, k.popText)
		out = append(out, l.String())
	}
	return append(out, m.drawAbout(w)...)
}

// drawCommand draws a row of the list.
func (m *Model) drawCommand(l *ink.Line, c command, selected bool) {
	k := m.looks
	base, kind, text, right := k.popText, k.popKind, ink.Ink{}, k.key
	l.Reset(m.boxWidth()-2, base)
	if selected {
		base, kind = k.popSelected, ink.Ink{}
		l.Reset(m.boxWidth()-2, base)
	}
	where, says := c.where, c.Text
	end, _, _ := strings.Cut(keymap.Labels(c.On), " ")
	if q := c.question; q != nil {
		where, says, end = q.Area, q.Title, q.Cost.String()
		if why, _ := m.cannot(q); why != "" {
			text, right, end = k.off, k.off, "not here"
			if q.Target() && m.target.PID == 0 {
				end = "a process"
			}
		}
	}
	l.Skip(1)
	l.Fit(kind, where, 9)
	l.Skip(1)
	l.Fit(text, says, m.boxWidth()-2-l.X()-13)
	l.Skip(1)
	l.Right(right, end, 11)
}

// drawAbout draws what is told of the row under the bar.
func (m *Model) drawAbout(w int) []string {
	k := m.looks
	var l ink.Line
	l.Reset(w, k.popText)
	l.Rep(k.popBorder, k.glyphs.horizontal, w)
	out := []string{l.String()}
	var told []string
	if q := m.underBar().question; q != nil {
		for _, s := range m.aboutQuestion(q) {
			told = append(told, words(s, w-2)...)
		}
	}
	for i := range about - 1 {
		l.Reset(w, k.popText)
		l.Skip(1)
		if i < len(told) {
			l.Put(k.popDetail, told[i])
		}
		out = append(out, l.String())
	}
	return out
}

// paletteTitle says what the list has and what keys do with it.
func (m *Model) paletteTitle() string {
	what := "Commands and questions"
	if m.overlay.asking {
		what = "Questions"
	}
	if m.underBar().question == nil {
		return what
	}
	key := func(action string) string {
		return keymap.Label(m.keys.KeyIn("palette", action), m.opts.ASCII)
	}
	return what + "  (" + key("list.take") + " opens it as a script, " + key("question.run") + " runs it)"
}
