package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// slowly lets the runs of a backend start when ready is closed, and say meanwhile what
// notes have.
func slowly(f *fake) (notes chan string, ready chan struct{}) {
	notes, ready = make(chan string), make(chan struct{})
	f.waits = func(ctx context.Context) error {
		for {
			select {
			case text := <-notes:
				trace.Note(ctx, text)
			case <-ready:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return notes, ready
}

func TestStartThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		notes, ready := slowly(f)
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r")
		b.shows("starting")
		notes <- "the kernel has been checking for 3 s"
		b.wait(100 * time.Millisecond)
		b.shows("checking for 3 s")
		notes <- "the kernel has been checking for 6 s"
		b.wait(100 * time.Millisecond)
		b.shows("checking for 6 s")
		close(ready)
		b.wait(100 * time.Millisecond)
		b.shows("running")
		if strings.Contains(b.view(), "checking") {
			t.Errorf("what a start waited for is still shown:\n%s", b.view())
		}
	})
}

func TestStartThatWaitsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		notes, _ := slowly(f)
		b := start(t, f, Options{})
		defer b.end()
		b.text("one")
		b.keys("ctrl+r")
		notes <- "the kernel has been checking for 3 s"
		b.wait(100 * time.Millisecond)
		b.keys("ctrl+t")
		b.wait(100 * time.Millisecond)
		b.shows("start given up")
		if m := b.model(); len(f.runs) != 0 || m.next.under() {
			t.Error("the run that was given up has started")
		}
	})
}
