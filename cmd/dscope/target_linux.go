package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A target is a process that a run follows: started for it by -c, or found
// running by -p. Its end ends the run.
type target struct {
	pid   int
	done  chan string // receives how the process ended
	start func() error
	kill  func() // ends a command that still runs; nil for a process of -p
}

// release ends the command of -c if it still runs, as dtrace(1) does when it
// exits first. A process of -p goes on.
func (t *target) release() {
	if t.kill != nil {
		t.kill()
	}
}

// gateFlag is the hidden first argument that turns dscope into the gate that
// a command waits behind until the probes are enabled. Since the gate then
// becomes the command, the process id is known to the script from the start.
const gateFlag = "__gate"

// gateFD is the descriptor on which the gate waits for one byte.
const gateFD = 3

// gate waits for a byte and becomes the command. It returns only on failure.
func gate(args []string) int {
	var b [1]byte
	f := os.NewFile(gateFD, "gate")
	if n, _ := f.Read(b[:]); n != 1 {
		return 1 // the run was given up before it began
	}
	f.Close()
	path, err := exec.LookPath(args[0])
	if err == nil {
		err = syscall.Exec(path, args, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "dtrace: failed to execute %s: %v\n", args[0], err)
	return 127
}

// newCommand prepares the command of -c, split at blanks as dtrace(1) does. The command
// begins when start is called.
func newCommand(line string) (*target, error) {
	args := strings.Fields(line)
	if len(args) == 0 {
		return nil, errors.New("-c needs a command")
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, fmt.Errorf("failed to execute %s: %w", args[0], errors.Unwrap(err))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{gateFlag}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{r}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("failed to execute %s: %w", args[0], err)
	}
	r.Close()
	t := &target{pid: cmd.Process.Pid, done: make(chan string, 1)}
	t.start = func() error {
		_, err := w.Write([]byte{1})
		return errors.Join(err, w.Close())
	}
	waited := make(chan struct{})
	t.kill = func() {
		w.Close()
		cmd.Process.Kill()
		<-waited
	}
	go func() {
		defer close(waited)
		cmd.Wait()
		t.done <- ended(t.pid, cmd.ProcessState)
	}()
	return t, nil
}

// ended says how a command ended, in dtrace(1)'s words.
func ended(pid int, state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return fmt.Sprintf("pid %d terminated by %s", pid, unix.SignalName(ws.Signal()))
	}
	return fmt.Sprintf("pid %d has exited", pid)
}

// newProcess watches the running process of -p. It is neither stopped nor
// touched.
func newProcess(pid int) (*target, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("failed to grab pid %d: %w", pid, err)
	}
	t := &target{pid: pid, done: make(chan string, 1), start: func() error { return nil }}
	go func() {
		defer unix.Close(fd)
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if n, err := unix.Poll(poll, -1); n > 0 || err != nil && err != unix.EINTR {
				break
			}
		}
		t.done <- fmt.Sprintf("pid %d has exited", pid)
	}()
	return t, nil
}
