package main

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/cmd/dscope/topic"
	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/probes"
)

// The version of dscope, and its day, which the manual pages have.
const (
	version     = "0.1.0"
	versionDate = "2026-11-24"
)

const versionLine = "dscope " + version + " (eBPF), D 2.0"

func helpCommand() usage.Command {
	return usage.Command{
		Name: "help", Brief: "tell of a command or a topic; list them", Forms: []string{"[COMMAND | TOPIC]"},
		About: "Without a word it lists the commands and the topics. The manual pages say the same: see dscope man.",
		Words: usage.Page, Run: helpMain,
	}
}

func versionCommand() usage.Command {
	return usage.Command{Name: "version", Brief: "print the version", Forms: []string{""}, Run: func([]string) error {
		fmt.Fprintln(said, versionLine)
		return nil
	}}
}

// helpMain is dscope help.
func helpMain(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(said, overview())
		return nil
	}
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s makes no sense here", args[1])}
	}
	if c, ok := commandNamed(args[0]); ok {
		fmt.Fprint(said, c.Text()+furtherOn(c.Topics))
		return nil
	}
	if t, ok := topic.Named(args[0]); ok {
		fmt.Fprint(said, t.Text())
		return nil
	}
	return noPage(args[0])
}

// furtherOn says where more is told; "" if nowhere.
func furtherOn(topics []string) string {
	if len(topics) == 0 {
		return ""
	}
	var calls []string
	for _, name := range topics {
		calls = append(calls, "dscope help "+name)
	}
	return "\n" + usage.Wrap("More: "+strings.Join(calls, ", "), 0)
}

// noPage complains of a word that is no command and no topic.
func noPage(word string) error {
	err := fmt.Errorf("there is no command and no topic %s", word)
	if near := probes.Nearest(strings.ToLower(word), pages()); len(near) > 0 {
		return fmt.Errorf("%w: do you mean %s? (dscope help lists them)", err, strings.Join(near, " or "))
	}
	return fmt.Errorf("%w: dscope help lists them", err)
}

// pages are the names of what is told of: commands and topics.
func pages() []string {
	var list []string
	for _, c := range commandTable() {
		list = append(list, c.Name)
	}
	for _, t := range topic.All() {
		list = append(list, t.Name)
	}
	return list
}

// overview is what dscope help prints: how dscope is called, its commands, and its topics.
func overview() string {
	var b strings.Builder
	w := workbenchCommand()
	b.WriteString("usage: " + w.Calls()[0] + "\n       dscope COMMAND ...\n\n")
	b.WriteString(usage.Wrap(w.About, 0))
	width := len(slices.MaxFunc(pages(), func(a, b string) int { return len(a) - len(b) }))
	b.WriteString("\ncommands, of which dscope help COMMAND tells more:\n")
	for _, c := range commandTable() {
		b.WriteString(usage.Entry("    ", c.Name, width, c.Brief))
	}
	b.WriteString("\ntopics, for dscope help TOPIC:\n")
	for _, t := range topic.All() {
		b.WriteString(usage.Entry("    ", t.Name, width, t.Brief))
	}
	b.WriteString("\n" + usage.Wrap(w.After, 0))
	return b.String()
}

// wantsHelp reports whether the first word asks a command for help.
func wantsHelp(c usage.Command, args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "--help", "-help":
		return true
	case "-h":
		return !slices.ContainsFunc(c.Flags, func(f usage.Flag) bool { return f.Name == "-h" })
	}
	return false
}
