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

// insert puts s in the place of the selection. Newlines become those of the
// script.
func (m *Model) insert(s string, kind text.Kind) tea.Cmd {
	from, to := m.doc.Sel.Range()
	if nl := m.doc.Buf.Newline(m.doc.At().Line); nl != "\n" {
		s = strings.ReplaceAll(s, "\n", nl)
	}
	if m.doc.Buf.Size()-(to-from)+len(s) > text.MaxSize {
		m.notice = fmt.Sprintf("not inserted: the script would grow over %d MB", text.MaxSize>>20)
		return nil
	}
	if from != to {
		kind = text.Other
	}
	m.change(kind, func() text.Sel {
		m.doc.Buf.Replace(from, to, s)
		return text.At(from + len(s))
	})
	return nil
}

// Insert types s in the place of the selection.
func (m *Model) Insert(s string) tea.Cmd {
	m.comp.close()
	m.insert(document.UnixLines(s), text.Other)
	return m.changed()
}

// Apply makes edits that were shown, in the order of the text, as one step of undo.
func (m *Model) Apply(edits []narrow.Edit) tea.Cmd {
	if len(edits) == 0 {
		return nil
	}
	m.comp.close()
	m.change(text.Other, func() text.Sel {
		for _, e := range slices.Backward(m.joined(edits)) {
			m.doc.Buf.Replace(e.From, e.To, e.Text)
		}
		return text.At(edits[0].From)
	})
	return m.changed()
}

// typed puts in what a key types.
func (m *Model) typed(s string) tea.Cmd {
	from, to := m.doc.Sel.Range()
	if from == 0 && to == m.doc.Buf.Size() && m.doc.Buf.Lines() > 1 {
		m.swept = sweptFor
		defer m.sayReplaced()
	}
	if s == "}" && m.doc.Sel.Empty() && strings.TrimSpace(m.beforeCursor()) == "" {
		m.closeBrace()
	} else {
		m.insert(s, text.Typing)
	}
	m.comp.typed = true
	return nil
}

// sweptFor is for how many keys it is said that the whole script was replaced: in hands that
// know ctrl+a as the start of the line, the next letter does that unseen.
const sweptFor = 12

// sayReplaced says how to have back the script that a letter has taken the place of.
func (m *Model) sayReplaced() {
	m.notice = "the whole script was replaced: " + m.keys.KeyIn("script", "edit.undo") + " brings it back"
}

// beforeCursor returns the line of the cursor up to the cursor.
func (m *Model) beforeCursor() string {
	p := m.doc.At()
	return m.doc.Buf.Line(p.Line)[:p.Col]
}

// closeBrace types a brace at the start of a line and puts it under the line
// of the one that it closes.
func (m *Model) closeBrace() {
	m.change(text.Other, func() text.Sel {
		at, start := m.doc.Sel.Head, lineStart(m)
		m.doc.Buf.Replace(at, at, "}")
		m.doc.Sync()
		if _, open, ok := m.doc.Code.Match(at); ok {
			indent := indentOf(m.doc.Buf.Line(m.doc.Buf.Pos(open).Line))
			m.doc.Buf.Replace(start, at, indent)
			at = start + len(indent)
		}
		return text.At(at + 1)
	})
}

// newline begins a line with the indentation of this one, deeper after an open
// brace. Between two braces it makes room for a line.
func (m *Model) newline() tea.Cmd {
	from, to := m.doc.Sel.Range()
	p := m.doc.Buf.Pos(from)
	before, behind := m.doc.Buf.Line(p.Line)[:p.Col], m.doc.Buf.Slice(to, m.doc.Buf.End(m.doc.Buf.Pos(to).Line))
	nl, indent := m.doc.Buf.Newline(p.Line), indentOf(before)
	ins, tail := nl+indent, ""
	if s := strings.TrimRight(before, " \t"); strings.HasSuffix(s, "{") || strings.HasSuffix(s, "(") {
		ins += "\t"
		if b := strings.TrimLeft(behind, " \t"); strings.HasPrefix(b, "}") || strings.HasPrefix(b, ")") {
			tail = nl + indent
			to += len(behind) - len(b)
		}
	}
	if strings.TrimSpace(before) == "" && p.Col == len(before) {
		from = m.doc.Buf.Start(p.Line) // leave no blanks on an empty line
	}
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(from, to, ins+tail)
		return text.At(from + len(ins))
	})
	return nil
}

// remove deletes [from, to).
func (m *Model) remove(from, to int, kind text.Kind) tea.Cmd {
	m.change(kind, func() text.Sel {
		m.doc.Buf.Replace(from, to, "")
		return text.At(from)
	})
	return nil
}

func (m *Model) backspace() tea.Cmd {
	if !m.doc.Sel.Empty() {
		from, to := m.doc.Sel.Range()
		return m.remove(from, to, text.Other)
	}
	m.comp.typed = m.comp.open
	return m.remove(left(m), m.doc.Sel.Head, text.Deleting)
}

func (m *Model) deleteChar() tea.Cmd {
	if !m.doc.Sel.Empty() {
		return m.backspace()
	}
	return m.remove(m.doc.Sel.Head, right(m), text.Deleting)
}

// deleteTo deletes from the cursor to where a motion goes, or the selection.
func (m *Model) deleteTo(to motion) tea.Cmd {
	if !m.doc.Sel.Empty() {
		return m.backspace()
	}
	a, b := m.doc.Sel.Head, to(m)
	return m.remove(min(a, b), max(a, b), text.Other)
}

// span returns the first and last line that the selection touches. A line of
// which only the start is reached is not meant.
func (m *Model) span() (first, last int) {
	from, to := m.doc.Sel.Range()
	first, last = m.doc.Buf.Pos(from).Line, m.doc.Buf.Pos(to).Line
	if last > first && to == m.doc.Buf.Start(last) {
		last--
	}
	return first, last
}

// whole returns the range of lines first to last with the newline behind them,
// or the one before if there is none behind.
func (m *Model) whole(first, last int) (from, to int) {
	if last+1 < m.doc.Buf.Lines() {
		return m.doc.Buf.Start(first), m.doc.Buf.Start(last + 1)
	}
	if first > 0 {
		return m.doc.Buf.End(first - 1), m.doc.Buf.End(last)
	}
	return m.doc.Buf.Start(first), m.doc.Buf.End(last)
}

func (m *Model) deleteLine() tea.Cmd {
	first, last := m.span()
	from, to := m.whole(first, last)
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(from, to, "")
		return text.At(m.doc.Buf.Start(min(first, m.doc.Buf.Lines()-1)))
	})
	return nil
}

// moveLines moves the lines of the selection one up or down.
func (m *Model) moveLines(by int) tea.Cmd {
	first, last := m.span()
	if first+by < 0 || last+by >= m.doc.Buf.Lines() {
		m.why = "there is no line to change places with"
		return nil
	}
	a, b := first, last+1 // b is the line below; it changes places with [a, b)
	if by < 0 {
		a, b = first-1, last
	}
	lines := make([]string, 0, b-a+1)
	for n := a; n <= b; n++ {
		lines = append(lines, m.doc.Buf.Line(n))
	}
	moved := m.doc.Buf.Start(a+1) - m.doc.Buf.Start(a)
	if by < 0 {
		lines = append(lines[1:], lines[0])
		moved = -moved
	} else {
		moved = len(lines[len(lines)-1]) + len(m.doc.Buf.Newline(a))
		lines = append(lines[len(lines)-1:], lines[:len(lines)-1]...)
	}
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(m.doc.Buf.Start(a), m.doc.Buf.End(b), strings.Join(lines, m.doc.Buf.Newline(a)))
		// A selection up to the start of the line below ends with the text if
		// that line became the last.
		return text.Sel{Anchor: min(m.doc.Sel.Anchor+moved, m.doc.Buf.Size()), Head: min(m.doc.Sel.Head+moved, m.doc.Buf.Size())}
	})
	return nil
}

// manyEdits is from how many edits on they are one replacement. Each by itself leaves the
// complaints about other words where they are, but moves all that stands behind it, which in
// a text of megabytes would take minutes.
const manyEdits = 200

// joined returns edits in the order of the text, or one that does the same if they are many.
func (m *Model) joined(edits []narrow.Edit) []narrow.Edit {
	if len(edits) <= manyEdits {
		return edits
	}
	all := narrow.Edit{From: edits[0].From, To: edits[len(edits)-1].To}
	was, at := m.doc.Buf.Text(), all.From
	var out strings.Builder
	for _, e := range edits {
		out.WriteString(was[at:e.From])
		out.WriteString(e.Text)
		at = e.To
	}
	all.Text = out.String()
	return []narrow.Edit{all}
}

// eachLine replaces each line of the selection by what f makes of it, and
// keeps the selection on the same characters.
func (m *Model) eachLine(f func(string) string) tea.Cmd {
	first, last := m.span()
	buf, was := m.doc.Buf, m.doc.Sel
	var edits []narrow.Edit
	sel := was
	for n := first; n <= last; n++ {
		old, start := buf.Line(n), buf.Start(n)
		with := f(old)
		if with == old {
			continue
		}
		edits = append(edits, narrow.Edit{From: start, To: start + len(old), Text: with})
		by := len(with) - len(old)
		for _, end := range []struct {
			off int
			now *int
		}{{was.Anchor, &sel.Anchor}, {was.Head, &sel.Head}} {
			switch {
			case end.off > start+len(old):
				*end.now += by
			case end.off > start || by > 0 && end.off == start && was.Empty():
				*end.now = max(*end.now+by, start+*end.now-end.off)
			}
		}
	}
	m.change(text.Other, func() text.Sel {
		for _, e := range slices.Backward(m.joined(edits)) {
			buf.Replace(e.From, e.To, e.Text)
		}
		return sel
	})
	return nil
}

func (m *Model) indent() tea.Cmd {
	if first, last := m.span(); first == last && (m.doc.Sel.Empty() || len(m.doc.Selected()) < len(m.doc.Buf.Line(first))) {
		return m.insert("\t", text.Typing)
	}
	return m.eachLine(func(s string) string {
		if s == "" {
			return s
		}
		return "\t" + s
	})
}

func (m *Model) outdent() tea.Cmd {
	return m.eachLine(func(s string) string {
		if rest, ok := strings.CutPrefix(s, "\t"); ok {
			return rest
		}
		n := len(s) - len(strings.TrimLeft(s, " "))
		return s[min(n, m.opts.Tab):]
	})
}

// comment puts // before the lines of the selection, or takes it away if all
// have it.
func (m *Model) comment() tea.Cmd {
	first, last := m.span()
	all, width := true, -1
	for n := first; n <= last; n++ {
		line := m.doc.Buf.Line(n)
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := len(indentOf(line))
		all = all && strings.HasPrefix(line[indent:], "//")
		if width < 0 || indent < width {
			width = indent
		}
	}
	if width < 0 {
		m.why = "there is nothing to comment out"
		return nil
	}
	return m.eachLine(func(s string) string {
		if strings.TrimSpace(s) == "" {
			return s
		}
		if !all {
			return s[:width] + "// " + s[width:]
		}
		n := len(indentOf(s))
		return s[:n] + strings.TrimPrefix(s[n+2:], " ")
	})
}

func (m *Model) undo() tea.Cmd { return m.stepped(m.doc.Undo()) }
func (m *Model) redo() tea.Cmd { return m.stepped(m.doc.Redo()) }

func (m *Model) stepped(done bool) tea.Cmd {
	if done {
		m.goal, m.swept = -1, 0
		m.reveal()
	}
	return nil
}
