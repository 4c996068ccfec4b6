package agg

import (
	"testing"

	"dscope.dev/dlang/function"
	"dscope.dev/engine/trace"
)

// TestKinds holds the tables of aggregating functions together: the language's, that of
// values, and that of cells.
func TestKinds(t *testing.T) {
	for a := range function.Aggregates() {
		if f, ok := Func(a.Name); !ok || f.IsHistogram() != a.Buckets {
			t.Errorf("%s() is not one of the trace, or has buckets here and none there", a.Name)
		}
	}
	for f := range trace.AggFuncs {
		k := kinds[f]
		switch {
		case !function.IsAgg(f.String()):
			t.Errorf("%q is no function of D", f)
		case k.merge == nil || k.value == nil:
			t.Errorf("cells of %s cannot be merged or have no value", f)
		case (k.hist == nil) == f.IsHistogram():
			t.Errorf("%s is a histogram at one place, and not at another", f)
		case k.hist == nil && k.read == nil:
			t.Errorf("a row of %s does not become a cell again", f)
		case k.hist == nil && words(f, nil) > len(short{}):
			t.Errorf("a cell of %s has more words than are read", f)
		case k.sums && !k.counted:
			t.Errorf("%s has sums and no count", f)
		}
	}
}
