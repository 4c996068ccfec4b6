package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine"
	"dscope.dev/engine/question"
	"dscope.dev/engine/trace"
)

var askFlags = []usage.Flag{
	{Name: "-c", Arg: "cmd", Takes: usage.Line, Help: "ask a question about one process of this command, until it ends"},
	containerFlag,
	{Name: "-l", Help: "list what the words mean, and run nothing"},
	{Name: "-p", Arg: "pid", Takes: usage.Process, Help: "ask a question about one process of this one, until it ends"},
	{Name: "--print", Help: "print the script of the question, and run nothing"},
	{Name: "-t", Arg: "seconds", Help: "end after so many seconds, or a time such as 500ms or 5m; without it, Ctrl-C ends it"},
	{Name: "-v", Help: "in lists: tell what makes the cost, and how to read what comes"},
	{Name: "-x", Arg: "opt[=val]", Takes: usage.Option, Help: "set an option"},
}

func askCommand() usage.Command {
	return usage.Command{
		Name: "ask", Brief: "ask a ready question, without a line of D; list them",
		Forms: []string{"[-lv] [--print] [-t seconds] [-p pid | -c cmd]\n    [--container name] [-x opt[=val]] [words ...]"},
		About: "Finds the ready question that the words mean, runs its script, and prints what it has found at the end. " +
			"Without words it lists all questions by area, with where each attaches and what it is likely to cost. Where " +
			"several are meant, a terminal is asked which one; without one they are listed, and the exit status is 2.",
		Flags: askFlags,
		After: "A question whose programs for some seconds take more than 20 % of all CPUs is ended; -x airbag=off asks all the same.",
		Words: usage.Question, Run: askMain, Topics: []string{"questions", "container", "cost"},
	}
}

// An asking is what one command line of dscope ask asks for.
type asking struct {
	job
	only  bool // -l: list
	print bool // --print
	words string
}

// askAirBag is the air bag of a question unless -x says otherwise: that of the workbench.
const askAirBag = "20%"

// askMain is dscope ask.
func askMain(args []string) error {
	a, err := parseAsk(args)
	if err != nil {
		return err
	}
	if done, err := byHelper("ask", args, nil); done {
		return err
	}
	if a.only || a.words == "" && !a.print {
		return a.list()
	}
	q, err := a.choose()
	if err != nil {
		return err
	}
	if a.print {
		_, err := fmt.Fprint(scripts(), q.Text)
		return ignorePipe(err)
	}
	return a.run(q)
}

// parseAsk reads the command line.
func parseAsk(args []string) (*asking, error) {
	a := &asking{job: job{opts: engine.DefaultOptions()}}
	if err := a.opts.Set("airbag", askAirBag); err != nil {
		return nil, err
	}
	args, err := containerOption(args)
	if err != nil {
		return nil, err
	}
	var rest []string
	for _, word := range args {
		if word == "--print" || word == "-print" {
			a.print = true
			continue
		}
		rest = append(rest, word)
	}
	flags, words, err := getopt(rest, usage.Spec(askFlags))
	if err != nil {
		return nil, usageError{err}
	}
	for _, f := range flags {
		switch f.flag {
		case 'l':
			a.only = true
		case 't':
			if a.limit, err = seconds(f.arg); err != nil {
				return nil, usageError{err}
			}
		default: // what dscope trace has, too
			if err := a.set(f); err != nil {
				return nil, err
			}
		}
	}
	if len(a.pids)+len(a.commands) > 1 {
		return nil, usageError{errors.New("a question is about one process: one -p, or one -c")}
	}
	a.opts.Quiet = true
	a.words = strings.TrimSpace(strings.Join(words, " "))
	return a, nil
}

// seconds reads a number of seconds, or a time with a unit.
func seconds(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if n, bad := strconv.ParseFloat(text, 64); bad == nil {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("-t %s: it takes a number of seconds, or a time such as 500ms or 5m", text)
	}
	return d, nil
}

// choose returns the question that the words mean; where that is in doubt, the one that
// somebody at a terminal takes of those that they may mean.
func (a *asking) choose() (question.Question, error) {
	if a.words == "" {
		return question.Question{}, usageError{errors.New("--print: which question? name one, or say it in words")}
	}
	if q, known := question.Meant(a.words); known {
		return q, nil
	}
	found := question.Find(a.words)
	if len(found) == 0 {
		return question.Question{}, fmt.Errorf("no question has to do with %q: dscope ask lists all", a.words)
	}
	fmt.Fprintf(told, "dscope: %d question%s may be meant by %q:\n\n", len(found), plural(len(found)), a.words)
	if !canAsk() {
		return question.Question{}, errors.Join(a.candidates(found, false), exitStatus(exitUsage))
	}
	if err := a.candidates(found, true); err != nil {
		return question.Question{}, err
	}
	return whichOne(found)
}

// whichOne reads from a terminal which of some questions is meant.
func whichOne(found []question.Question) (question.Question, error) {
	in := bufio.NewScanner(os.Stdin)
	for {
		fmt.Fprintf(told, "Which one? A number or a name; nothing leaves: ")
		if !in.Scan() || strings.TrimSpace(in.Text()) == "" {
			return question.Question{}, exitStatus(exitUsage)
		}
		word := strings.TrimSpace(in.Text())
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(found) {
			return found[n-1], nil
		}
		if q, ok := question.Named(word); ok {
			return q, nil
		}
		fmt.Fprintf(told, "%s is none of them.\n", word)
	}
}

// run asks a question of this machine.
func (a *asking) run(q question.Question) error {
	within := a.opts.Values["container"]
	switch asked := len(a.pids)+len(a.commands) > 0; {
	case q.Target() && !asked && within == "":
		return usageError{fmt.Errorf("%s is asked about one process: name it with -p, or have -c run it", q.Name)}
	case !q.Target() && asked:
		return usageError{fmt.Errorf("%s is asked about the whole machine: -p and -c go with others (dscope ask my program)", q.Name)}
	}
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Available(); err != nil {
		return err
	}
	t, err := a.target(e)
	if err != nil {
		return err
	}
	script := trace.Script{Text: q.Text}
	if t != nil {
		defer t.release()
		script.Target = t.pid
	}
	if why := cannotAsk(e, script); why != "" {
		return fmt.Errorf("%s cannot be asked here: %s", q.Name, why)
	}
	a.verbose = false // it has been about lists
	a.parts = []part{{flag: 's', name: q.Name + ".d", text: q.Text}}
	a.ready = func() { fmt.Fprintf(told, "%s\n", a.sentence(q)) }
	return a.trace(context.Background(), e, t)
}

// cannotAsk says why the script of a question cannot run here; "" if it can.
func cannotAsk(e *engine.Engine, script trace.Script) string {
	if list := e.Check(context.Background(), script); list.Failed() {
		return firstError(list).Msg
	}
	return ""
}

// sentence says what is asked, how to read what comes, and when it ends.
func (a *asking) sentence(q question.Question) string {
	end := "Ctrl-C ends it and shows what was found."
	switch {
	case a.limit > 0:
		end = fmt.Sprintf("What was found comes in %v, or at Ctrl-C.", a.limit)
	case len(a.commands) > 0:
		end = "What was found comes when the command has ended, or at Ctrl-C."
	case len(a.pids) > 0:
		end = "What was found comes when the process has ended, or at Ctrl-C."
	case a.opts.Values["container"] != "":
		end = "What was found comes when the container has ended, or at Ctrl-C."
	}
	note := strings.Join(strings.Fields(q.Note), " ")
	return strings.TrimSuffix(usage.Wrap(strings.Join(strings.Fields(q.Title+" "+note+" "+end), " "), 0), "\n")
}
