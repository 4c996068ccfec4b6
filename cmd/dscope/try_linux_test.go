package main

import (
	"regexp"
	"testing"
)

// TestTryAProbe counts a probe of this machine without a script, then has clauses written
// that measure it, and runs them.
func TestTryAProbe(t *testing.T) {
	mustTrace(t)
	tty := openSize(t, 120, 40, nil, "dscope")
	tty.shows("lockstat")
	tty.keys("\x1b1/syscall::read:entry")
	tty.shows("args[2] size_t count")
	tty.keys("\t ")
	tty.until("a count", regexp.MustCompile(`[0-9] in a second`).MatchString)
	tty.keys("l")
	tty.shows("@read[execname] = quantize(timestamp - self->read_ts);")
	tty.keys("\x1b1ajj\r")
	tty.shows("@read_count[execname] = quantize(args[2]);")
	tty.keys("\x12")
	tty.until("a run", elapsedTime.MatchString) // the script itself holds all names of the tables
	tty.shows("@read_count[execname] = quantize(args[2]);")
	tty.shows("█")
	held := heldBy(t, tty.cmd.Process.Pid)
	tty.keys("\x14")
	tty.shows("done")
	tty.keys("\x1b3q")
	tty.keys("y")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	held.gone(t)
}
