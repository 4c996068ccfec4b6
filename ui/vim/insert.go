package vim

import (
	"strings"

	"dscope.dev/ui/document/text"
)

// A session is one stay in insert mode: one step of undo.
type session struct {
	mark     int // of the text before the command that began it
	before   text.Pos
	was      string // the text when letters began to be typed
	from     int    // where
	times    int    // how often what was typed stands there in the end
	open     string // "o" or "O" if that began it: each time is a line of its own
	indented bool   // the line has had blanks put before it by itself
	over     bool   // letters are typed over others
	command  command
	waits    bool // for the name of a register
}

// An insertion is what was typed: so many bytes before the cursor and behind it gave way to
// a text.
type insertion struct {
	before, behind int
	text           string
}

// A change is one that can be made again.
type change struct {
	command   command
	insertion insertion
	selected  extent // what was selected for it
}

// An extent is how much was selected.
type extent struct {
	mode  Mode
	lines int // beyond the first
	count int // characters of the last line
}

// begin notes where a command begins that ends in insert mode.
func (m *Machine) begin(c command) {
	m.session = session{mark: m.buf.Mark(), before: m.buf.Pos(m.at), command: c}
}

// insertAt goes on in insert mode, or types again what was typed the last time.
func (m *Machine) insertAt(off, times int) {
	m.at, m.goalSet = off, false
	s := &m.session
	s.from, s.times, s.was = off, times, m.buf.Text()
	m.mode = Insert
	if m.again == nil {
		return
	}
	in := *m.again
	m.change(func() {
		m.replaceAround(in)
	})
	m.endInsert()
}

// replaceAround makes an insertion at the cursor.
func (m *Machine) replaceAround(in insertion) {
	from, to := max(m.at-in.before, 0), min(m.at+in.behind, m.buf.Size())
	m.replace(from, to, in.text)
	m.at = from + len(in.text) + strings.Count(in.text, "\n")*(len(m.buf.Newline(m.line(from)))-1)
}

// insertKey takes the keys that are not typed.
func (m *Machine) insertKey(key string) bool {
	if m.session.waits {
		m.session.waits = false
		if name := character(key); name != "" {
			m.change(func() {
				s := m.register(rune(name[0])).text
				m.replace(m.at, m.at, s)
				m.at += len(s)
			})
		}
		return true
	}
	switch key {
	case "esc", "ctrl+c", "ctrl+[":
		m.endInsert()
	case "ctrl+r":
		m.session.waits = true
	case "ctrl+o":
		m.endInsert()
		m.once = true
	case "ctrl+t", "ctrl+d":
		by := 1
		if key == "ctrl+d" {
			by = -1
		}
		rest := m.end(m.at) - m.at
		n := m.line(m.at)
		m.shift(area{m.at, m.at, true}, by)
		m.at = max(m.buf.End(n)-rest, m.buf.Start(n))
	default:
		if m.mode == Replace {
			return m.overtype(key)
		}
		return false
	}
	return true
}

// overtype types a character over another.
func (m *Machine) overtype(key string) bool {
	s := character(key)
	switch {
	case key == "backspace":
		m.at = max(m.prev(m.at), m.start(m.at))
	case s == "" || s == "\n":
		return false
	default:
		m.change(func() { m.replace(m.at, m.behindCharacter(m.at), s) })
		m.at += len(s)
	}
	return true
}

// Moved tells that the cursor was moved in insert mode by keys: what is typed from now on is
// a change of its own.
func (m *Machine) Moved(h Host, sel text.Sel) {
	m.enter(h, sel)
	s := &m.session
	m.buf.Join(s.mark, text.At(m.buf.Offset(s.before)))
	m.session = session{mark: m.buf.Mark(), before: m.buf.Pos(m.at), was: m.buf.Text(), from: m.at, times: 1, command: command{name: "i"}}
}

// endInsert goes back to normal mode: what was typed is typed as often as was asked for, is
// one step of undo, and the change that . makes again.
func (m *Machine) endInsert() {
	s := m.session
	in := s.typed(m.buf.Text(), m.at)
	if m.again != nil {
		in = *m.again
	}
	untouched := in == insertion{}
	for range s.times - 1 {
		if m.buf.Size()+len(in.text) > text.MaxSize {
			break
		}
		m.repeatTyped(s, in)
	}
	if line := m.text(m.at); s.indented && untouched && strings.Trim(line, " \t") == "" {
		m.change(func() { m.buf.Replace(m.start(m.at), m.end(m.at), "") })
		m.at = m.start(m.at)
	}
	m.buf.Join(s.mark, text.At(m.buf.Offset(s.before)))
	if m.again == nil {
		m.last = change{command: s.command, insertion: in, selected: m.last.selected}
	}
	m.mode = Normal
	m.at = max(m.prev(m.at), m.start(m.at))
	m.session = session{}
}

func (m *Machine) repeatTyped(s session, in insertion) {
	m.change(func() {
		switch {
		case s.over:
			for _, r := range in.text {
				m.replace(m.at, m.behindCharacter(m.at), string(r))
				m.at += len(string(r))
			}
		case s.open == "":
			m.replaceAround(insertion{text: in.text})
		default:
			n := m.line(m.at)
			m.replace(m.buf.End(n), m.buf.End(n), "\n"+m.host.Fresh(n)+in.text)
			m.at = m.buf.End(n + 1 + strings.Count(in.text, "\n"))
		}
	})
}

// typed returns what has become of a text since the session began, with the cursor at a place.
func (s *session) typed(now string, at int) insertion {
	was := s.was
	if was == now {
		return insertion{}
	}
	from := 0
	for from < len(was) && from < len(now) && from < s.from && was[from] == now[from] {
		from++
	}
	tail := 0
	for tail < len(was)-max(s.from, from) && tail < len(now)-max(at, from) && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	return insertion{before: s.from - from, behind: len(was) - tail - s.from, text: strings.ReplaceAll(now[from:len(now)-tail], "\r\n", "\n")}
}
