package outside

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	"dscope.dev/engine/trace"
)

// The bounds of a command whose output becomes a part of the run.
const (
	keepTime  = 10 * time.Second
	keepBytes = 64 << 10
)

// Keep returns run with the commands of system() carried out, and what they
// write kept in their items. Events wait for the command that stands before
// them.
func Keep(run trace.Run) trace.Run {
	ctx, cancel := context.WithCancel(context.Background())
	k := &kept{Run: run, events: make(chan []trace.Event), cancel: cancel, done: make(chan struct{})}
	go k.relay(ctx)
	return k
}

// A kept run passes events on with the output of their commands.
type kept struct {
	trace.Run
	events chan []trace.Event
	cancel context.CancelFunc
	done   chan struct{}
}

// Unwrap returns the run itself.
func (k *kept) Unwrap() trace.Run { return k.Run }

// Events delivers the run's events.
func (k *kept) Events() <-chan []trace.Event { return k.events }

// Close ends a command that still runs, and the run.
func (k *kept) Close() error {
	k.cancel()
	err := k.Run.Close()
	<-k.done
	return err
}

func (k *kept) relay(ctx context.Context) {
	defer close(k.done)
	defer close(k.events)
	for batch := range k.Run.Events() {
		for i := range batch {
			for j := range batch[i].Items {
				if it := &batch[i].Items[j]; it.Kind == trace.SystemItem && it.Rest().Output == "" {
					it.Rare = &trace.Rare{Output: runKept(ctx, it.Text)}
				}
			}
		}
		select {
		case k.events <- batch:
		case <-ctx.Done(): // nobody reads any more, but the run must come to its end
		}
	}
}

// runKept runs a command and returns what it wrote, and how it failed.
func runKept(ctx context.Context, command string) string {
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	out := &bounded{}
	c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	c.Stdout, c.Stderr = out, out
	c.WaitDelay = time.Second // for what it has started and left behind
	err := c.Run()
	text := out.b.String()
	if out.lost > 0 {
		text += fmt.Sprintf("\n[%d bytes more]\n", out.lost)
	}
	if ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("ended after %v", keepTime)
	}
	if err != nil {
		text += fmt.Sprintf("[%v]\n", err)
	}
	return text
}

// A bounded buffer keeps the first keepBytes and counts the rest.
type bounded struct {
	b    bytes.Buffer
	lost int
}

func (w *bounded) Write(p []byte) (int, error) {
	n := min(len(p), keepBytes-w.b.Len())
	w.b.Write(p[:n])
	w.lost += len(p) - n
	return len(p), nil
}
