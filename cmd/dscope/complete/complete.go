// Package complete finds what could stand at the cursor of a shell's command line, by the table
// of commands that --help is made of.
//
// The scripts for the shells (folder shell) know nothing of dscope: each hands the words of the
// line over, and offers what comes back. So bash, zsh and fish offer the same, and a new flag
// needs no new script. What is sent back is a line with a word that says what the shell is to do
// besides, and then a line for each candidate, with a tab before what is told of it. The words:
//
//	nothing
//	more        put no blank behind a word: it goes on
//	files       offer files too
//	scripts     offer *.d and folders
//	folders     offer folders
//	programs    offer programs
package complete

import (
	"cmp"
	"strings"

	"dscope.dev/cmd/dscope/usage"
)

// A Word is a candidate.
type Word struct {
	Text string
	Help string // may be empty
	Open bool   // more follows it in the same word
}

// An Answer is what could stand at the cursor.
type Answer struct {
	Words []Word
	Then  string // what the shell does besides: one of the words above
}

// A Source finds candidates that depend on the machine. Those that do not begin with what was
// typed are left out by the caller. The process is that of -p, or 0.
type Source interface {
	Candidates(kind usage.Kind, typed string, process string) []Word
}

// Line completes the last of words, which stand behind the name of the program; it may be
// empty. First is what can stand where a command can.
func Line(first usage.Command, commands []usage.Command, words []string, s Source) Answer {
	if len(words) == 0 {
		return Answer{}
	}
	if c, ok := usage.Find(commands, words[0]); ok && len(words) > 1 {
		return within(c, words[1:], s)
	}
	a := within(first, words, s)
	if len(words) == 1 && !strings.HasPrefix(words[0], "-") {
		var list []Word
		for _, c := range commands {
			list = append(list, Word{Text: c.Name, Help: c.Brief})
		}
		a.Words = append(beginning(list, words[0]), a.Words...)
	}
	return a
}

// within completes the last word of those behind the name of a command.
func within(c usage.Command, words []string, s Source) Answer {
	last := words[len(words)-1]
	var pending *usage.Flag // whose argument comes next
	process, ended := "", false
	for _, word := range words[:len(words)-1] {
		switch {
		case pending != nil:
			if pending.Takes == usage.Process {
				process = word
			}
			pending = nil
		case ended || len(word) < 2 || word[0] != '-':
			if c.Words == usage.Program {
				return Answer{Then: "files"} // what its words mean that program knows
			}
		case word == "--":
			ended = true
		default:
			f, arg := flagIn(c.Flags, word)
			if f != nil && arg == "" {
				pending = f
			} else if f != nil && f.Takes == usage.Process {
				process = arg
			}
		}
	}
	switch {
	case pending != nil:
		return ofKind(pending.Takes, last, process, s)
	case strings.HasPrefix(last, "-") && !ended:
		if f, arg := flagIn(c.Flags, last); f != nil && arg != "" {
			a := ofKind(f.Takes, arg, process, s)
			for i := range a.Words {
				a.Words[i].Text = strings.TrimSuffix(last, arg) + a.Words[i].Text
			}
			return a
		}
		return Answer{Words: flags(c, last)}
	}
	a := ofKind(c.Words, last, process, s)
	for _, part := range c.Parts {
		a.Words = append(a.Words, beginning([]Word{{Text: part}}, last)...)
	}
	return a
}

// flagIn returns the flag of a word that takes an argument, as the last of some letters or as
// a word, with the part of the argument that stands in the same word.
func flagIn(flags []usage.Flag, word string) (_ *usage.Flag, arg string) {
	for i := range flags {
		if f := &flags[i]; f.Name == word && f.Arg != "" {
			return f, ""
		} else if f.Name == word && len(word) > 2 {
			return nil, ""
		}
	}
	for at := 1; at < len(word); at++ {
		for i := range flags {
			f := &flags[i]
			if len(f.Name) == 2 && f.Name[1] == word[at] && f.Arg != "" {
				return f, word[at+1:]
			}
		}
	}
	return nil, ""
}

// flags returns the flags that begin with what was typed.
func flags(c usage.Command, typed string) []Word {
	var list []Word
	for _, f := range c.Shown() {
		list = append(list, Word{Text: f.Name, Help: f.Help})
	}
	return beginning(append(list, Word{Text: "--help", Help: "tell how it is called"}), typed)
}

// then is what the shell does for words of a kind.
var then = map[usage.Kind]string{
	usage.File: "files", usage.Script: "scripts", usage.Folder: "folders", usage.Line: "programs", usage.Program: "programs",
}

// ofKind returns what a word of a kind can be.
func ofKind(k usage.Kind, typed, process string, s Source) Answer {
	a := Answer{Words: beginning(s.Candidates(k, typed, process), typed), Then: then[k]}
	if k == usage.Named && (strings.ContainsRune(typed, '/') || strings.HasPrefix(typed, ".")) {
		a.Then = "files"
	}
	for _, w := range a.Words {
		if w.Open {
			a.Then = "more"
		}
	}
	return a
}

// beginning returns those that begin with what was typed.
func beginning(list []Word, typed string) []Word {
	var out []Word
	for _, w := range list {
		if strings.HasPrefix(w.Text, typed) {
			out = append(out, w)
		}
	}
	return out
}

// Text returns an answer as the scripts read it.
func (a Answer) Text() string {
	var b strings.Builder
	b.WriteString(cmp.Or(a.Then, "nothing") + "\n")
	for _, w := range a.Words {
		b.WriteString(oneLine(w.Text))
		if w.Help != "" {
			b.WriteString("\t" + oneLine(short(w.Help)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// oneLine keeps what comes from the machine from being taken for more than one candidate.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// short cuts what is told of a candidate to what a list has room for.
func short(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
