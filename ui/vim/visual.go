package vim

import "strings"

// visualActs are what keys do with a selection besides operators, motions and objects.
var visualActs = map[string]func(m *Machine, c command){
	"x": onSelection("d"), "s": onSelection("c"), "~": onSelection("g~"), "u": onSelection("gu"), "U": onSelection("gU"),
	"X": onLines("d"), "D": onLines("d"), "S": onLines("c"), "C": onLines("c"), "Y": onLines("y"),
	"o": func(m *Machine, _ command) { m.from, m.at, m.goalSet = m.at, m.from, false },
	"J": func(m *Machine, _ command) { m.joinSelected() },
	"p": (*Machine).pasteOver,
	"P": (*Machine).pasteOver,
	"r": (*Machine).fill,
	"v": func(m *Machine, _ command) { m.toggle(Visual) },
	"V": func(m *Machine, _ command) { m.toggle(Lines) },
}

// passing are acts that mean the same with a selection; changing are acts on one that . does
// not make again.
const (
	passing  = " : m zz zt zb ctrl+f ctrl+b ctrl+d ctrl+u "
	changing = " y Y v V o "
)

func isVisualAct(name string) bool {
	return isOperator(name) || visualActs[name] != nil || strings.Contains(passing, " "+name+" ")
}

func onSelection(op string) func(*Machine, command) {
	return func(m *Machine, c command) {
		c.op = op
		m.apply(c, m.selected())
	}
}

// onLines takes all lines of the selection.
func onLines(op string) func(*Machine, command) {
	return func(m *Machine, c command) {
		c.op = op
		m.apply(c, m.selectedLines())
	}
}

// selectedLines are those of which anything is selected.
func (m *Machine) selectedLines() area {
	return area{m.start(min(m.from, m.at)), max(m.from, m.at), true}
}

// selected returns what is selected.
func (m *Machine) selected() area {
	a := area{from: min(m.from, m.at), to: max(m.from, m.at)}
	if m.mode == Lines {
		return area{m.start(a.from), a.to, true}
	}
	a.to = m.next(a.to)
	if m.line(a.to) > m.lastLine() && a.to > a.from { // the newline at the end of the text stays
		a.to = m.prev(a.to)
	}
	return a
}

// runSelected does what a command says with a selection.
func (m *Machine) runSelected(c command) {
	switch does := visualActs[c.name]; {
	case isOperator(c.name):
		m.note(c)
		switch c.name {
		case "<", ">":
			by := c.times()
			if c.name == "<" {
				by = -by
			}
			m.shift(m.selectedLines(), by)
		case "=":
			onLines("=")(m, c)
		default:
			onSelection(c.name)(m, c)
		}
	case does != nil:
		m.note(c)
		does(m, c)
	case isObject(c.name):
		m.grow(c)
	case isMotion(c.name):
		m.move(c)
	default:
		acts[c.name](m, c)
	}
}

// An extent is how much was selected.
type extent struct {
	mode  Mode
	lines int // beyond the first
	count int // characters of the last line
}

// note notes a change of what is selected, for the dot.
func (m *Machine) note(c command) {
	if m.again != nil || strings.Contains(changing, " "+c.name+" ") {
		return
	}
	from, to := min(m.from, m.at), max(m.from, m.at)
	e := extent{mode: m.mode, lines: m.line(to) - m.line(from), count: 1}
	for at := max(from, m.start(to)); at < to; e.count++ {
		at = m.next(at)
	}
	m.about = e
	m.last = change{command: c, selected: e}
}

// selectExtent selects as much as was selected, from the cursor on.
func (m *Machine) selectExtent(e extent) {
	m.mode, m.from = e.mode, m.at
	if e.lines > 0 || e.mode == Lines {
		m.at = m.buf.Start(min(m.line(m.at)+e.lines, m.lastLine()))
	}
	for i := 1; i < e.count && e.mode == Visual && m.next(m.at) < m.end(m.at); i++ {
		m.at = m.next(m.at)
	}
}

// grow selects an object. One that is selected already gives way to the one around it.
func (m *Machine) grow(c command) {
	find, was := objectOf(c.name), m.selected()
	a, ok := find(m, c)
	if ok && m.from != m.at && a.from >= was.from && a.to <= was.to {
		c.count = c.times() + 1
		a, ok = find(m, c)
	}
	if m.failed = !ok; m.failed {
		return
	}
	m.from, m.at, m.goalSet = a.from, max(m.prev(a.to), a.from), false
	if a.lines {
		m.at = m.end(a.to)
		if strings.HasSuffix(c.name, "p") {
			m.at, m.mode = a.to, Lines
		}
	}
}

// selectFrom begins a selection.
func (m *Machine) selectFrom(mode Mode) bool {
	m.mode, m.from = mode, m.at
	return false
}

// toggle goes from one kind of selection to the other, or ends it.
func (m *Machine) toggle(mode Mode) {
	if m.mode == mode {
		m.drop()
		return
	}
	m.mode = mode
}

func (m *Machine) joinSelected() {
	first, last := m.span(area{from: min(m.from, m.at), to: max(m.from, m.at)})
	m.at = min(m.from, m.at)
	m.drop()
	m.joinLines(first, max(last-first+1, 2))
}

// fill puts one character in the place of each that is selected.
func (m *Machine) fill(c command) {
	from, to := m.inner(m.selected())
	var b strings.Builder
	for _, r := range m.buf.Slice(from, to) {
		if r == '\n' || r == '\r' {
			b.WriteRune(r)
		} else {
			b.WriteString(c.arg)
		}
	}
	m.drop()
	m.change(func() { m.buf.Replace(from, to, b.String()) })
	m.at = from
}
