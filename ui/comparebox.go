package ui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/compare"
	"dscope.dev/ui/icicle"
	"dscope.dev/ui/shelf"
	"dscope.dev/ui/widget"
)

// A contrast is a comparison that is looked at.
type contrast struct {
	cursor
	a, b   compare.Side
	tables []compare.Table
	at     int      // the table that is shown
	busy   bool     // it is being worked out
	sides  twoSides // takes them anew
	stackContrast
}

func (*contrast) wide() bool             { return true }
func (*contrast) title(*Model) string    { return "Comparison" }
func (*contrast) body(m *Model) []string { return m.drawContrast() }

func (c *contrast) table(*Model) widget.Table[Model] {
	if c.icicle() {
		return compareStackActs
	}
	return compareActs
}

func (c *contrast) click(m *Model, x, y int) tea.Cmd {
	if c.icicle() {
		return onContrast(func(v *icicle.View) { v.Click(y-icicleHead, x-1) })(m)
	}
	if row := y - contrastHead; row >= 0 && row < m.contrastHeight() {
		return m.toDifference(c.top + row - c.row)
	}
	return nil
}

// A twoSides returns what works out two sides, beside the screen.
type twoSides func() (a, b func() compare.Side, err error)

// compareActs are what keys do in the comparison.
var compareActs = widget.Table[Model]{Context: "compare", Acts: []widget.Act[Model]{
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.toDifference(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.toDifference(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.toDifference(-m.contrastHeight()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.toDifference(+m.contrastHeight()) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.toDifference(-1 << 30) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.toDifference(+1 << 30) }},
	{Name: "compare.next", Off: (*Model).oneTable, Do: func(m *Model) tea.Cmd { return m.toTable(+1) }},
	{Name: "compare.previous", Off: (*Model).oneTable, Do: func(m *Model) tea.Cmd { return m.toTable(-1) }},
	{Name: "compare.open", Do: (*Model).compareAgain},
	{Name: "compare.stacks", Off: (*Model).unstacked, Do: (*Model).listContrast},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

// noCompare says why there is nothing to compare.
func (m *Model) noCompare() string {
	switch {
	case !m.run.shown():
		return "nothing has been run yet"
	case len(m.live.Marks()) > 0:
		return ""
	case m.before(m.lookedAt()) == nil:
		return "there is no run before this one, and no mark: " + m.keys.Key("timeline.mark") + " sets one"
	}
	return ""
}

// before returns the run that came before r, nil if none is kept.
func (m *Model) before(r *shelf.Run) *shelf.Run {
	list := m.allRuns()
	for i := range list[:max(len(list)-1, 0)] {
		if list[i].Number == r.Number {
			return list[i+1]
		}
	}
	return nil
}

// openCompare compares before and after a mark of the run that is shown, or that run with
// the one before it if there is no mark.
func (m *Model) openCompare() tea.Cmd {
	if len(m.live.Marks()) > 0 {
		return m.compareMark()
	}
	r := m.lookedAt()
	return m.compareTwo(m.before(r), r)
}

// compareMark compares what came from the mark before up to a mark with what came from
// there up to the next: the last mark up to the moment that is shown, or else the first.
func (m *Model) compareMark() tea.Cmd {
	line := m.live.Timeline()
	marks := slices.Clone(line.Marks())
	at := 0
	for i, mark := range marks {
		if mark <= m.live.Elapsed() {
			at = i
		}
	}
	return m.contrastOf(func() (a, b func() compare.Side, err error) {
		from, mark, to := -1, line.Find(marks[at]), line.Len()-1
		first, last := "the start", "the end"
		if at > 0 {
			from, first = line.Find(marks[at-1]), "mark at "+widget.Elapsed(marks[at-1])
		}
		if at+1 < len(marks) {
			to, last = line.Find(marks[at+1]), "mark at "+widget.Elapsed(marks[at+1])
		}
		if mark >= to || mark <= from {
			return a, b, fmt.Errorf("nothing has come after the mark at %s yet", widget.Elapsed(marks[at]))
		}
		here := widget.Elapsed(marks[at])
		return compare.Between(first+" to "+here, line, from, mark), compare.Between(here+" to "+last, line, mark, to), nil
	})
}

// noPair says why the run under the cursor cannot be compared.
func (m *Model) noPair() string {
	r := m.chosen()
	if why := pictureless(r); why != "" {
		return why
	}
	if opened[*shelfBox](m).picked == r.Number {
		return "this is the run that is picked: go to another"
	}
	if m.partner() == nil {
		return "there is no run before this one: " + m.keys.KeyIn("shelf", "shelf.pick") + " picks another to compare with"
	}
	return ""
}

// partner returns the run that the one under the cursor is compared with.
func (m *Model) partner() *shelf.Run {
	for _, r := range m.allRuns() {
		if r.Number == opened[*shelfBox](m).picked {
			return r
		}
	}
	return m.before(m.chosen())
}

func (m *Model) compareRuns() tea.Cmd { return m.compareTwo(m.partner(), m.chosen()) }

// compareTwo compares two runs, each from its start to its end.
func (m *Model) compareTwo(a, b *shelf.Run) tea.Cmd {
	m.live.CatchUp() // one of them may go on
	for _, r := range []*shelf.Run{a, b} {
		if why := pictureless(r); why != "" {
			m.say(plain, why)
			return nil
		}
	}
	return m.contrastOf(func() (x, y func() compare.Side, err error) { return whole(a), whole(b), nil })
}

// whole returns all of a run.
func whole(r *shelf.Run) func() compare.Side {
	return compare.Between(fmt.Sprintf("run %d", r.Number), r.Line, -1, r.Line.Len()-1)
}

// contrastOf shows how two sides differ, as it is now. It is not kept up to date: numbers
// that are being read stay what they are.
func (m *Model) contrastOf(sides twoSides) tea.Cmd {
	return m.contrastLike(&contrast{}, sides)
}

// contrastLike shows of it what was looked at of another before.
func (m *Model) contrastLike(before *contrast, sides twoSides) tea.Cmd {
	sideA, sideB, err := sides()
	if err != nil {
		m.say(plain, err.Error())
		return nil
	}
	c := &contrast{sides: sides, busy: true}
	c.at, c.listed, c.view = before.at, before.listed, before.view
	m.overlay = c
	return func() tea.Msg {
		a, b := sideA(), sideB()
		return contrastedMsg{c, a, b, compare.Sides(a, b)}
	}
}

// A contrastedMsg is a comparison that has been worked out.
type contrastedMsg struct {
	of     *contrast
	a, b   compare.Side
	tables []compare.Table
}

// contrasted shows it, unless something else is shown by now.
func (m *Model) contrasted(msg contrastedMsg) tea.Cmd {
	c := opened[*contrast](m)
	if c == nil || c != msg.of {
		return nil
	}
	c.busy, c.a, c.b, c.tables = false, msg.a, msg.b, msg.tables
	if c.at >= len(c.tables) {
		c.at = 0
	}
	m.toDifference(0)
	return m.mergeContrast()
}

// compareAgain takes the sides anew; what is looked at of them stays.
func (m *Model) compareAgain() tea.Cmd {
	c := opened[*contrast](m)
	return m.contrastLike(c, c.sides)
}

func (m *Model) oneTable() string {
	if len(opened[*contrast](m).tables) < 2 {
		return "there is one aggregation only"
	}
	return ""
}

func (m *Model) toTable(by int) tea.Cmd {
	c := opened[*contrast](m)
	n := len(c.tables)
	c.at = ((c.at+by)%n + n) % n
	c.cursor = cursor{}
	c.view.Reset()
	m.toDifference(0)
	return m.mergeContrast()
}

// rows returns what can be chosen: of a histogram with several keys first all of them
// together.
func (c *contrast) rows() []compare.Row {
	if len(c.tables) == 0 {
		return nil
	}
	t := &c.tables[c.at]
	if t.Func.IsHistogram() && len(t.Rows) > 1 {
		return append([]compare.Row{t.All}, t.Rows...)
	}
	return t.Rows
}

// toDifference moves the cursor by rows.
func (m *Model) toDifference(by int) tea.Cmd {
	c := opened[*contrast](m)
	c.move(by, m.contrastHeight(), len(c.rows()))
	return nil
}
