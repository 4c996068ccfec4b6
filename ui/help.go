package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// help shows what every key does.
type help struct{ reading }

func (*help) title(m *Model) string {
	return "Help  (arrows scroll, " + m.keys.KeyIn("box", "list.close") + " closes)"
}

func (*help) count(m *Model) int { return len(m.helpLines()) }

func (m *Model) openHelp() tea.Cmd {
	m.overlay = &help{}
	return nil
}

// A helpLine is one line of the help.
type helpLine struct {
	heading string
	widget.Help
}

// helpLines returns all of the help: the pane in focus first, then what holds
// everywhere, then the other panes.
func (m *Model) helpLines() []helpLine {
	var out []helpLine
	add := func(heading string, rows []widget.Help) {
		if len(out) > 0 {
			out = append(out, helpLine{})
		}
		out = append(out, helpLine{heading: heading})
		for _, h := range rows {
			out = append(out, helpLine{Help: h})
		}
	}
	add(m.focus.String(), m.front().Keys())
	add("everywhere", append(always.Helps(m, m.keys), back.Helps(m, m.keys)...))
	add("everywhere but while typing", calm.Helps(m, m.keys))
	for p := range slots {
		if p != m.focus {
			add(p.String(), m.in(p).Keys())
		}
	}
	add("examples and differences", m.box.Keys())
	if keys := m.live.StackKeys(); keys != nil {
		add("icicle and tree of stacks", keys)
	}
	add("list of runs", m.offline(shelfActs))
	add("what the run could not see", m.offline(ledgerActs))
	add("comparison", m.offline(compareActs))
	add("question before a wide script (option estimate, 10% unless it is set)", m.offline(foreseenActs))
	add("comparison of stacks", m.offline(compareStackActs))
	add("list of commands and questions", m.offline(paletteActs))
	add("mouse", []widget.Help{
		{On: []string{"click"}, Text: "focus, select; again: open"}, {On: []string{"wheel"}, Text: "scroll the pane under the pointer"},
		{On: []string{"drag"}, Text: "move a border; select text in the script, or what is asked about in the live pane"}, {On: []string{"shift"}, Text: "held down, the terminal selects"},
	})
	return out
}

// offline returns the help of a box that is not open: nothing in it is to be had now, which
// need not be said of each key.
func (m *Model) offline(t widget.Table[Model]) []widget.Help {
	var out []widget.Help
	for _, r := range m.keys.Rows(t.Context) {
		out = append(out, widget.Help{Action: r.Action, On: r.Keys, Text: r.Help, Hint: r.Hint})
	}
	return out
}

func (b *help) body(m *Model) []string {
	k, w := m.looks, m.boxWidth()-2
	all := m.helpLines()
	from, to := b.window(m, len(all))
	var out []string
	var l ink.Line
	for _, h := range all[from:to] {
		l.Reset(w, k.popText)
		switch {
		case h.heading != "":
			l.Skip(1)
			l.Put(k.heading, h.heading)
		case h.Text != "":
			l.Skip(2)
			l.Fit(k.key, keymap.Labels(h.On), min(22, w/4))
			l.Skip(1)
			if h.Off == "" {
				l.Fit(k.popText, h.Text, l.Left())
			} else {
				l.Fit(k.off, h.Text+" ("+h.Off+")", l.Left())
			}
		}
		out = append(out, l.String())
	}
	return out
}
