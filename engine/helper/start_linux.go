package helper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/rights"
)

// HandedEnv tells a dscope that it finds on descriptor 3 what it has been handed.
const HandedEnv = "DSCOPE_HANDED"

// handed is the whole of what goes to descriptor 3.
type handed struct {
	Files  map[string][]byte
	Helped *Handed
}

// A child is a dscope that runs for an asker.
type child struct {
	cmd     *exec.Cmd
	control *net.UnixConn // the helper's end of the second socket
}

// spawn starts one. Extra are open files behind those that all have.
func (s *Server) spawn(cmd *exec.Cmd, a *Asker, r *rights.Rights, h *handed, extra ...*os.File) (*child, error) {
	h.Helped.Rights = *r
	h.Helped.Rights.PID = a.PID
	cmd.Path, cmd.Dir = s.Program, "/"
	cmd.Env = []string{HandedEnv + "=yes"} // nothing of his counts before it has given up what it can
	here, theirs, err := control()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	in, hand, err := os.Pipe()
	if err != nil {
		here.Close()
		return nil, err
	}
	defer in.Close()
	cmd.ExtraFiles = append([]*os.File{in, theirs}, extra...)
	cmd.SysProcAttr = attributes(a, r)
	if err := cmd.Start(); err != nil {
		hand.Close()
		here.Close()
		return nil, fmt.Errorf("start a session: %w", err)
	}
	go func() {
		defer hand.Close()
		_ = json.NewEncoder(hand).Encode(h) // one that does not read it has ended
	}()
	go s.answer(here, a, r)
	return &child{cmd, here}, nil
}

// wait waits until it has ended, and returns its exit code.
func (c *child) wait() (int, error) {
	defer c.control.Close()
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return status(c.cmd.ProcessState), err
}

// start starts a dscope for an asker, and waits until it has ended.
func (s *Server) start(ctx context.Context, conn *net.UnixConn, a *Asker, r *rights.Rights, ask *Ask, files []*os.File) error {
	stream, err := conn.File()
	if err != nil {
		return err
	}
	defer stream.Close()
	cmd, h := &exec.Cmd{}, &handed{Files: ask.Files, Helped: &Handed{Env: ask.Env, Umask: ask.Umask & 0o777}}
	command := ask.Want == WantCommand
	h.Helped.Folder = true
	if command {
		cmd.Args = append([]string{"dscope"}, ask.Args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	} else {
		cmd.Args = []string{"dscope", "serve"}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = stream, stream, s.Errors
	}
	runtime.LockOSThread() // whose end would be that of its parent to the child
	defer runtime.UnlockOSThread()
	c, err := s.spawn(cmd, a, r, h, files[len(files)-1])
	if err != nil {
		return err
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tend(ctx, conn, stream, command, cmd.Process, over)
	}()
	code, err := c.wait()
	close(over)
	if command {
		_ = conn.SetWriteDeadline(time.Now().Add(asking))
		_ = send(conn, &Reply{Exit: &code}) // an asker who is gone needs none
	}
	conn.Close()
	<-ended
	return err
}

// Pipe serves one asker, who could be root, on a stream that nobody else has: one that he
// has had sudo start the helper for.
func (s *Server) Pipe(ctx context.Context, uid, gid int, in, out *os.File) error {
	a := newAsker(uid, gid, os.Getppid(), nil)
	if by, err := unix.GetsockoptUcred(int(in.Fd()), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil && int(by.Uid) == uid {
		a.PID = int(by.Pid) // who has made the stream; our parent is sudo
	}
	r := &rights.Rights{Own: true, User: true, Kernel: true, Destructive: true, UID: uid, GID: gid, Name: a.Name(), Source: "started as root"}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := s.spawn(&exec.Cmd{Args: []string{"dscope", "serve"}, Stdin: in, Stdout: out, Stderr: s.Errors}, a, r, &handed{Helped: &Handed{}})
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Signal(syscall.SIGTERM) })
	defer stop()
	_, err = c.wait()
	return err
}

// attributes are those of a process for an asker: his, with a few capabilities.
func attributes(a *Asker, r *rights.Rights) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID)},
		Setsid:     true, Pdeathsig: syscall.SIGKILL,
	}
	for _, g := range a.GIDs {
		attr.Credential.Groups = append(attr.Credential.Groups, uint32(g))
	}
	for _, c := range Capabilities(r) {
		attr.AmbientCaps = append(attr.AmbientCaps, uintptr(c))
	}
	return attr
}

// status is the exit code of a process, as shells have it.
func status(p *os.ProcessState) int {
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.ExitCode()
}

// tend passes signals on to a command, and ends a process whose asker is gone.
func tend(ctx context.Context, conn *net.UnixConn, stream *os.File, command bool, p *os.Process, over <-chan struct{}) {
	gone := make(chan struct{})
	signals := make(chan int)
	go func() {
		defer close(gone)
		if !command {
			hangup(stream, over)
			return
		}
		for {
			var sig Signal
			if receive(conn, &sig, 1<<10) != nil {
				return
			}
			select {
			case signals <- sig.Number:
			case <-over:
				return
			}
		}
	}()
	var late <-chan time.Time
	left := gone
	end := func(first bool) {
		left, late = nil, time.After(leaving)
		if first {
			_ = p.Signal(syscall.SIGTERM)
		}
	}
	done := ctx.Done()
	for {
		select {
		case n := <-signals:
			if n == int(syscall.SIGINT) || n == int(syscall.SIGTERM) || n == int(syscall.SIGHUP) || n == int(syscall.SIGQUIT) {
				_ = p.Signal(syscall.Signal(n)) // it may have ended
			}
		case <-left:
			end(command)
		case <-done:
			done = nil
			end(true)
		case <-late:
			_ = p.Kill()
			late = nil
		case <-over:
			return
		}
	}
}

// hangup returns when the other side of a stream that somebody else reads has been closed,
// or over is.
func hangup(stream *os.File, over <-chan struct{}) {
	raw, err := stream.SyscallConn()
	if err != nil {
		return
	}
	const look = 500 // milliseconds
	for {
		var events int16
		err := raw.Control(func(fd uintptr) {
			poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
			if n, err := unix.Poll(poll, look); n > 0 && err == nil {
				events = poll[0].Revents
			}
		})
		if err != nil || events&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0 {
			return
		}
		select {
		case <-over:
			return
		default:
		}
	}
}
