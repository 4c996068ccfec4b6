package ui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/browser"
)

// A running is a backend that knows one process.
type running struct {
	*fake
	process  trace.Process
	patterns []string
	over     chan struct{} // closed when the process ends
}

func (r *running) Processes(context.Context) ([]trace.Process, error) {
	return []trace.Process{r.process}, nil
}

func (r *running) Process(context.Context, int) (trace.ProcessInfo, error) {
	return trace.ProcessInfo{Process: r.process}, nil
}

func (r *running) Functions(context.Context, trace.Process, trace.Module) ([]trace.Probe, error) {
	return nil, nil
}

func (r *running) Ended(context.Context, trace.Process) error {
	<-r.over
	return errors.New("it has ended")
}

func (r *running) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	r.patterns = append(r.patterns, pattern)
	return r.fake.Probes(ctx, pattern)
}

// The target goes with every call about the script, and no longer once it is none.
func TestTargetIsOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := &running{fake: &fake{}, process: trace.Process{PID: 77, Name: "shop"}, over: make(chan struct{})}
		defer close(back.over)
		b := start(t, back, Options{Text: "pid$target:::entry { }", Process: back.process})
		defer b.end()
		b.wait(time.Second)
		b.keys("ctrl+r")
		b.wait(time.Second)
		if n := len(back.checks); n == 0 || back.checks[n-1].Target != 77 {
			t.Errorf("checked %+v", back.checks)
		}
		if len(back.runs) != 1 || back.runs[0].script.Target != 77 {
			t.Errorf("runs %+v", back.runs)
		}
		b.keys("alt+h") // what is known of the probes: a backend is asked for a process, and not for $target
		b.wait(time.Second)
		if got := back.patterns[len(back.patterns)-1]; got != "pid77:::entry" {
			t.Errorf("asked for %q", got)
		}
		b.send(browser.TargetMsg{})
		b.wait(time.Second)
		if n := len(back.checks); back.checks[n-1].Target != 0 || back.checks[n-1].Text != "pid$target:::entry { }" {
			t.Errorf("checked %+v after there is no target", back.checks[n-1])
		}
	})
}
