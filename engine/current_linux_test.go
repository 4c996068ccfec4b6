package engine

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/trial"
)

// TestCurrentTask asks at each kind of probe who fires it, of the task that the CPU says is the
// current one, be that cheaper here than the helper or not.
func TestCurrentTask(t *testing.T) {
	for _, probe := range []string{
		"syscall::semget:entry", "syscall::semget:return", "rawtp:::sys_enter", "sdt:raw_syscalls::sys_exit",
		"fbt:vmlinux:__x64_sys_semget:entry", "fbt:vmlinux:__x64_sys_semget:return",
	} {
		t.Run(strings.ReplaceAll(probe, ":", "."), func(t *testing.T) {
			e := tracing(t)
			current := trial.CurrentTasks(e.machine.Kernel, e.machine.Facts)
			if !current.Known() {
				t.Skip("programs cannot know where this kernel has the current tasks")
			}
			if why := e.machine.Trials.Functions().Err(); why != nil && strings.HasPrefix(probe, "fbt") {
				t.Skip(why)
			}
			e.machine.Trials.Current = func() codegen.CurrentTasks { return current }
			o := options.Default()
			o.Self = true
			c, err := e.Compile(t.Context(), Script{Name: "who", Options: o, Target: os.Getpid(),
				Text: probe + ` /pid == $target/ { @[pid, tid, ppid, execname, curthread->pid] = count(); }
					profile-199 /tid == 2 && pid != 2/ { exit(1); }`})
			if err != nil {
				t.Fatal(err)
			}
			if !readsTasks(c.plan.Object) {
				t.Error("the programs ask the helper")
			}
			s, err := c.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			const name = "the caller"
			tid := make(chan int)
			go func() {
				runtime.LockOSThread() // which ends with the goroutine
				unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&append([]byte(name), 0)[0])), 0, 0, 0)
				for range 100 {
					unix.Syscall(unix.SYS_SEMGET, 0, 0, ^uintptr(0))
				}
				tid <- unix.Gettid()
			}()
			want := fmt.Sprint(os.Getpid(), <-tid, os.Getppid(), name)
			s.Stop()
			aggs := all(s, 0).snap.Aggs
			if len(aggs) != 1 {
				t.Fatalf("got %+v", aggs)
			}
			var got []string
			for _, r := range aggs[0].Rows {
				if r.Keys[3].Str == name && r.Value >= 100 && r.Keys[4].Int == r.Keys[1].Int {
					got = append(got, fmt.Sprint(r.Keys[0].Int, r.Keys[1].Int, r.Keys[2].Int, r.Keys[3].Str))
				}
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// readsTasks reports whether the programs of o read the current task themselves.
func readsTasks(o *codegen.Object) bool {
	for _, p := range o.Spec.Programs {
		for i := range p.Instructions {
			if p.Instructions[i].IsKfuncCall() {
				return true
			}
		}
	}
	return false
}
