package replay

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// Where a script fills an aggregation is the same in every snapshot of a run. So it is
// written once, before the first table that it belongs to, and tables give its number.

type wireOrigin struct {
	Clause uint32 `json:"c,omitempty"`
	File   text   `json:"f,omitempty"`
	Line   int    `json:"l,omitempty"`
	From   int    `json:"a,omitempty"`
	To     int    `json:"z,omitempty"`
	Keys   []text `json:"k,omitempty"`
	Arg    text   `json:"g,omitempty"`

	Dims []wireDimension `json:"d,omitempty"`
}

func toOrigin(o trace.Origin) wireOrigin {
	return wireOrigin{o.Clause, text(o.File), o.Line, o.From, o.To, each(o.Keys, toText), text(o.Arg), each(o.Dims, toDimension)}
}

func (o wireOrigin) origin() trace.Origin {
	return trace.Origin{Clause: o.Clause, File: string(o.File), Line: o.Line, From: o.From, To: o.To, Keys: each(o.Keys, fromText), Arg: string(o.Arg),
		Dims: each(o.Dims, wireDimension.dimension)}
}

// told are the origins that a recording has told of in the run that is being written.
type told struct {
	numbers map[*trace.Origin]int // by the first of each list
	fresh   [][]wireOrigin        // those that have not been written
}

// number returns the number of a list, which may be new; 0 if there is none.
func (t *told) number(list []trace.Origin) int {
	if len(list) == 0 {
		return 0
	}
	n, ok := t.numbers[&list[0]]
	if !ok {
		if t.numbers == nil {
			t.numbers = map[*trace.Origin]int{}
		}
		n = len(t.numbers) + 1
		t.numbers[&list[0]] = n
		t.fresh = append(t.fresh, each(list, toOrigin))
	}
	return n
}

// tables gives tables that are to be written their numbers.
func (t *told) tables(wire []wireTable, list []trace.Table) {
	for i := range list {
		wire[i].Origins = t.number(list[i].Origins)
	}
}

// events does so for the tables that events hold.
func (t *told) events(wire []wireEvent, list []trace.Event) {
	for i := range list {
		for j := range list[i].Items {
			t.tables(wire[i].Items[j].Tables, list[i].Items[j].Rest().Tables)
		}
	}
}

// unwritten returns what has to be written before what they were given to.
func (t *told) unwritten() [][]wireOrigin {
	out := t.fresh
	t.fresh = nil
	return out
}

// known are the origins that a run has told of so far, as it is read.
type known [][]trace.Origin

// learn takes in what a line tells of.
func (k *known) learn(r *record) {
	for _, list := range r.Origins {
		*k = append(*k, each(list, wireOrigin.origin))
	}
}

// check refuses numbers that nothing has been told of.
func (k known) check(r *record) (err error) {
	each := func(tables []wireTable) {
		for i := range tables {
			if n := tables[i].Origins; n < 0 || n > len(k) {
				err = fmt.Errorf("aggregation @%s has the unknown origin %d", string(tables[i].Name), n)
			}
		}
	}
	if r.Snapshot != nil {
		each(r.Snapshot.Aggs)
		if err == nil {
			err = k.checkExamples(r.Snapshot)
		}
	}
	for i := range r.Events {
		for j := range r.Events[i].Items {
			each(r.Events[i].Items[j].Tables)
		}
	}
	return err
}

// checkExamples refuses examples of places that their aggregation has not.
func (k known) checkExamples(s *wireSnapshot) error {
	if s.Examples == nil {
		return nil
	}
	for _, e := range s.Examples.List {
		places := 1 // of one that nothing is known of
		if n := s.Aggs[e.Agg].Origins; n > 0 {
			places = len(k[n-1])
		}
		if e.Origin < 0 || e.Origin >= places {
			return fmt.Errorf("an example of the unknown place %d of @%s", e.Origin, string(s.Aggs[e.Agg].Name))
		}
	}
	return nil
}

// tables gives tables that were read what their numbers stand for.
func (k known) tables(list []trace.Table, wire []wireTable) {
	for i := range list {
		if n := wire[i].Origins; n > 0 && n <= len(k) {
			list[i].Origins = k[n-1]
		}
	}
}

// events does so for the tables that events hold.
func (k known) events(list []trace.Event, wire []wireEvent) {
	for i := range list {
		for j := range list[i].Items {
			k.tables(list[i].Items[j].Rest().Tables, wire[i].Items[j].Tables)
		}
	}
}
