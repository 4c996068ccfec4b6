package editor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/ui/editor/text"
	"dscope.dev/ui/widget"
)

// A mark is a complaint in its place. from equals to if it is about a place
// between characters, such as the end of the script.
type mark struct {
	from, to int
	d        *diag.Diagnostic
}

func (k mark) isError() bool { return k.d.Severity == diag.Error }

// covers reports whether the complaint is about the character at off.
func (k mark) covers(off int) bool { return k.from <= off && off < max(k.to, k.from+1) }

// SetDiagnostics takes the complaints about the text of that version. If the
// text is another by now they are ignored: newer ones are on their way.
func (m *Model) SetDiagnostics(version int, list diag.List) {
	if version != m.buf.Version() {
		return
	}
	m.marks = m.marks[:0:0]
	for _, d := range list {
		k := mark{d: d}
		if d.At.IsValid() {
			k.from = min(d.At.From.Offset(), m.buf.Size())
			k.to = min(max(d.At.To.Offset(), k.from), m.buf.Size())
		}
		m.marks = append(m.marks, k)
	}
	slices.SortStableFunc(m.marks, func(a, b mark) int { return cmp.Compare(a.from, b.from) })
	m.reveal()
}

// moveMarks moves the complaints along with the text. One whose words are gone
// goes too.
func (m *Model) moveMarks(shifts []text.Shift) {
	for _, s := range shifts {
		m.marks = slices.DeleteFunc(m.marks, func(k mark) bool {
			return s.Del > 0 && s.At <= k.from && k.to <= s.At+s.Del && k.from < k.to
		})
		for i := range m.marks {
			m.marks[i].from, m.marks[i].to = s.Move(m.marks[i].from), s.Move(m.marks[i].to)
		}
	}
}

// Complaints returns how many errors and warnings there are.
func (m *Model) Complaints() (errors, warnings int) {
	for _, k := range m.marks {
		if k.isError() {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// here returns the complaint at the cursor, or the first on its line; nil if
// there is none.
func (m *Model) here() *diag.Diagnostic {
	line := m.at().Line
	start, end := m.buf.Start(line), m.buf.End(line)
	var first *diag.Diagnostic
	for _, k := range m.marks {
		if k.from > end {
			break
		}
		if k.covers(m.sel.Head) {
			return k.d
		}
		if first == nil && (k.from >= start || k.to > start) {
			first = k.d
		}
	}
	return first
}

// explain returns the complaint at the cursor with its notes, a line each.
func (m *Model) explain() (msg, rest []string) {
	d := m.here()
	if d == nil {
		return nil, nil
	}
	msg = []string{widget.Safe(d.Msg) + " [" + string(d.Code) + "]"}
	if d.Hint != "" {
		rest = append(rest, widget.Safe(d.Hint))
	}
	for _, n := range d.Notes {
		where := ""
		if n.At.IsValid() {
			where = "line " + strconv.Itoa(m.buf.Pos(n.At.From.Offset()).Line+1) + ": "
		}
		rest = append(rest, where+widget.Safe(n.Msg))
	}
	return msg, rest
}

// worst returns the gravest complaint that begins on line n, or that goes on
// there.
func (m *Model) worst(n int) (k mark, ok bool) {
	start, end := m.buf.Start(n), m.buf.End(n)
	for _, c := range m.marks {
		if c.from > end {
			break
		}
		if c.from < start && (c.to <= start || strings.TrimSpace(m.buf.Line(n)) == "") {
			continue
		}
		if !ok || c.isError() && !k.isError() {
			k, ok = c, true
		}
	}
	return k, ok
}

// toMark goes to the next complaint, and from the last to the first.
func (m *Model) toMark() tea.Cmd {
	next := m.marks[0]
	for _, k := range m.marks {
		if k.from > m.sel.Head {
			next = k
			break
		}
	}
	return m.place(text.At(next.from))
}
