package ps

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"dscope.dev/engine/trace"
)

// A process that has ended, and whose parent has not asked for it, has nothing to be
// looked at.
func TestZombie(t *testing.T) {
	proc := t.TempDir()
	const stat = "12 (sh) Z 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 0 0"
	if err := errors.Join(os.Mkdir(filepath.Join(proc, "12"), 0o755), os.WriteFile(filepath.Join(proc, "12", "stat"), []byte(stat), 0o644)); err != nil {
		t.Fatal(err)
	}
	table := &Table{proc: proc, name: userName}
	if list, err := table.List(context.Background()); len(list) > 0 || err != nil {
		t.Errorf("it is listed: %+v, %v", list, err)
	}
	if err := table.Alive(trace.Process{PID: 12, Born: 9876}); err == nil {
		t.Error("it is taken to be alive")
	}
}

// This process is listed with what it is known to be, and one that ends is told of.
func TestProcesses(t *testing.T) {
	table := New()
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	sleeper, err := table.Find(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	list, err := table.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	self := slices.IndexFunc(list, func(p trace.Process) bool { return p.PID == os.Getpid() })
	if self < 0 || list[self].User != userName("0") && os.Geteuid() == 0 || list[self].Line == "" {
		t.Errorf("this process is not told of as it is: %+v", list)
	}
	if slices.ContainsFunc(list, func(p trace.Process) bool { return p.Name == "kthreadd" }) {
		t.Error("threads of the kernel are listed")
	}
	if err := table.Alive(sleeper); err != nil {
		t.Error(err)
	}
	other := sleeper
	other.Born++
	if err := table.Alive(other); err == nil {
		t.Error("a process passes for another one")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := table.Wait(ctx, sleeper); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting was given up with %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- table.Wait(context.Background(), sleeper) }()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var ended *Ended
	if err := <-done; !errors.As(err, &ended) || ended.Process != sleeper {
		t.Errorf("the end of %d was told as %v", sleeper.PID, err)
	}
}
