package vim

import (
	"strings"

	"dscope.dev/ui/document/text"
)

// A register keeps what was deleted or copied.
type register struct {
	text  string
	lines bool // whole lines, each with its newline
}

// The registers with a meaning of their own.
const (
	unnamed = '"'
	copied  = '0' // what was copied last, deleted or not
	nowhere = '_'
)

func isClipboard(name rune) bool { return name == '+' || name == '*' }

// keep puts an area into the register of a command, and into the usual one.
func (m *Machine) keep(c command, a area, deleted bool) {
	r := register{m.slice(m.inner(a)), a.lines}
	if a.lines {
		r.text += "\n"
	}
	switch name := c.register; {
	case name == nowhere, r.text == "":
		return
	case isClipboard(name):
		m.host.Copy(r.text)
	case name != 0:
		m.setRegister(name, r)
	case !deleted:
		m.setRegister(copied, r)
	}
	m.setRegister(unnamed, r)
}

func (m *Machine) setRegister(name rune, r register) {
	if m.registers == nil {
		m.registers = map[rune]register{}
	}
	m.registers[name] = r
}

// register returns what a name stands for.
func (m *Machine) register(name rune) register {
	switch {
	case name == 0:
		name = unnamed
	case isClipboard(name):
		s := strings.ReplaceAll(m.host.Clipboard(), "\r\n", "\n")
		return register{s, strings.HasSuffix(s, "\n")}
	}
	return m.registers[name]
}

// put returns what a command puts into the text.
func (m *Machine) put(c command) (r register, ok bool) {
	r = m.register(c.register)
	switch {
	case r.text == "":
		m.host.Say("nothing was copied or deleted yet")
		return r, false
	case len(r.text)*c.times() > text.MaxSize-m.buf.Size():
		m.host.Say("not put: the script would grow too large")
		return r, false
	}
	r.text = strings.Repeat(r.text, c.times())
	return r, true
}

// paste puts a register behind the cursor, or before it.
func (m *Machine) paste(c command, before bool) bool {
	r, ok := m.put(c)
	if !ok {
		return false
	}
	n, to, s := m.line(m.at), m.at, r.text
	switch {
	case r.lines && before:
		to = m.start(to)
	case r.lines:
		n, to, s = n+1, m.end(to), "\n"+strings.TrimSuffix(s, "\n")
	case !before:
		to = m.behindCharacter(to)
	}
	m.change(func() { m.replace(to, to, s) })
	m.landed(r, n, to)
	return true
}

// landed puts the cursor where it stands after a register was put: lines at line n, all else
// at an offset.
func (m *Machine) landed(r register, n, at int) {
	switch {
	case r.lines:
		m.at = m.firstWord(n)
	case strings.Contains(r.text, "\n"):
		m.at = at
	default:
		m.at = m.prev(at + len(r.text))
	}
}

// pasteOver puts a register in the place of what is selected, which goes into the usual one
// unless it is P that asks.
func (m *Machine) pasteOver(c command) {
	a := m.selected()
	r, ok := m.put(c)
	if !ok {
		return
	}
	m.drop()
	if c.name == "p" {
		m.keep(command{}, a, true)
	}
	from, to := m.inner(a)
	n, s := m.line(from), r.text
	switch {
	case a.lines:
		s = strings.TrimSuffix(s, "\n")
	case r.lines:
		n, s = n+1, "\n"+s
	}
	m.change(func() { m.replace(from, to, s) })
	if m.landed(r, n, from); a.lines && !r.lines {
		m.at = from
	}
}
