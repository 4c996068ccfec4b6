package ui

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// An overlay lies over the panes and has all keys while it does.
type overlay struct {
	kind  overlayKind
	text  string // the question
	query string // what was typed into the palette
	row   int    // the selected command
	top   int    // the first line in view
}

type overlayKind uint8

const (
	noOverlay overlayKind = iota
	helpOverlay
	runOverlay
	paletteOverlay
	questionOverlay
)

func (m *Model) openHelp() tea.Cmd {
	m.overlay = overlay{kind: helpOverlay}
	return nil
}

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
	case paletteOverlay:
		return m.paletteKey(msg)
	case questionOverlay:
		return m.questionKey(msg)
	}
	return nil
}

func (m *Model) questionKey(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "y", "Y":
		return m.leave()
	case "s", "S":
		m.overlay = overlay{}
		m.setFocus(editorPane)
		return m.editor.Save()
	case "n", "N", "esc", "q":
		m.overlay = overlay{}
	}
	return nil
}

// scrollKey handles keys while lines are shown that can only be read.
func (m *Model) scrollKey(msg tea.KeyMsg, lines int) {
	page := max(m.boxHeight()-2, 1)
	switch msg.String() {
	case "esc", "q", "?", "f1", "f7", "alt+i", "enter":
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

// A helpLine is one line of the help.
type helpLine struct {
	heading string
	widget.Help
}

// helpLines returns all of the help: the pane in focus first, then what holds
// everywhere, then the other panes.
func (m *Model) helpLines() []helpLine {
	var out []helpLine
	add := func(heading string, rows []widget.Help) {
		if len(out) > 0 {
			out = append(out, helpLine{})
		}
		out = append(out, helpLine{heading: heading})
		for _, h := range rows {
			out = append(out, helpLine{Help: h})
		}
	}
	add(m.focus.String(), m.paneKeys(m.focus))
	add("everywhere", widget.Helps(m, always))
	add("everywhere but while typing", widget.Helps(m, calm))
	for p := range panes {
		if p != m.focus {
			add(p.String(), m.paneKeys(p))
		}
	}
	add("mouse", []widget.Help{
		{On: "click", Text: "focus, select; again: open"}, {On: "wheel", Text: "scroll the pane under the pointer"},
		{On: "drag", Text: "move a border; select text in the script"}, {On: "shift", Text: "held down, the terminal selects"},
	})
	return out
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
		title, lines = "Run", m.drawRun()
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

func (m *Model) drawHelp() []string {
	k, w := m.looks, m.boxWidth()-2
	all := m.helpLines()
	height := m.boxHeight() - 2
	all = all[min(m.overlay.top, len(all)):]
	var out []string
	var l ink.Line
	for _, h := range all[:min(len(all), height)] {
		l.Reset(w, k.popText)
		switch {
		case h.heading != "":
			l.Skip(1)
			l.Put(k.heading, h.heading)
		case h.On != "":
			l.Skip(2)
			l.Fit(k.key, label(h.On), min(22, w/4))
			l.Skip(1)
			if h.Off == "" {
				l.Fit(k.popText, h.Text, l.Left())
			} else {
				l.Fit(k.off, h.Text+" ("+h.Off+")", l.Left())
			}
		}
		out = append(out, l.String())
	}
	return out
}

func (m *Model) drawQuestion() []string {
	k, w := m.looks, m.boxWidth()-2
	var l ink.Line
	l.Reset(w, k.popText)
	l.Skip(1)
	l.Put(k.popText, widget.Safe(m.overlay.text))
	out := []string{l.String()}
	l.Reset(w, k.popText)
	for _, h := range [][2]string{{"s", "save"}, {"y", "leave without saving"}, {"esc", "stay"}} {
		l.Skip(1)
		l.Put(k.key, h[0])
		l.Put(k.popText, " "+h[1]+"  ")
	}
	return append(out, l.String())
}
