package loss

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dscope.dev/engine/trace"
)

// Failed is the kind of firings whose clause was given up: a run tells of each, and counts
// none.
const Failed trace.DropKind = 254

// A Fault is where a clause was given up, and why.
type Fault struct {
	File string // "" if that is the script
	Line int    // 0 if it is not known
	Kind trace.FaultKind
}

// Faults counts those among events; nil if there is none.
func Faults(batches [][]trace.Event) (n map[Fault]uint64) {
	for _, b := range batches {
		for i := range b {
			if e := &b[i]; e.Kind == trace.FaultEvent {
				if n == nil {
					n = map[Fault]uint64{}
				}
				n[Fault{e.Fault.File, e.Fault.Line, e.Fault.Kind}]++
			}
		}
	}
	return n
}

// NoteFaults takes more of them, seen at a time of the run.
func (g *Ledger) NoteFaults(n map[Fault]uint64, at time.Duration) {
	if len(n) == 0 {
		return
	}
	g.faults = slices.Clone(g.faults) // who has been given them may keep them
	for f, count := range n {
		where := fmt.Sprintf("line %d (%s)", f.Line, f.Kind)
		switch {
		case f.Line == 0:
			where = fmt.Sprintf("a clause (%s)", f.Kind)
		case f.File != "":
			where = fmt.Sprintf("line %d of %s (%s)", f.Line, f.File, f.Kind)
		}
		i := slices.IndexFunc(g.faults, func(l Line) bool { return l.Where == where })
		if i < 0 {
			i = len(g.faults)
			g.faults = append(g.faults, Line{Kind: Failed, Where: where, Since: at})
		}
		g.faults[i].Count += count
	}
	slices.SortFunc(g.faults, func(x, y Line) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Where, y.Where)) })
}

// Faults returns the lines of firings whose clauses were given up.
func (g *Ledger) Faults() []Line { return g.faults }
