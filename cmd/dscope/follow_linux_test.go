package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestFollowOfWorkbench goes from a slow read to what its thread waits for, which is a pipe,
// and to who wakes it, which is the shell that writes; and from its descriptor to that pipe.
func TestFollowOfWorkbench(t *testing.T) {
	mustTrace(t)
	loop(t, nil, "", "(while sleep 0.05; do echo x; done) | cat >/dev/null")
	text := `syscall::read:entry /execname == "cat"/ { self->ts = timestamp; }
syscall::read:return /self->ts/ { @t[execname] = quantize(timestamp - self->ts); self->ts = 0; }
`
	tty := openSize(t, 120, 40, nil, "dscope", script(t, text))
	tty.shows("quantize")
	tty.keys("\x12")
	tty.until("examples", regexp.MustCompile(`running  [2-9]\.\ds`).MatchString)
	tty.keys("\x1b3")
	tty.until("the live pane", regexp.MustCompile(`v select`).MatchString)
	tty.keys("x")
	tty.shows("Examples: @t")
	tty.keys("\r")
	tty.shows("stands for")
	tty.keys("f")
	tty.until("the pipe", regexp.MustCompile(`descriptor 0 +pipe:\[\d+\] when the probe fired, and now`).MatchString)
	tty.shows("What does this thread wait for, and who wakes it?")
	tty.keys("\r")
	tty.until("the script", regexp.MustCompile(`\+ /tid == \d+/`).MatchString)
	tty.keys("\r")
	tty.until("where it waits longest", regexp.MustCompile(`▌▸__schedule < `).MatchString)
	tty.keys("\r") // opens the stack under the cursor
	tty.until("where it waits", func(p string) bool { return strings.Contains(p, "pipe_read+") })
	tty.keys("]") // which is below, or is not seen before if there are many stacks
	tty.until("who wakes it", regexp.MustCompile(`[▸▾\[]@wakers(?s:.*)[▸▾]sh +\d+ +\d+ +try_to_wake_up`).MatchString)
	tty.keys("\r")
	tty.until("where its waker was", func(p string) bool { return strings.Contains(p, "pipe_write+") })
	t.Logf("\n%s", tty.picture())
	tty.keys("\x03")
	tty.shows("Leave?")
	tty.keys("y")
	tty.end()
	tty.givenBack()
}
