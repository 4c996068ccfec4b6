package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/question"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// An overlay lies over the panes and has all keys while it does.
type overlay struct {
	kind    overlayKind
	lost    []string     // by leaving, which is asked about
	unsaved bool         // text is among it
	running bool         // so is a run
	query   widget.Input // what was typed into the palette
	found   []question.Question
	asking  bool   // the palette has questions alone
	row     int    // the selected command
	top     int    // the first line in view
	facts   []fact // on probes
	id      int    // of the question that facts answer
	picked  int    // number of the run that others are compared with; 0 if none is picked
	contrast
	foreseen foreseen
}

type overlayKind uint8

const (
	noOverlay overlayKind = iota
	helpOverlay
	runOverlay
	paletteOverlay
	questionOverlay
	probesOverlay
	whyOverlay // see box of the Model
	shelfOverlay
	compareOverlay
	foreseenOverlay
)

func (m *Model) openPalette() tea.Cmd {
	m.overlay = overlay{kind: paletteOverlay, found: question.All()}
	return m.checkReady()
}

// openQuestions opens the palette with questions alone.
func (m *Model) openQuestions() tea.Cmd {
	m.overlay = overlay{kind: paletteOverlay, found: question.All(), asking: true}
	return m.checkReady()
}

// overlayKey handles keys while something lies over the panes.
func (m *Model) overlayKey(msg tea.KeyMsg) tea.Cmd {
	key := keymap.KeyName(msg)
	everywhere := m.keys.Action("always", key)
	if everywhere == "quit" {
		if m.overlay.kind == questionOverlay {
			return m.leave()
		}
		m.overlay = overlay{}
		return m.quit()
	}
	if m.overlay.kind == whyOverlay {
		m.notice = notice{}
		return m.box.Update(msg)
	}
	table := m.overlay.table()
	m.notice = notice{}
	if a := table.Find(m.keys, msg); a != nil {
		return m.act(a)
	}
	switch m.overlay.kind {
	case paletteOverlay:
		return m.paletteKey(msg)
	case helpOverlay, runOverlay, probesOverlay: // what opens a box closes it
		for _, action := range []string{everywhere, m.keys.Action("calm", key)} {
			if slices.Contains([]string{"help.open", "run.facts", "script.probes"}, action) {
				return m.closeOverlay()
			}
		}
	}
	return nil
}

// table returns what keys do while o lies over the panes.
func (o *overlay) table() widget.Table[Model] {
	switch o.kind {
	case paletteOverlay:
		return paletteActs
	case questionOverlay:
		return leaveActs
	case shelfOverlay:
		return shelfActs
	case runOverlay:
		return ledgerActs
	case compareOverlay:
		if o.icicle() {
			return compareStackActs
		}
		return compareActs
	case foreseenOverlay:
		return foreseenActs
	}
	return boxActs
}

// boxActs are what keys do while lines are shown that can only be read.
var boxActs = widget.Table[Model]{Context: "box", Acts: []widget.Act[Model]{
	{Name: "list.close", Do: (*Model).closeOverlay},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.scroll(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.scroll(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.scroll(-max(m.boxHeight()-2, 1)) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.scroll(+max(m.boxHeight()-2, 1)) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.scroll(-1 << 20) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.scroll(+1 << 20) }},
}}

func (m *Model) closeOverlay() tea.Cmd {
	m.overlay = overlay{}
	return nil
}

// scroll moves the window on the lines of a box.
func (m *Model) scroll(by int) tea.Cmd {
	lines := 0
	switch m.overlay.kind {
	case helpOverlay:
		lines = len(m.helpLines())
	case probesOverlay:
		lines = len(m.overlay.facts)
	}
	m.overlay.top = widget.Scroll{Top: m.overlay.top + by, Height: max(m.boxHeight()-2, 1), Total: lines}.Clamp().Top
	return nil
}

// wide reports whether an overlay takes the whole screen, but for lines at its edges.
func (k overlayKind) wide() bool {
	return k == whyOverlay || k == runOverlay || k == shelfOverlay || k == compareOverlay
}

// boxHeight returns how many lines an overlay may have, its frame included.
func (m *Model) boxHeight() int {
	if m.overlay.kind.wide() {
		return max(m.h-2, 3)
	}
	return max(min(m.h-2, 40), 3)
}

// boxWidth returns how wide an overlay is, its frame included.
func (m *Model) boxWidth() int {
	if m.overlay.kind.wide() {
		return max(min(m.w-2, 160), 10)
	}
	return max(min(m.w-2, 84), 10)
}

// drawOverlay draws what lies over the panes onto the rows of the screen.
func (m *Model) drawOverlay(rows []string) {
	var lines []string
	title := ""
	switch m.overlay.kind {
	case helpOverlay:
		title, lines = "Help  (arrows scroll, "+m.keys.KeyIn("box", "list.close")+" closes)", m.drawHelp()
	case runOverlay:
		title, lines = m.ledgerTitle(), m.drawLedger()
	case probesOverlay:
		title, lines = "Probes of the clause", m.drawFacts(m.overlay.facts, 9)
	case paletteOverlay:
		title, lines = m.paletteTitle(), m.drawPalette()
	case questionOverlay:
		title, lines = "Leave?", m.drawQuestion()
	case foreseenOverlay:
		title, lines = "Run it?", m.drawForeseen()
	case whyOverlay:
		title, lines = widget.Cut(m.box.Title(), max(m.boxWidth()-6, 0)), m.box.Rows()
	case shelfOverlay:
		title, lines = "Runs", m.drawShelf()
	case compareOverlay:
		title, lines = m.contrastTitle(), m.drawContrast()
	default:
		return
	}
	m.drawBox(rows, title, lines)
}

// drawBox draws a frame with lines in it in the middle of the screen.
func (m *Model) drawBox(rows []string, title string, lines []string) {
	k := m.looks
	w, h := m.boxWidth(), min(len(lines)+2, m.boxHeight())
	x, y := (m.w-w)/2, max((m.h-h)/3, 0)
	var l ink.Line
	edge := func(from, fill, to, text string) string {
		l.Reset(w, ink.Ink{})
		l.Put(k.popBorder, from+fill)
		if text != "" {
			l.Put(k.title, " "+text+" ")
		}
		l.Rep(k.popBorder, fill, l.Left()-1)
		l.Put(k.popBorder, to)
		return l.String()
	}
	g := k.glyphs
	side := k.popBorder.Wrap(g.vertical)
	for i := range h {
		var line string
		switch i {
		case 0:
			line = edge(g.topLeft, g.horizontal, g.topRight, title)
		case h - 1:
			line = edge(g.bottomLeft, g.horizontal, g.bottomRight, "")
		default:
			line = side + lines[i-1] + side
		}
		if y+i < len(rows) {
			rows[y+i] = ink.Lay(rows[y+i], x, w, line)
		}
	}
}
