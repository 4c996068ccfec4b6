package engine

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/space"
)

// TestRunContract stops and closes runs from several sides at once, whatever
// they are doing: channels are closed once, and the last status is the end.
func TestRunContract(t *testing.T) {
	e := tracing(t)
	for i, wait := range []time.Duration{0, 0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
		s := started(t, e, `BEGIN { printf("begin"); } profile-997 { @[cpu] = count(); printf("%d", cpu); } END { printf("end"); }`, 0)
		time.Sleep(wait) // any moment will do: each is another state of the run
		var sides sync.WaitGroup
		for range 3 {
			sides.Go(s.Stop)
		}
		if i%2 == 1 { // nobody reads
			for range 2 {
				sides.Go(func() { closed(t, s) })
			}
			sides.Wait()
		}
		o := all(s, 0)
		sides.Wait()
		closed(t, s)
		s.Stop()
		if o.status.State != trace.Done {
			t.Errorf("the last status is %v (%v)", o.status.State, o.status.Err)
		}
		for _, ok := range []bool{received(s.Events()), received(s.Snapshots()), received(s.Status())} {
			if ok {
				t.Error("a channel still delivers after its end")
			}
		}
	}
}

func closed(t *testing.T, s *Session) {
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func received[T any](c <-chan T) bool {
	_, ok := <-c
	return ok
}

// TestFailedRun breaks a run in the middle: the last status says so, Close says
// so, and what had been read is delivered.
func TestFailedRun(t *testing.T) {
	e := tracing(t)
	c, err := e.Compile(context.Background(), Script{Name: "script", Options: options.Default(),
		Text: `BEGIN { printf("one"); } tick-10ms { printf("two"); }`})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range c.plan.Lowered.Layouts {
		if l.Clause.Index == 1 {
			c.plan.Lowered.IR.Records[i].Size = 1 << 16 // more than the program will write
		}
	}
	s, err := c.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o := all(s, 0)
	if o.status.State != trace.Failed || o.status.Err == nil {
		t.Errorf("the last status is %v with %v", o.status.State, o.status.Err)
	}
	if err := s.Close(); err == nil {
		t.Error("Close knows of no error")
	}
	if o.records() == 0 {
		t.Error("what BEGIN said was lost")
	}
}

// TestStackDepths keeps stacks of two depths in one key: of exactly as many frames as
// are wanted, none of them lost to the tracer's own, of which there are more while
// another run has the tracepoint too.
func TestStackDepths(t *testing.T) {
	e := tracing(t)
	t.Run("alone", func(t *testing.T) { stackDepths(t, e) })
	other := started(t, e, `rawtp:::sched_switch { @ = count(); }`, 0)
	t.Run("together", func(t *testing.T) { stackDepths(t, e) })
	other.Stop()
	all(other, 0)
}

func stackDepths(t *testing.T, e *Engine) {
	for _, probe := range []string{"sdt:::sched_switch", "rawtp:::sched_switch", "sdt:::sched_*"} {
		s := started(t, e, probe+` { @[stack(2), stack(4), stack(200)] = count(); } tick-300ms { exit(0); }`, 0)
		o := all(s, 0)
		deepest := [3]int{}
		for _, r := range o.snap.Aggs[0].Rows {
			for i, k := range r.Keys {
				deepest[i] = max(deepest[i], len(k.Frames))
			}
			if f := r.Keys[0].Frames; len(f) > 0 && f[0].Symbol == "" {
				t.Errorf("%s: the innermost frame %v is no place of the kernel", probe, f[0])
			}
			if a, b := r.Keys[0].Frames, r.Keys[1].Frames; len(a) > len(b) || len(a) > 0 && a[0] != b[0] {
				t.Errorf("%s: two stacks of one firing differ: %v and %v", probe, a, b)
			}
		}
		if deepest[0] != 2 || deepest[1] != 4 || deepest[2] <= 4 {
			t.Errorf("%s: the deepest of stack(2), stack(4) and stack(200) have %v frames", probe, deepest)
		}
	}
}

// TestUstackFrames cuts user stacks where the option says.
func TestUstackFrames(t *testing.T) {
	e := tracing(t)
	for _, want := range []int{1, 2} {
		l := newCaller(t, 1000)
		s := started(t, e, `syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); ustack(); }`,
			l.cmd.Process.Pid, "ustackframes="+strconv.Itoa(want))
		l.start()
		go func() {
			l.cmd.Wait()
			s.Stop()
		}()
		o := all(s, 0)
		if len(o.snap.Aggs) != 1 || len(o.snap.Aggs[0].Rows) == 0 || o.records() == 0 {
			t.Fatal("nothing was found")
		}
		if got := len(o.snap.Aggs[0].Rows[0].Keys[0].Frames); got != want {
			t.Errorf("a key has %d frames, want %d", got, want)
		}
		if got := len(o.events[0].Items[0].Value.Frames); got != want {
			t.Errorf("a record has %d frames, want %d", got, want)
		}
	}
}

// TestKernelPID asks a process in a pid namespace of its own by which number
// the kernel knows it.
func TestKernelPID(t *testing.T) {
	tracing(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), tellEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Skipf("no pid namespace can be made: %v", err)
	}
	here := space.KernelPID() - os.Getpid() // not 0 if the test itself runs in a container
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if here == 0 && out.String() != strconv.Itoa(cmd.Process.Pid) {
		t.Errorf("the kernel knows process %d as %s", cmd.Process.Pid, out.String())
	}
	if out.String() == "1" {
		t.Error("the number is that of the namespace")
	}
}

// TestPrintaUnderFlood prints and clears a counter while it runs: what was
// printed and what remains is what was called, to the last one.
func TestPrintaUnderFlood(t *testing.T) {
	e := tracing(t)
	const calls = 1_000_000
	l := newCaller(t, calls)
	s := started(t, e, `
		syscall::getppid:entry /pid == $target/ { @ = count(); }
		tick-1ms { printa("%@d", @); clear(@); }`, l.cmd.Process.Pid)
	l.start()
	go func() {
		l.cmd.Wait()
		s.Stop()
	}()
	o := all(s, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var printed, some int64
	for _, ev := range o.events {
		for _, it := range ev.Items {
			if it.Kind == trace.PrintaItem && it.Text != "" {
				n, err := strconv.ParseInt(strings.TrimSpace(it.Text), 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				printed += n
				if n > 0 {
					some++
				}
			}
		}
	}
	rest := o.snap.Aggs[0].Rows[0].Value
	if printed+rest != calls || some < 2 {
		t.Errorf("%d printed in %d pieces + %d left = %d, want %d", printed, some, rest, printed+rest, calls)
	}
}

// TestTimesOfFirings keeps the time of every firing, which is not that of the
// turn of the drain that read it.
func TestTimesOfFirings(t *testing.T) {
	e := tracing(t)
	before := time.Now()
	s := started(t, e, `tick-1ms { printf("%d", walltimestamp); } tick-100ms { exit(0); }`, 0, "temporal")
	o := all(s, 0)
	if o.records() < 10 {
		t.Fatalf("only %d records", o.records())
	}
	for _, ev := range o.events {
		if ev.Kind != trace.DataEvent || ev.Items[0].Kind != trace.PrintfItem {
			continue
		}
		wall, err := strconv.ParseInt(ev.Items[0].Text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Unix(0, wall).Sub(ev.Time).Abs(); d > time.Millisecond || ev.Time.Before(before) {
			t.Errorf("fired at %v, but the event says %v", time.Unix(0, wall), ev.Time)
		}
	}
}
