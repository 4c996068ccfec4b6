package replay

import (
	"errors"
	"testing"

	"dscope.dev/engine/trace"
)

// A recording of a run that the air bag has stopped tells what it took, and of losses what
// they concern and what would have helped.
func TestWireKeepsWhyAndRemedy(t *testing.T) {
	drop := trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 3, Where: "@k", Cure: "aggsize=8m"}
	got := toStatus(trace.Status{State: trace.Failed, Err: &trace.DearError{Share: 0.34, Limit: 0.2}, Drops: []trace.Drop{drop}, Hooks: []string{"a", "b"}, Missing: []string{"b"}}).status()
	var dear *trace.DearError
	if !errors.As(got.Err, &dear) || dear.Share != 0.34 || dear.Limit != 0.2 || !trace.Whole(got.Err) {
		t.Errorf("the error is %v", got.Err)
	}
	if len(got.Drops) != 1 || got.Drops[0] != drop || len(got.Missing) != 1 || got.Missing[0] != "b" {
		t.Errorf("got %+v", got)
	}
	if got := toStatus(trace.Status{State: trace.Failed, Err: errors.New("another")}).status(); got.Err == nil || errors.As(got.Err, &dear) {
		t.Errorf("another error is %v", got.Err)
	}
}
