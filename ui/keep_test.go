package ui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// TestKeep writes runs as recordings: the one that goes on, one of the shelf; and says why
// not.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		var got trace.Past
		fail := errors.New("")
		b := start(t, f, Options{Keep: func(_ context.Context, _ string, p trace.Past) (string, error) {
			if got = p; fail.Error() != "" {
				return "", fail
			}
			return "file.dscope", nil
		}})
		defer b.end()
		b.keys("alt+3", "W")
		b.shows("nothing has been run yet")
		b.plays(f, "one", 10, 10, 10)
		b.plays(f, "two", 5, 5)
		b.keys("W")
		b.wait(100 * time.Millisecond)
		b.shows("run 2 is in file.dscope")
		check := func(script string, frames int, value int64) {
			t.Helper()
			n, last := 0, trace.Snapshot{}
			for s := range got.Snapshots {
				n, last = n+1, s
			}
			if got.Script != script || n != frames || len(got.Events) != frames || last.Aggs[0].Rows[0].Value != value || got.Status.Elapsed != last.Elapsed {
				t.Errorf("%q with %d frames, %d events, at last %+v", got.Script, n, len(got.Events), last)
			}
		}
		check("two", 2, 10)
		b.keys("R", "down", "W")
		b.wait(100 * time.Millisecond)
		b.shows("run 1 is in file.dscope")
		check("one", 3, 30)
		fail = errors.New("record to file: no space")
		b.keys("W")
		b.wait(100 * time.Millisecond)
		b.shows("record to file: no space")
	})
}

// TestNoKeep says so where nothing writes recordings.
func TestNoKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{})
		defer b.end()
		b.keys("alt+3", "W")
		b.shows("recordings are not written here")
	})
}
