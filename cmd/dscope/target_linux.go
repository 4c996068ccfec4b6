package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A target is a process that a run follows, or several: started for it by -c,
// or found running by -p. The end of the last ends the run.
type target struct {
	pid   int
	pids  []int       // of all, that of pid first
	live  int         // processes that have not ended
	done  chan string // receives how each process ended
	start func(run witness) error
	kill  func() // ends a command that still runs; nil for a process of -p
}

// release ends the command of -c if it still runs, as dtrace(1) does when it
// exits first. A process of -p goes on.
func (t *target) release() {
	if t.kill != nil {
		t.kill()
	}
}

// newCommand prepares the command of -c, split at blanks as dtrace(1) does. It
// is held where the option evaltime says until start is called, and killed by the
// kernel should dscope end before that.
func newCommand(line string, env []string, when string) (*target, error) {
	args := strings.Fields(line)
	if len(args) == 0 {
		return nil, errors.New("-c needs a command")
	}
	return startCommand(args, env, when)
}

// startCommand does so with a command and its arguments. Its environment is env, or
// that of dscope if nil.
func startCommand(args, env []string, when string) (*target, error) {
	cmd := exec.Command(args[0], args[1:]...)
	if cmd.Env = env; env == nil && handedOver != nil && handedOver.Helped != nil {
		cmd.Env = handedOver.Helped.Env
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	return newHeld(cmd, when).begin()
}

// begin starts the command, and returns once it stands where tracing begins.
func (h *held) begin() (*target, error) {
	again := postpone()
	go h.run()
	err := <-h.ready
	again(func() {
		if h.cmd.Process != nil {
			h.cmd.Process.Kill()
		}
	})
	if err != nil {
		var look *exec.Error
		var start *fs.PathError
		switch {
		case errors.As(err, &look):
			err = look.Err
		case errors.As(err, &start):
			err = start.Err
		}
		return nil, fmt.Errorf("failed to execute %s: %w", h.cmd.Args[0], err)
	}
	return &target{pid: h.cmd.Process.Pid, done: h.done, start: h.start, kill: h.kill}, nil
}

// postpone keeps the signals that would end dscope from doing so, until what it returns
// is called: that ends what must not live on, if there was one, and raises it again. A
// command whose tracer ends before it could ask the kernel to end both runs on alone.
func postpone() (again func(end func())) {
	came := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(came, s)
		}
	}
	return func(end func()) {
		signal.Stop(came)
		select {
		case s := <-came:
			end()
			raise(s.(syscall.Signal))
		default:
		}
	}
}

// raise sends this thread a signal: what it does is done when raise returns, where one
// to the process may be taken by another thread while this one goes on.
func raise(s syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unix.Tgkill(os.Getpid(), unix.Gettid(), s)
}

// A held command has been executed and stands where tracing begins.
// One thread starts it and lets it go, since ptrace(2) binds a process to the
// thread that holds it.
type held struct {
	cmd   *exec.Cmd
	when  string        // evaltime
	stood func(pid int) // called when the command stands and is not bound to us yet; nil but in tests
	ready chan error    // receives once: the command stands, or why not
	let   chan struct{} // closed to let it go
	sees  witness       // of that, set before
	freed chan error    // receives once it has been let go
	over  chan struct{} // closed when it has ended
	done  chan string   // receives how it ended
}

func newHeld(cmd *exec.Cmd, when string) *held {
	return &held{cmd: cmd, when: when, ready: make(chan error), let: make(chan struct{}), freed: make(chan error, 1),
		over: make(chan struct{}), done: make(chan string, 1)}
}

func (h *held) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := h.cmd.Start()
	if err == nil {
		err = h.hold()
	}
	h.ready <- err
	if err != nil {
		return
	}
	<-h.let
	h.freed <- h.free()
	h.cmd.Wait()
	h.done <- ended(h.cmd.Process.Pid, h.cmd.ProcessState)
	close(h.over)
}

// hold waits for the stop that exec(2) makes, and lets the command run on to
// where tracing begins.
func (h *held) hold() error {
	pid := h.cmd.Process.Pid
	if _, err := waitStop(pid); err != nil {
		return err
	}
	if h.stood != nil {
		h.stood(pid)
	}
	// Before the stop was waited for, the end of its tracer ended the command, by the
	// SIGTRAP that it stopped for; from here on the kernel has to be asked for it.
	if err := syscall.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL); err != nil {
		return err
	}
	return runTo(pid, h.when)
}

// free lets the command go.
func (h *held) free() error {
	pid := h.cmd.Process.Pid
	if h.when == evalExec && h.sees != nil {
		if err := executeAgain(pid, len(h.cmd.Args)); err != nil {
			return err
		}
		h.sees.Executed(pid)
	}
	return syscall.PtraceDetach(pid)
}

func (h *held) start(run witness) error {
	h.sees = run
	close(h.let)
	return <-h.freed
}

// kill ends the command if it still runs.
func (h *held) kill() {
	h.cmd.Process.Kill()
	select {
	case <-h.let:
	default:
		close(h.let)
	}
	<-h.over
}

// ended says how a command ended, in dtrace(1)'s words.
func ended(pid int, state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return fmt.Sprintf("pid %d terminated by %s", pid, unix.SignalName(ws.Signal()))
	}
	return fmt.Sprintf("pid %d has exited", pid)
}

// newProcess watches the running process of -p. It is neither stopped nor
// touched. Its end is told as that, unless there are other words for it.
func newProcess(pid int, ended string) (*target, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("failed to grab pid %d: %w", pid, err)
	}
	t := &target{pid: pid, done: make(chan string, 1), start: func(witness) error { return nil }}
	go func() {
		defer unix.Close(fd)
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if n, err := unix.Poll(poll, -1); n > 0 || err != nil && err != unix.EINTR {
				break
			}
		}
		t.done <- cmp.Or(ended, fmt.Sprintf("pid %d has exited", pid))
	}()
	return t, nil
}
