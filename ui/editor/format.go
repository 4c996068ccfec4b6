package editor

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/format"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/document"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/document/text"
)

// mostFormatted is the largest text, in bytes, that is laid out while the screen waits.
const mostFormatted = 1 << 20

// format lays the script out, as one step of undo. One with mistakes is left alone.
func (m *Model) format() tea.Cmd {
	was := m.doc.Text()
	if len(was) > mostFormatted {
		m.why = "the script is too large to be laid out here: dscope fmt does it"
		return nil
	}
	now, list := format.Script(token.NewFile("", was))
	switch {
	case list.Failed():
		at := min(list[0].At.From.Offset(), len(was))
		m.place(text.At(at))
		m.notice = fmt.Sprintf("not laid out: line %d: %s", m.doc.Buf.Pos(at).Line+1, list[0].Msg)
		return nil
	case now == was:
		m.notice = "it is laid out already"
		return nil
	}
	return m.become(was, now, sameWord(was, now, m.doc.Sel.Head))
}

// become makes the text another one, as one step of undo, with the cursor at an offset.
func (m *Model) become(was, now string, at int) tea.Cmd {
	from, to, with := differs(was, now)
	m.change(text.Other, func() text.Sel {
		m.doc.Buf.Replace(from, to, with)
		return text.At(at)
	})
	return m.changed()
}

// Return takes over what somebody else has made of a script, with the cursor where that begins
// to differ. A script that is another meanwhile stays as it is, beside what came.
func (m *Model) Return(of document.Ref, now string) tea.Cmd {
	if d := m.desk.About(of); d == nil || d.Ref() != of {
		put := m.show(disk.File{})
		return tea.Batch(put, m.become("", now, 0))
	}
	shown := m.ShowDocument(of)
	was := m.doc.Text()
	from, _, _ := differs(was, now)
	return tea.Batch(shown, m.become(was, now, min(from, len(now))))
}

// differs returns the part of a text that has to be replaced to make it another one, and with
// what: whole lines.
func differs(was, now string) (from, to int, with string) {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(now, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		from += len(a[0])
		a, b = a[1:], b[1:]
	}
	to = len(was)
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		to -= len(a[len(a)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return from, to, strings.Join(b, "")
}

// sameWord returns where in now the letter stands that is at an offset of was: behind as many
// letters that are no blanks.
func sameWord(was, now string, at int) int {
	letters := 0
	for i := range at {
		if !blank(was[i]) {
			letters++
		}
	}
	for i := range len(now) {
		if letters == 0 && (at >= len(was) || blank(was[at]) == blank(now[i])) {
			return i
		}
		if !blank(now[i]) {
			if letters--; letters < 0 {
				return i
			}
		}
	}
	return len(now)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
