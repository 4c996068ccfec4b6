package live

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
)

// A figure is a way to draw an aggregation below its title. It belongs to a section, whose
// keys, filter and cursor all figures of it share.
type figure interface {
	// refresh works out what is drawn of the moment that is shown.
	refresh(m *Model, a *agg, v *section)

	// lines returns how many lines show all of it.
	lines(p place) int

	// settle moves its window so that the cursor is in it.
	settle(m *Model, p place)

	// title says in the title what is drawn.
	title(m *Model, l *ink.Line, a *agg, v *section)

	draw(m *Model, lines []string, l *ink.Line, p place)

	// move moves the cursor by rows.
	move(a *agg, v *section, by int)

	// click acts on cell x of line y below the title.
	click(m *Model, p place, x, y int)

	// pickAt selects what lies at cell x of line y below the title; false if nothing can be
	// selected there.
	pickAt(m *Model, p place, made *pick, x, y int) bool

	// pickHere selects what is under the cursor; false if nothing is.
	pickHere(a *agg, v *section, made *pick) bool

	// walk moves the cursor of a selection of cells, by lines down and columns to the right.
	walk(a *agg, v *section, made *pick, down, right int)

	// renew forgets what it knows of a run, since another is shown.
	renew()
}

// uncelled is of figures in which no cells can be selected.
type uncelled struct{}

func (uncelled) pickAt(*Model, place, *pick, int, int) bool { return false }
func (uncelled) pickHere(*agg, *section, *pick) bool        { return false }
func (uncelled) walk(*agg, *section, *pick, int, int)       {}

// A timed is a figure over time, with a cursor in it.
type timed interface {
	later(by int) // intervals
}

// A kind is a way to draw aggregations.
type kind struct {
	name string
	key  string                                    // the action that shows it, and goes on from it
	off  func(m *Model, a *agg, v *section) string // why it does not fit; "" if it does
	new  func(from figure) figure
	one  bool // it is of the key under the cursor
}

// refresh works out the figures that are shown. It is called after whatever changes them, so
// that Rows need not.
func (m *Model) refresh() {
	m.layout(func(p place) { p.v.figure.refresh(m, p.a, p.v) })
}

// kinds are all there are. A key goes on to the next of its kinds that fits, after the last
// to the table.
var kinds = []kind{
	{"table", "", fits, func(figure) figure { return &table{} }, false},
	{"heat map", "live.heat", noBuckets, func(figure) figure { return newHeat(false) }, true},
	{"heat map of all keys", "live.heat", either(noBuckets, noOthers), func(figure) figure { return newHeat(true) }, false},
	{"heat maps of the first keys", "live.heat", either(noBuckets, noMultiples), func(figure) figure { return newMultiples() }, false},
	{"curve", "live.heat", noCurve, func(figure) figure { return &curve{} }, true},
	{"curve of all keys", "live.heat", either(noCurve, noOthers), func(figure) figure { return &curve{course: course{all: true}} }, false},
	{"icicle", "live.stacks", noStacks, func(figure) figure { return newStacks() }, false},
	{"tree", "live.stacks", noStacks, func(from figure) figure { return from.(merged).asRows() }, false},
}

// fits is of what can always be drawn.
func fits(*Model, *agg, *section) string { return "" }

// either is why one of two does not fit.
func either(one, other func(*Model, *agg, *section) string) func(*Model, *agg, *section) string {
	return func(m *Model, a *agg, v *section) string {
		if why := one(m, a, v); why != "" {
			return why
		}
		return other(m, a, v)
	}
}

// nextKind returns what a key goes on to.
func (m *Model) nextKind(a *agg, v *section, key string) int {
	from := 1
	if kinds[v.kind].key == key {
		from = v.kind + 1
	}
	for i := from; i < len(kinds); i++ {
		if kinds[i].key == key && kinds[i].off(m, a, v) == "" {
			return i
		}
	}
	return 0
}

// toKind draws the current aggregation as a key asks for.
func toKind(key string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		a, v := m.current()
		v.draw(m.nextKind(a, v, key))
		if p := m.picked(a); p != nil && (p.kind == cells || v.stacks != nil) {
			m.pick = nil
		}
		return nil
	}
}

// noKind says why a key has nothing to draw.
func noKind(key string) func(*Model) string {
	return func(m *Model) string {
		a, v := m.current()
		if a == nil {
			return m.nothing()
		}
		why := ""
		for _, k := range kinds {
			if k.key != key {
				continue
			}
			if why = k.off(m, a, v); why == "" || kinds[v.kind].key == key {
				return ""
			}
		}
		return why
	}
}

// draw makes the figure one of another kind.
func (v *section) draw(i int) {
	v.kind, v.figure = i, kinds[i].new(v.figure)
	v.stacks, v.reader = nil, nil
	if f, ok := v.figure.(merged); ok {
		v.stacks = f.stacks
	}
}

// tabled reports whether the figure is the table, in which the cursor is on a key.
func (v *section) tabled() bool { return v.kind == 0 }
