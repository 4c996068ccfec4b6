package vim

import (
	"strconv"
	"strings"

	"dscope.dev/ui/document/text"
)

// An exCommand is one of the command line.
type exCommand struct {
	short, name string // the least of it that has to be typed, and all
	do          func(m *Machine, r lineRange, argument string)
}

var exCommands = []exCommand{
	{"w", "write", request("file.save")},
	{"wa", "wall", request("file.saveall")},
	{"q", "quit", request("file.quit")},
	{"qa", "qall", request("quit")},
	{"wq", "wq", request("file.savequit")},
	{"x", "xit", request("file.savequit")},
	{"e", "edit", request("file.open")},
	{"ene", "enew", request("file.new")},
	{"bn", "bnext", request("file.next")},
	{"bp", "bprevious", request("file.previous")},
	{"bd", "bdelete", request("file.close")},
	{"ls", "ls", request("scripts.open")},
	{"h", "help", request("help.open")},
	{"s", "substitute", (*Machine).substitute},
	{"noh", "nohlsearch", func(m *Machine, _ lineRange, _ string) { m.host.Found(text.Query{}) }},
	{"se", "set", func(m *Machine, _ lineRange, _ string) {
		m.host.Say("nothing is set here: dscope config prints what can be said")
	}},
}

func request(action string) func(*Machine, lineRange, string) {
	return func(m *Machine, _ lineRange, argument string) { m.host.Do(action, argument) }
}

// A lineRange is the lines that a command line is about, from 0.
type lineRange struct{ first, last int }

// execute does what a command line says.
func (m *Machine) execute(line string) {
	line = strings.TrimLeft(line, ": \t")
	r, rest := m.lineRange(line)
	switch {
	case line == "":
		return
	case r.first < 0 || rest != "" && r.last > m.lastLine():
		m.failed = true
		m.host.Say("there is no such line")
		return
	case rest == "":
		m.host.Keep('\'', m.at)
		m.at, m.goalSet = m.firstWord(min(r.last, m.lastLine())), false
		return
	}
	n := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))
	name, argument := rest[:n], strings.TrimSpace(rest[n:])
	for _, c := range exCommands {
		if len(name) >= len(c.short) && strings.HasPrefix(c.name, name) {
			c.do(m, r, argument)
			return
		}
	}
	m.host.Say("no command is called " + rest + " here; there are :w :q :wq :x :e :bn :bp :bd :ls :s :noh :help")
}

// lineRange reads the lines before a command.
func (m *Machine) lineRange(s string) (r lineRange, rest string) {
	here := m.line(m.at)
	if rest, ok := strings.CutPrefix(s, "%"); ok {
		return lineRange{0, m.lastLine()}, strings.TrimLeft(rest, " \t")
	}
	r.first, s = m.address(s, here)
	r.last = r.first
	if rest, ok := strings.CutPrefix(s, ","); ok {
		r.last, s = m.address(rest, here)
	}
	if r.first > r.last {
		r.first, r.last = r.last, r.first
	}
	return r, strings.TrimLeft(s, " \t")
}

// address reads the number of a line, from 0, or takes the one here; no such line is -1.
func (m *Machine) address(s string, here int) (n int, rest string) {
	n = here
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case digits > 0:
		n, _ = strconv.Atoi(s[:digits])
		n, s = max(n-1, 0), s[digits:]
	case strings.HasPrefix(s, "."):
		s = s[1:]
	case strings.HasPrefix(s, "$"):
		n, s = m.lastLine(), s[1:]
	case strings.HasPrefix(s, "'") && len(s) > 1:
		off, ok := m.host.Place(rune(s[1]))
		if n, s = m.line(min(off, m.buf.Size())), s[2:]; !ok {
			return -1, s
		}
	}
	return n, s
}
