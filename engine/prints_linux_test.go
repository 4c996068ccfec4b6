package engine

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/text"
)

// TestPrintsAsAlone runs a script whose firings may share events, among some that may not,
// and the same with an event for each: what is printed is the same, to the byte.
func TestPrintsAsAlone(t *testing.T) {
	const calls = 30000
	const script = `
syscall::getppid:entry /pid == $target/ { self->n++; printf("call %d of %-8s|", self->n, execname); printf("%s\n", probefunc); }
syscall::getppid:entry /pid == $target && self->n % 700 == 0/ { trace(self->n); @ = max(1); }
syscall::getppid:return /pid == $target/ { printf("back "); if (self->n % 3 == 0) printf("third %x", self->n); }
syscall::getppid:return /pid == $target && self->n % 5000 == 0/ { printf("so far\n"); printa("%@d", @); }
syscall::getppid:return /pid == $target && self->n == ` + "30000" + `/ { exit(0); }`
	e := tracing(t)
	printed := func(prints, quiet bool) string {
		load := newCaller(t, calls)
		pin(t, load.cmd.Process.Pid)
		o := options.Default()
		o.Prints = prints
		o.BufSize = 16 << 20
		s := begun(t, e, Script{Name: "test", Text: script, Options: o, Target: load.cmd.Process.Pid})
		defer s.Close()
		load.start()
		var out bytes.Buffer
		status, err := text.New(&out, &out, text.Options{Quiet: quiet, Testing: true}).Run(s)
		if err != nil || status.Err != nil || !status.Exited {
			t.Fatal(err, status.Err, status.Exited)
		}
		if want := uint64(2*calls + calls/700 + calls/5000 + 1); status.Events != want {
			t.Errorf("%d events, want %d", status.Events, want)
		}
		return out.String()
	}
	for _, quiet := range []bool{true, false} {
		got, want := printed(true, quiet), printed(false, quiet)
		if got != want || len(got) < calls*20 {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			from := max(at-200, 0)
			t.Fatalf("quiet %v: %d and %d bytes, not the same at %d: got\n%.400s\nwant\n%.400s", quiet, len(got), len(want), at, got[from:], want[from:])
		}
	}
}

// pin keeps a process on one CPU, whose records come in the order of its calls.
func pin(t *testing.T, pid int) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		t.Fatal(err)
	}
	one := 0
	for !set.IsSet(one) {
		one++
	}
	set.Zero()
	set.Set(one)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if tid, err := strconv.Atoi(filepath.Base(task)); err == nil {
			unix.SchedSetaffinity(tid, &set) // a thread that has gone makes no calls
		}
	}
}
