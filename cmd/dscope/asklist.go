package main

import (
	"bufio"
	"fmt"
	"io"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/question"
	"dscope.dev/engine/trace"
)

// list prints the questions that the words mean, all without words, by area.
func (a *asking) list() error {
	found := question.Find(a.words)
	if len(found) == 0 {
		return fmt.Errorf("no question has to do with %q: dscope ask lists all", a.words)
	}
	out := bufio.NewWriter(said)
	lacks := a.lacks(found)
	for _, area := range question.Areas {
		first := true
		for _, q := range found {
			if q.Area != area {
				continue
			}
			if first {
				fmt.Fprintf(out, "%s\n", area)
			}
			first = false
			a.entry(out, "  ", q, lacks[q.Name])
		}
	}
	return ignorePipe(out.Flush())
}

// candidates prints on stderr what may be meant, the likeliest first.
func (a *asking) candidates(found []question.Question, numbered bool) error {
	out := bufio.NewWriter(told)
	lacks := a.lacks(found)
	for i, q := range found {
		lead := "  "
		if numbered {
			lead = fmt.Sprintf("%3d ", i+1)
		}
		a.entry(out, lead, q, lacks[q.Name])
	}
	fmt.Fprintln(out)
	return out.Flush()
}

// nameWidth is how many columns the names of questions take in a list.
const nameWidth = 20

// entry prints a question: its name and title, then what it costs and where it attaches.
func (a *asking) entry(out io.Writer, lead string, q question.Question, lacks string) {
	fmt.Fprint(out, usage.Entry(lead, q.Name, nameWidth, q.Title))
	column := len(lead) + nameWidth + 2
	about := q.Cost.String() + " cost; attaches to " + q.Attaches
	if a.verbose {
		about = q.Cost.String() + " cost: " + q.Why + "; attaches to " + q.Attaches
	}
	if q.Target() {
		about += "; with -p or -c"
	}
	fmt.Fprint(out, usage.Wrap(about, column))
	if a.verbose && q.Note != "" {
		fmt.Fprint(out, usage.Wrap(q.Note, column))
	}
	switch {
	case lacks != "" && a.verbose:
		fmt.Fprint(out, usage.Wrap("not here: "+lacks, column))
	case lacks != "":
		fmt.Fprint(out, usage.Wrap("not here (-v says why)", column))
	}
}

// lacks says of each question that cannot be asked here why, by name. About questions that
// need a process nothing is known, unless one is named.
func (a *asking) lacks(found []question.Question) map[string]string {
	e, err := newEngine()
	if err != nil {
		return nil // whoever asks one is told
	}
	defer e.Close()
	why := map[string]string{}
	for _, q := range found {
		if q.Target() && len(a.pids) == 0 {
			continue
		}
		script := trace.Script{Text: q.Text}
		if q.Target() {
			script.Target = a.pids[0]
		}
		if reason := cannotAsk(e, script); reason != "" {
			why[q.Name] = reason
		}
	}
	return why
}
