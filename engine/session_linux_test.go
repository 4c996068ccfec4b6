package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/space"
)

// loadEnv makes the test binary a load program: it enters getppid as often as
// the variable says, once a byte has come on standard input, and ends. paceEnv says how
// often a second, if not as often as can be; depthEnv how many calls of deep are around each.
const (
	loadEnv  = "DSCOPE_TEST_LOAD"
	paceEnv  = "DSCOPE_TEST_PACE"
	depthEnv = "DSCOPE_TEST_DEPTH"
)

//go:noinline
func deep(calls int) uintptr {
	if calls > 0 {
		return deep(calls-1) + 1
	}
	n, _, _ := syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
	return n
}

// tellEnv makes the test binary say by which number the kernel knows it.
const tellEnv = "DSCOPE_TEST_TELL"

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(loadEnv)); err == nil {
		runtime.LockOSThread() // what a script counts by thread is one count
		var b [1]byte
		os.Stdin.Read(b[:])
		begun := time.Now()
		pace, _ := strconv.Atoi(os.Getenv(paceEnv))
		depth, _ := strconv.Atoi(os.Getenv(depthEnv))
		for i := range n {
			if pace > 0 && i%64 == 0 {
				for due := begun.Add(time.Second * time.Duration(i) / time.Duration(pace)); time.Now().Before(due); {
				}
			}
			deep(depth)
		}
		os.Exit(0)
	}
	if os.Getenv(steadyEnv) != "" {
		steady()
	}
	if os.Getenv(tellEnv) != "" {
		fmt.Print(space.KernelPID())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A caller is a process that waits to make its calls.
type caller struct {
	cmd   *exec.Cmd
	start func() // lets it begin
}

func newCaller(t testing.TB, calls int) *caller {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), loadEnv+"="+strconv.Itoa(calls))
	w, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &caller{cmd, func() { w.Write([]byte{1}) }}
}

// tracing returns an engine that can trace, or skips the test with the reason.
// CI must be able to.
func tracing(t testing.TB) *Engine {
	t.Helper()
	e, err := Open()
	if err == nil {
		t.Cleanup(func() { e.Close() })
		err = e.Available()
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must be able to trace: %v", err)
		}
		t.Skipf("cannot trace: %v", err)
	}
	return e
}

// started compiles and starts a script for a target.
func started(t testing.TB, e *Engine, text string, target int, set ...string) *Session {
	t.Helper()
	o := options.Default()
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		if err := o.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return begun(t, e, Script{Name: t.Name(), Text: text, Options: o, Target: target})
}

// longest is how long a run of a test may last: one whose exit() does not come ends
// without it, and fails its own test only.
const longest = 5 * time.Minute

// begun compiles and starts a script.
func begun(t testing.TB, e *Engine, script Script) *Session {
	t.Helper()
	c, err := e.Compile(context.Background(), script)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(longest, s.Stop)
	t.Cleanup(func() {
		tooLong.Stop()
		s.Close()
	})
	return s
}

// An outcome is all that a run delivered.
type outcome struct {
	events []trace.Event
	snap   trace.Snapshot
	status trace.Status
}

// all reads a run to its end, resting for pause after each batch of events.
func all(s trace.Run, pause time.Duration) outcome {
	var o outcome
	events, snaps, states := s.Events(), s.Snapshots(), s.Status()
	for events != nil || snaps != nil || states != nil {
		select {
		case b, ok := <-events:
			if !ok {
				events = nil
				break
			}
			o.events = append(o.events, b...)
			time.Sleep(pause)
		case v, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			o.snap = v
		case v, ok := <-states:
			if !ok {
				states = nil
				break
			}
			o.status = v
		}
	}
	return o
}

func (o outcome) dropped() (n uint64) {
	for _, e := range o.events {
		if e.Kind == trace.DropEvent {
			n += e.Drop.Count
		}
	}
	return n
}

func (o outcome) records() (n uint64) {
	for _, e := range o.events {
		if e.Kind == trace.DataEvent {
			n++
		}
	}
	return n
}

// TestFlood drowns a slow reader: what was called is what was delivered and
// what was reported as lost, to the last one.
func TestFlood(t *testing.T) {
	e := tracing(t)
	const calls = 2_000_000
	l := newCaller(t, calls)
	s := started(t, e, `syscall::getppid:entry /pid == $target/ { printf("%s %d\n", execname, timestamp); }`,
		l.cmd.Process.Pid, "bufsize=256k")
	l.start()
	ended := make(chan struct{})
	go func() {
		l.cmd.Wait()
		s.Stop()
		close(ended)
	}()
	o := all(s, 10*time.Millisecond)
	<-ended
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d delivered, %d reported as lost", o.records(), o.dropped())
	if got := o.records() + o.dropped(); got != calls {
		t.Errorf("%d delivered + %d lost = %d, want %d", o.records(), o.dropped(), got, calls)
	}
	if o.dropped() == 0 {
		t.Error("nothing was lost: the flood was too weak to show anything")
	}
}

// TestAggregationUnderFlood takes snapshots as fast as it can while a counter
// runs: no count is lost between two generations.
func TestAggregationUnderFlood(t *testing.T) {
	e := tracing(t)
	const calls = 3_000_000
	l := newCaller(t, calls)
	s := started(t, e, `
		syscall::getppid:entry /pid == $target/ { @ = count(); @by[execname] = count(); @avg = avg(7); @q[pid] = quantize(8); }`,
		l.cmd.Process.Pid, "aggrate=1ms")
	l.start()
	go func() {
		l.cmd.Wait()
		s.Stop()
	}()
	o := all(s, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(o.snap.Aggs) != 4 {
		t.Fatalf("%d aggregations, want 4: %v", len(o.snap.Aggs), o.status)
	}
	for _, a := range o.snap.Aggs {
		if len(a.Rows) != 1 {
			t.Fatalf("@%s has %d rows, want 1", a.Name, len(a.Rows))
		}
		r := a.Rows[0]
		switch a.Name {
		case "avg":
			if r.Value != 7 || r.Count != calls {
				t.Errorf("@avg = %d of %d values, want 7 of %d", r.Value, r.Count, calls)
			}
		case "q":
			if r.Buckets[1].Count != calls {
				t.Errorf("@q holds %d, want %d", r.Buckets[1].Count, calls)
			}
		default:
			if r.Value != calls {
				t.Errorf("@%s = %d, want %d", a.Name, r.Value, calls)
			}
		}
	}
	if o.snap.Seq < 10 {
		t.Errorf("only %d snapshots were taken", o.snap.Seq)
	}
}

// Every table of a run says where the script fills it, out of one list.
func TestTablesHaveOrigins(t *testing.T) {
	s := started(t, tracing(t), `BEGIN { @["a", arg0 / 2] = sum(arg0 + 1); printa(@); exit(0); }`, 0)
	o := all(s, 0)
	tables := o.snap.Aggs
	for i := range o.events {
		for j := range o.events[i].Items {
			tables = append(tables, o.events[i].Items[j].Rest().Tables...)
		}
	}
	if len(tables) != 2 {
		t.Fatalf("%d tables, want one of the snapshot and one of printa()", len(tables))
	}
	for _, table := range tables {
		if len(table.Origins) != 1 || table.KeyName(1) != "arg0 / 2" || table.Origins[0].Arg != "arg0 + 1" || &table.Origins[0] != &tables[0].Origins[0] {
			t.Errorf("origins %+v", table.Origins)
		}
	}
}
