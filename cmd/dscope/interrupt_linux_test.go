package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestInterruptKey presses ctrl+c at dscope trace in a terminal: END fires,
// what remains is printed below the ^C, and the exit code is 0.
func TestInterruptKey(t *testing.T) {
	mustTrace(t)
	tty := open(t, nil, "dscope", "trace", "-q", "-n", `BEGIN { @n["total"] = sum(42); printf("ready\n"); } END { printf("the end\n"); }`)
	tty.shows("ready")
	held := heldBy(t, tty.cmd.Process.Pid)
	tty.keys("\x03")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.settle()
	got := strings.Join(strings.Fields(tty.picture()), " ")
	if want := "ready ^C the end total 42"; got != want {
		t.Errorf("the screen shows %q, want %q", got, want)
	}
	tty.givenBack()
	held.gone(t)
}

// writes reports whether a thread of a process waits in write() to its output: a pipe that
// is full may still have room for the last few bytes.
func writes(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	for _, path := range threads {
		if b, _ := os.ReadFile(path); strings.HasPrefix(string(b), fmt.Sprintf("%d 0x1 ", unix.SYS_WRITE)) {
			return true
		}
	}
	return false
}

// TestSecondInterrupt stops reading what dscope trace prints. The first
// interrupt cannot end the run in order then; the second ends it at once, and
// the command of the run with it.
func TestSecondInterrupt(t *testing.T) {
	mustTrace(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("dscope", "trace", "-q", "-c", "calls 0", "-n",
		`BEGIN { printf("%d\n", $target); } syscall::getppid:entry /pid == $target/ { printf("%s\n", probefunc); }`)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Cleanup(func() { cmd.Process.Kill() })
	var first [16]byte
	r.SetReadDeadline(time.Now().Add(patience))
	n, _ := r.Read(first[:])
	line, _, _ := strings.Cut(string(first[:n]), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("the command's number: %v", err)
	}
	command, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Kill() })
	waitFor(t, "a write that finds no room", func() bool { return writes(cmd.Process.Pid) })
	held := heldBy(t, cmd.Process.Pid)
	cmd.Process.Signal(syscall.SIGINT)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("ended by the first interrupt though nobody reads: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the second interrupt did not end it")
	}
	if code := cmd.ProcessState.ExitCode(); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	if _, err := os.Stat(fmt.Sprint("/proc/", pid)); err == nil {
		t.Errorf("the command still runs as %d", pid)
	}
	held.gone(t)
}
