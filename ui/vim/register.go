package vim

import (
	"strings"
	"unicode"

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

// keep puts a text into the register of a command, and into the usual one.
func (m *Machine) keep(c command, s string, lines, deleted bool) {
	r := register{s, lines}
	if c.register == nowhere {
		return
	}
	switch name := c.register; {
	case isClipboard(name):
		m.host.Copy(s)
	case unicode.IsUpper(name): // goes on
		name = unicode.ToLower(name)
		r = m.registers[name].and(r)
		m.setRegister(name, r)
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

// and returns a register with another behind it.
func (r register) and(more register) register {
	if r.lines != more.lines && r.text != "" {
		for _, one := range []*register{&r, &more} {
			if !one.lines {
				one.text, one.lines = one.text+"\n", true
			}
		}
	}
	return register{r.text + more.text, r.lines || more.lines}
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
	return m.registers[unicode.ToLower(name)]
}

// paste puts a register behind the cursor, or before it.
func (m *Machine) paste(c command, before, behind bool) bool {
	r := m.register(c.register)
	if r.text == "" {
		m.host.Say("nothing was copied or deleted yet")
		return false
	}
	times := c.times()
	if len(r.text)*times > text.MaxSize-m.buf.Size() {
		m.host.Say("not put: the script would grow too large")
		return false
	}
	s := strings.Repeat(r.text, times)
	if r.lines {
		m.pasteLines(s, before, behind)
		return true
	}
	to := m.at
	if !before {
		to = m.behindCharacter(to)
	}
	m.change(func() { m.replace(to, to, s) })
	end := to + len(s) + strings.Count(s, "\n")*(len(m.buf.Newline(m.line(to)))-1)
	switch {
	case behind:
		m.at = end
	case strings.Contains(r.text, "\n"):
		m.at = to
	default:
		m.at = m.prev(end)
	}
	return true
}

// pasteLines puts lines below that of the cursor, or above.
func (m *Machine) pasteLines(s string, before, behind bool) {
	n, lines := m.line(m.at), strings.Count(s, "\n")
	m.change(func() {
		if before {
			m.replace(m.buf.Start(n), m.buf.Start(n), m.above(strings.TrimSuffix(s, "\n")))
			return
		}
		m.replace(m.buf.End(n), m.buf.End(n), "\n"+strings.TrimSuffix(s, "\n"))
	})
	if !before {
		n++
	}
	m.at = m.firstWord(n)
	if behind {
		m.at = m.buf.Start(min(n+lines, m.lastLine()))
	}
}
