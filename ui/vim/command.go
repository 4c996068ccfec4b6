package vim

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"dscope.dev/ui/document/text"
)

// An act is a command that is neither a motion nor an operator. Do reports whether it did
// anything.
type act struct {
	do    func(m *Machine, c command) bool
	help  string
	again bool // it is a change, which . makes again
}

var acts map[string]act

func init() {
	acts = map[string]act{
		"i":      {func(m *Machine, c command) bool { return m.open(c, m.at) }, "insert before the cursor", true},
		"a":      {func(m *Machine, c command) bool { return m.open(c, m.behindCharacter(m.at)) }, "insert behind the cursor", true},
		"I":      {func(m *Machine, c command) bool { return m.open(c, m.insertStart()) }, "insert at the first word of the line", true},
		"A":      {func(m *Machine, c command) bool { return m.open(c, m.end(m.at)) }, "insert at the end of the line", true},
		"o":      {func(m *Machine, c command) bool { return m.openLine(c, m.line(m.at)+1) }, "insert a line below", true},
		"O":      {func(m *Machine, c command) bool { return m.openLine(c, m.line(m.at)) }, "insert a line above", true},
		"s":      {shorthand("c", "l"), "change characters", true},
		"S":      {shorthand("c", "line"), "change lines", true},
		"C":      {shorthand("c", "$"), "change to the end of the line", true},
		"x":      {shorthand("d", "l"), "delete characters", true},
		"X":      {shorthand("d", "h"), "delete characters before", true},
		"D":      {shorthand("d", "$"), "delete to the end of the line", true},
		"Y":      {shorthand("y", "line"), "copy lines", false},
		"r":      {(*Machine).overwrite, "put another character in the place of this one", true},
		"R":      {overtyping, "type over what is there", true},
		"~":      {(*Machine).swapCase, "make a capital of a small letter, or the other way", true},
		"J":      {func(m *Machine, c command) bool { return m.joinLines(c, " ") }, "join lines", true},
		"gJ":     {func(m *Machine, c command) bool { return m.joinLines(c, "") }, "join lines as they are", true},
		"p":      {func(m *Machine, c command) bool { return m.paste(c, false, false) }, "put what was copied or deleted behind", true},
		"P":      {func(m *Machine, c command) bool { return m.paste(c, true, false) }, "put it before", true},
		"gp":     {func(m *Machine, c command) bool { return m.paste(c, false, true) }, "put it behind, and go on behind it", true},
		"gP":     {func(m *Machine, c command) bool { return m.paste(c, true, true) }, "put it before, and go on behind it", true},
		"ctrl+a": {func(m *Machine, c command) bool { return m.add(c.times()) }, "add to the number", true},
		"ctrl+x": {func(m *Machine, c command) bool { return m.add(-c.times()) }, "take from the number", true},
		"u":      {func(m *Machine, c command) bool { return m.undo(c, (*text.Buffer).Undo) }, "undo", false},
		"ctrl+r": {func(m *Machine, c command) bool { return m.undo(c, (*text.Buffer).Redo) }, "redo", false},
		".":      {(*Machine).repeat, "make the last change again", false},
		"&":      {func(m *Machine, c command) bool { return m.substituteAgain() }, "the last :s again, in this line", true},
		"v":      {selecting(Visual), "select", false},
		"V":      {selecting(Lines), "select lines", false},
		"gv":     {(*Machine).reselect, "select again what was selected", false},
		":":      {askCommand, "the command line", false},
		"@:":     {func(m *Machine, c command) bool { return m.commandAgain() }, "the last command line again", false},
		"ZZ":     {ex("x"), "save and close the script", false},
		"ZQ":     {ex("q!"), "close the script", false},
		"K":      {asking("script.probes"), "what the word means", false},
		"gd":     {asking("go.definition"), "go to where the name is declared", false},
		"zz":     {func(m *Machine, c command) bool { return m.scrollTo(c, 1) }, "the line in the middle", false},
		"zt":     {func(m *Machine, c command) bool { return m.scrollTo(c, 0) }, "the line above", false},
		"zb":     {func(m *Machine, c command) bool { return m.scrollTo(c, 2) }, "the line below", false},
		"ctrl+f": {func(m *Machine, c command) bool { return m.page(c.times(), 1) }, "a page on", false},
		"ctrl+b": {func(m *Machine, c command) bool { return m.page(-c.times(), 1) }, "a page back", false},
		"ctrl+d": {func(m *Machine, c command) bool { return m.page(1, 2) }, "half a page on", false},
		"ctrl+u": {func(m *Machine, c command) bool { return m.page(-1, 2) }, "half a page back", false},
		"ctrl+e": {func(m *Machine, c command) bool { return m.roll(c.times()) }, "the view a line down", false},
		"ctrl+y": {func(m *Machine, c command) bool { return m.roll(-c.times()) }, "the view a line up", false},
		"ctrl+v": {func(m *Machine, _ command) bool { m.host.Say("there is no selection of blocks here"); return false }, "(no blocks here)", false},
		"tab":    {asking("pane.next"), "the next pane", false},
		"ctrl+g": {asking("say.place"), "where the cursor is", false},
		"]d":     {asking("go.complaint"), "the next complaint", false},
	}
	for key, action := range map[string]string{"w": "pane.next", "ctrl+w": "pane.next", "o": "pane.enlarge", "c": "pane.close", "q": "pane.close",
		"+": "pane.taller", "-": "pane.lower", ">": "pane.wider", "<": "pane.narrower", "x": "pane.swap",
		"h": "pane.probes", "j": "pane.output", "k": "pane.live", "l": "pane.next"} {
		acts["ctrl+w"+key] = act{do: asking(action), help: action}
	}
}

func isAct(name string) bool {
	return acts[name].do != nil || isMacro(name)
}

func shorthand(op, name string) func(*Machine, command) bool {
	return func(m *Machine, c command) bool {
		c.op, c.name = op, name
		if op == "c" && name == "$" && m.emptyLine(m.at) && c.count == 0 {
			m.changeArea(area{from: m.at, to: m.at}, c)
			return true
		}
		if op == "d" && m.emptyLine(m.at) && name != "$" {
			return false
		}
		return m.operate(c)
	}
}

func asking(action string) func(*Machine, command) bool {
	return func(m *Machine, _ command) bool {
		m.host.Do(action, "")
		return false
	}
}

func ex(line string) func(*Machine, command) bool {
	return func(m *Machine, _ command) bool {
		m.execute(line)
		return false
	}
}

func askCommand(m *Machine, c command) bool {
	line := ""
	switch {
	case m.mode != Normal:
		line = "'<,'>"
	case c.count == 1:
		line = "."
	case c.count > 1:
		line = fmt.Sprintf(".,.+%d", c.count-1)
	}
	m.drop()
	m.host.Ask(":", line)
	return false
}

// run does what a command says. What it changed is noted for the dot.
func (m *Machine) run(c command) {
	once := m.once
	m.once = false
	m.execute1(c)
	if once && m.mode == Normal && m.asked == nil {
		m.begin(command{name: "i"})
		m.insertAt(m.behindOnce(), 1)
	}
}

// behindOnce returns where insert mode goes on after one command.
func (m *Machine) behindOnce() int { return m.at }

func (m *Machine) execute1(c command) {
	if m.mode != Normal {
		m.runSelected(c)
		return
	}
	if isMacro(c.name) {
		m.runMacro(c)
		return
	}
	switch {
	case c.op != "":
		if m.operate(c) && c.op != "y" {
			m.changed(c)
		}
	case isMotion(c.name):
		m.move(c)
	default:
		a := acts[c.name]
		if a.do(m, c) && a.again {
			m.changed(c)
		}
		if !strings.HasPrefix(c.name, "ctrl+") {
			m.goalSet = false
		}
	}
}

// changed notes a change that is complete, for the dot; one that goes on in insert mode is
// noted at its end.
func (m *Machine) changed(c command) {
	if m.again == nil && !m.Typing() {
		m.last = change{command: c}
	}
}

// repeat makes the last change again.
func (m *Machine) repeat(c command) bool {
	if m.last.command.name == "" {
		return false
	}
	was := m.last
	if c.count > 0 {
		m.last.command.count = c.count
	}
	last := m.last
	m.again = &last.insertion
	if e := last.selected; e.mode != Normal {
		m.selectExtent(e)
		last.command.count = was.command.count
		m.runSelected(last.command)
	} else {
		m.execute1(last.command)
	}
	m.again = nil
	m.last = last
	return false
}

// open goes into insert mode.
func (m *Machine) open(c command, off int) bool {
	m.begin(c)
	m.insertAt(off, c.times())
	return true
}

// insertStart returns where the first word of a line begins, or the end of one of blanks.
func (m *Machine) insertStart() int {
	s := m.text(m.at)
	return m.start(m.at) + len(s) - len(strings.TrimLeft(s, " \t"))
}

// openLine goes into insert mode in a new line with a number.
func (m *Machine) openLine(c command, n int) bool {
	m.begin(c)
	m.session.open, m.session.indented = c.name, true
	here := m.line(m.at)
	blanks := m.host.Fresh(here)
	if n == here {
		blanks = m.text(m.at)[:m.insertStart()-m.start(m.at)]
	}
	at := 0
	m.change(func() {
		if n > here {
			m.replace(m.buf.End(here), m.buf.End(here), "\n"+blanks)
		} else {
			m.replace(m.buf.Start(here), m.buf.Start(here), m.above(blanks))
		}
		at = m.buf.Start(n) + len(blanks)
	})
	m.insertAt(at, c.times())
	return true
}

// above returns a line that goes above another. In a text of nothing the other has to be made
// one.
func (m *Machine) above(line string) string {
	if m.buf.Size() == 0 {
		return line + "\n\n"
	}
	return line + "\n"
}

func overtyping(m *Machine, c command) bool {
	m.begin(c)
	m.session.over = true
	m.insertAt(m.at, c.times())
	if m.again == nil {
		m.mode = Replace
	}
	return true
}

// overwrite puts a character in the place of some, or a line break.
func (m *Machine) overwrite(c command) bool {
	to := m.at
	for range c.times() {
		if to == m.end(to) {
			return false
		}
		to = m.next(to)
	}
	from := m.at
	if c.arg == "\n" {
		blanks := m.host.Fresh(m.line(m.at))
		m.change(func() { m.replace(from, to, "\n"+blanks) })
		m.at = m.insertStartOf(m.line(from) + 1)
		return true
	}
	m.change(func() { m.buf.Replace(from, to, strings.Repeat(c.arg, c.times())) })
	m.at = from + len(c.arg)*(c.times()-1)
	return true
}

func (m *Machine) insertStartOf(n int) int { return m.firstWord(n) }

func (m *Machine) swapCase(c command) bool {
	from, to := m.at, m.at
	for n := c.times(); n > 0 && to < m.end(to); n-- {
		to = m.next(to)
	}
	if from == to {
		return false
	}
	s := strings.Map(otherCase, m.buf.Slice(from, to))
	m.change(func() { m.buf.Replace(from, to, s) })
	m.at = from + len(s)
	return true
}

// joinLines joins two lines or more, with a blank between them where one is due.
func (m *Machine) joinLines(c command, between string) bool {
	n := m.line(m.at)
	lines := max(c.times(), 2)
	if n+lines-1 > m.lastLine() {
		if n == m.lastLine() || c.count > 2 {
			return false
		}
	}
	m.joinFrom(n, lines, between)
	return true
}

func (m *Machine) joinFrom(n, lines int, between string) {
	joined, at := m.buf.Line(n), 0
	for i := n + 1; i < n+lines; i++ {
		s := m.buf.Line(i)
		gap := ""
		if between != "" {
			s = strings.TrimLeft(s, " \t")
			if s != "" && s[0] != ')' && joined != "" && !strings.HasSuffix(joined, " ") && !strings.HasSuffix(joined, "\t") {
				gap = between
			}
		}
		at = len(joined)
		joined += gap + s
	}
	from, to := m.buf.Start(n), m.buf.End(n+lines-1)
	m.change(func() { m.buf.Replace(from, to, joined) })
	m.at = from + at
}

// add adds to the number at the cursor or behind it.
func (m *Machine) add(by int) bool {
	s, start := m.text(m.at), m.start(m.at)
	from, to, base := numberAt(s, m.at-start)
	if from == to {
		return false
	}
	digits := s[from:to]
	with := ""
	if base == 16 {
		n, err := strconv.ParseUint(digits[2:], 16, 64)
		if err != nil {
			return false
		}
		with = fmt.Sprintf("%s%0*x", digits[:2], len(digits)-2, n+uint64(by))
	} else {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return false
		}
		with = strconv.FormatInt(n+int64(by), 10)
	}
	m.change(func() { m.buf.Replace(start+from, start+to, with) })
	m.at = start + from + len(with) - 1
	return true
}

// numberAt returns the number at a column, or the next one of the line.
func numberAt(s string, col int) (from, to, base int) {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	hex := func(i int) bool {
		return i >= 0 && i < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[i]) >= 0
	}
	for i := 0; i < len(s); {
		switch {
		case s[i] == '0' && i+2 < len(s) && (s[i+1] == 'x' || s[i+1] == 'X') && hex(i+2):
			for to = i + 2; hex(to); to++ {
			}
			from, base = i, 16
		case digit(i):
			for to = i; digit(to); to++ {
			}
			from, base = i, 10
			if i > 0 && s[i-1] == '-' {
				from--
			}
		default:
			i++
			continue
		}
		if to > col {
			return from, to, base
		}
		i = to
	}
	return 0, 0, 0
}

// undo takes steps back, or makes them again.
func (m *Machine) undo(c command, step func(*text.Buffer) (text.Sel, bool)) bool {
	for i := range c.times() {
		sel, ok := step(m.buf)
		if !ok {
			if i == 0 {
				m.host.Say(map[bool]string{true: "there is nothing to undo", false: "there is nothing to redo"}[c.name == "u"])
			}
			break
		}
		m.at = sel.Head
	}
	return false
}

func (m *Machine) scrollTo(c command, where int) bool {
	_, rows := m.host.Window()
	n := m.line(m.at)
	if c.count > 0 {
		n = min(c.count-1, m.lastLine())
		m.at = m.buf.Start(n)
	}
	m.host.Scroll(n - where*(rows-1)/2)
	return false
}

// page goes pages on, or parts of one.
func (m *Machine) page(by, parts int) bool {
	_, rows := m.host.Window()
	t, _ := m.vertical(by * max(rows/parts-2+parts-1, 1))
	m.at = t.to
	return false
}

// roll has other lines in view; the cursor stays among them.
func (m *Machine) roll(by int) bool {
	top, rows := m.host.Window()
	top = min(max(top+by, 0), m.lastLine())
	m.host.Scroll(top)
	n, col := m.line(m.at), m.column()
	if to := min(max(n, top), top+rows-1); to != n {
		m.at = m.atColumn(min(to, m.lastLine()), col)
	}
	return false
}

// runeLen is the length of the character at the start of s.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
