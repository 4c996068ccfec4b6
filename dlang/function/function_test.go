package function

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/types"
)

// TestTable asks that each function has a row, and that its columns fit together.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for f := range All() {
		say := func(bad bool, what string) {
			if bad {
				t.Errorf("function %d, %q, %s", f.ID, f.Name, what)
			}
		}
		say(f.Name == "" || !strings.HasSuffix(f.Proto, ")"), "has no prototype")
		say(seen[f.Name] || IsAgg(f.Name), "is not the only one of that name")
		seen[f.Name] = true
		say(Find(f.Name) != f || Of(f.ID) != f || !Is(f.Name), "is not found")
		say(f.Help == "" && f.Why == "", "says neither what it is for nor why it cannot be used")
		say(f.Min > len(f.Params), "wants more arguments than it names")
		say(f.Records && !f.Action, "records and is no action")
		say(f.Key != KeyValue && !f.Action, "is a key and no action")
		say(f.Format && !f.Rest, "has a format and no values for it")
		say(f.MayBeNull && !types.IsString(f.Result), "may be NULL and is no string")
		say(f.Irrevocable && !f.Destructive, "changes what others see without -w")
		say((f.To > 0) != (f.Size > 0) || max(f.To, f.Size) >= max(len(f.Params), 1), "does not say where it writes how much")
		say(f.Struct != "" && !types.IsPointer(f.Result), "points to a struct and is no pointer")
		say(slices.Index(f.Params, Agg) > 0, "has an aggregation that is not its first argument")
	}
	if Find("no such") != Of(None) || Is("") {
		t.Error("a wrong name is found")
	}
}

// TestAggregates does it with aggregating functions.
func TestAggregates(t *testing.T) {
	for a := range Aggregates() {
		switch {
		case a.Name == "" || a.Help == "" || FindAgg(a.Name) != a || a.ID.String() != a.Name:
			t.Errorf("aggregating function %d is called %q and cannot be found", a.ID, a.Name)
		case !strings.HasPrefix(a.Proto, a.Name+"(") || !strings.HasPrefix(a.Example, a.Name+"("):
			t.Errorf("%s is shown as %s", a.Name, a.Proto)
		case (a.Words > 0) == (a.Cell != nil):
			t.Errorf("%s does not say how many words a cell has", a.Name)
		case a.Min > a.Max || a.Incr > 0 && a.Incr != a.Max-1 || a.Incr > 0 && !a.Buckets:
			t.Errorf("%s takes %d to %d arguments, its increment is number %d", a.Name, a.Min, a.Max, a.Incr)
		}
	}
}
