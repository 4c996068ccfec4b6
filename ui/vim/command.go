package vim

import (
	"strings"

	"dscope.dev/ui/document/text"
)

// An act is a command that is neither a motion nor an operator. Do reports whether it made a
// change that . makes again; one that goes on in insert mode is noted at the end of that.
type act func(m *Machine, c command) (changed bool)

var acts = map[string]act{
	"i":      func(m *Machine, c command) bool { return m.insert(c, m.at) },
	"a":      func(m *Machine, c command) bool { return m.insert(c, m.behindCharacter(m.at)) },
	"I":      func(m *Machine, c command) bool { return m.insert(c, m.start(m.at)+len(blanks(m.text(m.at)))) },
	"A":      func(m *Machine, c command) bool { return m.insert(c, m.end(m.at)) },
	"o":      func(m *Machine, c command) bool { return m.openLine(c, false) },
	"O":      func(m *Machine, c command) bool { return m.openLine(c, true) },
	"R":      func(m *Machine, c command) bool { return m.insert(c, m.at) },
	"r":      (*Machine).overwrite,
	"~":      (*Machine).swapCase,
	"J":      func(m *Machine, c command) bool { return m.joinLines(m.line(m.at), max(c.times(), 2)) },
	"p":      func(m *Machine, c command) bool { return m.paste(c, false) },
	"P":      func(m *Machine, c command) bool { return m.paste(c, true) },
	"u":      func(m *Machine, c command) bool { return m.undo(c, "undo", (*text.Buffer).Undo) },
	"ctrl+r": func(m *Machine, c command) bool { return m.undo(c, "redo", (*text.Buffer).Redo) },
	"v":      func(m *Machine, _ command) bool { return m.selectFrom(Visual) },
	"V":      func(m *Machine, _ command) bool { return m.selectFrom(Lines) },
	"m":      func(m *Machine, c command) bool { m.host.Keep([]rune(c.arg)[0], m.at); return false },
	"q":      (*Machine).record,
	"@":      func(m *Machine, c command) bool { m.host.Play([]rune(c.arg)[0], c.times()); return false },
	":":      askCommand,
	"ZZ":     asking("file.savequit", ""),
	"ZQ":     asking("file.quit", "!"),
	"K":      asking("script.probes", ""),
	"gd":     asking("go.definition", ""),
	"]d":     asking("go.complaint", ""),
	"tab":    asking("pane.next", ""),
	"zz":     func(m *Machine, _ command) bool { return m.scroll(1) },
	"zt":     func(m *Machine, _ command) bool { return m.scroll(0) },
	"zb":     func(m *Machine, _ command) bool { return m.scroll(2) },
	"ctrl+f": func(m *Machine, c command) bool { return m.page(c.times(), 1) },
	"ctrl+b": func(m *Machine, c command) bool { return m.page(-c.times(), 1) },
	"ctrl+d": func(m *Machine, _ command) bool { return m.page(1, 2) },
	"ctrl+u": func(m *Machine, _ command) bool { return m.page(-1, 2) },

	// The panes of the workbench are the windows.
	"ctrl+ww": asking("pane.next", ""), "ctrl+wctrl+w": asking("pane.next", ""), "ctrl+wo": asking("pane.enlarge", ""),
	"ctrl+wh": asking("pane.probes", ""), "ctrl+wj": asking("pane.output", ""), "ctrl+wk": asking("pane.live", ""),
}

// isAct reports whether a name is one of acts. The dot stands apart, for it does them again.
func isAct(name string) bool { return acts[name] != nil || name == "." }

func asking(action, argument string) act {
	return func(m *Machine, _ command) bool { m.host.Do(action, argument); return false }
}

// askCommand asks for a command line, which begins with the lines that are selected.
func askCommand(m *Machine, _ command) bool {
	line := ""
	if m.selecting() {
		line = "'<,'>"
	}
	m.drop()
	m.host.Ask(":", line)
	return false
}

// A change is one that can be made again.
type change struct {
	command   command
	insertion insertion
	selected  extent // what was selected for it
}

// run does what a command says. What it changed is noted for the dot.
func (m *Machine) run(c command) {
	changed := false
	m.about = extent{}
	switch {
	case c.name == ".":
		m.repeat(c)
	case m.selecting():
		m.runSelected(c)
	case c.op != "":
		changed = m.operate(c) && c.op != "y"
	case isMotion(c.name):
		m.move(c)
	default:
		changed = acts[c.name](m, c)
		m.goalSet = m.goalSet && strings.HasPrefix(c.name, "ctrl+")
	}
	if changed && m.again == nil && !m.Typing() {
		m.last = change{command: c}
	}
}

// repeat makes the last change again.
func (m *Machine) repeat(c command) {
	last := m.last
	if last.command.name == "" {
		return
	}
	if c.count > 0 {
		last.command.count = c.count
	}
	m.again = &last.insertion
	if last.selected.mode != Normal {
		m.selectExtent(last.selected)
	}
	m.run(last.command)
	m.again = nil
	m.last = last
}

// insert goes into insert mode, or that of typing over what is there.
func (m *Machine) insert(c command, off int) bool {
	m.begin(c)
	m.session.over = c.name == "R"
	m.insertAt(off, c.times())
	return true
}

// openLine goes into insert mode in a new line below, or above.
func (m *Machine) openLine(c command, above bool) bool {
	m.begin(c)
	m.session.open, m.session.indented = true, true
	n := m.line(m.at)
	at, s := m.buf.End(n), "\n"+m.host.Fresh(n)
	behind := at + m.added(s, n)
	if above {
		indent := blanks(m.buf.Line(n))
		at, s = m.buf.Start(n), indent+"\n"
		behind = at + len(indent)
	}
	m.change(func() { m.replace(at, at, s) })
	m.insertAt(behind, c.times())
	return true
}

// reach returns the place behind as many characters of the line as a command counts; ok is
// false if it has fewer.
func (m *Machine) reach(c command) (to int, ok bool) {
	to = m.at
	for range c.times() {
		if to == m.end(to) {
			return to, false
		}
		to = m.behindCharacter(to)
	}
	return to, true
}

// overwrite puts a character in the place of some, or a line break.
func (m *Machine) overwrite(c command) bool {
	to, ok := m.reach(c)
	if !ok {
		return false
	}
	n, from, with := m.line(m.at), m.at, strings.Repeat(c.arg, c.times())
	if c.arg == "\n" {
		with = c.arg
	}
	m.change(func() { m.replace(from, to, with) })
	if m.at = from + len(with) - len(c.arg); c.arg == "\n" {
		m.at = m.buf.Start(n + 1)
	}
	return true
}

func (m *Machine) swapCase(c command) bool {
	to, _ := m.reach(c)
	if to == m.at {
		return false
	}
	m.recase(area{from: m.at, to: to}, otherCase)
	m.at = to
	return true
}

// joinLines joins lines, with a blank between them where one is due.
func (m *Machine) joinLines(n, lines int) bool {
	if m.failed = n+lines-1 > m.lastLine(); m.failed {
		return false
	}
	joined, at := m.buf.Line(n), 0
	for i := n + 1; i < n+lines; i++ {
		s, gap := strings.TrimLeft(m.buf.Line(i), " \t"), ""
		if s != "" && s[0] != ')' && joined != "" && strings.TrimRight(joined, " \t") == joined {
			gap = " "
		}
		at = len(joined)
		joined += gap + s
	}
	from, to := m.buf.Start(n), m.buf.End(n+lines-1)
	m.change(func() { m.buf.Replace(from, to, joined) })
	m.at = from + at
	return true
}

// undo takes steps back, or makes them again.
func (m *Machine) undo(c command, name string, step func(*text.Buffer) (text.Sel, bool)) bool {
	for i := range c.times() {
		sel, ok := step(m.buf)
		if !ok {
			if i == 0 {
				m.host.Say("there is nothing to " + name)
			}
			break
		}
		m.at = sel.Head
	}
	return false
}

// record keeps the keys that follow, up to the next q.
func (m *Machine) record(c command) bool {
	m.recording = []rune(c.arg)[0]
	m.host.Record(m.recording)
	return false
}

// scroll has the line above, in the middle, or below.
func (m *Machine) scroll(where int) bool {
	_, rows := m.host.Window()
	m.host.Scroll(m.line(m.at) - where*(rows-1)/2)
	return false
}

// page goes pages on, or parts of one.
func (m *Machine) page(by, parts int) bool {
	_, rows := m.host.Window()
	t, _ := m.vertical(by * max(rows/parts-2+parts-1, 1))
	m.at = t.to
	return false
}
