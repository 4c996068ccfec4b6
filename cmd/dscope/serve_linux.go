package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine"
	"dscope.dev/engine/remote"
)

// served is the engine as a server has it.
type served struct{ *engine.Engine }

// A stream is standard input and output.
type stream struct{ in, out *os.File }

func (s stream) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s stream) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s stream) Close() error                { return errors.Join(s.in.Close(), s.out.Close()) }

// standardStream takes standard input and output away from all else in this process: the
// commands of a script read nothing, and what they write goes where errors go.
func standardStream() (io.ReadWriteCloser, error) {
	var of [2]*os.File
	for fd := range of {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, fmt.Errorf("standard input and output: %w", err)
		}
		// Only so does closing it end a read that waits.
		if err := unix.SetNonblock(n, true); err != nil {
			return nil, err
		}
		of[fd] = os.NewFile(uintptr(n), "stream")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	if err := errors.Join(unix.Dup3(int(null.Fd()), 0, 0), unix.Dup3(2, 1, 0)); err != nil {
		return nil, err
	}
	return stream{of[0], of[1]}, nil
}

// lasting is how long a command may go on after its client is gone.
const lasting = 2 * time.Second

// execute runs a command line of a client as a process of its own: it has signals and
// an exit code. It ends with this process whatever becomes of it.
func execute(ctx context.Context, c remote.Command, t remote.Terminal) (code int, err error) {
	if len(c.Args) == 0 || !slices.Contains(commandsThere, c.Args[0]) {
		return 0, errors.New("this command line is not taken from elsewhere")
	}
	runtime.LockOSThread() // whose end would be that of its parent to the command
	defer runtime.UnlockOSThread()
	cmd := exec.Command("/proc/self/exe", c.Args...)
	cmd.Args[0] = "dscope"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	var pumps pumping
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	output := func(descriptor int) (*os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, w)
		pumps.add(r, descriptor, t)
		return w, nil
	}
	out, err := output(1)
	wrong, err2 := output(2)
	file, err3 := output(handedOutput)
	in, hand, err4 := os.Pipe()
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return 0, err
	}
	theirs = append(theirs, in)
	go func() {
		defer hand.Close()
		_ = json.NewEncoder(hand).Encode(handed{Files: bytesOfAll(c.Files), Terminal: c.Terminal}) // a command that reads it not has ended
	}()
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, wrong, []*os.File{in, file}
	cmd.Env = append(append(os.Environ(), c.Env...), handedEnv+"=yes")
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	for _, f := range theirs {
		f.Close()
	}
	theirs = nil
	over := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tend(ctx, cmd.Process, t.Signals, over)
	}()
	err = cmd.Wait()
	close(over)
	<-watched
	pumps.end()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		return exitSignal + int(ws.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// tend passes signals on to a command, and ends it when its client is gone.
func tend(ctx context.Context, p *os.Process, signals <-chan int, over <-chan struct{}) {
	gone := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case n := <-signals:
			_ = p.Signal(syscall.Signal(n)) // it may have ended
		case <-gone:
			gone, late = nil, time.After(lasting)
			_ = p.Signal(syscall.SIGTERM)
		case <-late:
			_ = p.Kill()
		case <-over:
			return
		}
	}
}

// A pumping passes on what a command prints. When nobody takes it any more the command finds
// its output closed.
type pumping struct {
	wait  sync.WaitGroup
	over  atomic.Bool
	pipes []*os.File
}

// quietFor is how long nothing may come of a command that has ended: what it has left behind may
// hold its output for ever.
const quietFor = 500 * time.Millisecond

func (p *pumping) add(from *os.File, descriptor int, t remote.Terminal) {
	p.pipes = append(p.pipes, from)
	p.wait.Go(func() {
		defer from.Close()
		b := make([]byte, 32<<10)
		for {
			if p.over.Load() {
				_ = from.SetReadDeadline(time.Now().Add(quietFor)) // pipes have them
			}
			n, err := from.Read(b)
			if n > 0 && t.Write(descriptor, b[:n]) != nil || err != nil {
				return
			}
		}
	})
}

// end waits until all has been passed on that the command has printed.
func (p *pumping) end() {
	p.over.Store(true)
	for _, f := range p.pipes {
		_ = f.SetReadDeadline(time.Now().Add(quietFor)) // one that is closed has been read
	}
	p.wait.Wait()
}

func bytesOfAll(files map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range files {
		out[name] = []byte(text)
	}
	return out
}
