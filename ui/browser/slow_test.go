package browser

import (
	"context"
	"errors"
	"testing"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/patience"
)

// TestSlowDescription asks again for a description that did not come in time, and not for one that
// cannot be had.
func TestSlowDescription(t *testing.T) {
	s := newStage(t, 60, 30)
	s.m.SetCatalog(carrying())
	s.press("/ 'sold enter")
	p, ok := s.m.current()
	if !ok {
		t.Fatalf("no probe is under the cursor:\n%s", shown(s.m))
	}
	s.m.describe = func(context.Context, trace.Probe) (trace.ProbeInfo, error) { return trace.ProbeInfo{}, nil }
	s.m.waiting = trace.Probe{}
	for err, again := range map[error]bool{patience.ErrSlow: true, errors.New("it is gone"): false} {
		s.m.learn(infoMsg{probe: p, err: err})
		if cmd := s.m.ask(); (cmd != nil) != again {
			t.Errorf("after %v it is asked for again: %v", err, cmd != nil)
		}
		s.m.waiting = trace.Probe{}
	}
}
