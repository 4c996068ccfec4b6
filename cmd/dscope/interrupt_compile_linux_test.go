package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptCompile interrupts scripts that take long to compile, as soon as the
// command of -c is held: dscope ends before it has compiled, and so does the command.
func TestInterruptCompile(t *testing.T) {
	mustTrace(t)
	var long strings.Builder
	for i := 1; i <= 2900; i++ {
		fmt.Fprintf(&long, "tick-%ds { @[%d] = count(); }\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "long.d")
	if err := os.WriteFile(file, []byte(long.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"trace", "-e"}, {"trace"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			left := t.TempDir()
			cmd := exec.Command("dscope", append(args, "-c", "sleep 999.0375", "-s", file)...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, append(os.Environ(), "TMPDIR="+left)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			child := childOf(t, cmd.Process.Pid)
			cmd.Process.Signal(os.Interrupt)
			select {
			case err := <-ended:
				var exit *exec.ExitError
				if !errors.As(err, &exit) {
					t.Errorf("it ended as if nothing had been asked: %v", err)
				}
			case <-time.After(10 * time.Second):
				cmd.Process.Kill()
				t.Error("it did not end")
			}
			if strings.Contains(out.String(), "matched") {
				t.Errorf("it had compiled before it ended:\n%s", &out)
			}
			for end := time.Now().Add(5 * time.Second); syscall.Kill(child, 0) == nil; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					syscall.Kill(child, syscall.SIGKILL)
					t.Fatal("the command lives on")
				}
			}
			if list, err := os.ReadDir(left); err != nil || len(list) > 0 {
				t.Errorf("files are left: %v %v", list, err)
			}
		})
	}
}

// childOf waits until a process has a child, and returns its number.
func childOf(t *testing.T, pid int) (child int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, name := range lists {
			text, _ := os.ReadFile(name)
			if _, err := fmt.Sscan(string(text), &child); err == nil {
				return child
			}
		}
	}
	t.Fatal("no command was started")
	return 0
}
