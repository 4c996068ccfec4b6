package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// reader is the name of this process in the table.
const reader = "dscope.test"

var elapsedTime = regexp.MustCompile(`running +[\d.]+s`)

// TestTour goes the way of a first session in terminals of three sizes, by
// keys alone: find a probe, insert it, complete the script, run, watch, freeze,
// change, run again, stop, leave.
func TestTour(t *testing.T) {
	mustTrace(t)
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			tty := openSize(t, size.w, size.h, nil, "dscope")
			tour(t, tty)
		})
	}
}

func tour(t *testing.T, tty *terminal) {
	tty.until("the providers", func(p string) bool { return strings.Contains(p, "lockstat") && strings.Contains(p, "dtrace") })
	tty.keys("\x1b1/read:entry") // to the browser, and search
	tty.shows("args[2] size_t count")
	tty.keys("\r")
	tty.shows("2 {")
	tty.keys("self->ts = timest\x00")  // and complete
	tty.shows("timestamp    uint64_t") // as wide as timestruc_t
	tty.keys("\t;")
	tty.shows("self->ts = timestamp;")
	// This process reads what dscope draws, so it is the one to look at.
	tty.keys("\x1b[1;5F" + fmt.Sprintf("syscall::read:return /self->ts && pid == %d/", os.Getpid()) + "\r{\r@[execname] = quantize(timestamp - self->ts);\rself->ts = 0;\r}\r")
	tty.shows("@[execname] = quantize(timestamp - self->ts);")
	if err := os.WriteFile("/proc/self/comm", []byte(reader), 0); err != nil { // also if it was built under another
		t.Fatal(err)
	}
	tty.keys("\x12\x1b3+") // run, go to the live pane, and enlarge it
	tty.shows("@ quantize()")
	tty.shows(reader)
	tty.shows("█")
	held := heldBy(t, tty.cmd.Process.Pid)

	// It moves, until it is frozen; the run goes on.
	moved := func(from string) func(string) bool {
		return func(p string) bool { return rows(p) != "" && rows(p) != rows(from) }
	}
	tty.until("a picture that moves", moved(tty.picture()))
	tty.keys(" ")
	tty.shows("frozen")
	still := tty.picture()
	for range 3 {
		before := elapsedTime.FindString(tty.picture())
		tty.until("the time going on", func(p string) bool { return elapsedTime.FindString(p) != before })
		if now := tty.picture(); rows(now) != rows(still) {
			t.Errorf("a frozen picture moved:\n%s\nwas:\n%s", now, still)
		}
	}
	tty.keys(" ")
	tty.until("a picture that moves again", moved(still))

	// Another question, in one key.
	tty.keys("+\x1b2\x1b[A\x1b[A\x1b[A\x15") // the line of the aggregation
	tty.until("the line to be gone", func(p string) bool { return !strings.Contains(p, "= quantize(") })
	tty.keys("\x1b[F\x15@[execname] = lquantize(timestamp - self->ts, 0, 1000000, 10000);\x12\x1b3+")
	tty.shows("@ lquantize(")
	tty.shows(reader)
	held.gone(t)
	held = heldBy(t, tty.cmd.Process.Pid)
	tty.keys("\x14") // stop
	tty.shows("done")
	tty.keys("q")
	tty.shows("?") // the script has no name yet
	tty.keys("y")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.givenBack()
	held.gone(t)
	tty.mu.Lock()
	defer tty.mu.Unlock()
	if len(tty.screen.odd) > 0 || tty.screen.bells > 0 {
		t.Errorf("odd sequences: %q; %d bells", tty.screen.odd, tty.screen.bells)
	}
}

// rows are the lines of a picture that hold a program of the table.
func rows(picture string) string {
	var b strings.Builder
	for line := range strings.Lines(picture) {
		if strings.Contains(line, reader) {
			b.WriteString(line)
		}
	}
	return b.String()
}
