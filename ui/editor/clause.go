package editor

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/token"
	"dscope.dev/ui/editor/text"
)

// InsertClause puts a clause behind the one that holds the cursor, or at the
// cursor's line between clauses, with an empty line around it, and the cursor
// inside its braces. clause may be a probe description alone: then it gets
// braces.
func (m *Model) InsertClause(clause string) tea.Cmd {
	m.comp.close()
	clause = strings.TrimSpace(unixLines(clause))
	if !strings.Contains(clause, "{") {
		clause += "\n{\n\t\n}"
	}
	at := m.clausePlace()
	before, behind := m.buf.Slice(0, at), m.buf.Slice(at, m.buf.Size())
	head, tail := gap(before, true), gap(behind, false)
	ins := head + clause + tail
	if nl := m.buf.Newline(m.buf.Pos(at).Line); nl != "\n" {
		ins = strings.ReplaceAll(ins, "\n", nl)
	}
	inside := strings.Index(ins, "{") + 1
	if i := strings.IndexAny(ins[inside:], "}\t"); i >= 0 {
		inside += i
		if ins[inside] == '\t' {
			inside++
		}
	}
	m.change(text.Other, func() text.Sel {
		m.buf.Replace(at, at, ins)
		return text.At(at + inside)
	})
	return m.changed()
}

// clausePlace returns the offset at which a new clause goes.
func (m *Model) clausePlace() int {
	at := m.sel.Head
	for _, c := range m.code.Clauses() {
		if c.From <= at && at <= c.To {
			return m.lineAfter(c.To)
		}
	}
	return m.lineAfter(at)
}

// lineAfter returns the end of the line of off, behind a comment that stands
// there, and before the newline; or off itself if other text follows.
func (m *Model) lineAfter(off int) int {
	end := m.buf.End(m.buf.Pos(off).Line)
	rest := strings.TrimSpace(m.buf.Slice(off, end))
	if rest == "" || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") && strings.HasSuffix(rest, "*/") {
		return end
	}
	return off
}

// gap returns the newlines that are missing for an empty line between a clause
// and the text before it, or behind it.
func gap(around string, before bool) string {
	s := strings.ReplaceAll(around, "\r\n", "\n")
	if strings.TrimSpace(s) == "" {
		if before {
			return ""
		}
		return strings.Repeat("\n", 1-min(strings.Count(s, "\n"), 1))
	}
	blank := ""
	if before {
		blank = s[len(strings.TrimRight(s, " \t\n")):]
	} else {
		blank = s[:len(s)-len(strings.TrimLeft(s, " \t\n"))]
	}
	return strings.Repeat("\n", max(2-strings.Count(blank, "\n"), 0))
}

// ProbesHere returns the probe descriptions of the clause that holds the cursor, or the
// one that it is on.
func (m *Model) ProbesHere() []string {
	var list []string
	for _, c := range m.code.Clauses() {
		if m.sel.Head < c.From || c.To < m.sel.Head {
			continue
		}
		for _, w := range m.code.From(c.From) {
			if w.From >= c.To || c.Open >= 0 && w.From > c.Open {
				break
			}
			if w.Kind != token.Probe {
				continue
			}
			if w.From <= m.sel.Head && m.sel.Head <= w.To {
				return []string{m.buf.Slice(w.From, w.To)}
			}
			list = append(list, m.buf.Slice(w.From, w.To))
		}
		return list
	}
	return nil
}
