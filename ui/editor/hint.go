package editor

import (
	"dscope.dev/dlang/explain"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/document"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A hint tells what the call takes that is being written.
type hint struct {
	of   document.Ref
	at   int // of the cursor
	call explain.Call
	ok   bool
}

// mostHinted is the largest script, in bytes, in which calls are looked up at each keystroke.
const mostHinted = 64 << 10

// hinted returns what the call takes that the cursor is in.
func (m *Model) hinted() (explain.Call, bool) {
	h := &m.hint
	if ref := m.doc.Ref(); h.of != ref || h.at != m.doc.Sel.Head {
		*h = hint{of: ref, at: m.doc.Sel.Head}
		if m.doc.Buf.Size() <= mostHinted {
			h.call, h.ok = explain.CallAt(token.NewFile("", m.doc.Text()), h.at)
		}
	}
	return h.call, h.ok
}

// drawHint draws the call with the parameter that is due marked.
func (m *Model) drawHint(c explain.Call) string {
	var l ink.Line
	l.Reset(m.w, ink.Ink{})
	l.Skip(1)
	from, to := len(c.Proto), len(c.Proto)
	if c.Active >= 0 && c.Active < len(c.Params) {
		from, to = c.Params[c.Active][0], c.Params[c.Active][1]
	}
	l.Put(m.look.hint, widget.Safe(c.Proto[:from]))
	l.Put(m.look.label, widget.Safe(c.Proto[from:to]))
	l.Put(m.look.hint, widget.Safe(c.Proto[to:]))
	if c.Help != "" {
		l.Put(m.look.muted, "  "+widget.Safe(c.Help))
	}
	return l.String()
}
