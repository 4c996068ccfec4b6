package editor

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A question is asked in the last line of the pane.
type question uint8

const (
	askNothing question = iota
	askFind
	askReplace // what is found, with what?
	askRename  // the name at the cursor, how?
	askCall    // run it with what?
	askLine
	askOpen
	askSave
	askVim  // a command line, or what to look for, in the hands of Vim
	askDrop // close the script and drop what is not saved?
)

// prompt is the question that is open.
type prompt struct {
	kind  question
	in    widget.Input
	about string // what is asked about, where that is not plain
}

// wantsPath reports whether the answer is the path of a file.
func (p prompt) wantsPath() bool { return p.kind == askOpen || p.kind == askSave }

// label is what stands before the answer.
func (m *Model) label() string {
	keys := m.keys
	switch m.ask.kind {
	case askFind:
		if m.find.re {
			return "find regexp: "
		}
		return "find: "
	case askReplace:
		return "replace with: "
	case askCall:
		return "run with: "
	case askRename:
		return "call " + m.ask.about + " otherwise: "
	case askLine:
		return "go to line: "
	case askOpen:
		return "open: "
	case askSave:
		return "save as: "
	case askVim:
		return m.ask.about
	case askDrop:
		return "close it without saving? " + keys.Key("drop.yes") + "/n "
	}
	return ""
}

// openPrompt asks a question with an answer to begin with.
func (m *Model) openPrompt(kind question, answer string) tea.Cmd {
	m.comp.close()
	m.ask = prompt{kind: kind, in: widget.NewInput(answer)}
	m.reveal()
	return nil
}

// askFind asks what to look for. What was looked for last, or is selected, is typed over.
func (m *Model) askFind() tea.Cmd {
	m.find.from = m.doc.Sel
	query := m.find.query.Text()
	if s := m.doc.Selected(); s != "" && !strings.Contains(s, "\n") {
		query = s
	}
	m.openPrompt(askFind, query)
	m.ask.in.SelectAll()
	m.find.shown = m.lookFor(query) && query != ""
	return nil
}

func (m *Model) askLine() tea.Cmd { return m.openPrompt(askLine, "") }
func (m *Model) askOpen() tea.Cmd { return m.openPrompt(askOpen, m.doc.Dir()) }
func (m *Model) askSave() tea.Cmd { return m.openPrompt(askSave, m.doc.Path()) }

// askActs are what keys do while a question is open; all else is typed into it.
var askActs = widget.Table[Model]{Context: "script.question", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).answer},
	{Name: "list.close", Do: (*Model).closePrompt},
	{Name: "find.next", Off: (*Model).notFinding, Do: func(m *Model) tea.Cmd { return m.findNext(+1) }},
	{Name: "find.previous", Off: (*Model).notFinding, Do: func(m *Model) tea.Cmd { return m.findNext(-1) }},
	{Name: "find.regexp", Off: (*Model).notFinding, Do: (*Model).toggleRegexp},
	{Name: "find.replace", Off: (*Model).notFinding, Do: (*Model).askReplace},
	{Name: "replace.all", Off: (*Model).notReplacing, Do: (*Model).replaceAll},
}}

func (m *Model) notFinding() string {
	if m.ask.kind != askFind && m.ask.kind != askReplace {
		return "this is no search"
	}
	return ""
}

func (m *Model) notReplacing() string {
	if m.ask.kind != askReplace {
		return "nothing is being replaced"
	}
	return ""
}

func (m *Model) closePrompt() tea.Cmd {
	if m.ask.kind == askVim {
		return m.answerVim(false)
	}
	m.ask = prompt{}
	m.find.shown = false
	m.reveal()
	return nil
}

// answer does what the question was asked for. What was looked for is found by then: the
// place stays selected, and all places marked.
func (m *Model) answer() tea.Cmd {
	p := m.ask
	if p.kind == askReplace { // and go on asking
		return m.replaceHere()
	}
	if p.kind == askVim {
		return m.answerVim(true)
	}
	s := strings.TrimSpace(p.in.Value())
	found := m.find.shown && p.kind == askFind
	m.closePrompt()
	m.find.shown = found
	switch p.kind {
	case askLine:
		return m.toLine(s)
	case askRename:
		return m.rename(s)
	case askCall:
		return m.setCall(s)
	case askOpen:
		if s == "" {
			return nil
		}
		return m.Open(s)
	case askSave:
		if s == "" {
			return nil
		}
		return m.saveTo(s)
	}
	return nil
}

// toLine goes to a line, or to line:column.
func (m *Model) toLine(s string) tea.Cmd {
	line, col, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		m.notice = "a line is a number, or line:column"
		return nil
	}
	c, err := strconv.Atoi(strings.TrimSpace(col))
	if err != nil {
		c = 1
	}
	m.goTo(n, c)
	return nil
}

// askKey answers a key while a question is open.
func (m *Model) askKey(msg tea.KeyMsg) tea.Cmd {
	if m.ask.kind == askDrop {
		return m.answerDrop(msg)
	}
	if cmd, ok := m.pressAsk(msg); ok {
		return cmd
	}
	was := m.ask.in.Value()
	if m.ask.kind == askVim && was == "" && msg.Type == tea.KeyBackspace {
		return m.answerVim(false)
	}
	if !m.ask.in.Press(m.keys, msg) {
		m.why = "the question below the text wants an answer"
		return nil
	}
	if m.ask.kind == askFind && m.ask.in.Value() != was {
		m.findTyped()
	}
	return nil
}

// findTyped goes to the first place found from where the search began.
func (m *Model) findTyped() {
	typed := m.ask.in.Value()
	m.find.shown = m.lookFor(typed) && typed != ""
	if !m.find.shown {
		m.place(m.find.from)
		return
	}
	from, _ := m.find.from.Range()
	m.search(from, +1)
}

func (m *Model) answerDrop(msg tea.KeyMsg) tea.Cmd {
	m.closePrompt()
	if m.keys.Action("script.drop", keymap.KeyName(msg)) == "drop.yes" {
		return m.drop()
	}
	m.notice = "not closed"
	return nil
}

// pressAsk presses a key of askActs, or pathActs; ok is false if it has no use for it.
func (m *Model) pressAsk(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	acts := askActs
	if m.ask.wantsPath() {
		acts = pathActs
	}
	a := acts.Find(m.keys, msg)
	if a == nil || a.Why(m) != "" {
		return nil, false
	}
	return a.Do(m), true
}
