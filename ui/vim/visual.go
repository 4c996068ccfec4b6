package vim

import (
	"strings"

	"dscope.dev/ui/document/text"
)

// visualActs are what keys do with a selection besides motions and objects. The name is an
// operator, or one of these.
var visualActs = map[string]func(m *Machine, c command){
	"x": onSelection("d"), "delete": onSelection("d"), "X": onLines("d"), "D": onLines("d"),
	"s": onSelection("c"), "S": onLines("c"), "C": onLines("c"), "R": onLines("c"), "Y": onLines("y"),
	"~": onSelection("g~"), "u": onSelection("gu"), "U": onSelection("gU"),
	"o": func(m *Machine, _ command) { m.from, m.at = m.at, m.from; m.goalSet = false },
	"J": func(m *Machine, c command) { m.joinSelected(" ") }, "gJ": func(m *Machine, c command) { m.joinSelected("") },
	"p": func(m *Machine, c command) { m.pasteOver(c) }, "P": func(m *Machine, c command) { m.pasteOver(c) },
	"r": func(m *Machine, c command) { m.fill(c) },
	"v": func(m *Machine, _ command) { m.toggle(Visual) }, "V": func(m *Machine, _ command) { m.toggle(Lines) },
	"I": func(m *Machine, c command) { m.insertBeside(c) }, "A": func(m *Machine, c command) { m.insertBeside(c) },
}

// passing are acts that mean the same with a selection.
var passing = map[string]bool{":": true, "gv": true, "zz": true, "zt": true, "zb": true, "ctrl+f": true, "ctrl+b": true, "ctrl+d": true, "ctrl+u": true,
	"ctrl+e": true, "ctrl+y": true, "ctrl+v": true}

func isVisualAct(name string) bool {
	return isOperator(name) || visualActs[name] != nil || passing[name] || strings.HasPrefix(name, "ctrl+w")
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
		a := m.selected()
		if m.mode == Visual && a.to > a.from && a.to == m.start(a.to) {
			a.to--
		}
		a.lines = true
		m.apply(c, a)
	}
}

// selected returns what is selected.
func (m *Machine) selected() area {
	a := area{from: min(m.from, m.at), to: max(m.from, m.at)}
	if m.mode == Lines {
		a.lines = true
		return a
	}
	a.to = m.next(a.to)
	if m.line(a.to) > m.lastLine() && a.to > a.from { // the newline at the end of the text stays
		a.to--
	}
	return a
}

// runSelected does what a command says with a selection.
func (m *Machine) runSelected(c command) {
	switch {
	case isOperator(c.name):
		m.note(c)
		a := m.selected()
		if lineOperators[c.name] && !a.lines {
			a.to = max(m.from, m.at)
			a.lines = true
		}
		c.op = c.name
		times := 1
		if c.name == ">" || c.name == "<" {
			times = c.times()
		}
		if times > 1 {
			by := map[string]int{">": times, "<": -times}[c.name]
			m.shift(a, by)
			return
		}
		m.apply(c, a)
	case visualActs[c.name] != nil:
		if !strings.Contains("vVo", c.name) {
			m.note(c)
		}
		visualActs[c.name](m, c)
	case isObject(c.name):
		m.growBy(c)
	case isMotion(c.name):
		m.move(c)
	default:
		acts[c.name].do(m, c)
	}
}

// lineOperators take whole lines whatever is selected.
var lineOperators = map[string]bool{">": true, "<": true, "=": true, "gc": true}

// note notes a change of what is selected, for the dot.
func (m *Machine) note(c command) {
	if m.again != nil || c.name == "y" || c.name == "Y" {
		return
	}
	from, to := min(m.from, m.at), max(m.from, m.at)
	e := extent{mode: m.mode, lines: m.line(to) - m.line(from)}
	for at := max(from, m.start(to)); at <= to; e.count++ {
		if at == m.end(at) {
			e.count++
			break
		}
		at = m.next(at)
	}
	m.last = change{command: c, selected: e}
}

// selectExtent selects as much as was selected, from the cursor on.
func (m *Machine) selectExtent(e extent) {
	m.mode, m.from = e.mode, m.at
	n := min(m.line(m.at)+e.lines, m.lastLine())
	switch {
	case e.mode == Lines:
		m.at = m.buf.Start(n)
		return
	case e.lines > 0:
		m.at = m.buf.Start(n)
	}
	for i := 1; i < e.count && m.at < m.end(m.at); i++ {
		if m.next(m.at) >= m.end(m.at) {
			break
		}
		m.at = m.next(m.at)
	}
}

// growBy selects an object; a selection grows by it.
func (m *Machine) growBy(c command) {
	o, _ := objectOf(c.name)
	grown := m.from != m.at
	if grown && m.at < m.from {
		return // backwards nothing grows
	}
	was := m.selected()
	find := func() (area, bool) { return o.find(m, c) }
	if grown && strings.Contains("wWp", c.name[1:]) { // on with what follows
		m.at = min(m.next(m.at), m.buf.Size())
		a, ok := find()
		m.at = m.prev(m.at)
		if !ok {
			return
		}
		was.to = a.to
		if a.lines {
			was.to = m.end(a.to) + 1
		}
		m.at = m.prev(max(was.to, m.from+1))
		return
	}
	a, ok := find()
	if ok && grown && a.from >= was.from && a.to <= was.to && len(sameObjects) > 0 { // the next one outside
		at := m.at
		m.at = max(a.from-2, 0)
		if wider, found := find(); found && wider.to >= a.to {
			a = wider
		}
		m.at = at
	}
	if !ok {
		return
	}
	m.from, m.at, m.goalSet = a.from, m.prev(a.to), false
	if a.lines {
		m.at = a.to
		if strings.HasSuffix(c.name, "p") {
			m.mode = Lines
		} else {
			m.at = m.end(a.to)
		}
	}
}

func selecting(mode Mode) func(*Machine, command) bool {
	return func(m *Machine, c command) bool {
		m.mode, m.from = mode, m.at
		for n := c.times(); n > 1; n-- {
			if mode == Lines {
				m.at = m.buf.Start(min(m.line(m.at)+1, m.lastLine()))
			} else if m.next(m.at) < m.end(m.at) {
				m.at = m.next(m.at)
			}
		}
		return false
	}
}

// toggle goes from one kind of selection to the other, or ends it.
func (m *Machine) toggle(mode Mode) {
	if m.mode == mode {
		m.drop()
		return
	}
	m.mode = mode
}

func (m *Machine) reselect(command) bool {
	if m.seen.mode != Normal {
		s := m.seen
		m.drop()
		m.mode, m.from, m.at = s.mode, min(s.from, m.buf.Size()), min(s.at, m.buf.Size())
	}
	return false
}

func (m *Machine) joinSelected(between string) {
	a := area{from: min(m.from, m.at), to: max(m.from, m.at)}
	first, last := m.span(a)
	if last == first {
		last = first + 1
	}
	m.at = a.from
	m.drop()
	if last <= m.lastLine() {
		m.joinFrom(first, last-first+1, between)
	}
}

// pasteOver puts a register in the place of what is selected, which goes into the usual one.
func (m *Machine) pasteOver(c command) {
	r := m.register(c.register)
	a := m.selected()
	cut := command{}
	was := m.buf.Mark()
	pos := m.buf.Pos(m.at)
	wasLines := a.lines
	atEnd := !a.lines && a.to == m.end(a.to)
	_, last := m.span(a)
	below := a.lines && last == m.lastLine()
	m.mode = Visual // what is deleted is no more than that
	m.delete(a, cut)
	m.mode = Normal
	deleted := m.registers[unnamed]
	m.setRegister(unnamed, r)
	paste := command{name: "P", count: c.count}
	switch {
	case r.text == "":
	case wasLines && !r.lines:
		m.setRegister(unnamed, register{r.text + "\n", true})
		m.clamp()
		m.paste(paste, !below, false)
		m.at = m.start(m.at)
	case wasLines:
		m.clamp()
		m.paste(paste, !below, false)
	case r.lines:
		at := a.from
		m.change(func() { m.replace(at, at, "\n"+strings.Repeat(r.text, c.times())) })
		m.at = m.firstWord(m.line(at) + 1)
	default:
		m.at = a.from
		if atEnd && a.from > m.start(a.from) {
			m.at = m.prev(a.from)
			m.paste(paste, false, false)
		} else {
			m.paste(paste, true, false)
		}
	}
	m.setRegister(unnamed, deleted)
	m.buf.Join(was, text.At(m.buf.Offset(pos)))
}

// fill puts one character in the place of each that is selected.
func (m *Machine) fill(c command) {
	a := m.selected()
	if a.lines {
		first, last := m.span(a)
		a.from, a.to = m.buf.Start(first), m.buf.End(last)
	}
	var b strings.Builder
	for s := m.buf.Slice(a.from, a.to); s != ""; {
		n := runeLen(s)
		if s[0] == '\n' || s[0] == '\r' {
			b.WriteString(s[:n])
		} else {
			b.WriteString(c.arg)
		}
		s = s[n:]
	}
	m.change(func() { m.buf.Replace(a.from, a.to, b.String()) })
	m.drop()
	m.at = a.from
}

// insertBeside goes into insert mode before what is selected, or behind it.
func (m *Machine) insertBeside(c command) {
	a := m.selected()
	if a.lines {
		first, last := m.span(a)
		a.from, a.to = m.buf.Start(first), m.buf.End(last)
	}
	m.drop()
	c.name = map[string]string{"I": "i", "A": "a"}[c.name]
	at := a.from
	if c.name == "a" {
		at = a.to
	}
	m.open(c, at)
}
