package ui

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// An overlay lies over the panes and has all keys while it does.
type overlay struct {
	kind    overlayKind
	lost    []string     // by leaving, which is asked about
	unsaved bool         // text is among it
	query   widget.Input // what was typed into the palette
	row     int          // the selected command
	top     int          // the first line in view
	facts   []fact       // on probes
	id      int          // of the question that facts answer
}

type overlayKind uint8

const (
	noOverlay overlayKind = iota
	helpOverlay
	runOverlay
	paletteOverlay
	questionOverlay
	probesOverlay
)

func (m *Model) openPalette() tea.Cmd {
	m.overlay = overlay{kind: paletteOverlay}
	return nil
}

// overlayKey handles keys while something lies over the panes.
func (m *Model) overlayKey(msg tea.KeyMsg) tea.Cmd {
	if msg.Type == tea.KeyCtrlC {
		if m.overlay.kind == questionOverlay {
			return m.leave()
		}
		m.overlay = overlay{}
		return m.quit()
	}
	switch m.overlay.kind {
	case helpOverlay:
		m.scrollKey(msg, len(m.helpLines()))
	case runOverlay:
		m.scrollKey(msg, len(m.runLines()))
	case probesOverlay:
		m.scrollKey(msg, len(m.overlay.facts))
	case paletteOverlay:
		return m.paletteKey(msg)
	case questionOverlay:
		return m.questionKey(msg)
	}
	return nil
}

// scrollKey handles keys while lines are shown that can only be read.
func (m *Model) scrollKey(msg tea.KeyMsg, lines int) {
	page := max(m.boxHeight()-2, 1)
	switch msg.String() {
	case "esc", "q", "?", "f1", "f7", "alt+i", "f4", "alt+h", "enter":
		m.overlay = overlay{}
		return
	case "up", "k":
		m.overlay.top--
	case "down", "j":
		m.overlay.top++
	case "pgup", "ctrl+u":
		m.overlay.top -= page
	case "pgdown", "ctrl+d", " ":
		m.overlay.top += page
	case "home", "g":
		m.overlay.top = 0
	case "end", "G":
		m.overlay.top = 1 << 20
	}
	m.overlay.top = widget.Scroll{Top: m.overlay.top, Height: page, Total: lines}.Clamp().Top
}

// boxHeight returns how many lines an overlay may have, its frame included.
func (m *Model) boxHeight() int { return max(min(m.h-2, 40), 3) }

// boxWidth returns how wide an overlay is, its frame included.
func (m *Model) boxWidth() int { return max(min(m.w-2, 84), 10) }

// drawOverlay draws what lies over the panes onto the rows of the screen.
func (m *Model) drawOverlay(rows []string) {
	var lines []string
	title := ""
	switch m.overlay.kind {
	case helpOverlay:
		title, lines = "Help  (arrows scroll, esc closes)", m.drawHelp()
	case runOverlay:
		title, lines = "Run", m.drawFacts(m.runLines(), 9)
	case probesOverlay:
		title, lines = "Probes of the clause", m.drawFacts(m.overlay.facts, 9)
	case paletteOverlay:
		title, lines = "Commands", m.drawPalette()
	case questionOverlay:
		title, lines = "Leave?", m.drawQuestion()
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
			rows[y+i] = ansi.Truncate(rows[y+i], x, "") + line + ansi.TruncateLeft(rows[y+i], x+w, "")
		}
	}
}
