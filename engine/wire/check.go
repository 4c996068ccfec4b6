package wire

import (
	"errors"
	"fmt"
	"math"

	"dscope.dev/engine/trace"
)

// The checks below keep numbers out that this version of the program has no name for, and
// that would make it panic where it prints them.

// Check refuses a message that holds such numbers, as a Reader does.
func Check(m Message) error {
	switch m := m.(type) {
	case *Events:
		return checkEvents(m.List)
	case *Status:
		return checkStatus(&m.Status)
	case *Snapshot:
		for i := range m.Snapshot.Aggs {
			if err := checkTable(&m.Snapshot.Aggs[i]); err != nil {
				return err
			}
		}
		return checkExamples(&m.Snapshot)
	}
	return nil
}

func checkTable(t *trace.Table) error {
	if t.Func >= trace.AggFuncs {
		return fmt.Errorf("aggregation @%s has the unknown function %d", t.Name, t.Func)
	}
	return checkRows(t.Rows)
}

func checkRows(rows []trace.Row) error {
	for i := range rows {
		if err := checkValues(rows[i].Keys, trace.SymValue); err != nil {
			return err
		}
	}
	return nil
}

func checkValues(list []trace.Value, last trace.ValueKind) error {
	for i := range list {
		if list[i].Kind > last {
			return fmt.Errorf("a value of the unknown kind %d", list[i].Kind)
		}
	}
	return nil
}

func checkEvents(list []trace.Event) error {
	for i := range list {
		e := &list[i]
		switch {
		case e.Kind > trace.PrintsEvent:
			return fmt.Errorf("an event of the unknown kind %d", e.Kind)
		case e.Kind == trace.PrintsEvent && !soundPrints(e.Prints):
			return errors.New("firings whose texts are not there")
		case e.Drop.Kind > trace.DropReader:
			return fmt.Errorf("a drop of the unknown kind %d", e.Drop.Kind)
		case !e.Fault.Kind.Known():
			return fmt.Errorf("a fault of the unknown kind %d", e.Fault.Kind)
		}
		for j := range e.Items {
			if err := checkItem(&e.Items[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// soundPrints reports whether firings have a probe each, and their texts follow each other.
func soundPrints(p *trace.Prints) bool {
	if p == nil {
		return false
	}
	from := uint32(0)
	for i := range p.List {
		f := &p.List[i]
		if f.Probe == nil || f.End < from || uint64(f.End) > uint64(len(p.Text)) {
			return false
		}
		from = f.End
	}
	return true
}

func checkItem(it *trace.Item) error {
	if it.Kind > trace.LastItem {
		return fmt.Errorf("an item of the unknown kind %d", it.Kind)
	}
	if it.Value.Kind > trace.SymValue {
		return fmt.Errorf("a value of the unknown kind %d", it.Value.Kind)
	}
	rare := it.Rest()
	for i := range rare.Tables {
		if err := checkTable(&rare.Tables[i]); err != nil {
			return err
		}
	}
	return checkValues(rare.Args, trace.SymValue)
}

func checkStatus(s *trace.Status) error {
	if s.State > trace.Failed {
		return fmt.Errorf("the unknown state %d", s.State)
	}
	for _, d := range s.Drops {
		if d.Kind > trace.DropReader {
			return fmt.Errorf("a drop of the unknown kind %d", d.Kind)
		}
	}
	return nil
}

// checkExamples refuses examples of what the snapshot has not. A weight that is no number
// stands for its firing alone.
func checkExamples(s *trace.Snapshot) error {
	for i := range s.Examples {
		e := &s.Examples[i]
		if e.Agg < 0 || e.Agg >= len(s.Aggs) {
			return fmt.Errorf("an example of the unknown aggregation %d", e.Agg)
		}
		t := &s.Aggs[e.Agg]
		if places := max(len(t.Origins), 1); e.Origin < 0 || e.Origin >= places { // one that nothing is known of
			return fmt.Errorf("an example of the unknown place %d of @%s", e.Origin, t.Name)
		}
		if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
			e.Weight = 1
		}
		if e.Weight < 1 {
			return fmt.Errorf("an example of the weight %g, which does not even stand for itself", e.Weight)
		}
		if err := checkValues(e.Facts, trace.NoValue); err != nil {
			return err
		}
	}
	return nil
}
