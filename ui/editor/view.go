package editor

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/dlang/explain"
	"dscope.dev/ui/document/syntax"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// gutter returns the width of signs and line numbers; narrow panes have none.
func (m *Model) gutter() int {
	if m.w < 24 {
		return 0
	}
	return max(len(strconv.Itoa(m.doc.Buf.Lines())), 3) + 2
}

// textWidth returns the columns that the text has.
func (m *Model) textWidth() int { return max(m.w-m.gutter(), 1) }

// rows returns the lines that the text has: all but those of the panel.
func (m *Model) rows() int { return max(m.h-len(m.panel()), 1) }

// panelLine is a line below the text.
type panelLine struct {
	ink  ink.Ink
	text string
	ask  bool          // the question that is open stands here
	hint *explain.Call // what a call takes stands here
}

// panel returns what stands below the text: the question that is open, with a word to the
// user above it, or else that word, or else what the call takes that is being written, and the
// complaint at the cursor.
func (m *Model) panel() []panelLine {
	switch {
	case m.ask.kind != askNothing && m.notice != "" && m.h > 3:
		return []panelLine{{ink: m.look.notice, text: widget.Safe(m.notice)}, {ask: true}}
	case m.ask.kind != askNothing:
		return []panelLine{{ask: true}}
	case m.notice != "":
		return []panelLine{{ink: m.look.notice, text: widget.Safe(m.notice)}}
	case m.h < 6:
		return nil
	}
	var out []panelLine
	if c, ok := m.hinted(); ok && m.focused && m.h >= 8 {
		out = append(out, panelLine{hint: &c})
	}
	msg, rest := m.explain()
	for _, s := range msg {
		out = append(out, m.wrap(m.look.message, s)...)
	}
	for _, s := range rest {
		out = append(out, m.wrap(m.look.hint, s)...)
	}
	return out[:min(len(out), m.h/3+1)]
}

// wrap breaks a sentence into lines of the pane.
func (m *Model) wrap(i ink.Ink, s string) []panelLine {
	var out []panelLine
	for _, line := range strings.Split(ansi.Wrap(s, max(m.w-2, 1), " "), "\n") {
		out = append(out, panelLine{ink: i, text: " " + line})
	}
	return out
}

// Rows draws the pane: exactly h lines of w columns.
func (m *Model) Rows() []string {
	if m.w == 0 || m.h == 0 {
		return nil
	}
	panel := m.panel()
	rows := max(m.h-len(panel), 1)
	d := m.newDrawing()
	lines := make([]string, 0, m.h)
	for y := range rows {
		lines = append(lines, d.line(m.top+y))
	}
	for _, p := range panel {
		lines = append(lines, m.panelLine(p))
	}
	lines = lines[:m.h]
	if m.comp.open {
		m.popup().over(lines, m)
	}
	return lines
}

// narrowest is how many columns an answer needs at least beside what is told of it.
const narrowest = 8

func (m *Model) panelLine(p panelLine) string {
	if p.hint != nil {
		return m.drawHint(*p.hint)
	}
	var l ink.Line
	if !p.ask {
		l.Reset(m.w, ink.Ink{})
		l.Fit(p.ink, p.text, m.w)
		return l.String()
	}
	l.Reset(m.w, ink.Ink{})
	l.Put(m.look.label, m.label())
	if m.ask.kind != askDrop {
		count := m.foundCount()
		if l.Left() < 2*len(count)+narrowest {
			count = ""
		}
		m.ask.in.Draw(&l, l.Left()-len(count), m.look.input, m.look.cursor)
		l.Put(m.look.hint, count)
	}
	return l.String()
}

// drawing draws the lines of one frame.
type drawing struct {
	m       *Model
	l       ink.Line
	at      text.Pos // of the cursor
	head    int      // its offset
	from    int      // the selection
	to      int
	bracket [2]int // offsets of the pair at the cursor; -1 if none
	buf     []byte
}

func (m *Model) newDrawing() *drawing {
	d := &drawing{m: m, at: m.doc.At(), head: m.cursor(), bracket: [2]int{-1, -1}}
	d.from, d.to = m.doc.Sel.Range()
	if at, other, ok := m.bracket(); ok && m.doc.Sel.Empty() {
		d.bracket = [2]int{at, other}
	}
	return d
}

// A style says how a cell looks; cells of one style are written at one go.
type style struct {
	class    syntax.Class
	mark     gravity
	selected bool
	match    bool
	bracket  bool
	odd      bool
	cursor   bool
}

// A gravity is how bad the complaints about a character are.
type gravity uint8

const (
	unmarked gravity = iota
	warned
	wrong
)

// line draws line n of the script, or an empty one beyond its end.
func (d *drawing) line(n int) string {
	m := d.m
	if n >= m.doc.Buf.Lines() {
		d.l.Reset(m.w, ink.Ink{})
		d.hello(n)
		return d.l.String()
	}
	base := ink.Ink{}
	if n == d.at.Line && m.focused && m.doc.Sel.Empty() {
		base = m.look.line
	}
	d.l.Reset(m.w, base)
	d.number(n)
	d.text(n)
	d.aside(n)
	return d.l.String()
}

// hello draws what an empty script says to a newcomer.
func (d *drawing) hello(n int) {
	if d.m.doc.Buf.Size() > 0 || n < 2 || n > 4 {
		return
	}
	keys := d.m.keys
	d.l.Skip(d.m.gutter())
	d.l.Fit(d.m.look.muted, [...]string{
		"Type a D script: probe /predicate/ { actions; }",
		keys.Key("edit.complete") + " completes, " + keys.Key("file.open") + " opens a file.",
		"In the browser, " + keys.Key("probes.enter") + " puts a clause for a probe here.",
	}[n-2], d.l.Left())
}

// number draws sign and number of a line.
func (d *drawing) number(n int) {
	w := d.m.gutter()
	if w == 0 {
		return
	}
	if k, ok := d.m.doc.Worst(n); ok {
		sign, i := d.m.look.mark(k)
		d.l.Put(i, sign)
	}
	d.l.To(1)
	i := d.m.look.gutter
	if n == d.at.Line {
		i = d.m.look.gutterCurrent
	}
	d.l.Right(i, strconv.Itoa(n+1), w-2)
	d.l.Skip(1)
}

// text draws the part of line n that is in view.
func (d *drawing) text(n int) {
	m := d.m
	line, start := m.doc.Buf.Line(n), m.doc.Buf.Start(n)
	words := m.doc.Code.From(start)
	var matches [][2]int
	if m.find.shown {
		matches = m.find.query.Matches(line)
	}
	var last style
	end := m.left + m.textWidth()
	for c := range text.Cells(line, m.opts.Tab) {
		if c.Col >= end {
			break
		}
		if c.Col+c.Width <= m.left {
			continue
		}
		off := start + c.From
		for len(words) > 0 && words[0].To <= off {
			words = words[1:]
		}
		s := d.style(off, c)
		if len(words) > 0 && words[0].From <= off {
			s.class = words[0].Class
		}
		for len(matches) > 0 && matches[0][1] <= c.From {
			matches = matches[1:]
		}
		s.match = len(matches) > 0 && matches[0][0] <= c.From
		if s != last {
			d.flush(last)
			last = s
		}
		d.glyph(c, end)
	}
	d.flush(last)
	d.lineEnd(n)
}

// style returns how the character at off looks, but for class and match.
func (d *drawing) style(off int, c text.Cell) style {
	return style{
		odd:      c.Odd,
		mark:     d.marked(off),
		selected: d.from <= off && off < d.to,
		bracket:  off == d.bracket[0] || off == d.bracket[1],
		cursor:   off == d.head,
	}
}

// glyph takes a character up for writing; one that the edges of the view cut
// in two shows as blanks.
func (d *drawing) glyph(c text.Cell, end int) {
	hidden, beyond := d.m.left-c.Col, c.Col+c.Width-end
	if hidden > 0 || beyond > 0 {
		d.buf = append(d.buf, ink.Blank(c.Width-max(hidden, 0)-max(beyond, 0))...)
		return
	}
	d.buf = append(d.buf, c.Glyph...)
}

// marked returns the gravest complaint about the character at off.
func (d *drawing) marked(off int) gravity {
	out := unmarked
	for _, k := range d.m.doc.Marks() {
		if k.From > off {
			break
		}
		if k.Covers(off) {
			if k.IsError() {
				return wrong
			}
			out = warned
		}
	}
	return out
}

// flush writes the characters that were taken up.
func (d *drawing) flush(s style) {
	if len(d.buf) > 0 {
		d.l.Put(d.ink(s), string(d.buf))
		d.buf = d.buf[:0]
	}
}

// ink lays the looks of a cell over each other.
func (d *drawing) ink(s style) ink.Ink {
	look := d.m.look
	i := look.syntax[s.class]
	if s.odd {
		i = look.control.Over(i)
	}
	if s.bracket {
		i = look.bracket.Over(i)
	}
	switch s.mark {
	case wrong:
		i = look.err.Over(i)
	case warned:
		i = look.warning.Over(i)
	}
	if s.match {
		i = look.match.Over(i)
	}
	if s.selected {
		i = look.selection.Over(i)
	}
	if s.cursor {
		i = d.cursorInk().Over(i)
	}
	return i
}

func (d *drawing) cursorInk() ink.Ink {
	if d.m.focused && d.m.ask.kind == askNothing {
		return d.m.look.cursor
	}
	return d.m.look.blurred
}

// lineEnd draws the place behind the last character of a line where something
// is to be seen there: the cursor, a selected newline, a complaint.
func (d *drawing) lineEnd(n int) {
	end := d.m.doc.Buf.End(n)
	s := style{
		cursor:   end == d.head,
		selected: d.from <= end && end < d.to,
		mark:     d.marked(end),
	}
	if s != (style{}) && text.Width(d.m.doc.Buf.Line(n), d.m.opts.Tab) >= d.m.left {
		d.l.Put(d.ink(s), " ")
	}
}
