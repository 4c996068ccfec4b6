package editor

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/narrow"
	"dscope.dev/ui/editor/text"
)

// insert puts s in the place of the selection. Newlines become those of the
// script.
func (m *Model) insert(s string, kind text.Kind) tea.Cmd {
	from, to := m.sel.Range()
	if nl := m.buf.Newline(m.at().Line); nl != "\n" {
		s = strings.ReplaceAll(s, "\n", nl)
	}
	if m.buf.Size()-(to-from)+len(s) > text.MaxSize {
		m.notice = fmt.Sprintf("not inserted: the script would grow over %d MB", text.MaxSize>>20)
		return nil
	}
	if from != to {
		kind = text.Other
	}
	m.change(kind, func() text.Sel {
		m.buf.Replace(from, to, s)
		return text.At(from + len(s))
	})
	return nil
}

// Insert types s in the place of the selection.
func (m *Model) Insert(s string) tea.Cmd {
	m.comp.close()
	m.insert(unixLines(s), text.Other)
	return m.changed()
}

// Apply makes edits that were shown, in the order of the text, as one step of undo.
func (m *Model) Apply(edits []narrow.Edit) tea.Cmd {
	if len(edits) == 0 {
		return nil
	}
	m.comp.close()
	m.change(text.Other, func() text.Sel {
		for _, e := range slices.Backward(edits) {
			m.buf.Replace(e.From, e.To, e.Text)
		}
		return text.At(edits[0].From)
	})
	return m.changed()
}

// typed puts in what a key types.
func (m *Model) typed(s string) tea.Cmd {
	if s == "}" && m.sel.Empty() && strings.TrimSpace(m.beforeCursor()) == "" {
		m.closeBrace()
	} else {
		m.insert(s, text.Typing)
	}
	m.comp.typed = true
	return nil
}

// beforeCursor returns the line of the cursor up to the cursor.
func (m *Model) beforeCursor() string {
	p := m.at()
	return m.buf.Line(p.Line)[:p.Col]
}

// closeBrace types a brace at the start of a line and puts it under the line
// of the one that it closes.
func (m *Model) closeBrace() {
	m.change(text.Other, func() text.Sel {
		at, start := m.sel.Head, lineStart(m)
		m.buf.Replace(at, at, "}")
		m.sync()
		if _, open, ok := m.code.Match(at); ok {
			indent := indentOf(m.buf.Line(m.buf.Pos(open).Line))
			m.buf.Replace(start, at, indent)
			at = start + len(indent)
		}
		return text.At(at + 1)
	})
}

// newline begins a line with the indentation of this one, deeper after an open
// brace. Between two braces it makes room for a line.
func (m *Model) newline() tea.Cmd {
	from, to := m.sel.Range()
	p := m.buf.Pos(from)
	before, behind := m.buf.Line(p.Line)[:p.Col], m.buf.Slice(to, m.buf.End(m.buf.Pos(to).Line))
	nl, indent := m.buf.Newline(p.Line), indentOf(before)
	ins, tail := nl+indent, ""
	if s := strings.TrimRight(before, " \t"); strings.HasSuffix(s, "{") || strings.HasSuffix(s, "(") {
		ins += "\t"
		if b := strings.TrimLeft(behind, " \t"); strings.HasPrefix(b, "}") || strings.HasPrefix(b, ")") {
			tail = nl + indent
			to += len(behind) - len(b)
		}
	}
	if strings.TrimSpace(before) == "" && p.Col == len(before) {
		from = m.buf.Start(p.Line) // leave no blanks on an empty line
	}
	m.change(text.Other, func() text.Sel {
		m.buf.Replace(from, to, ins+tail)
		return text.At(from + len(ins))
	})
	return nil
}

// remove deletes [from, to).
func (m *Model) remove(from, to int, kind text.Kind) tea.Cmd {
	m.change(kind, func() text.Sel {
		m.buf.Replace(from, to, "")
		return text.At(from)
	})
	return nil
}

func (m *Model) backspace() tea.Cmd {
	if !m.sel.Empty() {
		from, to := m.sel.Range()
		return m.remove(from, to, text.Other)
	}
	m.comp.typed = m.comp.open
	return m.remove(left(m), m.sel.Head, text.Deleting)
}

func (m *Model) deleteChar() tea.Cmd {
	if !m.sel.Empty() {
		return m.backspace()
	}
	return m.remove(m.sel.Head, right(m), text.Deleting)
}

// deleteTo deletes from the cursor to where a motion goes, or the selection.
func (m *Model) deleteTo(to motion) tea.Cmd {
	if !m.sel.Empty() {
		return m.backspace()
	}
	a, b := m.sel.Head, to(m)
	return m.remove(min(a, b), max(a, b), text.Other)
}

// span returns the first and last line that the selection touches. A line of
// which only the start is reached is not meant.
func (m *Model) span() (first, last int) {
	from, to := m.sel.Range()
	first, last = m.buf.Pos(from).Line, m.buf.Pos(to).Line
	if last > first && to == m.buf.Start(last) {
		last--
	}
	return first, last
}

// whole returns the range of lines first to last with the newline behind them,
// or the one before if there is none behind.
func (m *Model) whole(first, last int) (from, to int) {
	if last+1 < m.buf.Lines() {
		return m.buf.Start(first), m.buf.Start(last + 1)
	}
	if first > 0 {
		return m.buf.End(first - 1), m.buf.End(last)
	}
	return m.buf.Start(first), m.buf.End(last)
}

func (m *Model) deleteLine() tea.Cmd {
	first, last := m.span()
	from, to := m.whole(first, last)
	m.change(text.Other, func() text.Sel {
		m.buf.Replace(from, to, "")
		return text.At(m.buf.Start(min(first, m.buf.Lines()-1)))
	})
	return nil
}

// moveLines moves the lines of the selection one up or down.
func (m *Model) moveLines(by int) tea.Cmd {
	first, last := m.span()
	if first+by < 0 || last+by >= m.buf.Lines() {
		m.why = "there is no line to change places with"
		return nil
	}
	a, b := first, last+1 // b is the line below; it changes places with [a, b)
	if by < 0 {
		a, b = first-1, last
	}
	lines := make([]string, 0, b-a+1)
	for n := a; n <= b; n++ {
		lines = append(lines, m.buf.Line(n))
	}
	moved := m.buf.Start(a+1) - m.buf.Start(a)
	if by < 0 {
		lines = append(lines[1:], lines[0])
		moved = -moved
	} else {
		moved = len(lines[len(lines)-1]) + len(m.buf.Newline(a))
		lines = append(lines[len(lines)-1:], lines[:len(lines)-1]...)
	}
	m.change(text.Other, func() text.Sel {
		m.buf.Replace(m.buf.Start(a), m.buf.End(b), strings.Join(lines, m.buf.Newline(a)))
		// A selection up to the start of the line below ends with the text if
		// that line became the last.
		return text.Sel{Anchor: min(m.sel.Anchor+moved, m.buf.Size()), Head: min(m.sel.Head+moved, m.buf.Size())}
	})
	return nil
}

// eachLine replaces each line of the selection by what f makes of it, and
// keeps the selection on the same characters.
func (m *Model) eachLine(f func(string) string) tea.Cmd {
	first, last := m.span()
	m.change(text.Other, func() text.Sel {
		sel := m.sel
		for n := first; n <= last; n++ {
			old, start := m.buf.Line(n), m.buf.Start(n)
			with := f(old)
			m.buf.Replace(start, start+len(old), with)
			by := len(with) - len(old)
			for _, off := range []*int{&sel.Anchor, &sel.Head} {
				switch {
				case *off > start+len(old):
					*off += by
				case *off > start || by > 0 && *off == start && m.sel.Empty():
					*off = max(*off+by, start)
				}
			}
		}
		return sel
	})
	return nil
}

func (m *Model) indent() tea.Cmd {
	if first, last := m.span(); first == last && (m.sel.Empty() || len(m.selected()) < len(m.buf.Line(first))) {
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
		line := m.buf.Line(n)
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

func (m *Model) undo() tea.Cmd {
	if sel, ok := m.buf.Undo(); ok {
		m.afterUndo(sel)
	}
	return nil
}

func (m *Model) redo() tea.Cmd {
	if sel, ok := m.buf.Redo(); ok {
		m.afterUndo(sel)
	}
	return nil
}

func (m *Model) afterUndo(sel text.Sel) {
	m.sel, m.goal = sel, -1
	m.sync()
	m.reveal()
}
