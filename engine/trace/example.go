package trace

import "time"

// An Example is one firing that an aggregation took in, kept with what was known at it.
// Of each bucket of a histogram (of other aggregations: of all that goes in), on each
// CPU, in each interval between two snapshots, a few are kept, each firing with the same
// chance. So examples are a fair sample within such a part alone, and Weight makes up
// for it between the parts.
type Example struct {
	Agg    int // index of its table in Snapshot.Aggs
	Origin int // index in the table's Origins: the place of the script that took it in
	Time   time.Time
	Probe  Probe
	CPU    int
	Value  int64   // what went in; 1 for count()
	Weight float64 // how many firings of its part it stands for, itself included: at least 1
	Facts  []Value // one for each of the origin's Dims
}

// A Dimension is something that is known of each firing that a place of a script took in:
// a key, a built-in variable, an argument, a variable that its clause reads.
type Dimension struct {
	Name string // for people: "process", "file", "arg2"
	Expr string // in D, as the clause can compute it where it fills the aggregation: execname, arg2
	Key  bool   // one of the keys of the aggregation, as Origin.Keys has it
}
