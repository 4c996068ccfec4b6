package output

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/widget"
)

// A search looks for a word in lines whose text is not made yet. It goes on in
// small steps, each its own message, so that keys are answered in between.
type search struct {
	typing bool
	input  widget.Input // what is typed
	query  string       // what is looked for, and marked
	id     int          // of the search under way; older steps are stale
	dir    int          // +1 is towards the end
	at     uint64       // the next line to look at
	left   uint64       // lines still to look at
}

// stepMsg asks for the next step of search id.
type stepMsg struct{ id int }

// perStep is how many lines one step looks at: about 5 ms.
const perStep = 4000

func (m *Model) startSearch() tea.Cmd {
	m.search.typing, m.search.input, m.search.query = true, widget.Input{}, ""
	return nil
}

func (m *Model) noSearch() string {
	if m.search.query == "" {
		return "search with " + m.keys.Key("output.search") + " first"
	}
	return ""
}

// typeSearch handles keys while the word is typed.
func (m *Model) typeSearch(msg tea.KeyMsg) tea.Cmd {
	if a := searchActs.Find(m.keys, msg); a != nil {
		return m.do(a)
	}
	s := &m.search
	s.input.Press(m.keys, msg)
	s.query = s.input.Value()
	return nil
}

// searchActs are what keys do while the word is typed.
var searchActs = widget.Table[Model]{Context: "output.search", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).takeSearch},
	{Name: "list.close", Do: func(m *Model) tea.Cmd { m.search.typing, m.search.query = false, ""; return nil }},
}}

func (m *Model) takeSearch() tea.Cmd {
	m.search.typing = false
	if m.search.query == "" {
		return nil
	}
	return m.find(-1)
}

// find begins to look for the word from the cursor on, in a direction, all
// the way around.
func (m *Model) find(dir int) tea.Cmd {
	m.search.id++
	m.search.dir = dir
	m.search.left = m.kept().end() - m.kept().begin()
	m.search.at = m.around(m.cursor, dir)
	return m.step(stepMsg{m.search.id})
}

// around returns the line after n in a direction, going round at the ends.
func (m *Model) around(n uint64, dir int) uint64 {
	first, last := m.kept().begin(), m.last()
	switch {
	case dir > 0 && n >= last:
		return first
	case dir > 0:
		return max(n+1, first)
	case n <= first:
		return last
	}
	return n - 1
}

// step looks at some lines and asks for the next step if it found nothing.
func (m *Model) step(msg stepMsg) tea.Cmd {
	s := &m.search
	if msg.id != s.id || s.query == "" {
		return nil
	}
	for range perStep {
		if s.left == 0 {
			m.why = "not found: " + s.query
			return nil
		}
		if widget.IndexFold(m.line(s.at).text(), s.query) >= 0 {
			m.cursor, m.follow = s.at, false
			return nil
		}
		s.at = m.around(s.at, s.dir)
		s.left--
	}
	id := s.id
	return func() tea.Msg { return stepMsg{id} }
}
