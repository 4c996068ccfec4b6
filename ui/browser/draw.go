package browser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// aboutHeight returns how many lines at the bottom tell of the selected
// probe, the rule above them included; 0 if there is no room.
func (m *Model) aboutHeight() int {
	if m.h < 10 {
		return 0
	}
	return min(max(m.h/3, 4), 9)
}

// listTop returns the line at which the list begins.
func (m *Model) listTop() int {
	if m.Searching() || m.picker.open {
		return 1
	}
	return 0
}

func (m *Model) listHeight() int { return max(m.h-m.listTop()-m.aboutHeight(), 0) }

// settle keeps the cursors in view.
func (m *Model) settle() {
	h := m.listHeight()
	m.at = min(m.at, max(len(m.tree)-1, 0))
	m.top = widget.Scroll{Top: m.top, Height: h, Total: len(m.tree)}.Show(m.at).Top
	p := &m.picker
	p.at = min(p.at, max(len(p.found)-1, 0))
	p.top = widget.Scroll{Top: p.top, Height: h, Total: len(p.found)}.Show(p.at).Top
	if m.result != nil {
		m.hit = min(m.hit, max(len(m.result.found)-1, 0))
		m.hitTop = widget.Scroll{Top: m.hitTop, Height: h, Total: len(m.result.found)}.Show(m.hit).Top
	}
}

// Rows draws the pane: m.h lines of m.w cells.
func (m *Model) Rows() []string {
	lines := make([]string, 0, m.h)
	var l ink.Line
	add := func() {
		if len(lines) < m.h {
			lines = append(lines, l.String())
		}
	}
	switch {
	case m.picker.open:
		m.drawInput(&l, "? ", &m.picker.input, len(m.picker.found), m.picker.list != nil, true)
		add()
	case m.Searching():
		m.drawFilter(&l)
		add()
	}
	for y := range m.listHeight() {
		m.drawListLine(&l, y)
		add()
	}
	about := m.aboutHeight()
	for y, text := range m.about(about - 1) {
		if y == 0 {
			l.Reset(m.w, ink.Ink{})
			l.Rep(m.looks.muted, m.looks.glyph("─", "-"), m.w)
			add()
		}
		l.Reset(m.w, ink.Ink{})
		text.draw(&l)
		add()
	}
	for len(lines) < m.h {
		l.Reset(m.w, ink.Ink{})
		add()
	}
	return lines
}

// drawFilter draws the query and how many probes it finds.
func (m *Model) drawFilter(l *ink.Line) {
	m.drawInput(l, "/", &m.input, m.hits(), m.result != nil, m.typing)
}

// drawListLine draws line y of the tree or of the result.
func (m *Model) drawListLine(l *ink.Line, y int) {
	switch {
	case m.picker.open:
		m.drawPicked(l, m.picker.top+y)
	case m.catalog == nil:
		l.Reset(m.w, ink.Ink{})
		if y == 0 {
			m.drawMissing(l)
		}
	case m.Searching():
		m.drawHit(l, m.hitTop+y)
	default:
		m.drawBranch(l, m.top+y)
	}
}

func (m *Model) drawMissing(l *ink.Line) {
	if m.err != nil {
		l.Fit(m.looks.unavailable, " "+widget.Safe(m.err.Error()), m.w)
		return
	}
	if m.scope != nil {
		l.Put(m.looks.muted, " looking at the process …")
		return
	}
	l.Put(m.looks.muted, " reading the probes …")
}

// drawHit draws line n of a result, the matching letters marked.
func (m *Model) drawHit(l *ink.Line, n int) {
	if m.result == nil || n >= len(m.result.found) {
		l.Reset(m.w, ink.Ink{})
		if m.result != nil && n == 0 {
			l.Put(m.looks.muted, " no probe matches")
		}
		return
	}
	m.cursorLine(l, n == m.hit)
	name := m.hitRow(n).label
	on := marks(name, m.query)
	skip := 0
	if w := ink.Width(name); w > l.Left() { // the end of a name tells more
		skip = w - l.Left() + 1
		l.Put(m.looks.muted, m.looks.glyph("…", "~"))
	}
	for from := skip; from < len(name); {
		to := from + 1
		for to < len(name) && at(on, to) == at(on, from) {
			to++
		}
		look := m.looks.leaf
		if at(on, from) {
			look = m.looks.match
		}
		l.Put(look, widget.Safe(name[from:to]))
		from = to
	}
}

func at(on []bool, i int) bool { return i < len(on) && on[i] }

// cursorLine begins a line of the list.
func (m *Model) cursorLine(l *ink.Line, selected bool) {
	base := ink.Ink{}
	if selected && m.focused {
		base = m.looks.cursor
	}
	l.Reset(m.w, base)
	if selected {
		l.Put(m.looks.match, m.looks.glyph("▌", ">"))
	} else {
		l.Skip(1)
	}
}

// drawBranch draws line n of the tree.
func (m *Model) drawBranch(l *ink.Line, n int) {
	if n >= len(m.tree) {
		l.Reset(m.w, ink.Ink{})
		return
	}
	r := m.tree[n]
	m.cursorLine(l, n == m.at)
	l.Skip(2 * r.depth)
	mark, look := m.looks.glyph("▸ ", "+ "), m.looks.branch
	switch {
	case r.reason != "":
		mark, look = m.looks.glyph("✗ ", "x "), m.looks.unavailable
	case r.leaf:
		mark, look = "  ", m.looks.leaf
	case r.open:
		mark = m.looks.glyph("▾ ", "- ")
	}
	l.Put(m.looks.muted, mark)
	count := ""
	switch {
	case r.leaf || r.reason != "":
	case m.leads(r):
		if count = "processes"; ink.Width(r.label)+len(count)+1 > l.Left() {
			count = ""
		}
	case m.unread(r):
		m.drawUnread(l, r, look)
		return
	case !r.files || r.len() > 0:
		count = strconv.Itoa(r.len())
	}
	if r.reason != "" {
		l.Put(look, widget.Safe(r.label))
		l.Skip(1)
		l.Fit(m.looks.muted, widget.Safe(r.reason), l.Left())
		return
	}
	l.Fit(look, widget.Safe(r.label), max(l.Left()-len(count)-1, 0))
	l.Skip(1)
	l.Put(m.looks.count, count)
}

// drawUnread draws the rest of the line of a file whose functions are not here.
func (m *Model) drawUnread(l *ink.Line, r row, look ink.Ink) {
	word, failed := m.scope.note(r.file - 1)
	noteLook := m.looks.muted
	if failed {
		noteLook = m.looks.unavailable
	}
	name := widget.Safe(r.label)
	l.Fit(look, name, min(ink.Width(name), l.Left()))
	l.Skip(1)
	if !failed && ink.Width(word) > l.Left() {
		return // the name tells more
	}
	word = widget.Cut(widget.Safe(word), max(l.Left(), 0))
	l.To(max(m.w-ink.Width(word), l.X()))
	l.Put(noteLook, word)
}

// drawInput draws a line that is typed into, and how many things fit it.
func (m *Model) drawInput(l *ink.Line, prompt string, in *widget.Input, n int, counted, typed bool) {
	l.Reset(m.w, ink.Ink{})
	count := ""
	if counted {
		count = strconv.Itoa(n)
	}
	l.Put(m.looks.filter, prompt)
	room := m.w - len(prompt) - len(count) - 1
	if typed && m.focused {
		in.Draw(l, room, m.looks.filter, m.looks.cursor)
	} else {
		l.FitEnd(m.looks.filter, widget.Safe(in.Value()), room)
	}
	l.To(m.w - len(count))
	l.Put(m.looks.count, count)
}

// A text is a line of words in several looks.
type text []run

type run struct {
	look ink.Ink
	s    string
}

func (t text) draw(l *ink.Line) {
	for _, r := range t {
		if w := ink.Width(r.s); w > l.Left() {
			l.Fit(r.look, r.s, l.Left())
			return
		}
		l.Put(r.look, r.s)
	}
}

// about returns at most h lines on what the cursor is on.
func (m *Model) about(h int) []text {
	if m.picker.open {
		all := m.aboutPicked()
		return all[:max(min(len(all), h), 0)]
	}
	r, ok := m.selected()
	if !ok || h <= 0 || m.catalog == nil {
		return nil
	}
	var all []text
	name := 1 // the lines that it takes
	if p, leaf := m.current(); leaf {
		all, name = m.aboutProbe(p), len(m.whole(m.looks.leaf, p.String()))
	} else {
		all = m.aboutBranch(r)
	}
	if told := m.aboutTrial(r); told != nil && !m.choice.open { // below the name
		all = slices.Concat(all[:name], told, all[name:])
	}
	if !m.choice.open {
		all = folded(all, m.w)
	} else if h > name { // the argument under the cursor is in view
		from := name + max(m.choice.at-(h-name-1), 0)
		all = slices.Concat(all[:name], all[min(from, len(all)):])
	}
	return all[:min(len(all), h)]
}

func (m *Model) aboutBranch(r row) []text {
	k := m.looks
	if r.file > 0 {
		return m.aboutFile(r)
	}
	all := []text{{{k.branch, " " + widget.Safe(m.pattern(r))}}}
	if m.leads(r) {
		all = []text{{{k.branch, " " + widget.Safe(r.label)}, {k.muted, " " + m.keys.Key("probes.enter") + " lists the processes"}}}
	}
	if r.level == providerLevel {
		for _, p := range m.catalog.providers {
			if p.Name == r.label {
				all = append(all, wrap(k.unavailable, p.Unavailable, m.w)...) // first: there may be no room for more
				all = append(all, wrap(k.help, p.Help, m.w)...)
			}
		}
	}
	return all
}

// aboutFile tells of a file that the process executes.
func (m *Model) aboutFile(r row) []text {
	k, s := m.looks, m.scope
	all := m.whole(k.branch, s.info.Modules[r.file-1].Path)
	if s.ended != nil {
		return append(all, wrap(k.unavailable, s.ended.Error(), m.w)...)
	}
	if err := s.failed[r.file-1]; err != nil {
		return append(all, wrap(k.unavailable, err.Error(), m.w)...)
	}
	switch {
	case slices.Contains(s.queue, r.file-1):
		return append(all, wrap(k.muted, "its symbols are being read; "+m.keys.Key("probes.back")+" gives up", m.w)...)
	case m.unread(r):
		return append(all, wrap(k.muted, m.keys.Key("probes.enter")+" reads its functions", m.w)...)
	case r.len() == 0:
		return append(all, wrap(k.muted, "no functions are known of it", m.w)...)
	}
	return all
}

func (m *Model) aboutProbe(p trace.Probe) []text {
	k := m.looks
	all := m.whole(k.leaf, p.String())
	i, known := m.info[p]
	switch {
	case m.scope != nil && m.scope.ended != nil:
		return append(all, wrap(k.unavailable, m.scope.ended.Error(), m.w)...)
	case !known:
		return append(all, text{{k.muted, " …"}})
	case i.err != nil:
		return append(all, wrap(k.unavailable, i.err.Error(), m.w)...)
	}
	all = append(all, wrap(k.unavailable, i.info.Unavailable, m.w)...)
	for n, a := range i.info.Args {
		mark := " "
		if m.choice.open && n == m.choice.at {
			mark = k.glyph("▌", ">")
		}
		t := text{{k.match, mark}, {k.muted, fmt.Sprintf("args[%d] ", n)}, {k.typ, widget.Safe(a.Type)}}
		if a.Name != "" {
			t = append(t, run{k.leaf, " " + widget.Safe(a.Name)})
		}
		all = append(all, t)
	}
	all = append(all, wrap(k.help, i.info.Help, m.w)...)
	if i.info.Hook != "" {
		all = append(all, text{{k.muted, " hook: " + widget.Safe(i.info.Hook)}})
	}
	return all
}

// whole writes a name on two lines if one does not hold it: the list has its end alone. Of one
// that is longer still the end of the first line and the second are lost least.
func (m *Model) whole(look ink.Ink, name string) []text {
	name = widget.Safe(name)
	w := max(m.w-1, 1)
	if ink.Width(name) <= w || m.aboutHeight() < 6 {
		return []text{{{look, " " + widget.CutLeft(name, w)}}}
	}
	head := ansi.Truncate(name, w, "")
	if i := strings.LastIndexAny(head, ":/"); i > 0 && i+1 < len(head) { // a part is not torn if it need not be
		head = head[:i+1]
	}
	return []text{{{look, " " + head}}, {{look, " " + widget.CutLeft(name[len(head):], w)}}}
}

// folded breaks lines of several looks that are wider than w cells before the look that does
// not fit, but for the first two, which say what a line is about.
func folded(all []text, w int) []text {
	var out []text
	for _, t := range all {
		line, x := text{}, 0
		for i, r := range t {
			if i > 1 && x+ink.Width(r.s) > w {
				out = append(out, line)
				line, x, r.s = text{{s: "  "}}, 2, strings.TrimLeft(r.s, " ")
			}
			line, x = append(line, r), x+ink.Width(r.s)
		}
		out = append(out, line)
	}
	return out
}

// wrap breaks a sentence into lines of w cells.
func wrap(look ink.Ink, s string, w int) []text {
	var out []text
	line := ""
	for _, word := range strings.Fields(widget.Safe(s)) {
		if line != "" && ink.Width(line)+1+ink.Width(word) > w-1 {
			out = append(out, text{{look, line}})
			line = ""
		}
		line += " " + word
	}
	if line != "" {
		out = append(out, text{{look, line}})
	}
	return out
}
