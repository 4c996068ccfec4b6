// Package output is the pane that shows what a run prints: printf, trace,
// stacks, printed aggregations, faults, and drops where they happened.
//
// A script can print far more than anybody reads, so the pane does little for
// a line that is not looked at. Events are kept as they came, in a ring that
// is bounded in lines and in bytes and says how many lines it let go. Only how
// many lines an event takes is worked out on arrival; its text is made when it
// is drawn, copied or searched. Two hundred thousand events a second cost a
// few per cent of a CPU so.
//
// Lines are numbered from the first one ever, so that a cursor, a search and
// the window stay where they are while lines arrive below and leave above.
// While the window is at the end it follows what arrives; scrolling up holds
// it, the end key lets it go on.
//
// Each event begins a new line. Everything drawn has been made harmless.
package output

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// The bounds of what is kept.
const (
	MaxLines = 64 << 10
	MaxBytes = 32 << 20
)

// A Model is the pane. Its parent sizes it, hands it events, and passes it
// keys while it has the focus.
type Model struct {
	looks   looks
	keys    *keymap.Map
	w, h    int
	focused bool
	ring    *ring
	held    *ring  // what is shown while the window is held; see hold
	cursor  uint64 // the selected line
	top     uint64 // the first line in view
	follow  bool   // keep the last line in view
	left    int    // cells scrolled sideways
	detail  bool   // show time, CPU and probe before each event
	parts   []part // of the runs, the oldest first
	search  search
	memo    *memo
	empty   string
	why     string
}

// looks are the inks of the pane.
type looks struct {
	text, header, probe, cpu, drop, fault, exit, match, cursor, muted ink.Ink

	glyph func(glyph, ascii string) string // which of the two the terminal draws
}

// New returns an empty pane.
func New(t *themes.Theme) *Model {
	m := &Model{keys: keymap.Default(), ring: newRing(MaxLines, MaxBytes), follow: true, memo: &memo{}}
	m.SetTheme(t)
	return m
}

// SetLimits says how many lines and bytes are kept. Call it before anything is.
func (m *Model) SetLimits(lines, bytes int) { m.ring = newRing(uint64(lines), bytes) }

// SetTheme changes the looks.
func (m *Model) SetTheme(t *themes.Theme) {
	o := t.Output
	m.looks = looks{
		text: ink.Of(o.Text), header: ink.Of(o.Header), probe: ink.Of(o.Probe), cpu: ink.Of(o.CPU),
		drop: ink.Of(o.Drop), fault: ink.Of(o.Fault), exit: ink.Of(o.Exit), match: ink.Of(o.Match),
		cursor: ink.Of(o.Cursor), muted: ink.Of(t.Frame.Muted), glyph: t.Glyph,
	}
}

// SetKeys says which keys ask for what.
func (m *Model) SetKeys(k *keymap.Map) { m.keys = k }

// SetSize fits the pane into w columns and h lines.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.settle()
}

// SetFocus says whether keys go to this pane.
func (m *Model) SetFocus(on bool) { m.focused = on }

// SetEmpty says what to show while there is nothing.
func (m *Model) SetEmpty(text string) { m.empty = text }

// Typing reports whether keys are letters of a search now.
func (m *Model) Typing() bool { return m.search.typing }

// Takes reports whether a key is for the search that is typed.
func (m *Model) Takes(_ tea.KeyMsg, reserved bool) bool { return m.Typing() && !reserved }

// Why says why the last key did nothing.
func (m *Model) Why() string { return m.why }

// Note adds a line of the workbench's own, such as why a run failed.
func (m *Model) Note(text string) {
	width := max(m.w-4, 20)
	if m.w == 0 {
		width = 50 // before the first size is known: what fits most
	}
	text = ansi.Wrap(widget.Safe(strings.TrimSpace(strings.ReplaceAll(text, "\n", " "))), width, " ")
	for i, line := range strings.Split(text, "\n") {
		m.ring.addNote(line, true, i > 0)
	}
	m.settle()
}

// Add takes in a batch of events.
func (m *Model) Add(events []trace.Event) {
	own := sparse(events)
	for i := range events {
		e := &events[i]
		if e.Kind == trace.PrintsEvent {
			m.ring.addPrints(e)
			continue
		}
		if own && prints(e) {
			e = detached(e)
		}
		m.ring.add(e)
	}
	m.settle()
}

// Title says what the frame should say beside the pane's name.
func (m *Model) Title() string {
	n := m.ring.end() - m.ring.begin()
	if n == 0 {
		return ""
	}
	s := widget.Group(n) + " lines"
	if n == 1 {
		s = "1 line"
	}
	if gone := m.ring.begin(); gone > 0 {
		s += ", " + widget.Group(gone) + " let go"
	}
	if p := m.partOf(m.top); m.detail && p != nil && !p.fired {
		s += ", times of reading"
	}
	return s
}

// Held says at which line the window is held; "" while it follows what comes.
func (m *Model) Held() string {
	if m.follow {
		return ""
	}
	text := "held at line " + widget.Group(m.cursor-m.kept().begin()+1)
	if newer := m.ring.end() - m.kept().end(); newer > 0 {
		text += ", " + widget.Group(newer) + " newer"
	}
	return text
}

// acts are what the pane does while it has the focus.
var acts = widget.Table[Model]{Context: "output", Acts: []widget.Act[Model]{
	{Name: "output.up", Do: func(m *Model) tea.Cmd { return m.move(-1) }},
	{Name: "output.down", Do: func(m *Model) tea.Cmd { return m.move(+1) }},
	{Name: "output.pageup", Do: func(m *Model) tea.Cmd { return m.move(-max(m.h-1, 1)) }},
	{Name: "output.pagedown", Do: func(m *Model) tea.Cmd { return m.move(+max(m.h-1, 1)) }},
	{Name: "output.first", Do: func(m *Model) tea.Cmd { return m.move(-1 << 40) }},
	{Name: "output.last", Do: (*Model).toEnd},
	{Name: "output.left", Do: func(m *Model) tea.Cmd { m.left = max(m.left-8, 0); return nil }},
	{Name: "output.right", Do: func(m *Model) tea.Cmd { m.left = min(m.left+8, 4096); return nil }},
	{Name: "output.search", Off: (*Model).nothing, Do: (*Model).startSearch},
	{Name: "output.next", Off: (*Model).noSearch, Do: func(m *Model) tea.Cmd { return m.find(+1) }},
	{Name: "output.previous", Off: (*Model).noSearch, Do: func(m *Model) tea.Cmd { return m.find(-1) }},
	{Name: "output.details", Do: func(m *Model) tea.Cmd { m.detail = !m.detail; return nil }},
	{Name: "output.copy", Off: (*Model).nothing, Do: (*Model).copyLine},
	{Name: "output.copyview", Off: (*Model).nothing, Do: (*Model).copyView},
	{Name: "output.clear", Off: (*Model).nothing, Do: (*Model).clear},
}}

// Keys returns the help of the pane's keys.
func (m *Model) Keys() []widget.Help { return m.table().Helps(m, m.keys) }

// table returns what keys do now; what it does not know is typed where a search is.
func (m *Model) table() widget.Table[Model] {
	if m.search.typing {
		return searchActs
	}
	return acts
}

// Update handles keys, the mouse and the steps of a search.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if m.why = ""; m.search.typing {
			cmd = m.typeSearch(msg)
		} else {
			cmd = m.do(acts.Find(m.keys, msg))
		}
	case widget.DoMsg:
		m.why = ""
		cmd = m.do(m.table().Named(msg.Action))
	case tea.MouseMsg:
		m.mouse(msg)
	case stepMsg:
		cmd = m.step(msg)
	}
	m.settle()
	return cmd
}

// do does what was asked for, or says why not.
func (m *Model) do(a *widget.Act[Model]) tea.Cmd {
	cmd, off := a.Try(m)
	if off != "" { // else the act may have said why itself
		m.why = off
	}
	return cmd
}

func (m *Model) nothing() string {
	if m.kept().end() == m.kept().begin() {
		return "nothing has been printed yet"
	}
	return ""
}

// move moves the selected line.
func (m *Model) move(by int) tea.Cmd {
	first, last := m.kept().begin(), m.last()
	at := int64(m.cursor)
	if m.follow {
		at = int64(last)
	}
	if at += int64(by); by > 0 && at >= int64(last) && m.further() {
		first, last = m.kept().begin(), m.last()
	}
	at = min(max(at, int64(first)), int64(last))
	m.follow = by > 0 && at == int64(last)
	m.cursor = uint64(at)
	return nil
}

// ShowLast shows what is printed as it comes.
func (m *Model) ShowLast() {
	m.follow = true
	m.settle()
}

// last returns the number of the last line.
func (m *Model) last() uint64 { return max(m.kept().end(), m.kept().begin()+1) - 1 }

// clear forgets all lines.
func (m *Model) clear() tea.Cmd {
	m.ring.clear()
	return m.toEnd()
}

func (m *Model) toEnd() tea.Cmd {
	m.follow = true
	return nil
}

// rows returns how many lines of output are in view.
func (m *Model) rows() int {
	if m.search.typing {
		return max(m.h-1, 0)
	}
	return m.h
}

// settle keeps cursor and window inside what is kept.
func (m *Model) settle() {
	m.hold()
	first, last := m.kept().begin(), m.last()
	rows := uint64(m.rows())
	if m.follow {
		m.cursor = last
	}
	m.cursor = min(max(m.cursor, first), last)
	if m.cursor >= m.top+rows && rows > 0 {
		m.top = m.cursor - rows + 1
	}
	if m.follow {
		m.top = last + 1 - min(rows, last+1-first)
	}
	m.top = min(m.top, m.cursor)
	m.top = max(m.top, first)
}

// mouse answers a message whose place counts from the corner of the pane.
func (m *Model) mouse(msg tea.MouseMsg) {
	if by := widget.Wheel(msg); by != 0 {
		m.wheel(by)
	} else if widget.Clicked(msg) {
		m.click(msg.Y)
	}
}

// wheel scrolls by lines.
func (m *Model) wheel(by int) {
	last := m.last()
	if by < 0 && m.follow {
		m.follow, m.cursor = false, m.top
	}
	at := int64(m.top) + int64(by)
	lowest := max(int64(last)+1-int64(m.rows()), int64(m.kept().begin()))
	if by > 0 && at >= lowest && m.further() {
		last = m.last()
		lowest = max(int64(last)+1-int64(m.rows()), int64(m.kept().begin()))
	}
	if at >= lowest {
		m.follow = m.follow || by > 0
		at = lowest
	}
	m.top = uint64(max(at, int64(m.kept().begin())))
	if !m.follow {
		m.cursor = min(max(m.cursor, m.top), m.top+uint64(max(m.rows()-1, 0)))
	}
}

// click selects the line at y.
func (m *Model) click(y int) {
	if n := m.top + uint64(max(y, 0)); n <= m.last() {
		m.cursor, m.follow = n, false
	}
}

func (m *Model) copyLine() tea.Cmd {
	return widget.AskCopy(m.line(m.cursor).text())
}

func (m *Model) copyView() tea.Cmd {
	var out []string
	for n := m.top; n <= m.last() && n < m.top+uint64(m.rows()); n++ {
		out = append(out, m.line(n).text())
	}
	return widget.AskCopy(strings.Join(out, "\n"))
}

// stamp writes the columns before an event, which begins at line n: time into its run,
// CPU, probe.
func (m *Model) stamp(e *trace.Event, n uint64) (at, cpu, probe string) {
	if p := m.partOf(n); p != nil && !e.Time.IsZero() {
		at = fmt.Sprintf("%.3f", e.Time.Sub(p.start).Seconds())
	}
	return at, strconv.Itoa(e.CPU), probeName(e.Probe)
}

// probeName is how a firing is called beside its output: function:name.
func probeName(p trace.Probe) string {
	return widget.Safe(p.Function + ":" + p.Name)
}
