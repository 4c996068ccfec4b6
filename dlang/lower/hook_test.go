package lower

import (
	"testing"

	"dscope.dev/dlang/function"
	"dscope.dev/dlang/types"
)

// TestHooks asks that each function of D that can be used has the lowering that its
// row calls for, and no other.
func TestHooks(t *testing.T) {
	h := newHooks()
	for f := range function.All() {
		usable := f.Why == ""
		isStr := types.IsString(f.Result)
		for _, tt := range []struct {
			what      string
			got, want bool
		}{
			{"gives a word", h.word[f.ID] != nil, usable && !f.Action && !isStr},
			{"gives a string", h.str[f.ID] != nil, usable && !f.Action && isStr},
			{"records", h.act[f.ID] != nil, usable && f.Action && f.Records},
			{"acts without a record", h.bare[f.ID] != nil, usable && f.Action && !f.Records},
			{"is shown by a conversion", h.datum[f.ID] != nil, usable && f.Key != function.KeyValue},
		} {
			if tt.got != tt.want {
				t.Errorf("there is a lowering of %s that %s: %t, and its row wants one: %t", f.ID, tt.what, tt.got, tt.want)
			}
		}
	}
	for a := range function.Aggregates() {
		switch id := a.ID; {
		case h.update[id] == nil:
			t.Errorf("nothing updates the cells of %s", id)
		case (h.find[id] != nil) != a.Buckets:
			t.Errorf("%s has buckets: %t, and finds them: %t", id, a.Buckets, h.find[id] != nil)
		}
	}
}
