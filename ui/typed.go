package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A typedList is a list below a line that is typed into, which narrows it. Who embeds it is
// a chooser.
type typedList struct {
	cursor
	query widget.Input
}

// A chooser is an overlay that is a typedList of its own things.
type chooser interface {
	overlay
	typed() *typedList
	count(*Model) int     // the rows that match what is typed
	height(*Model) int    // the rows in view
	head() int            // the lines above them
	narrow(*Model)        // what is typed is another
	moved(*Model) tea.Cmd // the cursor may be on another row
	take(*Model) tea.Cmd  // does what the row under the cursor stands for
}

func (t *typedList) typed() *typedList    { return t }
func (t *typedList) narrow(*Model)        {}
func (t *typedList) moved(*Model) tea.Cmd { return nil }
func (t *typedList) height(m *Model) int  { return max(m.boxLines()-1, 1) }
func (t *typedList) head() int            { return 1 }

// click goes to a row, and takes it if it is there already.
func (t *typedList) click(m *Model, _, y int) tea.Cmd {
	c := m.overlay.(chooser)
	y -= c.head()
	row := t.top + y
	switch {
	case y < 0 || y >= c.height(m) || row >= c.count(m):
		return nil
	case row == t.row:
		return c.take(m)
	}
	return m.choose(row - t.row)
}

// listen types into what narrows the list.
func (t *typedList) listen(m *Model, msg tea.KeyMsg) tea.Cmd {
	was := t.query.Value()
	if t.query.Press(m.keys, msg); t.query.Value() != was {
		t.row = 0
		m.overlay.(chooser).narrow(m)
	}
	return m.choose(0)
}

// choose moves the cursor of the list that is open by so many rows.
func (m *Model) choose(by int) tea.Cmd {
	c := m.overlay.(chooser)
	c.typed().move(by, c.height(m), c.count(m))
	return c.moved(m)
}

// takeChosen does what the row under the cursor stands for.
func (m *Model) takeChosen() tea.Cmd { return m.overlay.(chooser).take(m) }

// choosing are what keys do in every such list, beside the acts of its own.
func choosing(own ...widget.Act[Model]) []widget.Act[Model] {
	page := func(sign int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { return m.choose(sign * m.overlay.(chooser).height(m)) }
	}
	return append(own,
		widget.Act[Model]{Name: "list.close", Do: (*Model).closeOverlay},
		widget.Act[Model]{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.choose(-1) }},
		widget.Act[Model]{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.choose(+1) }},
		widget.Act[Model]{Name: "list.pageup", Do: page(-1)},
		widget.Act[Model]{Name: "list.pagedown", Do: page(+1)},
	)
}

// drawQuery draws the line that is typed into.
func (t *typedList) drawQuery(m *Model, l *ink.Line) string {
	l.Reset(m.boxWidth()-2, m.looks.popText)
	l.Put(m.looks.popMatch, " > ")
	t.query.Draw(l, l.Left(), m.looks.popText, m.looks.popSelected)
	return l.String()
}
