package complete

import (
	"embed"
	"strings"
)

//go:embed shell/dscope.*
var scripts embed.FS

// Shells are those that there is a script for.
var Shells = []string{"bash", "zsh", "fish"}

// Script returns what a shell is to read; ok is false if there is none for it.
func Script(shell string) (text string, ok bool) {
	b, err := scripts.ReadFile("shell/dscope." + shell)
	return string(b), err == nil
}

// A Typed is a command line of bash up to the cursor.
type Typed struct {
	Words []string // without their quotes; the last is that at the cursor
	quote rune     // that is open there, or 0
	keeps string   // what of the last word stands before the part that bash replaces
}

// Bash divides a line of bash up to the cursor into words, as far as that is possible without
// carrying it out. Bash replaces of the last word only what stands behind a quote that is open, or
// behind the last of its breaks.
func Bash(line, breaks string) Typed {
	var t Typed
	var word, kept strings.Builder
	begun := false
	for rest := []rune(line); len(rest) > 0; rest = rest[1:] {
		switch r := rest[0]; {
		case t.quote == 0 && (r == '\'' || r == '"'):
			t.quote, begun = r, true
			kept.Reset()
			kept.WriteString(word.String())
		case r == t.quote:
			t.quote = 0
		case r == '\\' && t.quote != '\'' && len(rest) > 1:
			rest = rest[1:]
			word.WriteRune(rest[0])
			begun = true
		case t.quote == 0 && strings.ContainsRune(" \t\n", r):
			if begun {
				t.Words = append(t.Words, word.String())
			}
			word.Reset()
			kept.Reset()
			begun = false
		case t.quote == 0 && strings.ContainsRune(";|&(", r): // another command begins
			t.Words = nil
			word.Reset()
			kept.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
			if t.quote == 0 && strings.ContainsRune(breaks, r) {
				kept.Reset()
				kept.WriteString(word.String())
			}
		}
	}
	t.Words, t.keeps = append(t.Words, word.String()), kept.String()
	return t
}

// Replies returns an answer as bash takes it: without what is told of the words, which bash
// would insert; without what it keeps of the word; and with what is special to it marked, unless
// a quote is open.
func (t Typed) Replies(a Answer) Answer {
	out := Answer{Then: a.Then}
	for _, w := range a.Words {
		text := strings.TrimPrefix(w.Text, t.keeps)
		if t.quote == 0 {
			text = marked(text)
		}
		out.Words = append(out.Words, Word{Text: text, Open: w.Open})
	}
	return out
}

// marked puts a backslash before each letter that is special to a shell.
func marked(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(" \t$`\"'\\*?[]{}()<>|&;#!~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
