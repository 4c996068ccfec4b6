package replay

import (
	"fmt"
	"math"
	"slices"

	"dscope.dev/engine/trace"
)

// Examples of one snapshot have few stacks and probes among many. So a snapshot writes
// each of them once, and examples give their numbers, from 1; 0 is none.

type (
	wireDimension struct {
		Name text `json:"n,omitempty"`
		Expr text `json:"e,omitempty"`
		Key  bool `json:"k,omitempty"`
	}
	wireExample struct {
		Agg    int        `json:"a,omitempty"`
		Origin int        `json:"o,omitempty"`
		Time   moment     `json:"t,omitempty"`
		Probe  int        `json:"p,omitempty"`
		CPU    int        `json:"c,omitempty"`
		Value  int64      `json:"v,omitempty"`
		Weight float64    `json:"w,omitempty"`
		Facts  []wireFact `json:"f,omitempty"`
	}
	wireFact struct {
		Kind  uint8 `json:"k,omitempty"`
		Size  uint8 `json:"z,omitempty"`
		Int   int64 `json:"i,omitempty"`
		Str   text  `json:"s,omitempty"`
		Stack int   `json:"n,omitempty"`
	}
	wireExamples struct {
		List   []wireExample `json:"l,omitempty"`
		Stacks [][]wireFrame `json:"s,omitempty"`
		Probes []wireProbe   `json:"p,omitempty"`
	}
)

func toDimension(d trace.Dimension) wireDimension {
	return wireDimension{text(d.Name), text(d.Expr), d.Key}
}

func (d wireDimension) dimension() trace.Dimension {
	return trace.Dimension{Name: string(d.Name), Expr: string(d.Expr), Key: d.Key}
}

// toExamples returns nil if there are none.
func toExamples(list []trace.Example) *wireExamples {
	if len(list) == 0 {
		return nil
	}
	w := &wireExamples{}
	probes := map[trace.Probe]int{}
	stacks := map[uint64][]int{} // numbers by a hash of the addresses
	for i := range list {
		e := &list[i]
		n, ok := probes[e.Probe]
		if !ok && e.Probe != (trace.Probe{}) {
			w.Probes = append(w.Probes, toProbe(e.Probe))
			n = len(w.Probes)
			probes[e.Probe] = n
		}
		out := wireExample{e.Agg, e.Origin, wireTime(e.Time), n, e.CPU, e.Value, e.Weight, make([]wireFact, len(e.Facts))}
		if math.IsNaN(out.Weight) || math.IsInf(out.Weight, 0) {
			out.Weight = 1 // JSON has no such number
		}
		for j := range e.Facts {
			v := &e.Facts[j]
			out.Facts[j] = wireFact{uint8(v.Kind), v.Size, v.Int, text(v.Str), w.stack(stacks, v.Frames)}
		}
		w.List = append(w.List, out)
	}
	return w
}

// stack returns the number of a stack, which may be new.
func (w *wireExamples) stack(known map[uint64][]int, frames []trace.Frame) int {
	if len(frames) == 0 {
		return 0
	}
	hash := uint64(len(frames))
	for i := range frames {
		hash = hash*31 + frames[i].Addr
	}
	wire := each(frames, toFrame)
	for _, n := range known[hash] {
		if slices.Equal(w.Stacks[n-1], wire) {
			return n
		}
	}
	w.Stacks = append(w.Stacks, wire)
	known[hash] = append(known[hash], len(w.Stacks))
	return len(w.Stacks)
}

// examples shares stacks among those that have the same.
func (w *wireExamples) examples() []trace.Example {
	if w == nil {
		return nil
	}
	stacks := each(w.Stacks, func(s []wireFrame) []trace.Frame { return each(s, fromFrame) })
	probes := each(w.Probes, wireProbe.probe)
	return each(w.List, func(e wireExample) trace.Example {
		out := trace.Example{Agg: e.Agg, Origin: e.Origin, Time: e.Time.time(), CPU: e.CPU, Value: e.Value, Weight: e.Weight}
		if e.Probe > 0 {
			out.Probe = probes[e.Probe-1]
		}
		out.Facts = each(e.Facts, func(f wireFact) trace.Value {
			v := trace.Value{Kind: trace.ValueKind(f.Kind), Size: f.Size, Int: f.Int, Str: string(f.Str)}
			if f.Stack > 0 {
				v.Frames = stacks[f.Stack-1]
			}
			return v
		})
		return out
	})
}

// check refuses numbers that nothing of the snapshot has.
func (w *wireExamples) check(s *wireSnapshot) error {
	if w == nil {
		return nil
	}
	for _, e := range w.List {
		switch {
		case e.Agg < 0 || e.Agg >= len(s.Aggs):
			return fmt.Errorf("an example of the unknown aggregation %d", e.Agg)
		case e.Probe < 0 || e.Probe > len(w.Probes):
			return fmt.Errorf("an example of the unknown probe %d", e.Probe)
		case e.Weight < 1:
			return fmt.Errorf("an example of the weight %g, which does not even stand for itself", e.Weight)
		}
		for _, f := range e.Facts {
			switch {
			case f.Kind > uint8(trace.NoValue):
				return fmt.Errorf("a value of the unknown kind %d", f.Kind)
			case f.Stack < 0 || f.Stack > len(w.Stacks):
				return fmt.Errorf("an example with the unknown stack %d", f.Stack)
			}
		}
	}
	return nil
}

// carried is how many examples of snapshots that nobody took wait for the next, at most.
const carried = 20_000

// latestSnapshot replaces the snapshot that waits in ch. A reader may skip states, but
// what happened in an interval is told once: the next snapshot brings the examples of
// those that it replaces. Of a reader that takes none for long, the oldest are lost.
func latestSnapshot(ch chan trace.Snapshot, s trace.Snapshot) {
	select {
	case skipped := <-ch:
		if len(skipped.Examples) > 0 {
			all := slices.Concat(skipped.Examples, s.Examples)
			s.Examples = all[max(len(all)-carried, 0):]
		}
	default:
	}
	ch <- s
}
