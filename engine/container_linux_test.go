package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/container"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/binary/binarytest"
)

// restless calls kill() and a function of its own until it is killed.
const restless = `
#include <signal.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) int turn(int n) { kill(getpid(), 0); return n + 1; }
int main(void) {
	struct timespec pause = {0, 1000000};
	for (int n = 0;;) { n = turn(n); nanosleep(&pause, 0); }
}
`

// groups returns the folder of a hierarchy of control groups of version 2 in which some can be
// made, or skips the test with the reason.
func groups(t *testing.T) string {
	t.Helper()
	m := container.Here()
	dir, err := m.Dir(&container.Container{ID: "all", Group: "/"})
	if err != nil {
		t.Skip(err)
	}
	if err := unix.Access(dir, unix.W_OK); err != nil {
		t.Skipf("no control group can be made in %s: %v", dir, err)
	}
	return dir
}

// newGroup makes a control group, which is removed once nothing is in it any more.
func newGroup(t *testing.T, dir string) *os.File {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrPermission) || errors.Is(err, unix.EROFS) {
		t.Skipf("no control group can be made: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end := time.Now().Add(10 * time.Second)
		for err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist); err = os.Remove(dir) {
			if time.Now().After(end) {
				t.Error(err)
				return
			}
			time.Sleep(time.Millisecond) // its processes are on their way out
		}
	})
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// inGroup runs a command in a control group, with namespaces of its own if flags say so.
func inGroup(t *testing.T, group *os.File, flags uintptr, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	if group != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(group.Fd())
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// makeContainer makes what a runtime would: a control group with a telling name, in it a
// process in namespaces of its own, with a file that nobody else sees, and in a group below
// that another one.
func makeContainer(t *testing.T) (id string, first, nested, outside int) {
	t.Helper()
	prog := binarytest.Compile(t, "restless.c", restless, "-O1")
	id = fmt.Sprintf("%x%x", time.Now().UnixNano(), os.Getpid())
	id += strings.Repeat("0", 64-len(id))
	dir := filepath.Join(groups(t), "docker-"+id+".scope")
	group := newGroup(t, dir)
	inner := newGroup(t, filepath.Join(dir, "inner"))
	// The folder of the file has another root within.
	hidden := "mount -t tmpfs none " + filepath.Dir(prog) + " && cat <&3 >" + prog + " && chmod 755 " + prog + " && exec " + prog
	file, err := os.Open(prog)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.Command("/bin/sh", "-c", hidden)
	cmd.ExtraFiles = []*os.File{file}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS, Unshareflags: unix.CLONE_NEWNS,
		UseCgroupFD: true, CgroupFD: int(group.Fd())}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	first = cmd.Process.Pid
	until(t, "the first process of the container executes its program", func() bool {
		path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", first))
		return err == nil && filepath.Base(path) == "restless"
	})
	nested = inGroup(t, inner, 0, prog).Process.Pid
	outside = inGroup(t, nil, 0, prog).Process.Pid
	return id, first, nested, outside
}

// until waits until something is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to pass that %s", what)
		}
	}
}

// TestContainer traces what is in a container and nothing else: system calls by tracepoint,
// functions of the kernel, clocks of each CPU, and a function of a file that only the
// container sees. What belongs to no process goes on: BEGIN, END and ticks.
func TestContainer(t *testing.T) {
	e := tracing(t)
	binarytest.NeedCompiler(t)
	id, first, nested, outside := makeContainer(t)
	ctx := context.Background()

	c, err := e.Container(ctx, id[:12])
	if err != nil {
		t.Fatal(err)
	}
	if c.Init != first || !slices.Equal(c.Processes, sorted(first, nested)) {
		t.Errorf("found as %+v; its first process is %d, and %d is in it", c, first, nested)
	}
	const seen = `
		BEGIN { began = 1; }
		syscall::kill:entry { @calls[pid] = count(); }
		fbt::kill_pid_info*:entry { @functions[pid] = count(); }
		profile-997 { @clock[pid] = count(); }
		pid$target:restless:turn:entry { @turns[pid] = count(); }
		tick-20ms /began/ { @ticks[$target] = count(); }`
	o := options.Default()
	o.AggRate = 10 * time.Millisecond
	if err := o.Set("container", id[:12]); err != nil {
		t.Fatal(err)
	}
	o.ZeroProbes = true // the functions of kill() have had several names
	made, err := e.Compile(ctx, Script{Name: "script", Text: seen, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	if made.plan.Target != first {
		t.Errorf("$target is %d, and not %d", made.plan.Target, first)
	}
	s, err := made.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[int64]int64{}
	snaps := s.Snapshots()
	deadline := time.After(60 * time.Second)
	for enough := false; !enough; {
		select {
		case snap := <-snaps:
			counts = countsOf(t, snap)
			enough = counts["calls"][int64(first)] >= 100 && counts["calls"][int64(nested)] >= 100 &&
				counts["turns"][int64(first)] >= 100 && counts["ticks"][int64(first)] >= 10
		case <-deadline:
			t.Errorf("after a minute there is %v", counts)
			enough = true
		}
	}
	s.Stop()
	counts = countsOf(t, all(s, 0).snap)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("first %d, nested %d, outside %d: %v", first, nested, outside, counts)
	for name, of := range counts {
		for pid := range of {
			if pid != int64(first) && pid != int64(nested) {
				t.Errorf("@%s has process %d, which is outside", name, pid)
			}
		}
	}
	if counts["turns"][int64(nested)] > 0 {
		t.Error("pid$target fires in another process")
	}
}

func sorted(list ...int) []int {
	slices.Sort(list)
	return list
}

// countsOf reads counts by one number.
func countsOf(t *testing.T, snap trace.Snapshot) map[string]map[int64]int64 {
	t.Helper()
	all := map[string]map[int64]int64{}
	for _, table := range snap.Aggs {
		of := map[int64]int64{}
		for _, row := range table.Rows {
			of[row.Keys[0].Int] = row.Value
		}
		all[table.Name] = of
	}
	return all
}

// TestContainerEnds: a container that comes under the same name is another one, and one that
// has ended is looked for in vain.
func TestContainerEnds(t *testing.T) {
	e := openEngine(t)
	id := strings.Repeat("c0de", 16)
	dir := filepath.Join(groups(t), "docker-"+id+".scope")
	ctx := context.Background()
	for round := range 2 {
		group := newGroup(t, dir)
		cmd := inGroup(t, group, 0, "sleep", "1000")
		c, err := e.Container(ctx, id)
		if err != nil || c.Init != cmd.Process.Pid {
			t.Fatalf("round %d: %v, %v; want process %d", round, c, err, cmd.Process.Pid)
		}
		list := e.Check(ctx, trace.Script{Text: "BEGIN /$target == " + strconv.Itoa(c.Init) + "/ { exit(0); }", Options: []string{"container=" + id}})
		if len(list) > 0 {
			t.Errorf("round %d: %s", round, list[0].Msg)
		}
		cmd.Process.Kill()
		cmd.Wait()
		until(t, "the group is empty", func() bool { return os.Remove(dir) == nil })
		list = e.Check(ctx, trace.Script{Text: "BEGIN { exit(0); }", Options: []string{"container=" + id}})
		if !list.Failed() || !strings.Contains(list[0].Msg, "no container") {
			t.Errorf("round %d: after its end: %v", round, list)
		}
	}
}
