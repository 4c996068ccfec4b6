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
	ended    bool   // it ended with a newline
	from     int    // where they began
	times    int    // how often what was typed stands there in the end
	open     bool   // each time is a line of its own
	indented bool   // the line has had blanks put before it by itself
	over     bool   // letters are typed over others
	command  command
	about    extent // what was selected for that
	waits    bool   // for the name of a register
}

// An insertion is what was typed: so many bytes before the cursor and behind it gave way to
// a text.
type insertion struct {
	before, behind int
	text           string
}

// begin notes where a command begins that ends in insert mode.
func (m *Machine) begin(c command) {
	m.session = session{mark: m.buf.Mark(), before: m.buf.Pos(m.at), command: c, about: m.about}
}

// insertAt goes on in insert mode, or types again what was typed the last time.
func (m *Machine) insertAt(off, times int) {
	m.at, m.goalSet = off, false
	s := &m.session
	s.from, s.times, s.was, s.ended = off, times, m.buf.Text(), m.ended()
	m.mode = Insert
	if s.over {
		m.mode = Replace
	}
	if m.again != nil {
		m.change(func() { m.typeAgain(*m.again) })
		m.endInsert()
	}
}

// insertKey takes the keys that are not typed.
func (m *Machine) insertKey(key string) bool {
	s := character(key)
	switch {
	case m.session.waits:
		m.session.waits = false
		if s != "" {
			m.change(func() { m.typeAgain(insertion{text: m.register(rune(s[0])).text}) })
		}
	case isEscape(key):
		m.endInsert()
	case key == "ctrl+r":
		m.session.waits = true
	case m.mode == Replace && key == "backspace":
		m.at = max(m.prev(m.at), m.start(m.at))
	case m.mode == Replace && s != "" && s != "\n":
		m.change(func() { m.typeOver(s) })
	default:
		return false
	}
	return true
}

// typeAgain makes an insertion at the cursor.
func (m *Machine) typeAgain(in insertion) {
	if m.session.over {
		m.typeOver(in.text)
		return
	}
	from, to := max(m.at-in.before, 0), min(m.at+in.behind, m.buf.Size())
	if m.buf.Size()+len(in.text) <= text.MaxSize {
		m.replace(from, to, in.text)
		m.at = from + m.added(in.text, m.line(from))
	}
}

// typeOver types characters over others.
func (m *Machine) typeOver(s string) {
	for _, r := range s {
		m.replace(m.at, m.behindCharacter(m.at), string(r))
		m.at += len(string(r))
	}
}

// Moved tells that the cursor was moved in insert mode by keys: what is typed from now on is
// a change of its own.
func (m *Machine) Moved(h Host, sel text.Sel) {
	m.enter(h, sel)
	over := m.session.over
	m.join()
	m.begin(command{name: "i"})
	m.session.over = over
	m.insertAt(m.at, 1)
}

// endInsert goes back to normal mode: what was typed is typed as often as was asked for, is
// one step of undo, and the change that . makes again.
func (m *Machine) endInsert() {
	s := m.session
	in := s.typed(m.buf.Text(), m.at)
	if m.again != nil {
		in = *m.again
	}
	again := insertion{text: in.text}
	bare := s.indented && in == (insertion{}) && strings.Trim(m.text(m.at), " \t") == "" // nothing but blanks by themselves
	m.change(func() {
		m.endLast(s.ended)
		if start := m.start(m.at); bare {
			m.buf.Replace(start, m.end(start), "")
			m.at = start
		}
		for range s.times - 1 {
			if s.open {
				again.text = "\n" + in.text
				if !bare {
					again.text = "\n" + m.host.Fresh(m.line(m.at)) + in.text
				}
				m.at = m.end(m.at)
			}
			m.typeAgain(again)
		}
	})
	m.join()
	if m.again == nil {
		m.last = change{command: s.command, insertion: in, selected: s.about}
	}
	m.mode = Normal
	m.at = max(m.prev(m.at), m.start(m.at))
	m.session = session{}
}

// join makes one step of undo of the session.
func (m *Machine) join() {
	m.buf.Join(m.session.mark, text.At(m.buf.Offset(m.session.before)))
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
