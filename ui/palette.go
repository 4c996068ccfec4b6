package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"dscope.dev/engine/question"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A palette is the list of commands and questions.
type palette struct {
	typedList
	found  []question.Question
	asking bool // it has questions alone
}

func (*palette) wide() bool                       { return false }
func (*palette) title(m *Model) string            { return m.paletteTitle() }
func (*palette) body(m *Model) []string           { return m.drawPalette() }
func (*palette) table(*Model) widget.Table[Model] { return paletteActs }
func (p *palette) count(m *Model) int             { return len(m.commands()) }
func (p *palette) narrow(*Model)                  { p.found = question.Find(p.query.Value()) }
func (*palette) moved(m *Model) tea.Cmd           { return m.checkReady() }
func (*palette) take(m *Model) tea.Cmd            { return m.takeCommand() }

// click does what a row says at once.
func (p *palette) click(m *Model, x, y int) tea.Cmd {
	at := p.row
	if cmd := p.typedList.click(m, x, y); p.row == at { // it was taken, or there is no such row
		return cmd
	}
	return m.takeCommand()
}

// height returns how many rows there is room for, and what is told of one below them.
func (p *palette) height(m *Model) int {
	if h := m.boxHeight() - 3; h >= 2*about+4 {
		return h - about
	} else {
		return max(h, 1)
	}
}

func (m *Model) openPalette() tea.Cmd { return m.openList(false) }

// openQuestions opens the palette with questions alone.
func (m *Model) openQuestions() tea.Cmd { return m.openList(true) }

func (m *Model) openList(asking bool) tea.Cmd {
	m.overlay = &palette{found: question.All(), asking: asking}
	return m.checkReady()
}

// A command is a row of the palette: something to do, or a question to ask.
type command struct {
	slot  slot
	where string // the slot's name; "" if it acts everywhere
	widget.Help
	question *question.Question // nil if it is something to do
	letters  []int              // of Text, in bytes, that were typed; nil if whole words were
}

// commands returns what the palette offers for what was typed: commands, then questions, then
// commands that are only like it.
func (m *Model) commands() []command {
	p := opened[*palette](m)
	query := p.query.Value()
	var all []command
	add := func(s slot, where string, rows []widget.Help) {
		for _, h := range rows {
			all = append(all, command{slot: s, where: where, Help: h})
		}
	}
	if !p.asking {
		add(m.focus, "", always.Helps(m, m.keys))
		add(m.focus, m.focus.String(), m.front().Keys())
		for s := range slots {
			if s != m.focus {
				add(s, s.String(), m.in(s).Keys())
			}
		}
	}
	out, rest := narrowed(all, query)
	for i := range p.found {
		out = append(out, command{question: &p.found[i]})
	}
	return append(out, like(rest, query)...)
}

// narrowed returns the commands that have all words of a query, in their order, and the rest.
func narrowed(all []command, query string) (out, rest []command) {
	for _, c := range all {
		if matches(c.where+" "+c.Text+" "+c.Action, query) {
			out = append(out, c)
		} else {
			rest = append(rest, c)
		}
	}
	return out, rest
}

// like returns the commands that have the letters of a query one after the other, the closest
// first.
func like(rest []command, query string) (out []command) {
	letters := strings.Join(strings.Fields(query), "")
	for i, found := range fuzzy.FindFrom(letters, texts(rest)) {
		if i == mostLike || found.Score < 0 { // letters that lie about are no likeness
			break
		}
		c := rest[found.Index]
		c.letters = found.MatchedIndexes
		out = append(out, c)
	}
	return out
}

// mostLike is how many commands are listed that are only like what was typed.
const mostLike = 8

// texts are what commands do, for the library.
type texts []command

func (t texts) String(i int) string { return t[i].Text }
func (t texts) Len() int            { return len(t) }

// underBar returns the selected command.
func (m *Model) underBar() command {
	if list, p := m.commands(), opened[*palette](m); p.row < len(list) {
		return list[p.row]
	}
	return command{}
}

// matches reports whether all words of a query are in s, whatever their case.
func matches(s, query string) bool { return holds(strings.ToLower(s), query) }

// holds is matches for an s that is in lower case.
func holds(s, query string) bool {
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

// paletteActs are what keys do in the list of commands; all else is typed.
var paletteActs = widget.Table[Model]{Context: "palette", Acts: choosing(
	widget.Act[Model]{Name: "list.take", Do: (*Model).takeChosen},
	widget.Act[Model]{Name: "question.run", Off: (*Model).noQuestion, Do: (*Model).runQuestion},
)}

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

// about is how many lines below the list tell of the row under the bar.
const about = 6

// do acts on a command of the palette.
func (m *Model) do(c command) tea.Cmd {
	m.overlay, m.notice = nil, notice{}
	if c.where == "" {
		return m.act(always.Named(c.Action))
	}
	m.setFocus(c.slot)
	return m.front().Update(widget.DoMsg{Action: c.Action})
}

func (m *Model) drawPalette() []string {
	k, w, p := m.looks, m.boxWidth()-2, opened[*palette](m)
	var l ink.Line
	out := []string{p.drawQuery(m, &l)}
	list := m.commands()
	height := p.height(m)
	for i := p.top; i < len(list) && i < p.top+height; i++ {
		m.drawCommand(&l, list[i], i == p.row)
		out = append(out, l.String())
	}
	if len(list) == 0 {
		l.Reset(w, k.popText)
		l.Put(k.popDetail, "   no command and no question matches")
		out = append(out, l.String())
	}
	for len(out) < height+1 { // the box, and what is told of a row, stand still
		l.Reset(w, k.popText)
		out = append(out, l.String())
	}
	if height+3 == m.boxHeight() {
		return out
	}
	return append(out, m.drawAbout(w)...)
}

// drawCommand draws a row of the list.
func (m *Model) drawCommand(l *ink.Line, c command, selected bool) {
	k := m.looks
	base, kind, text, right := k.popText, k.popKind, ink.Ink{}, k.key
	l.Reset(m.boxWidth()-2, base)
	if selected {
		base, kind, right = k.popSelected, ink.Ink{}, ink.Ink{} // the colour of keys is none to read on it
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
	if c.question == nil && c.Off != "" {
		text, right = k.off, k.off
	}
	l.Skip(1)
	l.Fit(kind, where, 9)
	l.Skip(1)
	m.drawLike(l, text, says, c.letters, m.commandWidth())
	l.Skip(1)
	l.Right(right, end, m.endWidth())
}

// commandWidth is how many cells a row has for what a command does.
func (m *Model) commandWidth() int { return max(m.boxWidth()-2-11-m.endWidth()-2, 0) }

// endWidth is how many cells a row has for its key, or for what a question costs.
func (m *Model) endWidth() int {
	if m.boxWidth() < 60 { // what it does comes first
		return 0
	}
	return 11
}

// drawLike draws what a command does in w cells, with the letters that were typed.
func (m *Model) drawLike(l *ink.Line, look ink.Ink, text string, letters []int, w int) {
	if len(letters) == 0 || ink.Width(text) > w || len(text) != ink.Width(text) { // one cell a byte
		l.Fit(look, text, w)
		return
	}
	at := 0
	for _, n := range letters {
		l.Put(look, text[at:n])
		l.Put(m.looks.popMatch, text[n:n+1])
		at = n + 1
	}
	l.Fit(look, text[at:], w-at)
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
		if ink.Width(q.Title) > m.commandWidth() { // the list has the beginning alone
			told = words(q.Title, w-2)
		}
		for _, s := range m.aboutQuestion(q) {
			told = append(told, words(s, w-2)...)
		}
	}
	if c := m.underBar(); c.question == nil && c.Action != "" {
		if ink.Width(c.Text) > m.commandWidth() {
			told = words(c.Text, w-2)
		}
		if c.Off != "" {
			told = append(told, words("not now: "+c.Off, w-2)...)
		}
		if keys := keymap.Labels(c.On); keys != "" {
			told = append(told, "keys "+keys)
		}
		told = append(told, "in the configuration "+c.Action)
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
	if opened[*palette](m).asking {
		what = "Questions"
	}
	if m.underBar().question == nil {
		return what
	}
	key := func(action string) string { return m.keys.KeyIn("palette", action) }
	return what + "  (" + key("list.take") + " opens it as a script, " + key("question.run") + " runs it)"
}
