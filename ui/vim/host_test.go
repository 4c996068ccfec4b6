package vim

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dscope.dev/ui/document/text"
)

// A desk is the least that can hold a text: it types what the machine lets by, and indents
// a line as the one above.
type desk struct {
	testing.TB
	m      Machine
	buf    *text.Buffer
	sel    text.Sel
	top    int
	clip   string
	prompt string // what is asked
	line   string // what was answered so far
	done   []string
	said   string
	places map[rune]int
	into   rune // where keys are recorded
	macros map[rune][]string
	played []string // keys that are still to be pressed
}

// newDesk returns one that holds a script; | in it is the cursor.
func newDesk(t testing.TB, script string) *desk {
	at := max(strings.Index(script, "|"), 0)
	return &desk{TB: t, places: map[rune]int{}, macros: map[rune][]string{}, buf: text.New(strings.Replace(script, "|", "", 1)), sel: text.At(at)}
}

func (d *desk) Buffer() *text.Buffer    { return d.buf }
func (d *desk) Tab() int                { return 8 }
func (d *desk) Window() (top, rows int) { return d.top, 22 }
func (d *desk) Scroll(top int)          { d.top = top }
func (d *desk) Fresh(line int) string {
	s := d.buf.Line(line)
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}
func (d *desk) Indent(from, to int)       {}
func (d *desk) Clipboard() string         { return d.clip }
func (d *desk) Copy(s string)             { d.clip = s }
func (d *desk) Ask(prompt, answer string) { d.prompt, d.line = prompt, answer }
func (d *desk) Found(text.Query)          {}
func (d *desk) Do(action, argument string) {
	d.done = append(d.done, strings.TrimSpace(action+" "+argument))
}
func (d *desk) Say(s string)            { d.said = s }
func (d *desk) Keep(name rune, off int) { d.places[name] = off }
func (d *desk) Place(name rune) (off int, ok bool) {
	off, ok = d.places[name]
	return off, ok
}
func (d *desk) Record(name rune) {
	if name == 0 {
		keys := d.macros[d.into]
		d.macros[d.into] = keys[:len(keys)-1]
	} else {
		d.macros[name] = nil
	}
	d.into = name
}
func (d *desk) Play(name rune, times int) {
	for range times {
		d.played = append(d.played, d.macros[name]...)
	}
}

// keysOf splits keys as Vim writes them: d2w, ifoo<Esc>, <C-r>.
func keysOf(s string) (out []string) {
	for s != "" {
		if end := strings.Index(s, ">"); s[0] == '<' && end > 1 && named[s[1:end]] != "" {
			out = append(out, named[s[1:end]])
			s = s[end+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if name, ok := map[rune]string{' ': "space", '\t': "tab", '\n': "enter"}[r]; ok {
			out = append(out, name)
		} else {
			out = append(out, string(r))
		}
		s = s[n:]
	}
	return out
}

var named = map[string]string{"Esc": "esc", "CR": "enter", "BS": "backspace", "C-r": "ctrl+r", "C-a": "ctrl+a", "C-x": "ctrl+x", "C-o": "ctrl+o",
	"C-w": "ctrl+w", "C-d": "ctrl+d", "C-u": "ctrl+u", "C-c": "ctrl+c", "Del": "delete", "C-t": "ctrl+t", "C-e": "ctrl+e", "C-f": "ctrl+f", "C-l": "ctrl+l", "C-v": "ctrl+v",
	"F5": "f5", "lt": "<"}

// press presses keys.
func (d *desk) press(keys string) *desk {
	for _, key := range keysOf(keys) {
		if d.into != 0 {
			d.macros[d.into] = append(d.macros[d.into], key)
		}
		d.key(key)
		for len(d.played) > 0 && !d.m.Failed() {
			next := d.played[0]
			d.played = d.played[1:]
			d.key(next)
		}
		d.played = nil
	}
	d.m.keys = nil // what is not complete is given up
	return d
}

// key presses one key, and has the places that are kept move along.
func (d *desk) key(key string) {
	defer func() {
		for _, s := range d.buf.TakeShifts() {
			for name, off := range d.places {
				d.places[name] = s.Move(off)
			}
		}
	}()
	if d.prompt != "" {
		prompt := d.prompt
		switch {
		case key == "enter" || key == "esc":
			d.prompt = ""
			d.sel = d.m.Answered(d, d.sel, prompt, d.line, key == "enter")
		case key == "backspace":
			d.line = d.line[:max(len(d.line)-1, 0)]
		default:
			d.line += character(key)
		}
		return
	}
	sel, ok := d.m.Key(d, d.sel, key)
	if d.sel = sel; ok || !d.m.Typing() {
		return
	}
	at := sel.Head
	switch s := character(key); {
	case key == "backspace":
		if at == 0 {
			return
		}
		from := d.m.prev(at)
		d.buf.Change(text.Deleting, sel, func() text.Sel { d.buf.Replace(from, at, ""); return text.At(from) })
		d.sel = text.At(from)
	case s != "":
		if s == "\n" {
			s += d.Fresh(d.buf.Pos(at).Line)
		}
		d.buf.Change(text.Typing, sel, func() text.Sel { d.buf.Replace(at, at, s); return text.At(at + len(s)) })
		d.sel = text.At(at + len(s))
	}
}

// state is the script with | at the cursor.
func (d *desk) state() string {
	s, at := d.buf.Text(), d.m.Cursor(d.sel)
	return s[:at] + "|" + s[at:]
}

// lines are those of Vim, and the place of the cursor in them: line and byte, from 0.
func (d *desk) lines() (lines []string, line, col int) {
	lines = strings.Split(strings.TrimSuffix(d.buf.Text(), "\n"), "\n")
	at := d.m.Cursor(d.sel)
	p := d.buf.Pos(at)
	return lines, p.Line, at - d.buf.Start(p.Line)
}
