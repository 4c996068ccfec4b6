package replay

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// The checks below keep numbers out that this version of the program has no
// name for, and that would make it panic where it prints them.

func (s *wireSnapshot) check() error {
	for _, t := range s.Aggs {
		if err := t.check(); err != nil {
			return err
		}
	}
	return s.Examples.check(s)
}

func (t wireTable) check() error {
	if t.Func > uint8(trace.Llquantize) {
		return fmt.Errorf("aggregation @%s has the unknown function %d", string(t.Name), t.Func)
	}
	for _, r := range t.Rows {
		for _, k := range r.Keys {
			if err := k.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v wireValue) check() error {
	if v.Kind > uint8(trace.SymValue) {
		return fmt.Errorf("a value of the unknown kind %d", v.Kind)
	}
	return nil
}

func (e wireEvent) check() error {
	switch {
	case e.Kind > uint8(trace.NoticeEvent):
		return fmt.Errorf("an event of the unknown kind %d", e.Kind)
	case e.Drop != nil && e.Drop.Kind > uint8(trace.DropReader):
		return fmt.Errorf("a drop of the unknown kind %d", e.Drop.Kind)
	case e.Fault != nil && !trace.FaultKind(e.Fault.Kind).Known():
		return fmt.Errorf("a fault of the unknown kind %d", e.Fault.Kind)
	}
	for _, it := range e.Items {
		if it.Kind > uint8(trace.LastItem) {
			return fmt.Errorf("an item of the unknown kind %d", it.Kind)
		}
		if it.Value != nil {
			if err := it.Value.check(); err != nil {
				return err
			}
		}
		for i := range it.Args {
			if err := it.Args[i].check(); err != nil {
				return err
			}
		}
		for _, t := range it.Tables {
			if err := t.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *wireStatus) check() error {
	if s.State > uint8(trace.Failed) {
		return fmt.Errorf("the unknown state %d", s.State)
	}
	for _, d := range s.Drops {
		if d.Kind > uint8(trace.DropReader) {
			return fmt.Errorf("a drop of the unknown kind %d", d.Kind)
		}
	}
	return nil
}
