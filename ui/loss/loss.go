// Package loss keeps the ledger of a run: all that it could not see, in words that say what
// to do about it.
//
// A line of the ledger is one kind of loss of one thing, as far as the run tells which: the
// firings that one aggregation had no room for, the records of the CPUs whose buffers were
// full. It has a number, the time of the run at which the first was told, and the remedy: an
// option that leaves more room, which the run names, or the reason why there is none. The
// line with the greatest number is that of which the status line speaks.
//
// Nothing here draws, and nothing knows of options beyond their spelling.
package loss

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// A Line is one kind of loss of one thing.
type Line struct {
	Kind  trace.DropKind
	Count uint64
	Where string        // what it concerns: @a, x[], a probe, CPU 1; "" if that is not known
	Since time.Duration // of the run; -1 if that is not known
	Cure  string        // the option that leaves more room, as -x has it; "" if there is none
}

// words are those of a kind.
type words struct {
	one, many string // what was lost
	where     string // between that and what it concerns
	unknown   string // what it concerns if that is not known
	brief     string // why, in the present, for the status line
	why       string // why, and what the remedy does; %s is the option
	helpless  string // what helps if there is no remedy, or no more of it
}

var kinds = [...]words{
	trace.DropPrincipal: {"record", "records", "on", "a CPU", "the buffer is full",
		"What the script prints and traces waits in a buffer of each CPU until it is read. It was full.",
		"The buffer is as large as it may be: print less, or aggregate."},
	trace.DropAggregation: {"firing", "firings", "of", "an aggregation", "its table is full",
		"The table of its keys had no room for another key. Keys that were there already are counted on.",
		"The table is as large as it may be: use keys of which there are fewer."},
	trace.DropDynamic: {"assignment", "assignments", "to", "a dynamic variable", "there is no room for more",
		"Variables with an index and those of threads share some memory. It was full, and what the clause would have done after that was not done.",
		"The memory is as large as it may be: set variables to 0 when they are no longer needed."},
	trace.DropSpecBuffer: {"record", "records", "of", "a speculation", "the buffer is full",
		"A speculation had no room for what it was to keep.", "The buffer is as large as it may be: trace less in a speculation."},
	trace.DropSpecBusy: {"attempt", "attempts", "at", "a speculation", "it was busy on another CPU",
		"A speculation was still being committed or discarded on another CPU.", "It happens again where many commit at once: speculate less often."},
	trace.DropSpecNone: {"attempt", "attempts", "at", "a speculation", "none was free",
		"As many speculations were open as there may be.", "There are as many as there may be: commit or discard them sooner."},
	trace.DropStackString: {"name", "names", "in", "a user stack", "there was no room for it",
		"Names of functions of an interpreter had no room.", "Ask for fewer frames: jstack(10)."},
	trace.DropError: {"error", "errors", "in", "ERROR", "it could not be recorded",
		"A clause of ERROR failed itself, or the record of a failure found the buffer full.", "Look for what fails: the output tells of the other failures."},
	trace.DropStack: {"stack", "stacks", "of", "a key", "it had no room",
		"The kernel keeps 16,384 different stacks between two readings, and two that fall into one place cannot both be kept.",
		"They are read as often as may be: ask for fewer frames, stack(5), or for fewer firings."},
	trace.DropString: {"string", "strings", "in", "the output", "it was cut",
		"What came after the first strsize bytes is not kept.", "No string may be longer."},
	trace.DropRecursion: {"firing", "firings", "of", "a probe", "a probe was at work",
		"A probe was at work on the same CPU, or in a thread that waits for it; two at once could lock up the machine.",
		"No option helps: trace fewer functions, or not those that the probes themselves come to, such as locks."},
	trace.DropMissed: {"return", "returns", "of", "a function", "the kernel missed it",
		"The kernel watches a limited number of calls at once until they return.", "No option helps: trace the entry, or fewer functions."},
	trace.DropReader: {"event", "events", "for", "the screen", "it was read too slowly",
		"The terminal was too slow for what the script prints.", "Print less, or aggregate."},
}

// of returns the words of a kind; those of a kind that is not known say little.
func of(k trace.DropKind) words {
	switch k {
	case Failed:
		return words{"firing", "firings", "in", "a clause", "the clause failed", "The clause was given up there, and nothing of the firing is kept.",
			"Ask before for what it needs, as in /arg0 != 0/; the output tells of each."}
	case CutStack:
		return words{"stack", "stacks", "in", "a key", "it was cut", "Frames further out are not kept.", "No stack may be deeper here."}
	}
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return words{"firing", "firings", "of", "the script", "it could not be kept", "It could not be kept.", "Nothing is known that helps."}
}

// What says what was lost: firings of @a.
func (l Line) What() string {
	w := of(l.Kind)
	what := w.many
	if l.Count == 1 {
		what = w.one
	}
	where := l.Where
	if where == "" {
		where = w.unknown
	}
	return widget.Safe(what + " " + w.where + " " + where)
}

// Brief says it in a few words.
func (l Line) Brief() string {
	return Number(l.Count) + " " + l.What() + " lost: " + of(l.Kind).brief
}

// Why says why it was lost, and what helps.
func (l Line) Why() string {
	w := of(l.Kind)
	if l.Cure == "" {
		return w.why + " " + w.helpless
	}
	return w.why
}

// Sentence says all of it: what was lost, since when, and why.
func (l Line) Sentence() string {
	verb, end := "were", " after the start. "
	if l.Count == 1 {
		verb = "was"
	}
	what := Number(l.Count) + " " + l.What()
	switch {
	case l.Since >= 0:
		return what + " " + verb + " lost, the first " + widget.Elapsed(l.Since) + end + l.Why()
	case l.Kind == CutStack && l.Count == 1:
		return what + " is as deep as it may be. " + l.Why()
	case l.Kind == CutStack:
		return what + " are as deep as they may be. " + l.Why()
	case l.Count == 1:
		return what + " is as long as it may be. " + l.Why()
	}
	return what + " are as long as they may be. " + l.Why()
}

// Number writes a number with its thousands set apart: 43,947.
func Number(n uint64) string { return widget.Group(n) }

// A Ledger remembers since when a run has lost what. The zero value is empty.
type Ledger struct {
	since  map[place]time.Duration
	lines  []Line
	faults []Line
}

// A place is what lines are told apart by.
type place struct {
	kind        trace.DropKind
	where, cure string
}

// Note takes the state of the run. What it has lost is listed from the greatest number
// down.
func (g *Ledger) Note(s *trace.Status) {
	if len(s.Drops) == 0 {
		g.since, g.lines = nil, nil
		return
	}
	if g.since == nil {
		g.since = map[place]time.Duration{}
	}
	g.lines = g.lines[:0:0] // who has been given them may keep them
	at := map[place]int{}
	cpus := map[place][]int{}
	for _, d := range s.Drops {
		p := place{d.Kind, d.Where, ""}
		if d.Cure == "" { // an option that helps differs from run to run, not within one
			p.cure = "none"
		}
		i, ok := at[p]
		if !ok {
			i = len(g.lines)
			at[p] = i
			if _, known := g.since[p]; !known {
				g.since[p] = s.Elapsed
			}
			g.lines = append(g.lines, Line{Kind: d.Kind, Where: d.Where, Since: g.since[p], Cure: d.Cure})
		}
		g.lines[i].Count += d.Count
		if d.CPU >= 0 {
			cpus[p] = append(cpus[p], d.CPU)
		}
	}
	for p, list := range cpus {
		if l := &g.lines[at[p]]; l.Where == "" {
			l.Where = spans(list)
		}
	}
	slices.SortStableFunc(g.lines, func(x, y Line) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Where, y.Where))
	})
}

// Lines returns the ledger, the greatest loss first. The caller may keep it.
func (g *Ledger) Lines() []Line { return g.lines }

// spans names CPUs: CPU 1, CPUs 0-3 and 7.
func spans(list []int) string {
	slices.Sort(list)
	list = slices.Compact(list)
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	if len(list) == 1 {
		return "CPU " + parts[0]
	}
	if n := len(parts); n > 1 {
		return "CPUs " + strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return "CPUs " + parts[0]
}
