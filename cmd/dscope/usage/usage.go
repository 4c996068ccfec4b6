// Package usage holds what is told of a command of dscope: how it is called, what it does,
// and each of its flags. The reading of flags, --help, the manual pages and the completion of
// shells all take it from here, so that what is told is what is read.
//
// A command is a row of one table, which lies where the commands are (cmd/dscope/commands.go).
package usage

import (
	"fmt"
	"slices"
	"strings"
)

// Width is how many columns a text for people has at most.
const Width = 80

// A Kind is what a word of the command line stands for. It says what a shell may offer there.
type Kind uint8

// The kinds.
const (
	Free      Kind = iota // a text that nobody can guess
	File                  // any file
	Script                // a file with D
	Folder                // a folder
	Program               // a program with its arguments, as words of their own
	Line                  // a program with its arguments, in one word
	Process               // the number of a process
	Container             // a container by its name
	Provider              // a provider
	Module                // a module, with a provider in front if need be
	Function              // a function, likewise
	Probe                 // a description of probes, or a whole clause
	Named                 // a description of probes, a process, or a file that carries probes
	Option                // an option of -x, with its value
	Question              // a ready question
	Shell                 // a shell that completes
	Page                  // a command or a topic
)

// A Flag is one flag of a command.
type Flag struct {
	Name   string // as it is typed: -b, -json, --print
	Arg    string // what follows it, for people: bufsz; "" if nothing does
	Takes  Kind   // what Arg stands for
	Help   string // what it does, without a full stop
	Above  string // a line that stands above it in the list; the next ones belong to that, too
	Hidden bool   // it is read in order to be refused with the reason, and not told of
}

// A Command is what the first word of a command line asks for.
type Command struct {
	Name   string
	Brief  string   // what it does, in the list of commands: some words
	Forms  []string // how it is called: what follows its name, with line breaks where it is long
	About  string   // paragraphs above the flags; may be empty
	Flags  []Flag
	After  string   // paragraphs below the flags; may be empty
	Words  Kind     // what the words that are no flags stand for
	Parts  []string // words of its own that it takes in their place, such as path in dscope config path
	Topics []string // of the help, where more is told

	Says string // the name with which its complaints begin; "" is dscope
	Run  func(args []string) error
}

// Find returns the command of a name.
func Find(list []Command, name string) (Command, bool) {
	i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return list[i], true
}

// Spec returns the flags of one letter as getopt(3) wants them: those that take an argument
// are followed by a colon.
func Spec(flags []Flag) string {
	var b strings.Builder
	for _, f := range flags {
		if len(f.Name) != 2 {
			continue // a word, which is read otherwise
		}
		b.WriteByte(f.Name[1])
		if f.Arg != "" {
			b.WriteByte(':')
		}
	}
	return b.String()
}

// Shown returns the flags that are told of.
func (c *Command) Shown() []Flag {
	return slices.DeleteFunc(slices.Clone(c.Flags), func(f Flag) bool { return f.Hidden })
}

// Calls returns the ways to call it, each with the name of the program in front.
func (c *Command) Calls() []string {
	var list []string
	for _, form := range c.Forms {
		words := slices.DeleteFunc([]string{"dscope", c.Name, form}, func(w string) bool { return w == "" })
		list = append(list, strings.Join(words, " "))
	}
	return list
}

// Text is what --help prints.
func (c *Command) Text() string {
	var b strings.Builder
	for i, call := range c.Calls() {
		word := "usage: "
		if i > 0 {
			word = "       "
		}
		b.WriteString(word + call + "\n")
	}
	for _, part := range []string{Wrap(c.About, 0), c.flagList(), Wrap(c.After, 0)} {
		if part != "" {
			b.WriteString("\n" + part)
		}
	}
	return b.String()
}

// flagList lists the flags in two columns.
func (c *Command) flagList() string {
	widest := 0
	for _, f := range c.Shown() {
		widest = max(widest, len(f.Name))
	}
	var b strings.Builder
	for _, f := range c.Shown() {
		if f.Above != "" {
			b.WriteString("  " + f.Above + "\n")
		}
		b.WriteString(Entry("    ", f.Name, widest, f.Help))
	}
	return b.String()
}

// Entry returns an entry of a list in two columns: a name in width columns behind an
// indentation, and what is told of it, in as many lines as that takes.
func Entry(indent, name string, width int, text string) string {
	column := len(indent) + width + 2
	lines := strings.Split(strings.TrimLeft(Wrap(text, column), " "), "\n")
	return fmt.Sprintf("%s%-*s  %s", indent, width, name, strings.Join(lines, "\n"))
}

// Wrap breaks paragraphs into lines that end before column Width and begin at a column. A line
// that begins with a blank stays as it is.
func Wrap(text string, column int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if paragraph == "" {
			continue
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		indent := strings.Repeat(" ", column)
		if paragraph[0] == ' ' {
			for line := range strings.SplitSeq(paragraph, "\n") {
				b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
			}
			continue
		}
		at := 0
		for _, word := range strings.Fields(paragraph) {
			n := len([]rune(word))
			switch {
			case at == 0:
				b.WriteString(indent)
				at = column
			case at+1+n > Width:
				b.WriteString("\n" + indent)
				at = column
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}
