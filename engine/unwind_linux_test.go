package engine

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/probes/binary/binarytest"
)

// stacksSource calls getppid in all the ways in which a stack is hard to walk: through
// the C library's sort, deep in a recursion, in the handler of a signal, and from a
// function that aligns its stack anew. It does so for each byte that it is given.
const stacksSource = `#include <stdlib.h>
#include <unistd.h>
#include <signal.h>
#include <string.h>
static int sink;
__attribute__((noinline, noipa)) int cmp(const void *a, const void *b) { getppid(); sink++; return *(int *)a - *(int *)b; }
__attribute__((noinline, noipa)) int sorter(int *v) { qsort(v, 2, sizeof *v, cmp); return v[0] + 1; }
__attribute__((noinline, noipa)) int recurse(int n) {
	char buf[64];
	memset(buf, n, sizeof buf);
	if (n == 0) { getppid(); return buf[3]; }
	return recurse(n - 1) + buf[n % 64] + 1;
}
__attribute__((noinline, noipa)) void handler(int s) { getppid(); sink++; }
__attribute__((noinline, noipa)) void signaller(void) { raise(SIGUSR1); sink++; }
__attribute__((noinline, noipa)) int aligned(int n) {
	char v[64] __attribute__((aligned(64)));
	memset(v, n, 64);
	getppid();
	return v[n & 63] + (int)((long)v & 63);
}
int main(void) {
	char c;
	signal(SIGUSR1, handler);
	while (read(0, &c, 1) == 1) {
		int v[] = {2, 1};
		sorter(v); recurse(3); signaller(); aligned(1);
		write(1, &c, 1);
	}
	return 0;
}
`

// A talker is a program that does something for each byte that it is given.
type talker struct {
	*exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func (k *talker) once(t testing.TB) {
	t.Helper()
	var b [1]byte
	if _, err := k.in.Write(b[:]); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(k.out, b[:]); err != nil {
		t.Fatal(err)
	}
}

func (k *talker) end() {
	k.in.Close()
	k.Wait()
}

// talk builds and starts a program.
func talk(t testing.TB, source string, flags ...string) *talker {
	t.Helper()
	k := &talker{Cmd: exec.Command(binarytest.Compile(t, "prog.c", source, flags...))}
	var err error
	if k.in, err = k.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if k.out, err = k.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := k.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.end)
	k.once(t) // now it runs, with its libraries mapped
	return k
}

// callers shows a stack from the first function of the program to main.
func callers(frames []trace.Frame) string {
	var names []string
	for _, f := range frames {
		if f.Module == "prog" && !f.Inlined {
			names = append(names, f.Symbol)
		}
		if f.Symbol == "main" {
			break
		}
	}
	return strings.Join(names, " ")
}

// wantCallers are the stacks of stacksSource.
var wantCallers = []string{"aligned main", "cmp sorter main", "handler signaller main", "recurse recurse recurse recurse main"}

// TestUnwoundKeys counts by stacks of a program without frame pointers.
func TestUnwoundKeys(t *testing.T) {
	needTables(t)
	e := tracing(t)
	k := talk(t, stacksSource, "-O2", "-fomit-frame-pointer")
	s := started(t, e, `syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }`, k.Process.Pid)
	for range 3 {
		k.once(t)
	}
	s.Stop()
	o := all(s, 0)
	var got []string
	for _, table := range o.snap.Aggs {
		for _, r := range table.Rows {
			got = append(got, callers(r.Keys[0].Frames))
			if r.Value != 3 {
				t.Errorf("%s: %d firings, want 3", got[len(got)-1], r.Value)
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, wantCallers) {
		t.Errorf("stacks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantCallers, "\n"))
	}
}

// TestUnwoundDeep walks a stack of many frames, as far as it is asked to. It needs no
// compiler, so that it runs on each kernel.
func TestUnwoundDeep(t *testing.T) {
	needTables(t)
	e := tracing(t)
	const calls, firings, cut = 40, 500, 12
	t.Setenv(depthEnv, strconv.Itoa(calls))
	k := newCaller(t, firings)
	s := started(t, e, fmt.Sprintf(`syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); @cut[ustack(%d)] = count(); }`, cut), k.cmd.Process.Pid)
	if how := fmt.Sprint(s.Hooks()); !strings.Contains(how, "by the tables") {
		t.Fatal(how)
	}
	k.start()
	k.cmd.Wait()
	s.Stop()
	tables := all(s, 0).snap.Aggs
	if len(tables) != 2 {
		t.Fatalf("%d tables, want two", len(tables))
	}
	for _, table := range tables {
		if len(table.Rows) != 1 || table.Rows[0].Value != firings {
			t.Fatalf("@%s has %d rows, want one that counts %d: %v", table.Name, len(table.Rows), firings, table.Rows)
		}
		var names []string
		for _, f := range table.Rows[0].Keys[0].Frames {
			_, name, _ := strings.Cut(f.Symbol, "engine.")
			names = append(names, name)
		}
		stack := strings.Join(names, " ")
		if table.Name == "cut" {
			if len(names) != cut || !strings.HasSuffix(stack, "deep deep deep") {
				t.Errorf("%d frames, want %d:\n%s", len(names), cut, stack)
			}
		} else if got := strings.Count(stack, "deep"); got != calls+1 || !strings.Contains(stack, "deep TestMain") {
			t.Errorf("%d frames of deep, want %d, called by TestMain:\n%s", got, calls+1, stack)
		}
	}
}

// TestUnwoundRecords records the stacks instead, of a process that is not the target
// and is not known before.
func TestUnwoundRecords(t *testing.T) {
	needTables(t)
	e := tracing(t)
	s := started(t, e, `syscall::getppid:entry /execname == "prog"/ { ustack(); }`, 0)
	k := talk(t, stacksSource, "-O2", "-fomit-frame-pointer")
	deadline := time.Now().Add(10 * time.Second)
	var got []string
	for time.Now().Before(deadline) && !slices.Equal(got, wantCallers) { // at first it has to be learned of
		k.once(t)
		got = nil
		select {
		case b := <-s.Events():
			for _, ev := range b {
				for _, it := range ev.Items {
					if it.Kind == trace.StackItem {
						got = append(got, callers(it.Value.Frames))
					}
				}
			}
		case <-time.After(time.Second):
		}
		got = distinct(got)
	}
	if !slices.Equal(got, wantCallers) {
		t.Errorf("stacks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantCallers, "\n"))
	}
	s.Stop()
	all(s, 0)
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// TestNoUnwind leaves the walk to the kernel, which loses callers here.
func TestNoUnwind(t *testing.T) {
	needTables(t)
	e := tracing(t)
	k := talk(t, stacksSource, "-O2", "-fomit-frame-pointer")
	s := started(t, e, `syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }`, k.Process.Pid, "nounwind=1")
	k.once(t)
	s.Stop()
	for _, table := range all(s, 0).snap.Aggs {
		for _, r := range table.Rows {
			if strings.HasSuffix(callers(r.Keys[0].Frames), "recurse main") {
				t.Errorf("the kernel has walked %s: the test program keeps frame pointers", fmt.Sprint(r.Keys[0].Frames))
			}
		}
	}
}

// needTables skips where stacks are not walked by tables.
func needTables(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("stacks are walked by tables on x86-64")
	}
}

// TestNamesOfTheGone names code of processes that nobody has looked at while they
// lived: each is gone long before its stack is read.
func TestNamesOfTheGone(t *testing.T) {
	e := tracing(t)
	mine := fmt.Sprintf(`syscall::exit_group:entry /execname == "true" && ppid == %d/ { @[pid, ustack(1)] = count(); ustack(1); }`, os.Getpid())
	s := started(t, e, mine, 0)
	const runs = 5
	for range runs {
		if err := exec.Command("true").Run(); err != nil {
			t.Skip(err)
		}
	}
	s.Stop()
	o := all(s, 0)
	if len(o.snap.Aggs) != 1 || len(o.snap.Aggs[0].Rows) != runs {
		t.Fatalf("%v, want %d stacks", o.snap.Aggs, runs)
	}
	for _, r := range o.snap.Aggs[0].Rows {
		if f := r.Keys[1].Frames; len(f) != 1 || f[0].Symbol == "" {
			t.Errorf("a process that has gone is in %v", f)
		}
	}
}
