package helper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"dscope.dev/engine"
	"dscope.dev/engine/rights"
)

// Between the helper and each process that it has started lies a second socket, which the
// asker does not have. On it the process asks for what it may not do itself. Messages are
// packets, as JSON.

// A request is one of a session.
type request struct {
	Begin *engine.Start `json:",omitempty"` // a run is to begin
	End   bool          `json:",omitempty"` // one is over
	Stats bool          `json:",omitempty"` // programs are to be timed
}

// An answer is what it is told. That to Stats comes with an open file: as long as that is
// open programs are timed.
type answer struct {
	Err string `json:",omitempty"`
}

// mostPacket is how long a request is at most.
const mostPacket = 192 << 10

// control makes the socket.
func control() (here *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	f := os.NewFile(uintptr(fds[0]), "control")
	defer f.Close()
	theirs = os.NewFile(uintptr(fds[1]), "control")
	c, err := net.FileConn(f)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return c.(*net.UnixConn), theirs, nil
}

// answer answers the requests of a session until it ends, and then ends its runs.
func (s *Server) answer(conn *net.UnixConn, a *Asker, r *rights.Rights) {
	begun := 0
	defer func() { s.end(a.UID, begun) }()
	b := make([]byte, mostPacket)
	for {
		n, _, _, _, err := conn.ReadMsgUnix(b, nil)
		if err != nil || n == 0 {
			return
		}
		var q request
		if json.Unmarshal(b[:n], &q) != nil {
			return
		}
		var out answer
		var oob []byte
		stats := -1
		switch {
		case q.Begin != nil:
			if err := s.begin(a, r, q.Begin); err != nil {
				out.Err = err.Error()
			} else {
				begun++
			}
		case q.End && begun > 0:
			begun--
			s.end(a.UID, 1)
		case q.Stats:
			fd, err := enableStats()
			if err != nil {
				out.Err = err.Error()
				break
			}
			oob, stats = unix.UnixRights(fd), fd
		}
		reply, err := json.Marshal(out)
		if err != nil {
			return
		}
		_, _, err = conn.WriteMsgUnix(reply, oob, nil)
		if stats >= 0 {
			unix.Close(stats)
		}
		if err != nil {
			return
		}
	}
}

// begin counts a run, if one more may begin, and logs it.
func (s *Server) begin(a *Asker, r *rights.Rights, start *engine.Start) error {
	s.mu.Lock()
	u := s.usageOf(a.UID)
	most := r.Runs
	if start.Instead {
		most++ // for as long as it takes to begin
	}
	full := r.Runs > 0 && u.runs >= most
	if !full {
		u.runs++
	}
	s.mu.Unlock()
	what := fmt.Sprintf("%s (user %d, process %d) with %s: script %s, probes %s", a.Name(), a.UID, a.PID, r.Words(), start.Hash, shown(start.Probes))
	if full {
		s.log("refused: %s: too many runs at once", what)
		return fmt.Errorf("you have %d runs, and may have so many at once (%s)", r.Runs, r.Source)
	}
	if start.Destructive {
		what += ", destructive"
	}
	s.log("start: %s", what)
	return nil
}

// shown joins probes for the log, within reason.
func shown(list []string) string {
	const most = 600
	text := strings.Join(list, ", ")
	if len(text) > most {
		text = text[:most] + fmt.Sprintf("… (%d descriptions)", len(list))
	}
	return text
}

// log tells the log one line, whatever names and scripts hold.
func (s *Server) log(format string, args ...any) {
	s.Log(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			return '?'
		}
		return c
	}, fmt.Sprintf(format, args...)))
}

func (s *Server) end(uid, runs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.usage[uid]; u != nil {
		u.runs = max(u.runs-runs, 0)
	}
}

// enableStats has the kernel time programs as long as the result is open.
func enableStats() (int, error) {
	attr := struct{ kind uint32 }{unix.BPF_STATS_RUN_TIME}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_ENABLE_STATS, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	if errno != 0 {
		return 0, errno
	}
	unix.CloseOnExec(int(fd))
	return int(fd), nil
}

// A Door is the other end of the second socket: an engine.Door.
type Door struct {
	mu   sync.Mutex
	conn *net.UnixConn
}

// NewDoor takes over the descriptor of the second socket.
func NewDoor(fd int) (*Door, error) {
	f := os.NewFile(uintptr(fd), "control")
	if f == nil {
		return nil, errors.New("the helper has handed over no control")
	}
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("what the helper has handed over: %w", err)
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, errors.New("what the helper has handed over is no socket")
	}
	return &Door{conn: u}, nil
}

// ask makes a request.
func (d *Door) ask(q request) (*os.File, error) {
	b, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.conn.Write(b); err != nil {
		return nil, fmt.Errorf("ask the helper: %w", err)
	}
	oob := make([]byte, unix.CmsgSpace(4))
	b = make([]byte, mostPacket)
	n, got, _, _, err := d.conn.ReadMsgUnix(b, oob)
	if err != nil {
		return nil, fmt.Errorf("ask the helper: %w", err)
	}
	files, err := filesOf(oob[:got])
	var out answer
	if err = errors.Join(err, json.Unmarshal(b[:n], &out)); err == nil && out.Err != "" {
		err = errors.New(out.Err)
	}
	if err != nil || len(files) != 1 {
		closeAll(files)
		return nil, err
	}
	return files[0], nil
}

// Begin asks for a run.
func (d *Door) Begin(s engine.Start) (func(), error) {
	if list := s.Probes; len(list) > 64 {
		s.Probes = append(list[:64:64], fmt.Sprintf("and %d more", len(list)-64))
	}
	for i, p := range s.Probes {
		s.Probes[i] = p[:min(len(p), 400)]
	}
	if _, err := d.ask(request{Begin: &s}); err != nil {
		return nil, err
	}
	var once sync.Once
	return func() { once.Do(func() { _, _ = d.ask(request{End: true}) }) }, nil // a helper that is gone counts no more
}

// Stats has the kernel time programs.
func (d *Door) Stats() (io.Closer, error) {
	f, err := d.ask(request{Stats: true})
	if err == nil && f == nil {
		err = errors.New("the helper does not time programs")
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}
