package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// pythonSource calls getppid, and sleeps, in all the ways in which functions of Python call each other. For each line that it
// is given it answers with the stacks that it has seen itself, innermost first.
const pythonSource = `import json, os, sys, threading, time

SEEN = []
TEXT = compile("here()", "<string>", "exec") # which is still there when it is looked at

def here(act=os.getppid):
    f, names = sys._getframe(1), []
    while f:
        names.append("%s (%s:%d)" % (f.f_code.co_qualname, os.path.basename(f.f_code.co_filename), f.f_lineno))
        f = f.f_back
    SEEN.append(names)
    act()

class Shop:
    def __init__(self, n):
        self.total(n)

    def total(self, n):
        if n:
            return self.total(n - 1)
        here()

    @property
    def größe(self):
        here()

    def цена(self, v):
        here()
        return v

def generator(n):
    for i in range(n):
        here()
        yield i

async def coroutine():
    here()

def fails():
    try:
        raise ValueError
    except ValueError:
        here()

def sleeps():
    here(lambda: time.sleep(1e-9))

def every():
    Shop(12)
    Shop(0).größe
    sorted([2], key=Shop(0).цена)
    sum(generator(2))
    for _ in generator(1): pass
    try:
        coroutine().send(None)
    except StopIteration:
        pass
    [here() for _ in range(1)]
    list(map(lambda _: here(), range(1)))
    exec(TEXT)
    fails()
    sleeps()

def rounds():
    for _ in sys.stdin:
        SEEN.clear()
        every()
        t = threading.Thread(target=every)
        t.start()
        t.join()
        print(json.dumps(SEEN), flush=True)

rounds()
`

// A snake is a Python that runs pythonSource.
type snake struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// runPython starts an interpreter.
func runPython(t testing.TB, python string, flags ...string) *snake {
	t.Helper()
	script := filepath.Join(t.TempDir(), "shop.py")
	if err := os.WriteFile(script, []byte(pythonSource), 0o600); err != nil {
		t.Fatal(err)
	}
	k := &snake{Cmd: exec.Command(python, append(flags, script)...)}
	var err error
	if k.in, err = k.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := k.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	k.out = bufio.NewScanner(out)
	k.out.Buffer(nil, 1<<20)
	if err := k.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		k.in.Close()
		k.Wait()
		os.Remove(fmt.Sprintf("/tmp/perf-%d.map", k.Process.Pid))
	})
	k.round(t) // now it runs
	return k
}

// round lets all of them happen once, and returns the stacks that the program has seen, in order.
func (k *snake) round(t testing.TB) (stacks []string) {
	t.Helper()
	if _, err := io.WriteString(k.in, "\n"); err != nil {
		t.Fatal(err)
	}
	var seen [][]string
	if !k.out.Scan() {
		t.Fatalf("the program has ended: %v", k.out.Err())
	}
	if err := json.Unmarshal(k.out.Bytes(), &seen); err != nil {
		t.Fatal(err)
	}
	for _, names := range seen {
		stacks = append(stacks, strings.Join(names, " < "))
	}
	slices.Sort(stacks)
	return stacks
}

// pythons finds the interpreters of each version, in $PATH, where systems have theirs and where pyenv keeps them.
func pythons(t testing.TB) map[string][]string {
	t.Helper()
	list := []string{"python3", "/usr/bin/python3"}
	for _, version := range pythonVersions {
		list = append(list, "python"+version)
	}
	if home, err := os.UserHomeDir(); err == nil {
		more, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/*/bin/python3"))
		list = append(list, more...)
	}
	found := map[string][]string{}
	for _, name := range list {
		out, err := exec.Command(name, "-c", `import os, sys; print("%d.%d" % sys.version_info[:2], os.path.realpath(sys.executable))`).Output()
		version, path, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
		if err == nil && ok && !slices.Contains(found[version], path) {
			found[version] = append(found[version], path)
		}
	}
	return found
}

// pythonVersions are those of which the functions are named.
var pythonVersions = []string{"3.11", "3.12", "3.13"}

// eachPython runs a test with each interpreter of which the functions are named.
func eachPython(t *testing.T, test func(t *testing.T, python string)) {
	needTables(t)
	found := pythons(t)
	for _, version := range pythonVersions {
		t.Run(version, func(t *testing.T) {
			if len(found[version]) == 0 {
				t.Skipf("there is no Python %s in $PATH or of pyenv", version)
			}
			for _, python := range found[version] {
				t.Log(python)
				test(t, python)
			}
		})
	}
}

// functions returns those frames of a stack that are of functions of scripts, without the innermost, which is here.
func functions(frames []trace.Frame) string {
	var names []string
	for _, f := range frames {
		if f.Script {
			names = append(names, f.String())
		}
	}
	for len(names) > 0 && !strings.HasPrefix(names[0], "here ") { // and what that has called
		names = names[1:]
	}
	if len(names) == 0 {
		return fmt.Sprintf("no function of a script in %v", frames)
	}
	return strings.Join(names[1:], " < ")
}

const atCalls = `syscall::getppid:entry, syscall::clock_nanosleep:entry /pid == $target/ `

// TestPythonRecords compares stacks that are recorded with what Python says itself, of a process
// that was there before.
func TestPythonRecords(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		e := tracing(t)
		k := runPython(t, python)
		s := started(t, e, atCalls+`{ ustack(99); }`, k.Process.Pid)
		want := k.round(t)
		s.Stop()
		compareStacks(t, recorded(all(s, 0)), want)
	})
}

// recorded returns the functions of all stacks that were recorded, in their order.
func recorded(o outcome) (got []string) {
	for _, ev := range o.events {
		for _, it := range ev.Items {
			if it.Kind == trace.StackItem {
				got = append(got, functions(it.Value.Frames))
			}
		}
	}
	return got
}

// counted returns the functions of all stacks that were counted, each as often.
func counted(o outcome) (got []string) {
	for _, table := range o.snap.Aggs {
		for _, r := range table.Rows {
			got = append(got, slices.Repeat([]string{functions(r.Keys[0].Frames)}, int(r.Value))...)
		}
	}
	return got
}

// compareStacks compares stacks in any order with some that are sorted.
func compareStacks(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	in := func(list []string) func(string) bool {
		return func(s string) bool { return slices.Contains(list, s) }
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d stacks, want %d", len(got), len(want))
		t.Logf("too many:\n%s", strings.Join(slices.DeleteFunc(slices.Clone(got), in(want)), "\n"))
		t.Logf("missing:\n%s", strings.Join(slices.DeleteFunc(slices.Clone(want), in(got)), "\n"))
	}
}

// TestPythonKeys counts by stacks.
func TestPythonKeys(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		e := tracing(t)
		k := runPython(t, python)
		s := started(t, e, atCalls+`{ @[ustack(99)] = count(); }`, k.Process.Pid)
		want := k.round(t)
		s.Stop()
		compareStacks(t, counted(all(s, 0)), want)
	})
}

// TestPythonThatEnds counts by stacks of a process that has ended long before its keys are read.
// Nothing tells from outside when they have been looked at, which on a busy machine may be
// late: then a process that lives longer is tried.
func TestPythonThatEnds(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		e := tracing(t)
		var got, want []string
		for life := time.Second; life < 20*time.Second; life *= 4 {
			k := runPython(t, python)
			s := started(t, e, atCalls+`{ @[ustack(99)] = count(); }`, k.Process.Pid, "aggrate=1h")
			want = k.round(t)
			time.Sleep(life)
			k.in.Close()
			k.Wait()
			s.Stop()
			if got = slices.Sorted(slices.Values(counted(all(s, 0)))); slices.Equal(got, want) {
				return
			}
		}
		compareStacks(t, got, want)
	})
}

// TestPythonThatIsQuick counts by stacks of a process that begins after the run, while another
// has been idle, and has ended long before its keys are read. On a busy machine one that lives
// longer is tried.
func TestPythonThatIsQuick(t *testing.T) {
	const quick = `import os, sys, time
def quick(life):
    for n in range(20):
        os.getppid()
        time.sleep(life / 20)
quick(float(sys.argv[1]))`
	eachPython(t, func(t *testing.T, python string) {
		e := tracing(t)
		runPython(t, python) // which does nothing
		for life := 200 * time.Millisecond; life < 20*time.Second; life *= 4 {
			s := started(t, e, fmt.Sprintf(`syscall::getppid:entry /ppid == %d/ { @[ustack(99)] = count(); }`, os.Getpid()), 0, "aggrate=1h")
			if out, err := exec.Command(python, "-c", quick, fmt.Sprint(life.Seconds())).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			s.Stop()
			for _, table := range all(s, 0).snap.Aggs {
				for _, r := range table.Rows {
					if slices.ContainsFunc(r.Keys[0].Frames, func(f trace.Frame) bool { return strings.HasPrefix(f.String(), "quick (<string>:") }) {
						return
					}
				}
			}
		}
		t.Error("its function is not named")
	})
}

// TestPythonLater records the stacks of a process that begins after the run.
func TestPythonLater(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		e := tracing(t)
		s := started(t, e, fmt.Sprintf(`syscall::getppid:entry, syscall::clock_nanosleep:entry /ppid == %d/ { ustack(99); }`, os.Getpid()), 0)
		k := runPython(t, python)
		var seen, got, want []string
		rounds := 1 // the first has been
		for deadline := time.Now().Add(20 * time.Second); want == nil || !slices.Equal(got, want) && time.Now().Before(deadline); {
			want = k.round(t) // at first it has to be learned of
			for rounds++; len(seen) < rounds*len(want) && time.Now().Before(deadline); {
				select {
				case b := <-s.Events():
					seen = append(seen, recorded(outcome{events: b})...)
				case <-time.After(time.Second):
				}
			}
			got = slices.Sorted(slices.Values(seen[max(len(seen)-len(want), 0):]))
		}
		s.Stop()
		all(s, 0)
		compareStacks(t, got, want)
	})
}

// TestPythonTrampolines has Python call functions through code that it tells perf of. Each
// function is shown once.
func TestPythonTrampolines(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		if err := exec.Command(python, "-c", "import sys; sys.activate_stack_trampoline('perf')").Run(); err != nil {
			t.Skip("this Python, or its build, tells perf nothing")
		}
		e := tracing(t)
		k := runPython(t, python, "-X", "perf")
		s := started(t, e, atCalls+`{ ustack(99); }`, k.Process.Pid)
		time.Sleep(100 * time.Millisecond)
		want := k.round(t)
		s.Stop()
		compareStacks(t, recorded(all(s, 0)), want)
	})
}

// TestPythonNoUnwind leaves stacks as C has them.
func TestPythonNoUnwind(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		e := tracing(t)
		k := runPython(t, python)
		s := started(t, e, atCalls+`{ ustack(99); }`, k.Process.Pid, "nounwind=1")
		k.round(t)
		s.Stop()
		for _, ev := range all(s, 0).events {
			for _, it := range ev.Items {
				if slices.ContainsFunc(it.Value.Frames, func(f trace.Frame) bool { return f.Script }) {
					t.Fatalf("there is a function of a script in %v", it.Value.Frames)
				}
			}
		}
	})
}

// TestPythonOlder says of an interpreter that is not understood that it is not.
func TestPythonOlder(t *testing.T) {
	needTables(t)
	found := pythons(t)
	for _, version := range []string{"3.8", "3.9", "3.10", "3.14"} {
		if len(found[version]) == 0 {
			continue
		}
		e := tracing(t)
		k := exec.Command(found[version][0], "-c", "import os, sys\nfor _ in sys.stdin: os.getppid(); print(flush=True)")
		in, _ := k.StdinPipe()
		out, _ := k.StdoutPipe()
		if err := k.Start(); err != nil {
			t.Fatal(err)
		}
		s := started(t, e, atCalls+`{ @[ustack(20)] = count(); }`, k.Process.Pid)
		io.WriteString(in, "\n")
		bufio.NewScanner(out).Scan()
		s.Stop()
		o := all(s, 0)
		in.Close()
		k.Wait()
		if !slices.ContainsFunc(o.events, func(ev trace.Event) bool {
			return ev.Kind == trace.NoticeEvent && strings.Contains(ev.Items[0].Text, "runs functions of Python: those of CPython")
		}) {
			t.Errorf("nothing is said of %s: %v, %v", found[version][0], o.events, o.snap.Aggs)
		}
		return
	}
	t.Skip("there is no Python in $PATH or of pyenv that is not understood")
}
