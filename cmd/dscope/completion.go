package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/cmd/dscope/complete"
	"dscope.dev/cmd/dscope/topic"
	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/option"
	"dscope.dev/engine"
	"dscope.dev/engine/container"
	"dscope.dev/engine/question"
	"dscope.dev/engine/trace"
)

func completionCommand() usage.Command {
	return usage.Command{
		Name: "completion", Brief: "print what has a shell complete command lines of dscope", Forms: []string{"bash|zsh|fish"},
		About: "Prints a script for the shell, whose first lines say where it goes. Then the tab key completes commands and " +
			"flags, descriptions of probes and whole clauses, options of -x with their values, processes, questions, " +
			"topics, scripts and recordings.\n\n" +
			"    source <(dscope completion bash)",
		Words: usage.Shell, Run: completionMain,
	}
}

// completionMain is dscope completion. With --words it answers the script of a shell.
func completionMain(args []string) error {
	if len(args) > 1 && args[0] == "--words" {
		return candidates(args[1], args[2:])
	}
	if len(args) != 1 {
		return usageError{errors.New("for which shell?")}
	}
	text, ok := complete.Script(args[0])
	if !ok {
		return usageError{fmt.Errorf("there is nothing for %s: only for %s", args[0], strings.Join(complete.Shells, ", "))}
	}
	_, err := fmt.Fprint(said, text)
	return ignorePipe(err)
}

// candidates prints what could stand at the cursor of a line. Zsh and fish hand over its words up
// to the cursor, bash the line itself and where it breaks words.
func candidates(shell string, words []string) error {
	var line complete.Typed
	if shell == "bash" && len(words) == 2 {
		line = complete.Bash(words[0], words[1])
		words = line.Words[1:]
	}
	s := &completer{}
	defer s.close()
	a := complete.Line(workbenchCommand(), commandTable(), words, s)
	if shell == "bash" {
		a = line.Replies(a)
	}
	_, err := fmt.Fprint(said, a.Text())
	return err
}

// A completer asks the engine about this machine. The engine is opened when it is needed first.
type completer struct{ e *engine.Engine }

func (c *completer) close() {
	if c.e != nil {
		c.e.Close()
	}
}

// engine returns the engine; nil if there is none here, and so nothing to offer.
func (c *completer) engine() *engine.Engine {
	if c.e == nil {
		c.e, _ = engine.Open()
	}
	return c.e
}

// Candidates returns what words of a kind there are.
func (c *completer) Candidates(kind usage.Kind, typed, process string) []complete.Word {
	target, _ := strconv.Atoi(process)
	switch kind {
	case usage.Question:
		return questionWords()
	case usage.Shell:
		return wordsOf(complete.Shells)
	case usage.Page:
		return pageWords()
	case usage.Option:
		return optionWords(typed)
	case usage.Process:
		return c.processes()
	case usage.Container:
		return containerWords()
	case usage.Provider:
		return c.probes(typed, 0, target)
	case usage.Module:
		return c.probes(typed, 1, target)
	case usage.Function:
		return c.probes(typed, 2, target)
	case usage.Named:
		return append(c.probes(typed, 3, target), c.processesTyped(typed)...)
	case usage.Probe:
		return c.clause(typed, target)
	}
	return nil
}

func wordsOf(list []string) []complete.Word {
	var out []complete.Word
	for _, name := range list {
		out = append(out, complete.Word{Text: name})
	}
	return out
}

func questionWords() []complete.Word {
	var list []complete.Word
	for _, q := range question.All() {
		list = append(list, complete.Word{Text: q.Name, Help: q.Title})
	}
	return list
}

func pageWords() []complete.Word {
	var list []complete.Word
	for _, c := range commandTable() {
		list = append(list, complete.Word{Text: c.Name, Help: c.Brief})
	}
	for _, t := range topic.All() {
		list = append(list, complete.Word{Text: t.Name, Help: t.Brief})
	}
	return list
}

// optionWords returns the options; behind the = of one, its values.
func optionWords(typed string) []complete.Word {
	var list []complete.Word
	name, _, valued := strings.Cut(typed, "=")
	if valued {
		if o := option.Find(strings.ToLower(name)); o != nil {
			for _, v := range valuesOf(o) {
				list = append(list, complete.Word{Text: name + "=" + v})
			}
		}
		return list
	}
	for _, name := range option.Names() {
		o := option.Find(name)
		w := complete.Word{Text: name, Help: o.Help}
		if o.Kind != option.OnOff {
			w.Text, w.Open = name+"=", true
		}
		list = append(list, w)
	}
	return list
}

// valuesOf are values that an option takes: all of them, or those that are usual.
func valuesOf(o *option.Spec) []string {
	switch {
	case o.Kind == option.OnOff:
		return []string{"on", "off"}
	case o.Kind == option.OneOf:
		return o.Words
	case o.Name == "oformat":
		return []string{"text", "json", "json,pretty", "xml", "html", "ndjson"}
	case o.Name == "airbag", o.Name == "estimate":
		return []string{"5%", "10%", "20%", "off"}
	case o.Kind == option.Bytes:
		return []string{"64k", "512k", "1m", "4m", "16m", "64m"}
	case o.Kind == option.Every:
		return []string{"100ms", "1s", "10s", "10hz"}
	}
	return nil
}

func (c *completer) processes() []complete.Word {
	e := c.engine()
	if e == nil {
		return nil
	}
	list, err := e.Processes(context.Background())
	if err != nil {
		return nil
	}
	var out []complete.Word
	for _, p := range list {
		out = append(out, complete.Word{Text: strconv.Itoa(p.PID), Help: p.Name + " (" + p.User + ") " + p.Line})
	}
	return out
}

func containerWords() (out []complete.Word) {
	list, _, _ := container.Here().List(context.Background())
	for i := range list {
		if c := &list[i]; !c.Sandbox {
			out = append(out, complete.Word{Text: cmp.Or(c.Full(), c.Short()), Help: c.String()})
		}
	}
	return out
}

// processesTyped returns them only once a digit was typed.
func (c *completer) processesTyped(typed string) []complete.Word {
	if typed == "" || typed[0] < '0' || typed[0] > '9' {
		return nil
	}
	return c.processes()
}

// mostProbes bounds what a shell is handed; the kernel has tens of thousands of functions.
const mostProbes = 100_000

// probes completes a description that ends with the part of a number: 0 is that of the provider,
// 3 the name. Of parts in front that are not there anything is meant, but in a whole one, which
// is written from the left.
func (c *completer) probes(typed string, part, target int) []complete.Word {
	e := c.engine()
	if e == nil {
		return nil
	}
	lead := ""
	if missing := part - strings.Count(typed, ":"); part < 3 && missing > 0 {
		lead = strings.Repeat(":", missing)
	}
	var list []complete.Word
	for {
		list = nil
		for _, c := range e.CompleteProbe(context.Background(), lead+typed, target, mostProbes) {
			w := complete.Word{Text: strings.TrimPrefix(c.Text, lead), Open: strings.HasSuffix(c.Text, ":")}
			if part < 3 && strings.Count(c.Text, ":") == part+1 {
				w = complete.Word{Text: strings.TrimSuffix(w.Text, ":")}
			}
			list = append(list, w)
		}
		if len(list) != 1 || !list[0].Open || list[0].Text == typed {
			return list
		}
		next := list[0].Text // there is no choice yet
		if part == 3 && strings.Count(typed, ":") == 1 && strings.HasSuffix(typed, ":") {
			next = typed + ":" // nobody names the only module
		}
		typed = next
	}
}

// bare are probes that people name without a provider.
var bare = []string{"BEGIN", "END", "ERROR", "profile-97", "profile-997", "tick-1s", "tick-10s"}

// clause completes a description, or what stands in the clause behind it.
func (c *completer) clause(typed string, target int) []complete.Word {
	if strings.ContainsAny(typed, " \t\n/{") {
		return c.inD(typed, target)
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	list := c.probes(typed[len(before):], 3, target)
	if !strings.Contains(typed[len(before):], ":") {
		list = append(list, wordsOf(bare)...)
	}
	for i := range list {
		list[i].Text = before + list[i].Text
	}
	return list
}

// inD completes the last word of a script, as the editor of the workbench does.
func (c *completer) inD(typed string, target int) []complete.Word {
	e := c.engine()
	if e == nil {
		return nil
	}
	from, found := e.Complete(context.Background(), trace.Script{Text: typed, Target: target}, len(typed))
	var list []complete.Word
	for _, c := range found {
		list = append(list, complete.Word{Text: typed[:from] + c.Text, Help: c.Detail, Open: true})
	}
	return list
}
