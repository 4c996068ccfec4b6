package engine

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
)

// steadyEnv makes the test binary a load that is the same in every second, whatever else the
// machine has to do: see steady.
const steadyEnv = "DSCOPE_TEST_STEADY"

// What a load does every two milliseconds.
const (
	steadyCalls    = 200 // of getppid
	steadyReads    = 20  // of a page of zeros
	steadyCalled   = 50  // of a function
	steadySwitches = 10  // to another thread and back
)

// steady does some work every two milliseconds until it is killed, and catches up when it
// was late.
func steady() {
	runtime.LockOSThread()
	there, back := pipe(), pipe()
	go func() {
		runtime.LockOSThread()
		for b := []byte{0}; ; {
			syscall.Read(there[0], b)
			syscall.Write(back[1], b)
		}
	}()
	zeros, err := syscall.Open("/dev/zero", syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	page, b := make([]byte, 4096), []byte{0}
	for due := time.Now(); ; due = due.Add(2 * time.Millisecond) {
		time.Sleep(time.Until(due))
		for range steadyCalls {
			syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
		}
		for range steadyReads {
			syscall.Read(zeros, page)
		}
		for i := range steadyCalled {
			steadyFunction(i)
		}
		for range steadySwitches {
			syscall.Write(there[1], b)
			syscall.Read(back[0], b)
		}
	}
}

func pipe() (p [2]int) {
	if err := syscall.Pipe(p[:]); err != nil {
		panic(err)
	}
	return p
}

//go:noinline
func steadyFunction(i int) int { return i + len(os.Args) }

// loaded starts a steady load, and returns its process.
func steadyLoad(t testing.TB) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), steadyEnv+"=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if said.Len() > 0 {
			t.Errorf("the load: %s", &said)
		}
	})
	return cmd.Process.Pid
}

// estimates are scripts of five kinds that cost much.
var estimates = []struct{ name, text string }{
	{"call", `syscall::getppid:entry { @ = count(); }`},
	{"calls", `syscall:::entry { self->ts = timestamp; } syscall:::return /self->ts/ { @[probefunc] = quantize(timestamp - self->ts); self->ts = 0; }`},
	{"switches", `sched::: { @[probename, execname] = count(); }`},
	{"function", `pid$target:a.out:dscope.dev?engine.steadyFunction:entry { @[ustack(5)] = count(); }`},
	{"samples", `profile-997hz { @[stack(), ustack()] = count(); }`},
}

// A machine that does other work, or runs on one that does, is not the same in two seconds:
// an estimate that is wrong by itself is so each time.
const estimateTries = 4

// TestEstimate compares what was said before a run with what its windows say then, under a
// load that is the same all the time.
func TestEstimate(t *testing.T) {
	e := tracing(t)
	load := steadyLoad(t)
	for _, tt := range estimates {
		t.Run(tt.name, func(t *testing.T) {
			for range estimateTries {
				est, cost := estimated(t, e, tt.text, load)
				ratio := est.Cost.Share / cost.Share
				t.Logf("%s; it took %.0f hits/s, %s: %.2f times that", est, cost.Hits, trace.Percent(cost.Share), ratio)
				if ratio >= 0.5 && ratio <= 2 {
					return
				}
			}
			t.Errorf("each of %d estimates was wrong by more than a factor of two", estimateTries)
		})
	}
}

// estimated returns what was said before a run and what the median of its windows says.
func estimated(t *testing.T, e *Engine, text string, target int) (trace.Estimate, trace.Cost) {
	t.Helper()
	o := options.Default()
	o.AggRate, o.Timed, o.Handover = screenRate, true, true
	c, err := e.Compile(t.Context(), Script{Name: t.Name(), Text: text, Options: o, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	est, err := c.Estimate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	go func() {
		for range s.Events() {
		}
	}()
	var list []trace.Cost
	for st := range s.Status() {
		if w := st.Cost; w.Window > 0 && (len(list) == 0 || w.Window != list[len(list)-1].Window) {
			list = append(list, w)
		}
		if len(list) == 5 {
			s.Stop()
		}
	}
	slices.SortFunc(list, func(a, b trace.Cost) int { return int(1e12 * (a.Share - b.Share)) })
	if len(list) == 0 {
		t.Fatal("the run was not timed")
	}
	return est, list[len(list)/2]
}
