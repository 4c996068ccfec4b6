package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/filename"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/document"
	"dscope.dev/ui/document/syntax"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/widget"
)

// CompleteMsg asks for what could stand at Offset of a text. It goes to the root.
type CompleteMsg struct {
	document.Ref
	Offset int
	Text   string
}

// completion is the list of what could stand at the cursor.
type completion struct {
	open   bool
	typed  bool // the change at hand was typed: the list may come or go
	forced bool // asked for by key: say so if there is nothing
	from   int  // offset of the word that would be replaced
	list   []trace.Completion
	row    int
	top    int
	asked  document.Ref // text for which completions were asked; zero if none are awaited
	at     int          // offset for which they were asked
}

// popupRows is how many completions are in view at most.
const popupRows = 8

func (c *completion) close() {
	*c = completion{}
}

// complete asks for completions at the cursor.
func (m *Model) complete() tea.Cmd {
	m.comp.forced = true
	return m.askCompletions()
}

func (m *Model) askCompletions() tea.Cmd {
	m.comp.asked, m.comp.at = m.doc.Ref(), m.doc.Sel.Head
	msg := CompleteMsg{m.comp.asked, m.comp.at, m.doc.Text()}
	return func() tea.Msg { return msg }
}

// completeAfter decides after a change whether to show completions: after
// what they always follow, and from the second letter of a word.
func (m *Model) completeAfter() tea.Cmd {
	typed := m.comp.typed
	m.comp.typed = false
	if !typed || !m.invites() {
		m.comp.close()
		return nil
	}
	m.narrow()
	return m.askCompletions()
}

// invites reports whether completions help at the cursor.
func (m *Model) invites() bool {
	if !m.doc.Sel.Empty() {
		return false
	}
	switch m.doc.Code.At(m.doc.Sel.Head) {
	case syntax.Comment, syntax.Char, syntax.Number:
		return false
	case syntax.String:
		_, ok := filename.At(m.beforeCursor())
		return ok
	}
	if _, ok := filename.At(m.beforeCursor()); ok { // an #include
		return true
	}
	before := m.beforeCursor()
	last, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case strings.ContainsRune(":.@$`", last), strings.HasSuffix(before, "->"):
		return true
	case !text.IsWord(last):
		return false
	case m.comp.open:
		return true
	}
	word := before[len(strings.TrimRightFunc(before, text.IsWord)):]
	first, _ := utf8.DecodeRuneInString(word)
	return utf8.RuneCountInString(word) >= 2 && !unicode.IsDigit(first) || m.leads(len(word))
}

// leads reports whether what completions always follow stands before the word
// of n bytes at the cursor.
func (m *Model) leads(n int) bool {
	s := m.beforeCursor()
	s = s[:len(s)-n]
	return strings.HasSuffix(s, "->") || s != "" && strings.ContainsRune(":.@$`", rune(s[len(s)-1]))
}

// narrow keeps of an open list what still fits, until the new one is here.
func (m *Model) narrow() {
	if !m.comp.open || m.comp.from > m.doc.Sel.Head {
		m.comp.open = false
		return
	}
	word := strings.ToLower(m.doc.Buf.Slice(m.comp.from, m.doc.Sel.Head))
	var list []trace.Completion
	for _, c := range m.comp.list {
		if strings.HasPrefix(strings.ToLower(c.Label()), word) {
			list = append(list, c)
		}
	}
	m.comp.list, m.comp.row, m.comp.top = list, 0, 0
	m.comp.open = len(list) > 0
}

// SetCompletions shows what could stand at the cursor, best first; from is the
// offset of the word that one of them would replace. An answer about another
// text than the present one, or one that nobody awaits any more, is ignored.
func (m *Model) SetCompletions(about document.Ref, from int, list []trace.Completion) {
	c := &m.comp
	if about != m.doc.Ref() || c.asked != about || c.at != m.doc.Sel.Head {
		return
	}
	c.asked = document.Ref{}
	forced := c.forced
	c.forced = false
	from = min(max(from, 0), m.doc.Sel.Head)
	word := m.doc.Buf.Slice(from, m.doc.Sel.Head)
	if len(list) == 0 || !forced && len(list) == 1 && list[0].Text == word {
		m.comp.close()
		if forced {
			m.notice = "nothing fits here"
		}
		return
	}
	c.open, c.from, c.list, c.row, c.top = true, from, list, 0, 0
}

// compActs are what keys do while the list of completions is open.
var compActs = widget.Table[Model]{Context: "script.completions", Acts: []widget.Act[Model]{
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.choose(+1) }},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.choose(-1) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.choose(+popupRows) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.choose(-popupRows) }},
	{Name: "list.take", Do: (*Model).accept},
	{Name: "list.takeline", Off: (*Model).complete1, Do: (*Model).accept},
	{Name: "list.close", Do: func(m *Model) tea.Cmd { m.comp.close(); return nil }},
}}

// complete1 leaves enter its own meaning where the word is complete already.
func (m *Model) complete1() string {
	if m.comp.list[m.comp.row].Text == m.doc.Buf.Slice(m.comp.from, m.doc.Sel.Head) {
		return "the word is complete"
	}
	return ""
}

// choose moves the bar; from the last completion it goes on with the first.
func (m *Model) choose(by int) tea.Cmd {
	c := &m.comp
	n := len(c.list)
	switch {
	case by == 1 && c.row == n-1:
		c.row = 0
	case by == -1 && c.row == 0:
		c.row = n - 1
	default:
		c.row = min(max(c.row+by, 0), n-1)
	}
	c.top = widget.Scroll{Top: c.top, Height: min(popupRows, n), Total: n}.Show(c.row).Top
	return nil
}

// accept puts the chosen completion in the place of the word.
func (m *Model) accept() tea.Cmd {
	pick, from, to := m.comp.list[m.comp.row].Text, m.comp.from, m.doc.Sel.Head
	m.comp.close()
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(from, to, pick)
		return text.At(from + len(pick))
	})
	return nil
}

// kindMark is the letter before a completion that says what it is.
func kindMark(k trace.CompletionKind) string {
	switch k {
	case trace.CompleteProbe:
		return "p"
	case trace.CompleteVariable:
		return "v"
	case trace.CompleteFunction:
		return "f"
	case trace.CompleteMember:
		return "m"
	case trace.CompleteAggregation:
		return "@"
	case trace.CompleteKeyword:
		return "k"
	case trace.CompleteType:
		return "t"
	case trace.CompleteOption:
		return "o"
	case trace.CompleteFile:
		return "/"
	case trace.CompleteSnippet:
		return "s"
	}
	return " "
}
