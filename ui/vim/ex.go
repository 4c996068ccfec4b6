package vim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"dscope.dev/ui/document/text"
)

// put is what :s put in place of what, the last time.
type put struct {
	with  string
	flags string
	done  bool
	line  string // of the last command line
}

// answered goes on with a line that was asked for.
func (m *Machine) answered(prompt, line string, ok bool) {
	if prompt == ":" {
		if ok {
			m.execute(line)
		}
		return
	}
	c := m.asked
	m.asked = nil
	if c == nil || !ok {
		m.drop()
		return
	}
	c.arg = c.name + line
	if line == "" {
		c.arg = c.name
	}
	m.execute1(*c)
}

// A lineRange is the lines that a command line is about, from 0.
type lineRange struct {
	first, last int
	given       bool
}

// execute does what a command line says.
func (m *Machine) execute(line string) {
	rest := strings.TrimLeft(line, ": \t")
	if rest != "" && rest != "@:" {
		m.put.line = line
	}
	r, rest, err := m.lineRange(rest)
	if err != "" {
		m.host.Say(err)
		return
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		if r.given {
			m.at = m.firstWord(r.last)
			m.goalSet = false
		}
		return
	}
	name, argument := nameOf(rest)
	for _, c := range exCommands {
		if len(name) >= len(c.short) && strings.HasPrefix(c.name, name) {
			c.do(m, r, strings.TrimSpace(argument))
			return
		}
	}
	m.host.Say("no command is called " + name + ": :help lists what there is")
}

// nameOf splits a command line behind its name.
func nameOf(s string) (name, argument string) {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	if n > 1 && s[0] == 's' && !strings.HasPrefix("substitute", s[:n]) && !isExName(s[:n]) {
		n = 1 // :sg and the like: flags
	}
	if n == 0 && s != "" {
		n = 1
	}
	return s[:n], s[n:]
}

func isExName(name string) bool {
	for _, c := range exCommands {
		if len(name) >= len(c.short) && strings.HasPrefix(c.name, name) {
			return true
		}
	}
	return false
}

// lineRange reads the lines before a command.
func (m *Machine) lineRange(s string) (r lineRange, rest, wrong string) {
	r = lineRange{first: m.line(m.at), last: m.line(m.at)}
	if rest, ok := strings.CutPrefix(s, "%"); ok {
		return lineRange{0, m.lastLine(), true}, rest, ""
	}
	for i := 0; ; i++ {
		n, rest, ok, err := m.address(s)
		if err != "" {
			return r, s, err
		}
		s = strings.TrimLeft(rest, " ")
		if ok {
			r.given = true
			if r.last = n; i == 0 {
				r.first = n
			}
		}
		if after, comma := strings.CutPrefix(s, ","); comma || strings.HasPrefix(s, ";") {
			if s = strings.TrimPrefix(after, ";"); i == 0 {
				r.first, r.given = r.last, true
			} else {
				r.first = r.last
			}
			r.last = m.line(m.at)
			continue
		}
		if r.first > r.last {
			r.first, r.last = r.last, r.first
		}
		if r.first < 0 || r.last > m.lastLine() {
			return r, s, "there is no such line"
		}
		return r, s, ""
	}
}

// address reads the number of a line, from 0.
func (m *Machine) address(s string) (n int, rest string, ok bool, wrong string) {
	n, ok = m.line(m.at), true
	switch {
	case strings.HasPrefix(s, "."):
		s = s[1:]
	case strings.HasPrefix(s, "$"):
		n, s = m.lastLine(), s[1:]
	case strings.HasPrefix(s, "'<"), strings.HasPrefix(s, "'>"):
		from, to := min(m.seen.from, m.seen.at), max(m.seen.from, m.seen.at)
		if n = m.line(min(to, m.buf.Size())); s[1] == '<' {
			n = m.line(from)
		}
		s = s[2:]
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "?"):
		what, after, _ := delimited(s[1:], s[0])
		back := s[0] == '?'
		if what != "" {
			re, err := Pattern(what)
			if err != nil {
				return 0, s, false, err.Error()
			}
			m.pattern = pattern{re, back}
		}
		if m.pattern.re == nil {
			return 0, s, false, "nothing was searched for yet"
		}
		from := m.end(m.at)
		if back {
			from = m.start(m.at)
		}
		to, found := m.find(from, back)
		if !found {
			return 0, s, false, "not found: " + m.pattern.re.String()
		}
		n, s = m.line(to), after
	default:
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		number, err := strconv.Atoi(s[:digits])
		if err == nil {
			n, s = number-1, s[digits:]
		} else if ok = strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-"); !ok {
			return n, s, false, ""
		}
	}
	for strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		digits := 1 + len(s[1:]) - len(strings.TrimLeft(s[1:], "0123456789"))
		by, err := strconv.Atoi(s[1:digits])
		if err != nil {
			by = 1
		}
		if s[0] == '-' {
			by = -by
		}
		n, s = n+by, s[digits:]
	}
	return max(n, 0), s, ok, ""
}

// delimited reads up to a delimiter that no \ is before.
func delimited(s string, by byte) (what, rest string, ended bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == by:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			if i++; s[i] != by {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), "", false
}

// An exCommand is one of the command line.
type exCommand struct {
	short, name string // the least of it that has to be typed, and all
	help        string
	do          func(m *Machine, r lineRange, argument string)
}

var exCommands []exCommand

func init() {
	do := func(action string) func(*Machine, lineRange, string) {
		return func(m *Machine, _ lineRange, argument string) { m.host.Do(action, argument) }
	}
	operate := func(op string) func(*Machine, lineRange, string) {
		return func(m *Machine, r lineRange, argument string) {
			c := command{op: op}
			if argument != "" {
				c.register = rune(argument[0])
			}
			at := m.at
			if m.at = m.buf.Start(r.first); op == "y" {
				defer func() { m.at = at }()
			}
			m.apply(c, area{m.buf.Start(r.first), m.buf.Start(r.last), true})
			if op == ">" || op == "<" {
				m.at = m.firstWord(r.last)
			}
		}
	}
	exCommands = []exCommand{
		{"w", "write", "save; with a name, under that", do("file.save")},
		{"q", "quit", "close the script, and with the last one leave dscope; q! without saving", do("file.quit")},
		{"wq", "wq", "save, and close the script", do("file.savequit")},
		{"x", "xit", "the same", do("file.savequit")},
		{"wa", "wall", "save all scripts", do("file.saveall")},
		{"qa", "qall", "leave dscope", do("quit")},
		{"e", "edit", "open a file", do("file.open")},
		{"ene", "enew", "begin an empty script", do("file.new")},
		{"n", "next", "next script that is open", do("file.next")},
		{"bn", "bnext", "the same", do("file.next")},
		{"N", "Next", "previous script that is open", do("file.previous")},
		{"prev", "previous", "the same", do("file.previous")},
		{"bp", "bprevious", "the same", do("file.previous")},
		{"bd", "bdelete", "close the script", do("file.close")},
		{"ls", "ls", "list of scripts", do("scripts.open")},
		{"b", "buffers", "the same", do("scripts.open")},
		{"s", "substitute", "put something in place of what is found: s/this/that/g", (*Machine).substitute},
		{"d", "delete", "delete lines", operate("d")},
		{"y", "yank", "copy lines", operate("y")},
		{">", ">", "indent lines", operate(">")},
		{"<", "<", "indent lines less", operate("<")},
		{"j", "join", "join lines", func(m *Machine, r lineRange, _ string) {
			if n := max(r.last-r.first+1, 2); r.first+n-1 <= m.lastLine() {
				m.at = m.buf.Start(r.first)
				m.joinFrom(r.first, n, " ")
			}
		}},
		{"pu", "put", "put what was copied or deleted below", func(m *Machine, r lineRange, argument string) {
			c := command{}
			if argument != "" {
				c.register = rune(argument[0])
			}
			s := m.register(c.register).text
			if s == "" {
				return
			}
			m.at = m.buf.Start(r.last)
			m.pasteLines(strings.TrimSuffix(s, "\n")+"\n", false, false)
		}},
		{"u", "undo", "undo", func(m *Machine, _ lineRange, _ string) { m.undo(command{name: "u"}, (*text.Buffer).Undo) }},
		{"red", "redo", "redo", func(m *Machine, _ lineRange, _ string) { m.undo(command{}, (*text.Buffer).Redo) }},
		{"noh", "nohlsearch", "mark no longer what was found", func(m *Machine, _ lineRange, _ string) { m.host.Found(text.Query{}) }},
		{"ru", "run", "run the script", do("run.start")},
		{"st", "stop", "stop the run", do("run.stop")},
		{"fo", "format", "lay the script out", do("edit.format")},
		{"h", "help", "help", do("help.open")},
		{"se", "set", "(what others set here is in the configuration)", func(m *Machine, _ lineRange, _ string) {
			m.host.Say("nothing is set here: dscope config prints what can be said")
		}},
	}
}

// commandAgain does what the last command line said.
func (m *Machine) commandAgain() bool {
	if m.put.line == "" {
		return false
	}
	m.execute(m.put.line)
	return true
}

// substitute is :s/this/that/flags over lines.
func (m *Machine) substitute(r lineRange, argument string) {
	if argument == "" || strings.IndexByte("gi&I ", argument[0]) >= 0 { // the last one again
		if !m.put.done {
			m.host.Say("nothing was replaced yet")
			return
		}
		flags := strings.TrimPrefix(argument, "&")
		if strings.HasPrefix(argument, "&") {
			flags += m.put.flags
		}
		m.substituteIn(r, flags)
		return
	}
	what, rest, _ := delimited(argument[1:], argument[0])
	with, flags, _ := delimited(rest, argument[0])
	if what != "" {
		re, err := Pattern(what)
		if err != nil {
			m.host.Say(err.Error())
			return
		}
		m.pattern.re, m.pattern.back = re, false
	}
	if m.pattern.re == nil {
		m.host.Say("nothing was searched for yet")
		return
	}
	m.put.with, m.put.flags, m.put.done = with, flags, true
	m.substituteIn(r, flags)
}

func (m *Machine) substituteAgain() bool {
	if !m.put.done {
		return false
	}
	n := m.line(m.at)
	m.substituteIn(lineRange{first: n, last: n}, "")
	return true
}

// substituteIn replaces in lines, as one step of undo.
func (m *Machine) substituteIn(r lineRange, flags string) {
	re := m.pattern.re
	for _, f := range flags {
		switch f {
		case 'g', ' ', '&', 'e':
		case 'i':
			re = regexp.MustCompile("(?i)" + re.String())
		case 'I':
			re = regexp.MustCompile("(?-i)" + strings.TrimPrefix(re.String(), "(?i)"))
		default:
			m.host.Say(fmt.Sprintf("s has no flag %c here: g, i and I it has", f))
			return
		}
	}
	was, count, below := m.at, 0, 0
	if n := m.line(m.at); n < r.first || n > r.last {
		m.at = m.firstWord(r.first) // where undo goes
	}
	m.change(func() {
		for n := r.last; n >= r.first; n-- {
			line := m.buf.Line(n)
			with, times := replaced(re, line, m.put.with, strings.Contains(flags, "g"))
			if times == 0 {
				continue
			}
			if count == 0 {
				below = m.buf.Lines() - n
			}
			count += times
			m.replace(m.buf.Start(n), m.buf.End(n), with)
		}
	})
	m.host.Found(text.RegexpQuery(re))
	if count == 0 {
		m.at = was
		m.host.Say("not found: " + re.String())
		return
	}
	m.at = m.firstWord(m.buf.Lines() - below) // the last that was replaced
	m.goalSet = false
	if count > 1 {
		m.host.Say(fmt.Sprintf("%d replaced", count))
	}
}

// replaced returns a line with what is found replaced, and how often.
func replaced(re *regexp.Regexp, line, with string, all bool) (string, int) {
	places := re.FindAllStringSubmatchIndex(line, -1)
	if !all && len(places) > 1 {
		places = places[:1]
	}
	var b strings.Builder
	at := 0
	for _, p := range places {
		b.WriteString(line[at:p[0]])
		b.WriteString(expanded(with, line, p))
		at = p[1]
	}
	b.WriteString(line[at:])
	return b.String(), len(places)
}

// expanded returns what a replacement stands for: & is what was found, \1 its first group,
// \r a line break.
func expanded(with, line string, groups []int) string {
	var b strings.Builder
	group := func(n int) {
		if 2*n+1 < len(groups) && groups[2*n] >= 0 {
			b.WriteString(line[groups[2*n]:groups[2*n+1]])
		}
	}
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '&':
			group(0)
		case c != '\\' || i+1 == len(with):
			b.WriteByte(c)
		default:
			i++
			switch c = with[i]; {
			case c >= '0' && c <= '9':
				group(int(c - '0'))
			case c == 'r' || c == 'n':
				b.WriteByte('\n')
			case c == 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}
