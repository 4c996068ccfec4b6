package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// An overlay lies over the panes and has all keys while it does. Each kind is a type of its
// own, which holds what it shows and where one is in it.
type overlay interface {
	title(*Model) string
	body(*Model) []string             // what stands in its frame
	table(*Model) widget.Table[Model] // what keys do
	click(m *Model, x, y int) tea.Cmd // at that place in the frame
	wide() bool                       // takes the whole screen, but for lines at its edges
}

// A listener is an overlay with a use for keys that its table does not have.
type listener interface {
	listen(*Model, tea.KeyMsg) tea.Cmd
}

// opened returns the overlay if it is a T, else nil.
func opened[T overlay](m *Model) T {
	o, _ := m.overlay.(T)
	return o
}

// A cursor is where one is in a list.
type cursor struct {
	row int // which is chosen
	top int // the first in view
}

// move goes by so many rows, of which there are n, height of them in view.
func (c *cursor) move(by, height, n int) {
	c.row = max(min(c.row+by, n-1), 0)
	c.top = widget.Scroll{Top: c.top, Height: height, Total: n}.Show(c.row).Top
}

// A reading is a box of lines that can only be read.
type reading struct{ top int }

func (*reading) wide() bool                       { return false }
func (*reading) table(*Model) widget.Table[Model] { return readingActs }
func (*reading) click(*Model, int, int) tea.Cmd   { return nil }

// listen closes it by a key that opens one like it.
func (*reading) listen(m *Model, msg tea.KeyMsg) tea.Cmd { return m.closes(msg) }

// window returns those of n lines that are in view.
func (r *reading) window(m *Model, n int) (from, to int) {
	from = widget.Scroll{Top: r.top, Height: m.boxLines(), Total: n}.Clamp().Top
	return from, min(from+m.boxLines(), n)
}

func (r *reading) scroll(by, height, all int) {
	r.top = widget.Scroll{Top: r.top + by, Height: height, Total: all}.Clamp().Top
}

// A reader is a reading that knows how many lines it has.
type reader interface {
	scroll(by, height, all int)
	count(*Model) int
}

// readingActs are what keys do while lines are shown that can only be read.
var readingActs = widget.Table[Model]{Context: "box", Acts: []widget.Act[Model]{
	{Name: "list.close", Do: (*Model).closeOverlay},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.scroll(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.scroll(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.scroll(-m.boxLines()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.scroll(+m.boxLines()) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.scroll(-1 << 20) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.scroll(+1 << 20) }},
}}

// scroll moves the window on the lines of a box.
func (m *Model) scroll(by int) tea.Cmd {
	if r, ok := m.overlay.(reader); ok {
		r.scroll(by, m.boxLines(), r.count(m))
	}
	return nil
}

// overlayKey handles keys while something lies over the panes.
func (m *Model) overlayKey(msg tea.KeyMsg) tea.Cmd {
	key := keymap.KeyName(msg)
	everywhere := m.keys.Action("always", key)
	if everywhere == "quit" {
		if opened[*leaving](m) != nil {
			return m.leave()
		}
		m.overlay = nil
		return m.quit()
	}
	m.notice = notice{}
	if opened[*whyBox](m) != nil {
		return m.box.Update(msg)
	}
	if a := m.overlay.table(m).Find(m.keys, msg); a != nil {
		return m.act(a)
	}
	if l, ok := m.overlay.(listener); ok {
		return l.listen(m, msg)
	}
	return nil
}

// closes closes the overlay by a key that opens one like it.
func (m *Model) closes(msg tea.KeyMsg) tea.Cmd {
	key := keymap.KeyName(msg)
	for _, action := range []string{m.keys.Action("always", key), m.keys.Action("calm", key)} {
		if slices.Contains([]string{"help.open", "run.facts", "script.probes"}, action) {
			return m.closeOverlay()
		}
	}
	return nil
}

func (m *Model) closeOverlay() tea.Cmd {
	m.overlay = nil
	return nil
}

// wide reports whether what lies over the panes takes the whole screen.
func (m *Model) wide() bool { return m.overlay != nil && m.overlay.wide() }

// boxHeight returns how many lines an overlay may have, its frame included.
func (m *Model) boxHeight() int {
	if m.wide() {
		return max(m.h-2, 3)
	}
	return max(min(m.h-2, 40), 3)
}

// boxLines returns how many lines an overlay may have in its frame.
func (m *Model) boxLines() int { return max(m.boxHeight()-2, 1) }

// boxWidth returns how wide an overlay is, its frame included.
func (m *Model) boxWidth() int {
	if m.wide() {
		return max(min(m.w-2, 160), 10)
	}
	return max(min(m.w-2, 84), 10)
}

// boxAt returns where a box of so many lines lies, its frame included.
func (m *Model) boxAt(lines int) rect {
	w, h := m.boxWidth(), min(lines+2, m.boxHeight())
	return rect{(m.w - w) / 2, max((m.h-h)/3, 0), w, h}
}

// drawOverlay draws what lies over the panes onto the rows of the screen.
func (m *Model) drawOverlay(rows []string) {
	if m.overlay != nil {
		m.drawBox(rows, m.overlay.title(m), m.overlay.body(m))
	}
}

// overlayMouse scrolls what lies over the panes and clicks in it; a click beside it closes
// it, one in the bottom line is that key.
func (m *Model) overlayMouse(msg tea.MouseMsg) tea.Cmd {
	named := func(actions ...string) tea.Cmd {
		if opened[*whyBox](m) != nil {
			return m.box.Update(widget.DoMsg{Action: actions[0]})
		}
		for _, name := range actions {
			if a := m.overlay.table(m).Named(name); a != nil {
				return m.act(a)
			}
		}
		return nil
	}
	l := m.layout()
	switch by := widget.Wheel(msg); {
	case by < 0:
		return named("list.up", "stacks.up")
	case by > 0:
		return named("list.down", "stacks.down")
	case !widget.Clicked(msg):
		return nil
	case l.footer.holds(msg.X, msg.Y):
		return m.pressHint(msg.X)
	}
	at := m.boxAt(len(m.overlay.body(m)))
	if !at.holds(msg.X, msg.Y) {
		return named("list.close")
	}
	return m.overlay.click(m, msg.X-at.x-1, msg.Y-at.y-1)
}

// drawBox draws a frame with lines in it in the middle of the screen.
func (m *Model) drawBox(rows []string, title string, lines []string) {
	k := m.looks
	at := m.boxAt(len(lines))
	x, y, w, h := at.x, at.y, at.w, at.h
	var l ink.Line
	edge := func(from, fill, to, text string) string {
		l.Reset(w, ink.Ink{})
		l.Put(k.popBorder, from+fill)
		if text = widget.Cut(text, max(w-6, 0)); text != "" { // the corner is not written over
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
