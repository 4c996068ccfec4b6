package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
)

// facts runs a script over one getppid of a caller and returns what its printf
// printed, split at blanks.
func facts(t *testing.T, text string) (fields []string, pid int) {
	t.Helper()
	e := tracing(t)
	l := newCaller(t, 1)
	s := started(t, e, text, l.cmd.Process.Pid)
	l.start()
	o := all(s, 0)
	for _, ev := range o.events {
		switch ev.Kind {
		case trace.DataEvent:
			for _, it := range ev.Items {
				fields = append(fields, strings.Fields(it.Text)...)
			}
		case trace.FaultEvent:
			t.Errorf("fault: %v at line %d", ev.Fault.Kind, ev.Fault.Line)
		}
	}
	return fields, l.cmd.Process.Pid
}

// TestBuiltinsOfProcess compares the built-in variables that tell of the
// process with what /proc and the clock say.
func TestBuiltinsOfProcess(t *testing.T) {
	var mono unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono); err != nil {
		t.Fatal(err)
	}
	before, wall := mono.Nano(), time.Now().UnixNano()
	got, pid := facts(t, `syscall::getppid:entry /pid == $target/ {
		printf("%s %d %d %d %d %d ", execname, pid, tid, ppid, uid, gid);
		printf("%d %d %d ", timestamp, walltimestamp, vtimestamp);
		printf("%d %d %s %s %s %s ", cpu, epid, probeprov, probemod, probefunc, probename);
		printf("%s %d %d", stringof(curthread->comm), curthread->tgid, arg0);
		exit(0);
	}`)
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono); err != nil {
		t.Fatal(err)
	}
	comm := filepath.Base(os.Args[0])
	comm = comm[:min(len(comm), 15)]
	want := []struct {
		name string
		ok   func(s string) bool
	}{
		{"execname", is(comm)},
		{"pid", is(strconv.Itoa(pid))},
		{"tid", func(s string) bool { n, _ := strconv.Atoi(s); return n > 0 }},
		{"ppid", is(strconv.Itoa(os.Getpid()))},
		{"uid", is(strconv.Itoa(os.Getuid()))},
		{"gid", is(strconv.Itoa(os.Getgid()))},
		{"timestamp", between(before, mono.Nano())},
		{"walltimestamp", between(wall-int64(time.Second), time.Now().UnixNano()+int64(time.Second))},
		{"vtimestamp", between(1, int64(time.Minute))},
		{"cpu", between(0, 4096)},
		{"epid", is("1")},
		{"probeprov", is("syscall")},
		{"probemod", is("vmlinux")},
		{"probefunc", is("getppid")},
		{"probename", is("entry")},
		{"curthread->comm", is(comm)},
		{"curthread->tgid", is(strconv.Itoa(pid))},
		{"arg0", func(string) bool { return true }}, // getppid has no arguments: whatever the register held
	}
	if len(got) != len(want) {
		t.Fatalf("got %d values, want %d: %q", len(got), len(want), got)
	}
	for i, w := range want {
		if !w.ok(got[i]) {
			t.Errorf("%s = %s", w.name, got[i])
		}
	}
}

func is(want string) func(string) bool { return func(s string) bool { return s == want } }

func between(lo, hi int64) func(string) bool {
	return func(s string) bool {
		n, err := strconv.ParseInt(s, 10, 64)
		return err == nil && lo <= n && n <= hi
	}
}

// TestErrno compares errno, and the value that a call returns, with what the
// process was told.
func TestErrno(t *testing.T) {
	e := tracing(t)
	s := started(t, e, fmt.Sprintf(`
		syscall::access:return, syscall::faccessat:return, syscall::faccessat2:return /pid == %d/
		{ printf("%%d %%d %%d", errno, (int)arg0, (int)arg1); exit(0); }`, os.Getpid()), 0, "self")
	if err := unix.Access("/nonexistent/file", unix.F_OK); err != unix.ENOENT {
		t.Fatal(err)
	}
	o := all(s, 0)
	if o.records() != 1 || o.events[0].Items[0].Text != "2 -2 -2" {
		t.Errorf("got %+v, want 2 -2 -2", o.events)
	}
}

// built compiles a C program, with gcc and some flags.
func built(t *testing.T, src string, flags ...string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI must have gcc")
		}
		t.Skip("needs gcc")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "a.out")
	if out, err := exec.Command(gcc, append(flags, "-o", exe, filepath.Join(dir, "a.c"))...).CombinedOutput(); err != nil {
		t.Skipf("this machine has no int 0x80: %s", out)
	}
	return exe
}

// TestForeign counts a call in programs of which the saved registers tell that they are not
// dscope, and in one of which they do not; it makes the call itself, which is left out, and calls
// of 32 bits with the same number, which mean another.
func TestForeign(t *testing.T) {
	e := tracing(t)
	src := `#include <unistd.h>
#include <sys/syscall.h>
int main(void) {
	long r, i;
	for (i = 0; i < 50; i++) syscall(SYS_semget, 0, 0, -1);
	for (i = 0; i < 70; i++) __asm__ volatile("int $0x80" : "=a"(r) : "a"((long)SYS_semget) : "memory");
	return 0;
}`
	programs := []string{built(t, src), built(t, src, "-static", "-no-pie")}
	s := started(t, e, `syscall::semget:entry { @entry = count(); } syscall::semget:return { @return = count(); }`, 0)
	for _, exe := range programs {
		exec.Command(exe).Run() // one that serves no 32-bit calls kills it there
	}
	for range 30 {
		unix.Syscall(unix.SYS_SEMGET, 0, 0, ^uintptr(0))
	}
	s.Stop()
	aggs := all(s, 0).snap.Aggs
	if len(aggs) != 2 {
		t.Fatalf("got %d aggregations, want 2", len(aggs))
	}
	for _, a := range aggs {
		if len(a.Rows) != 1 || a.Rows[0].Value != 100 {
			t.Errorf("@%s: got %+v, want one row of 50 for each of two programs", a.Name, a.Rows)
		}
	}
}

// TestForeignABI makes a 32-bit system call from a 64-bit process: getpid, whose
// number means writev to the native ABI. It is neither counted as writev nor as
// anything else.
func TestForeignABI(t *testing.T) {
	e := tracing(t)
	exe := built(t, `#include <unistd.h>
int main(void) {
	char c; long r, i;
	if (read(0, &c, 1) != 1) return 1;
	for (i = 0; i < 100; i++) __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory");
	return r == getpid() ? 0 : 2;
}`)
	cmd := exec.Command(exe)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := started(t, e, `
		syscall::writev:entry, syscall::writev:return /pid == $target/ { @wrong = count(); }
		syscall:::entry /pid == $target/ { @all[probefunc] = count(); }`, cmd.Process.Pid)
	in.Write([]byte{1})
	err = cmd.Wait()
	s.Stop()
	o := all(s, 0)
	if exit, ok := err.(*exec.ExitError); ok && exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Skip("this kernel serves no 32-bit calls")
	} else if err != nil {
		t.Fatal(err)
	}
	for _, a := range o.snap.Aggs {
		for _, r := range a.Rows {
			if a.Name == "wrong" || len(r.Keys) > 0 && (r.Keys[0].Str == "writev" || r.Value >= 100) {
				t.Errorf("@%s: %v = %d: a 32-bit getpid was taken for another call", a.Name, r.Keys, r.Value)
			}
		}
	}
}

// TestRealUser asks at each kind of probe whose a thread is that has another real user and group
// than its process, which its credentials tell.
func TestRealUser(t *testing.T) {
	for _, probe := range []string{
		"syscall::semget:entry", "syscall::semget:return", "rawtp:::sys_enter", "sdt:raw_syscalls::sys_exit",
		"fbt:vmlinux:__x64_sys_semget:entry", "fbt:vmlinux:__x64_sys_semget:return",
	} {
		t.Run(strings.ReplaceAll(probe, ":", "."), func(t *testing.T) {
			e := tracing(t)
			if why := e.machine.Trials.Functions().Err(); why != nil && strings.HasPrefix(probe, "fbt") {
				t.Skip(why)
			}
			o := options.Default()
			o.Self = true
			c, err := e.Compile(t.Context(), Script{Name: "whose", Options: o, Target: os.Getpid(),
				Text: probe + ` /pid == $target && uid == 1234/ { @[uid, gid, tid] = count(); } profile-199 /uid == 77777/ { exit(gid); }`})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range c.plan.Object.Spec.Programs {
				if slices.ContainsFunc(p.Instructions, func(i asm.Instruction) bool { return i.IsBuiltinCall() && i.Constant == int64(asm.FnGetCurrentUidGid) }) {
					t.Error("the programs ask the helper")
				}
			}
			s, err := c.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			tid := make(chan int)
			go func() {
				runtime.LockOSThread() // which ends with the goroutine
				const same = ^uintptr(0)
				unix.RawSyscall(unix.SYS_SETRESGID, 4321, same, same)
				unix.RawSyscall(unix.SYS_SETRESUID, 1234, same, same)
				for range 100 {
					unix.Syscall(unix.SYS_SEMGET, 0, 0, ^uintptr(0))
				}
				tid <- unix.Gettid()
			}()
			thread := int64(<-tid)
			s.Stop()
			aggs := all(s, 0).snap.Aggs
			if len(aggs) != 1 || len(aggs[0].Rows) != 1 {
				t.Fatalf("got %+v", aggs)
			}
			r := aggs[0].Rows[0]
			if r.Keys[0].Int != 1234 || r.Keys[1].Int != 4321 || r.Keys[2].Int != thread || r.Value < 100 {
				t.Errorf("got %+v, not of thread %d", r, thread)
			}
		})
	}
}
