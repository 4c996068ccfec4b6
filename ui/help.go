package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/vim"
	"dscope.dev/ui/widget"
)

// help shows what every key does, or what of it is searched for.
type help struct {
	reading
	query  widget.Input
	typing bool
}

func (b *help) title(m *Model) string {
	if b.typing {
		return "Help  (" + m.keys.KeyIn("help.search", "list.close") + " gives up the search)"
	}
	return "Help  (arrows scroll, " + m.keys.KeyIn("help", "help.search") + " searches, " + m.keys.KeyIn("help", "list.close") + " closes)"
}

func (b *help) count(m *Model) int { return len(b.rows(m)) + b.prompt() }

// prompt is how many lines what is searched for takes.
func (b *help) prompt() int {
	if b.typing || b.query.Value() != "" {
		return 1
	}
	return 0
}

func (b *help) table(*Model) widget.Table[Model] {
	if b.typing {
		return helpSearchActs
	}
	return helpActs
}

// listen types into what is searched for, or closes the box by a key that opens it.
func (b *help) listen(m *Model, msg tea.KeyMsg) tea.Cmd {
	if !b.typing {
		return m.closes(msg)
	}
	b.query.Press(m.keys, msg)
	b.top = 0
	return nil
}

// helpActs are what keys do while the help is read, and helpSearchActs while something in it
// is searched for.
var (
	helpActs       = widget.Table[Model]{Context: "help", Acts: append([]widget.Act[Model]{{Name: "help.search", Do: (*Model).searchHelp}}, readingActs.Acts...)}
	helpSearchActs = widget.Table[Model]{Context: "help.search", Acts: []widget.Act[Model]{
		{Name: "list.take", Do: (*Model).takeHelp},
		{Name: "list.close", Do: (*Model).dropHelp},
		{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.scroll(-1) }},
		{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.scroll(+1) }},
		{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.scroll(-m.boxLines()) }},
		{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.scroll(+m.boxLines()) }},
	}}
)

// searchHelp begins a search, in place of the one before.
func (m *Model) searchHelp() tea.Cmd {
	b := opened[*help](m)
	b.typing = true
	b.query.SelectAll()
	return nil
}

func (m *Model) takeHelp() tea.Cmd {
	opened[*help](m).typing = false
	return nil
}

func (m *Model) dropHelp() tea.Cmd {
	b := opened[*help](m)
	b.typing, b.query, b.top = false, widget.Input{}, 0
	return nil
}

// lines returns the lines in which all words that are searched for are found: in the keys, in
// what they do, or in the heading.
func (b *help) lines(m *Model) []helpLine {
	all := m.helpLines()
	query := b.query.Value()
	if strings.TrimSpace(query) == "" {
		return all
	}
	var out []helpLine
	heading, told := "", true
	for _, h := range all {
		switch {
		case h.heading != "":
			heading, told = h.heading, false
		case h.Text != "" && matches(heading+" "+keymap.Labels(h.On)+" "+h.Text, query):
			if !told {
				if told = true; len(out) > 0 {
					out = append(out, helpLine{})
				}
				out = append(out, helpLine{heading: heading})
			}
			out = append(out, h)
		}
	}
	return out
}

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
	if m.keys.Modal("script") {
		var rows []widget.Help
		for _, l := range vim.Help() {
			rows = append(rows, widget.Help{On: strings.Fields(l.Keys), Text: l.Text})
		}
		add("Script with the hands of Vim (esc: normal mode)", rows)
	}
	add("Everywhere", append(always.Helps(m, m.keys), back.Helps(m, m.keys)...))
	add("Everywhere but while typing", calm.Helps(m, m.keys))
	for p := range slots {
		if p != m.focus {
			add(p.String(), m.in(p).Keys())
		}
	}
	if keys := m.live.StackKeys(); keys != nil {
		add("Icicle and tree of stacks", keys)
	}
	told := []string{"always", "calm", "back", "probes", "script", "live", "live.stacks", "output"}
	for _, c := range boxContexts {
		add(c.heading, m.offline(c.context))
		told = append(told, c.context)
	}
	for _, c := range m.keys.Contexts() { // none is forgotten
		if !slices.Contains(told, c) {
			add(c, m.offline(c))
		}
	}
	add("Mouse", []widget.Help{
		{On: []string{"click"}, Text: "focus, select; again: open"}, {On: []string{"wheel"}, Text: "scroll the pane under the pointer"},
		{On: []string{"drag"}, Text: "move a border; select text in the script, or what is asked about in the live pane"}, {On: []string{"shift"}, Text: "held down, the terminal selects"},
	})
	return out
}

// boxContexts are the contexts of boxes, lists and lines that are typed into, as the help
// has them.
var boxContexts = []struct{ heading, context string }{
	{"Commands and questions", "palette"},
	{"Examples and differences", "why"},
	{"Comparison", "compare"},
	{"Comparison of stacks", "compare.stacks"},
	{"Runs", "shelf"},
	{"History of runs", "history"},
	{"What the run could not see", "ledger"},
	{"Question before a wide script (option estimate, 10% unless it is set)", "foreseen"},
	{"Question before leaving", "leave"},
	{"Scripts", "scripts"},
	{"Complaints", "complaints"},
	{"Export", "export"},
	{"Questions of the script: find, replace, go to a line, rename", "script.question"},
	{"Names of files in the script", "script.path"},
	{"Question before a script is closed", "script.drop"},
	{"Completions", "script.completions"},
	{"Search of the probes", "probes.search"},
	{"Processes", "probes.process"},
	{"Arguments of a probe", "probes.argument"},
	{"Search for frames", "live.find"},
	{"Filter of keys", "live.filter"},
	{"Search of the output", "output.search"},
	{"Lines that are typed into", "input"},
	{"Other boxes", "box"},
	{"This help", "help"},
	{"Search of the help", "help.search"},
}

// offline returns the help of a box that is not open: nothing in it is to be had now, which
// need not be said of each key.
func (m *Model) offline(context string) []widget.Help {
	var out []widget.Help
	for _, r := range m.keys.Rows(context) {
		out = append(out, widget.Help{Action: r.Action, On: r.Keys, Text: r.Help, Hint: r.Hint})
	}
	return out
}

// A helpRow is one line of the help as it is drawn.
type helpRow struct {
	heading, keys, text string
	off                 bool
}

// keysWidth is how many cells the keys have.
func (m *Model) keysWidth() int { return min(22, (m.boxWidth()-2)/3) }

// rows breaks the help into lines that fit the box: no sentence is cut.
func (b *help) rows(m *Model) (out []helpRow) {
	for _, h := range b.lines(m) {
		if h.Text == "" {
			for _, s := range words(h.heading, max(m.boxWidth()-4, 1)) {
				out = append(out, helpRow{heading: s})
			}
			continue
		}
		text := h.Text
		if h.Off != "" {
			text += " (" + h.Off + ")"
		}
		keys, texts := words(keymap.Labels(h.On), m.keysWidth()), words(text, max(m.boxWidth()-6-m.keysWidth(), 1))
		for i := range max(len(keys), len(texts)) {
			r := helpRow{off: h.Off != ""}
			if i < len(keys) {
				r.keys = keys[i]
			}
			if i < len(texts) {
				r.text = texts[i]
			}
			out = append(out, r)
		}
	}
	return out
}

func (b *help) body(m *Model) []string {
	k, w := m.looks, m.boxWidth()-2
	all := b.rows(m)
	height := m.boxLines()
	var out []string
	var l ink.Line
	if b.prompt() > 0 {
		l.Reset(w, k.popText)
		l.Put(k.popMatch, " / ")
		cursor := k.popText
		if b.typing {
			cursor = k.popSelected
		}
		b.query.Draw(&l, l.Left(), k.popText, cursor)
		out = append(out, l.String())
	}
	from, to := b.window(m, len(all)+b.prompt())
	if len(all) == 0 {
		l.Reset(w, k.popText)
		l.Put(k.popDetail, "   nothing in the help has that")
		out = append(out, l.String())
	}
	for _, h := range all[from:min(to, len(all))] {
		if len(out) == height {
			break
		}
		l.Reset(w, k.popText)
		m.drawHelp(&l, h)
		out = append(out, l.String())
	}
	for len(out) < height { // the box stands still while one types
		l.Reset(w, k.popText)
		out = append(out, l.String())
	}
	return out
}

func (m *Model) drawHelp(l *ink.Line, h helpRow) {
	k, look := m.looks, m.looks.popText
	if h.off {
		look = k.off
	}
	if h.heading != "" {
		l.Skip(1)
		l.Put(k.heading, h.heading)
		return
	}
	l.Skip(2)
	l.Fit(k.key, h.keys, m.keysWidth())
	l.Skip(1)
	l.Fit(look, h.text, l.Left())
}
