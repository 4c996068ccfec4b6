package live

import "dscope.dev/ui/ink"

// merged is stacks as a figure.
type merged struct {
	*stacks
	uncelled
}

func newStacks() merged { return merged{stacks: &stacks{open: map[uint64]bool{}}} }

// asRows makes a tree of an icicle; cursor and zoom stay.
func (f merged) asRows() merged {
	f.rows, f.Top = true, 0
	return f
}

func (f merged) refresh(m *Model, a *agg, v *section) { m.refreshStacks(a, v) }

// lines are all there are: the last of them stay where they are.
func (f merged) lines(place) int { return 1 << 20 }

func (f merged) settle(m *Model, p place) { m.showStacks(p) }

func (f merged) title(m *Model, l *ink.Line, a *agg, v *section) {
	m.drawMeaning(l, a, v)
	text, lack := f.stacksTitle()
	l.Put(m.looks.Key, text)
	l.Put(m.looks.Drop, lack)
}

func (f merged) draw(m *Model, lines []string, l *ink.Line, p place) { m.drawStacks(lines, l, p) }

func (f merged) move(_ *agg, _ *section, by int) { f.scroll(by) }

func (f merged) click(_ *Model, p place, x, y int) { f.clickStacks(p, x, y+1) }

func (f merged) renew() { f.Tree = nil }
