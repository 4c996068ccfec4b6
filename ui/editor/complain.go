package editor

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/ui/document"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/widget"
)

// SetDiagnostics takes the complaints about a text.
func (m *Model) SetDiagnostics(about document.Ref, list diag.List) {
	if d := m.desk.About(about); d != nil && d.SetDiagnostics(about, list) {
		m.reveal()
	}
}

// explain returns the complaint at the cursor with its notes, a line each.
func (m *Model) explain() (msg, rest []string) {
	d := m.doc.Here()
	if d == nil {
		return nil, nil
	}
	msg = []string{widget.Safe(d.Msg) + " [" + string(d.Code) + "]"}
	if d.Hint != "" {
		rest = append(rest, widget.Safe(d.Hint))
	}
	if d.Code == diag.MacroUndef {
		rest = append(rest, m.keys.Key("script.call")+" says what the script is run with")
	}
	for _, n := range d.Notes {
		where := ""
		if n.At.IsValid() {
			where = "line " + strconv.Itoa(m.doc.Buf.Pos(n.At.From.Offset()).Line+1) + ": "
		}
		rest = append(rest, where+widget.Safe(n.Msg))
	}
	return msg, rest
}

// toMark goes to the next complaint, and from the last to the first.
func (m *Model) toMark() tea.Cmd {
	marks := m.doc.Marks()
	next := marks[0]
	for _, k := range marks {
		if k.From > m.doc.Sel.Head {
			next = k
			break
		}
	}
	return m.place(text.At(next.From))
}

// ToOffset puts the cursor at an offset.
func (m *Model) ToOffset(off int) tea.Cmd { return m.place(text.At(min(off, m.doc.Buf.Size()))) }
