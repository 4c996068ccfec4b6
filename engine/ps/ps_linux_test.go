package ps

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"dscope.dev/engine/trace"
)

func TestParseStat(t *testing.T) {
	const rest = " S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1000 2\n"
	for _, tt := range []struct {
		text, name string
		born       uint64
		kernel     bool
		err        error
	}{
		{"12 (sh)" + rest, "sh", 9876, false, nil},
		{"12 (a) S (b)" + rest, "a) S (b", 9876, false, nil},
		{"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 42 0 0", "kthreadd", 42, true, nil},
		{"12 (sh) Z 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 0 0", "", 0, false, os.ErrNotExist},
		{"12 (sh) S 1", "", 0, false, errStat},
		{"12 sh", "", 0, false, errStat},
		{"", "", 0, false, errStat},
		{") (", "", 0, false, errStat},
	} {
		name, born, kernel, err := parseStat(tt.text)
		if name != tt.name || born != tt.born || kernel != tt.kernel || !errors.Is(err, tt.err) {
			t.Errorf("%q: got %q, %d, %v, %v", tt.text, name, born, kernel, err)
		}
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
