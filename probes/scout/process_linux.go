package scout

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/child"
)

// How long a scout may take. A machine whose CPUs are busy lets it wait, too: one that could go on is
// given more time.
const (
	startWithin = 10 * time.Second
	patience    = 12 // times the time that it may be silent
)

// A scout is a process that opens files for us.
type scout struct {
	fd     int // the socket
	cmd    *exec.Cmd
	gone   chan struct{} // closed when it has ended
	number int           // by which the kernel knows it
	asked  int           // how many questions it has been asked
}

// start starts a scout, and waits until it can be asked.
func start(program string) (*scout, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "scout")
	defer theirs.Close()
	s := &scout{fd: fds[0], gone: make(chan struct{})}
	s.cmd = &exec.Cmd{Path: program, Args: []string{"dscope", "open"}, Dir: "/", Env: []string{askedEnv + "=yes", "GOTRACEBACK=none"},
		ExtraFiles: []*os.File{theirs}, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}}
	if err := child.Start(s.cmd); err != nil {
		unix.Close(s.fd)
		return nil, err
	}
	theirs.Close() // so that its end is seen
	go func() {
		_ = s.cmd.Wait() // how it ended is seen at its socket
		close(s.gone)
	}()
	b, _, err := s.receive("", startWithin)
	if err == nil && (len(b) != 1+4 || b[0] != msgBegin) {
		err = errNonsense
	}
	if err != nil {
		s.end()
		return nil, fmt.Errorf("what opens files does not begin: %w", err)
	}
	s.number = int(binary.NativeEndian.Uint32(b[1:]))
	return s, nil
}

// errSilent says that a scout is silent.
var errSilent = errors.New("it says nothing")

// ask asks s.
func (s *scout) ask(q []byte, name string, within time.Duration) (b []byte, file *os.File, err error) {
	if err := send(s.fd, q, nil); err != nil {
		return nil, nil, err
	}
	for {
		b, file, err := s.receive(name, within)
		switch {
		case err != nil:
			return nil, nil, err
		case b[0] == msgAnswer:
			return b, file, nil
		case b[0] != msgBusy || file != nil:
			return nil, nil, errNonsense
		}
	}
}

// receive waits for a message.
func (s *scout) receive(name string, within time.Duration) (b []byte, file *os.File, err error) {
	for range patience {
		n, err := poll(s.fd, within)
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			if s.runs() {
				continue
			}
			return nil, nil, errSilent
		}
		b, file, err := receive(s.fd, name)
		if err == nil && len(b) == 0 {
			err = errors.New("it has ended")
		}
		return b, file, err
	}
	return nil, nil, errSilent
}

// poll waits until something can be read, and returns 0 if nothing could within a time.
func poll(fd int, within time.Duration) (int, error) {
	until := time.Now().Add(within)
	for {
		left := max(time.Until(until), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int((left+time.Millisecond-1)/time.Millisecond))
		if err != unix.EINTR {
			return n, err
		}
	}
}

// runs reports whether s could go on if it had a CPU.
func (s *scout) runs() bool {
	tasks := fmt.Sprintf("/proc/%d/task", s.cmd.Process.Pid)
	list, _ := os.ReadDir(tasks)
	for _, t := range list {
		b, _ := os.ReadFile(path.Join(tasks, t.Name(), "stat"))
		if _, state, ok := bytes.Cut(b, []byte(") ")); ok && strings.HasPrefix(string(state), "R") {
			return true
		}
	}
	return false
}

// end ends s, which may not notice.
func (s *scout) end() {
	unix.Close(s.fd)
	_ = s.cmd.Process.Kill() // it may have ended
}
