package helper

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A served is a helper in this process that starts /bin/true for whoever asks.
type served struct {
	*Server
	path string
	mu   sync.Mutex
	told []string
}

// serve starts one that ends with the test.
func serve(t testing.TB, rules string) *served {
	t.Helper()
	s := &served{path: filepath.Join(t.TempDir(), "sock")}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path})
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Server = &Server{
		Rules:   func() (*Rules, error) { return Parse("conf", strings.NewReader(rules)) },
		Program: "/bin/true", Commands: []string{"trace"}, Errors: null,
		Log: func(text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.told = append(s.told, text)
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, null.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *served) dial(t testing.TB) *net.UnixConn {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// sessions returns how many of this user the helper counts.
func (s *served) sessions() int {
	s.Server.mu.Lock()
	defer s.Server.mu.Unlock()
	if u := s.usage[os.Getuid()]; u != nil {
		return u.sessions
	}
	return 0
}

// eventually waits until cond holds.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
		time.Sleep(time.Millisecond) // between looks
	}
}

// TestSessions holds that a user has so many connections at once and no more, that those of
// whom nothing comes are closed, and that room comes back.
func TestSessions(t *testing.T) {
	s := serve(t, "")
	var held []*net.UnixConn
	for range mostSessions {
		held = append(held, s.dial(t))
	}
	eventually(t, "all are counted", func() bool { return s.sessions() == mostSessions })
	over := s.dial(t)
	_, err := Call(over, &Ask{Want: WantRights})
	over.Close()
	if err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("one more: %v", err)
	}
	held[0].Close()
	eventually(t, "one is free", func() bool { return s.sessions() == mostSessions-1 })
	again := s.dial(t)
	if _, err := Call(again, &Ask{Want: WantRights}); err != nil {
		t.Error(err)
	}
	again.Close()
	// The helper does not wait for those who say nothing.
	eventually(t, "the silent are let go", func() bool { return s.sessions() == 0 })
	for _, c := range held[1:] {
		c.Close()
	}
}

// TestRefuses holds that an ask is refused that makes no sense, and told of.
func TestRefuses(t *testing.T) {
	s := serve(t, "all own\n")
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, tt := range []struct {
		ask   Ask
		files int
		want  string
	}{
		{Ask{Want: "all"}, 0, "too old"},
		{Ask{Want: WantSession}, 0, "one open file"},
		{Ask{Want: WantCommand, Args: []string{"trace"}}, 0, "4 open files"},
		{Ask{Want: WantCommand, Args: []string{"trace"}}, 3, "4 open files"},
		{Ask{Want: WantCommand, Args: []string{"trace"}}, 9, "more open files"},
		{Ask{Want: WantCommand}, 4, "nothing else"},
		{Ask{Want: WantCommand, Args: []string{"helper"}}, 4, "nothing else"},
		{Ask{Want: WantCommand, Args: []string{"serve\nrefused: root"}}, 4, "nothing else"},
	} {
		conn := s.dial(t)
		files := make([]*os.File, tt.files)
		for i := range files {
			files[i] = null
		}
		_, err := Call(conn, &tt.ask, files...)
		conn.Close()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v with %d files: %v", tt.ask, tt.files, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.told {
		if !strings.HasPrefix(line, "refused: ") || strings.Contains(line, "\n") {
			t.Errorf("it is logged as %q", line)
		}
	}
	if len(s.told) != 8 {
		t.Errorf("of 8 refusals %d are logged", len(s.told))
	}
}

// FuzzConnection sends anything, with open files, and holds that the helper lets go of it
// and still answers others.
func FuzzConnection(f *testing.F) {
	s := serve(f, "all own\n")
	for _, m := range []any{&Ask{Want: WantRights}, &Ask{Want: WantSession}, &Ask{Want: WantCommand, Args: []string{"trace", "-l"}, Env: []string{"A=b"}}} {
		b, err := encoded(m)
		if err != nil {
			f.Fatal(err)
		}
		for _, files := range []uint8{0, 1, askFiles, askFiles + 1} {
			f.Add(files, b)
			f.Add(files, append(b, "\x08\x00\x00\x00{\"Number\":9}"...))
		}
	}
	f.Add(uint8(1), []byte{0xff, 0xff, 0x7f, 0})
	f.Fuzz(func(t *testing.T, files uint8, b []byte) {
		had := openFiles(t)
		conn := s.dial(t)
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		var oob []byte
		if n := int(files % 12); n > 0 && len(b) > 0 {
			fds := make([]int, n)
			for i := range fds {
				fds[i] = 2
			}
			oob = unix.UnixRights(fds...)
		}
		if len(b) > 0 {
			_, _, _ = conn.WriteMsgUnix(b, oob, nil) // it may refuse before all is there
		}
		_ = conn.CloseWrite()
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("it holds on")
		}
		conn.Close()
		eventually(t, "all is given back", func() bool { return s.sessions() == 0 && openFiles(t) <= had })
		other := s.dial(t)
		defer other.Close()
		if _, err := Call(other, &Ask{Want: WantRights}); err != nil {
			t.Fatal(err)
		}
	})
}

// openFiles counts those of this process.
func openFiles(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
