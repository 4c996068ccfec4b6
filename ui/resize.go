package ui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// How far a key moves a border, in cells.
const (
	widen    = 4
	heighten = 2
)

// next returns the border that a pane is resized with: the one behind it, or else the one before
// it; sign is -1 if the pane grows as that goes back.
func (l *layout) next(s slot, down bool) (b border, sign int, ok bool) {
	t, body := l.title[s], l.body[s]
	for _, b := range l.borders {
		if b.down == down && (down && b.y == body.y+body.h && b.x == t.x || !down && b.x == t.x+t.w && b.y <= t.y && t.y < b.y+b.h) {
			return b, +1, true
		}
	}
	for _, b := range l.borders {
		if b.down == down && (down && b.y == t.y && b.x == t.x || !down && b.x+1 == t.x && b.y <= t.y && t.y < b.y+b.h) {
			return b, -1, true
		}
	}
	return b, 0, false
}

// resizeBy makes the pane in focus wider or taller by so many cells, or less so.
func resizeBy(dx, dy int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		l := m.layout()
		if b, sign, ok := l.next(m.focus, dy != 0); ok {
			m.shape = l.drag(m.shape, b.edge, b.x+sign*dx, b.y+sign*dy)
			m.place()
		}
		return nil
	}
}

// unsized says why the pane in focus cannot become taller, or else wider.
func unsized(down bool) func(*Model) string {
	return func(m *Model) string {
		l := m.layout()
		switch _, _, ok := l.next(m.focus, down); {
		case ok:
			return ""
		case len(l.borders) == 0:
			return "the pane has the whole screen"
		case down:
			return "the pane has all of the height"
		}
		return "the pane has all of the width"
	}
}

// closePane gives the place of the pane in focus to the others, until somebody goes to it.
func (m *Model) closePane() tea.Cmd {
	open := m.shape.open(m.w)
	gone := m.focus
	to := open[(slices.Index(open, gone)+1)%len(open)]
	if last := m.trail.last; last != gone && !m.shape.closed(last) {
		to = last
	}
	m.shape.zoom = false
	m.shape = m.shape.close(gone, true)
	m.say(plain, fmt.Sprintf("%s is closed; %s opens it", gone, m.keys.Key("pane."+paneNames[gone])))
	return m.setFocus(to)
}

// paneNames are what the actions that go to a pane call it.
var paneNames = [slots]string{"probes", "script", "live", "output"}

// swapPane has the pane in focus and the one after it change places.
func (m *Model) swapPane() tea.Cmd {
	open := m.shape.open(m.w)
	m.shape.zoom = false
	m.shape = m.shape.swap(m.w, m.focus, open[(slices.Index(open, m.focus)+1)%len(open)])
	m.place()
	return nil
}

// lonely says why the pane in focus can neither close nor change places.
func (m *Model) lonely() string {
	if len(m.shape.open(m.w)) == 1 {
		return "it is the only pane that is open"
	}
	return ""
}
