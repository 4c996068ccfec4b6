package vim

// A macro is keys that are recorded.
type macro struct {
	into rune // the register; 0 if nothing is recorded
	keys []string
	kept map[rune][]string
	last rune
	deep int // how many are played inside one another
}

// mostDeep is how often a macro may play another, or itself.
const mostDeep = 100

// isMacro reports whether a command records keys or plays them.
func isMacro(name string) bool {
	return len(name) == 2 && (name[0] == 'q' || name[0] == '@') && (name[1] == '@' || name[1] >= 'a' && name[1] <= 'z')
}

// Recording returns the register into which keys are recorded; 0 if none are.
func (m *Machine) Recording() rune { return m.macro.into }

func (m *Machine) runMacro(c command) {
	name := rune(c.name[1])
	k := &m.macro
	if c.name[0] == 'q' {
		if name != '@' {
			k.into, k.keys = name, nil
		}
		return
	}
	if name == '@' {
		name = k.last
	}
	keys := k.kept[name]
	if k.last = name; k.deep >= mostDeep {
		return
	}
	k.deep++
	for range min(c.times(), 1000) {
		for _, key := range keys {
			m.play(key)
		}
	}
	k.deep--
}

// stopRecording ends what q began.
func (m *Machine) stopRecording() {
	k := &m.macro
	if k.kept == nil {
		k.kept = map[rune][]string{}
	}
	k.kept[k.into] = k.keys[:len(k.keys)-1] // all but the q that ends it
	k.into, k.keys = 0, nil
}

// play does what a key asks for; in insert mode it types, without the host's help.
func (m *Machine) play(key string) {
	if m.key(key) {
		m.clamp()
		return
	}
	if !m.Typing() {
		return
	}
	switch s := character(key); {
	case key == "backspace" && m.at > 0:
		from := m.prev(m.at)
		m.change(func() { m.buf.Replace(from, m.at, "") })
		m.at = from
	case s == "\n":
		blanks := m.host.Fresh(m.line(m.at))
		m.change(func() { m.replace(m.at, m.at, "\n"+blanks) })
		m.at = m.buf.Start(m.line(m.at)+1) + len(blanks)
	case s != "":
		m.change(func() { m.buf.Replace(m.at, m.at, s) })
		m.at += len(s)
	}
}
