package engine

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/trace"
)

// swaps is how often the tests of handovers swap.
const swaps = 100

// A countedLoad makes calls and counts them, on a thread for each CPU. It leaves most of the
// CPUs to who swaps.
type countedLoad struct {
	calls atomic.Int64
	pause sync.RWMutex // held by who wants no calls
	held  bool         // whether somebody does
	over  atomic.Bool
	ended sync.WaitGroup
}

func countCalls(t *testing.T, call func()) *countedLoad {
	l := &countedLoad{}
	l.hold()
	for range runtime.NumCPU() {
		l.ended.Go(func() {
			runtime.LockOSThread()
			for !l.over.Load() {
				l.pause.RLock()
				for range 100 {
					call()
				}
				l.calls.Add(100)
				l.pause.RUnlock()
				time.Sleep(100 * time.Microsecond)
			}
		})
	}
	t.Cleanup(func() {
		l.over.Store(true)
		if l.held {
			l.resume()
		}
		l.ended.Wait()
	})
	return l
}

// hold waits until there are no calls, and keeps it so until resume.
func (l *countedLoad) hold() { l.pause.Lock(); l.held = true }

func (l *countedLoad) resume() { l.held = false; l.pause.Unlock() }

// swapping runs a script while a load calls, swaps it for itself many times, and returns
// what all its runs have counted together. There are no calls before the first begins nor
// while the last ends.
func swapping(t *testing.T, e *Engine, script trace.Script, l interface {
	hold()
	resume()
}) (counted int64, slowest time.Duration) {
	run, err := e.Run(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	var ends sync.WaitGroup
	var sum atomic.Int64
	finish := func(r trace.Run) {
		r.Stop()
		ends.Go(func() {
			o := all(r, 0)
			if o.status.State != trace.Done || o.dropped() > 0 {
				t.Errorf("a run ended %v with %v: %+v", o.status.State, o.status.Err, o.status.Drops)
			}
			for _, row := range o.snap.Aggs[0].Rows {
				sum.Add(row.Value)
			}
			r.Close()
		})
	}
	l.resume()
	for range swaps {
		from := time.Now()
		next, err := e.Swap(t.Context(), run, script)
		if err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(from))
		finish(run)
		run = next
	}
	l.hold()
	finish(run)
	ends.Wait()
	return sum.Load(), slowest
}

// TestSwap wants of a script that is swapped a hundred times for itself that no call of a
// load that counts itself is missed, and none counted twice.
func TestSwap(t *testing.T) {
	for _, probe := range []string{"syscall::sched_get_priority_max:entry", "fbt::__x64_sys_sched_get_priority_max:entry", "fbt::__x64_sys_sched_get_priority_max:return"} {
		t.Run(probe, func(t *testing.T) {
			e := tracing(t)
			script := trace.Script{Target: os.Getpid(), Options: []string{"self", "airbag=off"}, Text: probe + " /pid == $target/ { @ = count(); }"}
			if list := e.Check(t.Context(), script); list.Failed() {
				t.Skip(list[0].Msg)
			}
			l := countCalls(t, func() { unix.Syscall(unix.SYS_SCHED_GET_PRIORITY_MAX, 0, 0, 0) }) // which nobody else calls
			counted, slowest := swapping(t, e, script, l)
			if calls := l.calls.Load(); counted != calls {
				t.Errorf("%d calls, %d counted: %+d", calls, counted, counted-calls)
			} else {
				t.Logf("%d calls in %d swaps, all counted once; the slowest swap took %v", calls, swaps, slowest)
			}
		})
	}
}

// callingC is a program that calls a function of its own, and counts.
const callingC = `
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static long calls;
__attribute__((noinline, noclone)) void called(void) { __asm__ volatile(""); }
static void *work(void *arg) {
	for (;; usleep(300)) { /* whoever waits for the gate gets it, and who swaps a CPU */
		pthread_rwlock_rdlock(&gate);
		for (int i = 0; i < 100; i++) called();
		__atomic_add_fetch(&calls, 100, __ATOMIC_SEQ_CST);
		pthread_rwlock_unlock(&gate);
	}
}
int main(void) {
	pthread_t t;
	pthread_rwlock_wrlock(&gate);
	for (int i = 0; i < 2; i++) pthread_create(&t, NULL, work, NULL);
	for (int c; (c = getchar()) != EOF;) {
		if (c == 'g') pthread_rwlock_unlock(&gate);
		if (c == 's') { pthread_rwlock_wrlock(&gate); printf("%ld\n", calls); fflush(stdout); }
	}
	_exit(0);
}
`

// A callingProgram runs it.
type callingProgram struct {
	t     *testing.T
	in    io.Writer
	out   *bufio.Reader
	calls int64
}

func (p *callingProgram) resume() { io.WriteString(p.in, "g") }

func (p *callingProgram) hold() {
	io.WriteString(p.in, "s")
	if _, err := fmt.Fscan(p.out, &p.calls); err != nil {
		p.t.Fatal(err)
	}
}

// TestSwapPlaces does what TestSwap does with a place in a process, whose programs the
// kernel calls in the other order.
func TestSwapPlaces(t *testing.T) {
	e := tracing(t)
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI must have gcc")
		}
		t.Skip("no gcc for the program under test")
	}
	path := filepath.Join(t.TempDir(), "calling")
	cc := exec.Command(gcc, "-O1", "-pthread", "-xc", "-o", path, "-")
	cc.Stdin = strings.NewReader(callingC)
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	p := &callingProgram{t: t, in: in, out: bufio.NewReader(out)}
	counted, slowest := swapping(t, e, trace.Script{Target: cmd.Process.Pid, Options: []string{"airbag=off"},
		Text: `pid$target:calling:called:entry { @ = count(); }`}, p)
	if counted != p.calls || p.calls == 0 {
		t.Errorf("%d calls, %d counted: %+d", p.calls, counted, counted-p.calls)
	} else {
		t.Logf("%d calls in %d swaps, all counted once; the slowest swap took %v", p.calls, swaps, slowest)
	}
}
