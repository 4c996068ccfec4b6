package helper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Server is the helper.
type Server struct {
	Rules    func() (*Rules, error) // read anew for each asker, so that a change counts at once
	Program  string                 // what is started for an asker: this very program
	Commands []string               // command lines that are taken, by their first words
	Log      func(text string)      // is told of every start and refusal
	Errors   *os.File               // where sessions say what goes wrong in them

	mu    sync.Mutex
	usage map[int]*usage // by user
}

// usage is what the sessions of a user take.
type usage struct{ sessions, runs int }

// mostSessions is how many a user may have at once, whether they trace or not.
const mostSessions = 16

// asking is how long an asker may take to say what is wanted.
const asking = 5 * time.Second

// leaving is how long a session may go on when its asker is gone.
const leaving = 8 * time.Second

// Serve takes connections until ctx ends. All sessions have ended when it returns.
func (s *Server) Serve(ctx context.Context, l *net.UnixListener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	until := ctx // of which l may be closed before what is made of it has ended
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for {
		conn, err := l.AcceptUnix()
		if until.Err() != nil {
			return nil
		}
		if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
			s.Log("no file can be opened any more: an asker waits")
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			continue
		}
		if err != nil {
			return err
		}
		all.Go(func() {
			defer conn.Close()
			s.connection(ctx, conn)
		})
	}
}

// connection serves one asker.
func (s *Server) connection(ctx context.Context, conn *net.UnixConn) {
	asker, err := Peer(conn)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(asking))
	if err := s.enter(asker.UID); err != nil {
		s.refuse(conn, asker, err)
		return
	}
	defer s.leave(asker.UID)
	rules, err := s.Rules()
	if err != nil {
		s.refuse(conn, asker, fmt.Errorf("nobody may trace until the rules are put right: %w", err))
		return
	}
	r := rules.Of(asker)
	most := uint32(mostMessage)
	if r.None() {
		most = mostShort
	}
	ask, files, err := receiveAsk(conn, most)
	defer closeAll(files)
	if err == nil && ask.Want == WantRights {
		_ = send(conn, &Reply{Rights: r})
		return
	}
	switch {
	case r.None(): // of which the rest is no matter
		err = fmt.Errorf("%s may trace nothing here (%s)", r.Name, r.Source)
	case err != nil:
		err = fmt.Errorf("what was asked cannot be read: %w", err)
	default:
		err = errors.Join(s.takes(ask, files), sameSpaces(conn, asker))
	}
	if err != nil {
		s.refuse(conn, asker, err)
		return
	}
	if send(conn, &Reply{Rights: r}) != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	if err := s.start(ctx, conn, asker, r, ask, files); err != nil {
		s.log("%s: the session: %v", asker.Name(), err)
	}
}

// refuse says why an asker gets nothing.
func (s *Server) refuse(conn io.Writer, a *Asker, err error) {
	s.log("refused: %s (user %d, process %d): %v", a.Name(), a.UID, a.PID, err)
	_ = send(conn, &Reply{Err: err.Error()})
}

// takes returns nil, or why an ask is not taken.
func (s *Server) takes(ask *Ask, files []*os.File) error {
	switch ask.Want {
	case WantSession:
		if len(files) != 1 {
			return fmt.Errorf("a session comes with one open file, and not %d", len(files))
		}
		return nil
	case WantCommand:
		if len(files) != askFiles {
			return fmt.Errorf("a command comes with %d open files, and not %d", askFiles, len(files))
		}
		if len(ask.Args) == 0 || !slices.Contains(s.Commands, ask.Args[0]) {
			return fmt.Errorf("the helper runs dscope %s, and nothing else", strings.Join(s.Commands, ", "))
		}
		return nil
	}
	return fmt.Errorf("the helper is too old: it knows no %q", ask.Want)
}

// enter counts a session, which begins with the connection: who only holds one open takes
// no more than who traces.
func (s *Server) enter(uid int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usageOf(uid)
	if u.sessions >= mostSessions {
		return fmt.Errorf("you have %d sessions of the helper at once, and may have no more", u.sessions)
	}
	u.sessions++
	return nil
}

func (s *Server) leave(uid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.usageOf(uid); u.sessions > 1 {
		u.sessions--
		return
	}
	delete(s.usage, uid)
}

func (s *Server) usageOf(uid int) *usage {
	if s.usage == nil {
		s.usage = map[int]*usage{}
	}
	if s.usage[uid] == nil {
		s.usage[uid] = &usage{}
	}
	return s.usage[uid]
}

// Peer finds out who is at the other end of a connection.
func Peer(conn *net.UnixConn) (*Asker, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *unix.Ucred
	var groups []int
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		groups = peerGroups(fd)
	}); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return newAsker(int(cred.Uid), int(cred.Gid), int(cred.Pid), groups), nil
}

// peerGroups returns the groups that a process had when it connected. There is no call for it in package unix.
func peerGroups(fd uintptr) []int {
	const soPeerGroups, most = 59, 1 << 16 // NGROUPS_MAX
	for size := uint32(64); size <= most; size *= 8 {
		list := make([]uint32, size)
		n := 4 * size
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, soPeerGroups,
			uintptr(unsafe.Pointer(&list[0])), uintptr(unsafe.Pointer(&n)), 0)
		if errno == unix.ERANGE {
			continue
		}
		if errno != 0 {
			return nil
		}
		out := make([]int, n/4)
		for i := range out {
			out[i] = int(list[i])
		}
		return out
	}
	return nil
}

// receiveAsk reads an ask and the files that come with it, which are not inherited by
// anybody.
func receiveAsk(conn *net.UnixConn, most uint32) (*Ask, []*os.File, error) {
	var first [4]byte
	oob := make([]byte, unix.CmsgSpace(4*2*askFiles))
	n, got, flags, _, err := conn.ReadMsgUnix(first[:], oob)
	files, bad := filesOf(oob[:got])
	switch {
	case err != nil:
	case bad != nil:
		err = bad
	case flags&unix.MSG_CTRUNC != 0:
		err = errors.New("more open files come than are taken")
	}
	if err != nil {
		return nil, files, err
	}
	var ask Ask
	return &ask, files, receive(io.MultiReader(strings.NewReader(string(first[:n])), conn), &ask, most)
}

// filesOf returns the open files of a control message.
func filesOf(oob []byte) (files []*os.File, err error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "asked"))
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
