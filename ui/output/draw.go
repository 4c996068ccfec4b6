package output

import (
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A line is one line of output, made when it is looked at.
type line struct {
	e     *entry
	n     int    // which line of the entry
	body  string // harmless
	event *trace.Event
}

// line returns line n; it is empty if it is not kept.
func (m *Model) line(n uint64) line {
	e, ok := m.kept().at(n)
	if !ok {
		return line{}
	}
	l := line{e: e, n: int(n - e.first), event: m.memo.own(e)}
	switch {
	case l.event == nil:
		l.body = widget.Safe(e.note)
	case l.event.Kind == trace.DropEvent:
		l.body = datum.Drop(l.event.Drop)
	case l.event.Kind == trace.FaultEvent:
		l.body = datum.Fault(l.event.Probe, l.event.Fault)
	case l.event.Kind == trace.ExitEvent:
		l.body = "exit(" + datum.Text(trace.Value{Int: int64(l.event.Exit)}) + ")"
	case l.event.Kind == trace.NoticeEvent:
		l.body = widget.Safe(l.event.Notice())
	default:
		if lines := m.memo.format(l.event); l.n < len(lines) {
			l.body = lines[l.n]
		}
	}
	return l
}

// text is what the line says, for search and clipboard.
func (l line) text() string {
	if l.n == 0 && l.event != nil && named(l.event) {
		return strings.TrimRight(probeName(l.event.Probe)+"  "+l.body, " ")
	}
	return l.body
}

// named reports whether an event needs the name of its probe to be
// understood: printf says what its author wanted said, a bare value does not.
func named(e *trace.Event) bool {
	if e.Kind != trace.DataEvent {
		return false
	}
	for i := range e.Items {
		switch e.Items[i].Kind {
		case trace.PrintfItem, trace.PrintaItem, trace.TablesItem:
			return false
		}
	}
	return true
}

// Rows draws the pane: m.h lines of m.w cells.
func (m *Model) Rows() []string {
	out := make([]string, m.h)
	var l ink.Line
	rows := m.rows()
	for y := range out {
		n := m.top + uint64(y)
		switch {
		case y == rows:
			m.drawInput(&l)
		case m.kept().end() == m.kept().begin():
			l.Reset(m.w, ink.Ink{})
			if y == m.h/2 {
				l.Skip((m.w - ink.Width(m.empty)) / 2)
				l.Put(m.looks.muted, m.empty)
			}
		case n < m.kept().end():
			m.drawLine(&l, n)
		default:
			l.Reset(m.w, ink.Ink{})
		}
		out[y] = l.String()
	}
	return out
}

func (m *Model) drawInput(l *ink.Line) {
	l.Reset(m.w, ink.Ink{})
	l.Put(m.looks.header, "/")
	m.search.input.Draw(l, l.Left(), m.looks.text, m.looks.cursor)
}

// drawLine draws line n of the output.
func (m *Model) drawLine(l *ink.Line, n uint64) {
	line := m.line(n)
	base := ink.Ink{}
	if n == m.cursor && !m.follow && m.focused {
		base = m.looks.cursor
	}
	l.Reset(m.w, base)
	if n == m.cursor && !m.follow {
		l.Put(m.looks.header, m.looks.glyph("▌", ">"))
	} else {
		l.Skip(1)
	}
	switch {
	case line.e == nil:
	case line.event == nil && !line.e.loud:
		m.drawRule(l, line.body)
	case line.event == nil && line.e.more:
		l.Skip(2)
		m.drawText(l, m.looks.fault, line.body)
	case line.event == nil:
		l.Put(m.looks.fault, m.looks.glyph("✗ ", "x "))
		m.drawText(l, m.looks.fault, line.body)
	case line.event.Kind == trace.DropEvent:
		l.Put(m.looks.drop, m.looks.glyph("▲ ", "! "))
		m.drawText(l, m.looks.drop, line.body)
	case line.event.Kind == trace.FaultEvent:
		l.Put(m.looks.fault, m.looks.glyph("✗ ", "x "))
		m.drawText(l, m.looks.fault, line.body)
	case line.event.Kind == trace.ExitEvent, line.event.Kind == trace.NoticeEvent:
		m.drawText(l, m.looks.exit, line.body)
	default:
		m.drawStamp(l, line)
		m.drawText(l, m.looks.text, line.body)
	}
}

// drawRule draws the line between the output of two runs.
func (m *Model) drawRule(l *ink.Line, title string) {
	rule := m.looks.glyph("─", "-")
	l.Rep(m.looks.muted, rule, 2)
	l.Put(m.looks.header, " "+title+" ")
	l.Rep(m.looks.muted, rule, l.Left())
}

// drawStamp draws the columns before the text of an event.
func (m *Model) drawStamp(l *ink.Line, line line) {
	if !m.detail && !named(line.event) {
		return
	}
	at, cpu, probe := m.stamp(line.event, line.e.first)
	if line.n > 0 {
		at, cpu, probe = "", "", ""
	}
	if m.detail {
		l.Right(m.looks.muted, at, 9)
		l.Skip(1)
		l.Right(m.looks.cpu, cpu, 3)
		l.Skip(1)
	}
	l.Fit(m.looks.probe, probe, min(max(m.w/4, 12), 28))
	l.Skip(1)
}

// drawText draws text with what is searched for marked.
func (m *Model) drawText(l *ink.Line, look ink.Ink, s string) {
	if m.left > 0 {
		s = ink.Drop(s, m.left)
	}
	for m.search.query != "" {
		i := widget.IndexFold(s, m.search.query)
		if i < 0 {
			break
		}
		n := i + len(m.search.query)
		l.Put(look, s[:i])
		l.Put(m.looks.match, s[i:n])
		s = s[n:]
	}
	l.Fit(look, s, l.Left())
}
