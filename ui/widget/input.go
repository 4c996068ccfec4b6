package widget

import (
	"slices"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
)

// An Input is one line of text that the user types: a filter, a name, a number.
// The zero Input is empty and ready.
type Input struct {
	runes []rune
	at    int // of the cursor, in runes
	all   bool
}

// NewInput returns an input that holds s, with the cursor behind it.
func NewInput(s string) Input {
	var in Input
	in.insert([]rune(s))
	return in
}

// SelectAll selects the text, if there is any, so that what is typed next takes its place.
func (in *Input) SelectAll() { in.all = len(in.runes) > 0 }

// Value returns what was typed.
func (in Input) Value() string { return string(in.runes) }

// Press does what a key asks of a line of text, and reports whether it had a
// use for it. Pasted line ends become blanks.
func (in *Input) Press(keys *keymap.Map, msg tea.KeyMsg) bool {
	if msg.Paste || (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt {
		in.insert(msg.Runes)
		return true
	}
	if in.all {
		return in.pressAll(keys, msg)
	}
	switch keys.Action("input", keymap.KeyName(msg)) {
	case "input.left":
		in.at = max(in.at-1, 0)
	case "input.right":
		in.at = min(in.at+1, len(in.runes))
	case "input.first":
		in.at = 0
	case "input.last":
		in.at = len(in.runes)
	case "input.before":
		in.remove(in.at-1, in.at)
	case "input.behind":
		in.remove(in.at, in.at+1)
	case "input.tostart":
		in.remove(0, in.at)
	case "input.toend":
		in.remove(in.at, len(in.runes))
	case "input.word":
		in.remove(in.wordStart(), in.at)
	default:
		return false
	}
	return true
}

// pressAll is Press while all is selected: keys that move the cursor drop the selection, and
// those that delete delete it.
func (in *Input) pressAll(keys *keymap.Map, msg tea.KeyMsg) bool {
	all := *in
	in.all = false
	if !in.Press(keys, msg) {
		*in = all
		return false
	}
	if len(in.runes) < len(all.runes) {
		*in = Input{}
	}
	return true
}

func (in *Input) insert(r []rune) {
	if in.all {
		*in = Input{}
	}
	r = slices.Clone(r)
	for i, c := range r {
		if unicode.IsControl(c) {
			r[i] = ' '
		}
	}
	in.runes = slices.Insert(slices.Clone(in.runes), in.at, r...)
	in.at += len(r)
}

func (in *Input) remove(from, to int) {
	from, to = max(from, 0), min(to, len(in.runes))
	if from < to {
		in.runes = slices.Delete(slices.Clone(in.runes), from, to)
		in.at = from
	}
}

// wordStart returns where the word before the cursor begins.
func (in *Input) wordStart() int {
	i := in.at
	for i > 0 && unicode.IsSpace(in.runes[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(in.runes[i-1]) {
		i--
	}
	return i
}

// Draw writes the input into exactly w cells of l, scrolled so that the cursor
// is among them.
func (in Input) Draw(l *ink.Line, w int, text, cursor ink.Ink) {
	w = min(w, l.Left())
	if w <= 0 {
		return
	}
	end := l.X() + w
	from := in.at
	for used := 1; from > 0; from-- {
		used += ink.Width(Safe(string(in.runes[from-1])))
		if used > w {
			break
		}
	}
	under, behind := " ", ""
	if in.at < len(in.runes) {
		under, behind = Safe(string(in.runes[in.at])), string(in.runes[in.at+1:])
	}
	before := text
	if in.all {
		before = cursor
	}
	l.Put(before, Safe(string(in.runes[from:in.at])))
	l.Fit(cursor, under, min(max(ink.Width(under), 1), end-l.X()))
	l.Put(text, ansi.Truncate(Safe(behind), end-l.X(), ""))
	l.Rep(text, " ", end-l.X())
}
