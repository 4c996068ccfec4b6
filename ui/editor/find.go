package editor

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/narrow"
	"dscope.dev/ui/document"
	"dscope.dev/ui/document/text"
)

// finder is what is searched for, and what is put in its place.
type finder struct {
	query text.Query
	with  string   // the replacement that was typed last
	re    bool     // what is typed is a regular expression
	shown bool     // the places found are marked
	from  text.Sel // where the search began, to go back to
	count counted
}

// A counted is what was said of how many places are found, and of which question: a picture
// asks again as often as a run that goes on has one drawn, and a script may be long.
type counted struct {
	of       document.Ref
	query    text.Query
	from, to int
	text     string
}

// findNext goes to the next place found, or with by -1 to the previous one, and
// around the ends of the script.
func (m *Model) findNext(by int) tea.Cmd {
	from, to := m.doc.Sel.Range()
	if by > 0 {
		m.search(to, by)
	} else {
		m.search(from, by)
	}
	return nil
}

// search selects the first place found from off on, or the last that ends at
// off or before, and reports whether there is one.
func (m *Model) search(off, by int) bool {
	m.find.shown = true
	n, count := m.doc.Buf.Pos(off).Line, m.doc.Buf.Lines()
	for i := range count + 1 {
		line := ((n+by*i)%count + count) % count
		start := m.doc.Buf.Start(line)
		places := m.find.query.Matches(m.doc.Buf.Line(line))
		for j := range places {
			p := places[j]
			if by < 0 {
				p = places[len(places)-1-j]
			}
			a, b := start+p[0], start+p[1]
			if i == 0 && (by > 0 && a < off || by < 0 && b > off) {
				continue
			}
			m.place(text.Sel{Anchor: a, Head: b})
			return true
		}
	}
	m.notice = "not found: " + m.find.query.Text()
	return false
}

// foundCount says how many places are found while one searches or replaces, and which of
// them the cursor is at.
func (m *Model) foundCount() string {
	if m.notFinding() != "" || !m.find.shown {
		return ""
	}
	from, to := m.doc.Sel.Range()
	asked := counted{of: m.doc.Ref(), query: m.find.query, from: from, to: to, text: m.find.count.text}
	if asked != m.find.count {
		asked.text = m.countFound(from, to)
		m.find.count = asked
	}
	return asked.text
}

// countFound is foundCount for what is selected from an offset to another.
func (m *Model) countFound(from, to int) string {
	at, count := 0, 0
	for n := range m.doc.Buf.Lines() {
		start := m.doc.Buf.Start(n)
		for _, p := range m.find.query.Matches(m.doc.Buf.Line(n)) {
			if count++; start+p[0] == from && start+p[1] == to {
				at = count
			}
		}
	}
	if at == 0 {
		return fmt.Sprintf(" %d found", count)
	}
	return fmt.Sprintf(" %d of %d", at, count)
}

// lookFor takes what was typed for what is searched for, and says what is wrong with it.
func (m *Model) lookFor(s string) bool {
	q, err := text.NewQuery(s, m.find.re)
	if err != nil {
		m.notice = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return false
	}
	m.find.query = q
	return true
}

// toggleRegexp takes what is typed for a regular expression, or no longer.
func (m *Model) toggleRegexp() tea.Cmd {
	m.find.re = !m.find.re
	if m.ask.kind == askFind {
		m.findTyped()
	} else {
		m.lookFor(m.find.query.Text())
	}
	return nil
}

// askReplace asks for what is to be put in the place of what is searched for. Without a
// search that is asked first.
func (m *Model) askReplace() tea.Cmd {
	if m.ask.kind == askFind {
		m.find.query, _ = text.NewQuery(m.ask.in.Value(), m.find.re)
	}
	if m.find.query.Text() == "" || m.ask.kind != askFind && !m.doc.Sel.Empty() {
		cmd := m.askFind()
		m.notice = m.keys.KeyIn("script.question", "find.replace") + " goes on to what is put in its place"
		return cmd
	}
	if from, to := m.doc.Sel.Range(); !slices.Contains(m.foundIn(from), [2]int{from, to}) {
		m.search(from, +1)
	}
	shown := m.find.shown
	m.openPrompt(askReplace, m.find.with)
	m.ask.in.SelectAll()
	m.find.shown = shown
	return nil
}

// foundIn returns the places found in the line of an offset.
func (m *Model) foundIn(off int) (out [][2]int) {
	n := m.doc.Buf.Pos(off).Line
	start := m.doc.Buf.Start(n)
	for _, p := range m.find.query.Matches(m.doc.Buf.Line(n)) {
		out = append(out, [2]int{start + p[0], start + p[1]})
	}
	return out
}

// replaceHere replaces the place found under the cursor, and goes to the next.
func (m *Model) replaceHere() tea.Cmd {
	m.find.with = m.ask.in.Value()
	from, to := m.doc.Sel.Range()
	if !slices.Contains(m.foundIn(from), [2]int{from, to}) {
		m.search(from, +1)
		return nil
	}
	n := m.doc.Buf.Pos(from).Line
	start := m.doc.Buf.Start(n)
	with := m.find.query.Replaced(m.doc.Buf.Line(n), [2]int{from - start, to - start}, m.find.with)
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(from, to, with)
		return text.At(from + len(with))
	})
	m.search(from+len(with), +1)
	return nil
}

// replaceAll replaces all places found, as one step of undo.
func (m *Model) replaceAll() tea.Cmd {
	m.find.with = m.ask.in.Value()
	var edits []narrow.Edit
	for n := range m.doc.Buf.Lines() {
		line, start := m.doc.Buf.Line(n), m.doc.Buf.Start(n)
		for _, p := range m.find.query.Matches(line) {
			edits = append(edits, narrow.Edit{From: start + p[0], To: start + p[1], Text: m.find.query.Replaced(line, p, m.find.with)})
		}
	}
	m.closePrompt()
	if len(edits) == 0 {
		m.notice = "not found: " + m.find.query.Text()
		return nil
	}
	cmd := m.Apply(edits)
	m.notice = fmt.Sprintf("%d replaced", len(edits))
	return cmd
}
