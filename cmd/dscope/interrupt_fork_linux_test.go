package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// forking starts a command as -c does, and is interrupted when the command stands and the
// kernel has not been asked yet to end both together.
func forking() {
	cmd := exec.Command("sleep", "999.0753")
	cmd.Stdout, cmd.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Ptrace: true}
	h := newHeld(cmd, "exec")
	h.stood = func(pid int) {
		fmt.Println(pid)
		raise(syscall.SIGINT)
	}
	_, err := h.begin()
	fmt.Println("it was not interrupted:", err)
}

// TestInterruptFork: an interrupt in the moment in which the command of -c has been
// started and is not bound to dscope yet ends both. What they write to ends with them.
func TestInterruptFork(t *testing.T) {
	mustTrace(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("forking")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var pid int
	if _, err := fmt.Fscanln(r, &pid); err != nil {
		t.Fatalf("no command was started: %v", err)
	}
	r.SetReadDeadline(time.Now().Add(10 * time.Second))
	rest, err := io.ReadAll(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the command lives on")
	}
	if len(rest) > 0 {
		t.Errorf("it says %q", rest)
	}
	err = cmd.Wait()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, not by the interrupt", err)
	}
}
