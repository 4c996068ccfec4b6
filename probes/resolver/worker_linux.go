package resolver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/child"
)

// A worker is a process that reads files for us.
type worker struct {
	conn  *net.UnixConn
	walls []string
	apart bool // it has namespaces of its own
	cmd   *exec.Cmd
	gone  chan struct{} // closed when it has ended
	asked int           // how many questions it has been asked
	pid   int           // by which the kernel knows it, also if we are in a container
}

// start starts a worker, and waits until it is confined.
func start(program string) (*worker, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs, ours := os.NewFile(uintptr(fds[1]), "worker"), os.NewFile(uintptr(fds[0]), "worker")
	defer theirs.Close()
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	w := &worker{conn: conn.(*net.UnixConn), gone: make(chan struct{})}
	nowhere, err := emptyDir()
	if err != nil {
		return nil, err
	}
	defer nowhere.Close()
	for i, attr := range attributes() {
		w.cmd = &exec.Cmd{Path: program, Args: []string{"dscope", "resolve"}, Dir: "/", Env: []string{askedEnv + "=yes", "GOTRACEBACK=none"},
			ExtraFiles: []*os.File{theirs, nowhere}, SysProcAttr: attr}
		if err = child.Start(w.cmd); err == nil {
			w.apart = i == 0
			break
		}
	}
	if err != nil {
		w.conn.Close()
		return nil, err
	}
	theirs.Close() // so that its end is seen
	go func() {
		_ = w.cmd.Wait() // how it ended is seen at its socket
		close(w.gone)
	}()
	if err := w.begin(); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// attributes are how a worker is started, the best first. With namespaces of its own it has no
// network, even if something should open a socket; as an ordinary user it needs one of users
// to be allowed those, in which it is nobody.
func attributes() []*syscall.SysProcAttr {
	const spaces = unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	plain := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	apart := *plain
	if apart.Cloneflags = spaces; os.Geteuid() != 0 {
		apart.Cloneflags |= unix.CLONE_NEWUSER
	}
	return []*syscall.SysProcAttr{&apart, plain}
}

// emptyDir returns a folder that nothing can be in, as it is no more. Where none can be made
// it returns a file that is no folder.
func emptyDir() (*os.File, error) {
	for _, where := range []string{os.TempDir(), "/run", "/dev/shm"} {
		name, err := os.MkdirTemp(where, "dscope-")
		if err != nil {
			continue
		}
		dir, err := os.Open(name)
		if err = errors.Join(err, os.Remove(name)); err == nil {
			return dir, nil
		}
		dir.Close()
	}
	return os.Open(os.DevNull)
}

// begin waits until w is confined.
func (w *worker) begin() error {
	_ = w.conn.SetDeadline(time.Now().Add(startWithin))
	kind, data, err := w.receive(mostShort)
	if err == nil && kind != frameReady {
		err = errors.New("it says something else")
	}
	var r ready
	if err == nil {
		err = decode(data, &r)
	}
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("a process to read them could not confine itself, and has ended")
	case err != nil:
		return fmt.Errorf("a process to read them does not begin: %w", err)
	case r.Err != "":
		return errors.New(r.Err)
	}
	w.pid = r.PID
	if w.walls = r.Walls; w.apart {
		w.walls = append(w.walls, "no network")
	}
	return nil
}

// ask asks w. What it says that is wrong with the file is said; err is what is wrong with w.
func (w *worker) ask(f File, h head, q any, most int, deadline time.Duration) (answer []byte, said, err error) {
	w.asked++
	_ = w.conn.SetDeadline(time.Now().Add(patience * deadline))
	defer w.watch(deadline)()
	if err := w.send(frameAsk, f.File, h, q); err != nil {
		return nil, nil, err
	}
	for opened := 0; ; opened++ {
		kind, data, err := w.receive(most + mostShort)
		switch {
		case err != nil:
			return nil, nil, err
		case kind == frameOpen && opened < mostOpened:
			if err := w.open(f, data); err != nil {
				return nil, nil, err
			}
			continue
		case kind != frameAnswer:
			return nil, nil, errors.New("it does what it was not asked for")
		}
		var a answerHead
		answer, err := decoder.UnmarshalFirst(data, &a)
		if err != nil {
			return nil, nil, err
		}
		if a.Failed {
			said = errors.New(a.Err)
		}
		return answer, said, nil
	}
}

// open hands w the file of a name, if it may have it.
func (w *worker) open(f File, data []byte) error {
	var name string
	if err := decode(data, &name); err != nil {
		return err
	}
	file, err := openFor(f, name)
	if err != nil {
		return w.send(frameOpened, nil, err.Error())
	}
	defer file.Close()
	return w.send(frameOpened, file, "")
}

// send sends a frame, with an open file if there is one.
func (w *worker) send(kind byte, file *os.File, parts ...any) error {
	frame, err := frameOf(kind, parts...)
	if err != nil {
		return err
	}
	if file == nil {
		_, err := w.conn.Write(frame)
		return err
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	n := 0
	var failed error
	err = raw.Control(func(fd uintptr) { n, _, failed = w.conn.WriteMsgUnix(frame, unix.UnixRights(int(fd)), nil) })
	if err := errors.Join(err, failed); err != nil || n == len(frame) {
		return err
	}
	_, err = w.conn.Write(frame[n:])
	return err
}

// frameOf makes a frame.
func frameOf(kind byte, parts ...any) ([]byte, error) {
	frame := make([]byte, frameHead)
	for _, p := range parts {
		data, err := encode(p)
		if err != nil {
			return nil, err
		}
		frame = append(frame, data...)
	}
	frame[0] = kind
	binary.LittleEndian.PutUint32(frame[1:], uint32(len(frame)-frameHead))
	return frame, nil
}

// receive reads a frame. Memory is taken as it comes.
func (w *worker) receive(most int) (kind byte, data []byte, err error) {
	var first [frameHead]byte
	if _, err := io.ReadFull(w.conn, first[:]); err != nil {
		return 0, nil, ended(err)
	}
	n := int(binary.LittleEndian.Uint32(first[1:]))
	if n > most {
		return 0, nil, fmt.Errorf("it says %d bytes at once", n)
	}
	var b bytes.Buffer
	b.Grow(min(n, 1<<20) + bytes.MinRead)
	if _, err := io.CopyN(&b, w.conn, int64(n)); err != nil {
		return 0, nil, ended(err)
	}
	return first[0], b.Bytes(), nil
}

// ended says what the end of a stream means.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("it has ended: %w", io.EOF)
	}
	return err
}

// lives reports whether w, which had nothing to do, is there.
func (w *worker) lives() bool {
	select {
	case <-w.gone:
		return false
	default:
		return true
	}
}

// full reports whether w has used up much of the memory that it may have: what Go has once
// mapped it keeps, in pieces that what is next may not fit into.
func (w *worker) full() bool {
	const dataAt = 5 // in pages: see proc_pid_statm(5)
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", w.cmd.Process.Pid))
	fields := strings.Fields(string(b))
	if err != nil || len(fields) <= dataAt {
		return true // it has ended
	}
	pages, err := strconv.Atoi(fields[dataAt])
	return err != nil || pages*os.Getpagesize() > mostMemory/2
}

// end ends w.
func (w *worker) end() {
	w.conn.Close()
	_ = w.cmd.Process.Kill() // it may have ended
}
