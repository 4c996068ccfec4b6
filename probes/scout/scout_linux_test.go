package scout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/scout/scouttest"
)

// TestMain has the test binary be the scout.
func TestMain(m *testing.M) {
	if Asked() {
		Serve(os.Getpid())
	}
	os.Exit(m.Run())
}

// A log is what a post has told.
type log struct {
	mu    sync.Mutex
	hangs []string
	is    []int
}

func (l *log) tell() Tell {
	return Tell{
		Hangs: func(why string) { l.mu.Lock(); defer l.mu.Unlock(); l.hangs = append(l.hangs, why) },
		Is:    func(pid int) { l.mu.Lock(); defer l.mu.Unlock(); l.is = append(l.is, pid) },
	}
}

func (l *log) told() (hangs []string, is []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.hangs), slices.Clone(l.is)
}

// sending has files opened by scouts during a test.
func sending(t *testing.T, within time.Duration) (*post, *log) {
	t.Helper()
	l := &log{}
	p := newPost("/proc/self/exe", within, l.tell())
	sent.Store(p)
	t.Cleanup(func() { Use("", Tell{}) })
	return p, l
}

// TestSame holds that a scout says of files what package os does.
func TestSame(t *testing.T) {
	_, l := sending(t, Within)
	dir := t.TempDir()
	plain, fifo, link := filepath.Join(dir, "plain"), filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(plain, []byte("content"), 0o640), unix.Mkfifo(fifo, 0o600), os.Symlink("/etc/passwd", link)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{plain, fifo, dir, "/dev/null", link, "plain", "./none", "/proc/self/root" + plain, "/proc/self/exe", "/proc/" + strconv.Itoa(os.Getpid()) + "/root" + plain, "/proc/1/root", dir + "/none", plain + "/none",
		"/" + strings.Repeat("long/", 2000)} {
		want, bad := os.Stat(name)
		got, err := Look(name, Device{})
		if (err == nil) != (bad == nil) || err != nil && !errors.Is(err, errors.Unwrap(bad)) {
			t.Errorf("%.60s: %v, want %v", name, err, bad)
			continue
		}
		if err == nil && (got.Size() != want.Size() || !got.ModTime().Equal(want.ModTime()) || got.Mode().IsRegular() != want.Mode().IsRegular() ||
			got.Sys().(*syscall.Stat_t).Ino != want.Sys().(*syscall.Stat_t).Ino || got.Sys().(*syscall.Stat_t).Dev != want.Sys().(*syscall.Stat_t).Dev) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		f, err := Open("", name, Device{})
		switch {
		case bad != nil && (err == nil || !errors.Is(err, errors.Unwrap(bad))):
			t.Errorf("open %.60s: %v, want %v", name, err, bad)
		case bad == nil && !want.Mode().IsRegular() && !errors.Is(err, ErrNotRegular):
			t.Errorf("open %s: %v", name, err)
		case bad == nil && want.Mode().IsRegular() && err != nil:
			t.Errorf("open %s: %v", name, err)
		case err == nil:
			b, _ := io.ReadAll(f)
			if int64(len(b)) != f.Info.Size() {
				t.Errorf("%s: %d bytes of %d", name, len(b), f.Info.Size())
			}
			f.Close()
		}
	}
	for _, root := range []string{dir, ".", ".."} {
		if f, err := Open(root, map[bool]string{true: filepath.Base(dir), false: ""}[root == ".."]+"/plain", Device{}); err != nil || f.Info.Size() != int64(len("content")) {
			t.Errorf("in %s: %v", root, err)
		}
	}
	if f, err := Open(dir, "link", Device{}); err == nil {
		f.Close()
		t.Error("a link leads out of its tree")
	}
	if hangs, is := l.told(); len(hangs) > 0 || len(is) != 1 || is[0] == 0 {
		t.Errorf("told: %q, %v", hangs, is)
	}
	Forget()
	if _, is := l.told(); len(is) != 2 || is[1] != 0 {
		t.Errorf("after the scout has ended: %v", is)
	}
}

// TestOurs holds that a file beside dscope itself takes no scout, and that another's name for it does.
func TestOurs(t *testing.T) {
	l := &log{}
	Use("/proc/self/exe", l.tell())
	defer Use("", Tell{})
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sent := 1
	for try := 0; try < 100 && sent > 0; try++ { // who mounts something meanwhile makes the kernel unsure
		_, before := l.told()
		f, err := Open("", name, Device{})
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.Stat(name); err != nil || !os.SameFile(f.Info, want) {
			t.Errorf("%+v, want %+v", f.Info, want)
		}
		f.Close()
		_, after := l.told()
		sent = len(after) - len(before)
		Forget()
	}
	if sent > 0 {
		t.Error("a scout is sent each time")
	}
	_, before := l.told()
	if _, err := Open("", fmt.Sprintf("/proc/%d/root%s", os.Getpid(), name), Device{}); err != nil {
		t.Error(err)
	}
	if _, after := l.told(); len(after) != len(before)+1 {
		t.Errorf("no scout was sent: %v", after)
	}
}

// TestEnds holds that a scout that has ended is replaced, and that it ends with who has started it.
func TestEnds(t *testing.T) {
	p, _ := sending(t, Within)
	for range 3 {
		f, err := Open("", "/etc/passwd", Device{})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		p.mu.Lock()
		s := p.scout
		p.mu.Unlock()
		s.cmd.Process.Kill()
		<-s.gone
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != 0 || len(p.hung) != 0 {
		t.Errorf("%d are lost", p.lost)
	}
}

// TestSilent has a scout say nothing that can be killed, as where a server of NFS is gone: what it was
// asked for is not asked for again at once, and told of once.
func TestSilent(t *testing.T) {
	p, l := sending(t, time.Second) // in half of it a busy machine ends a process
	rested := make(chan bool)
	p.rest = func() { <-rested }
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := func() (wait func()) {
		Warm()
		p.mu.Lock()
		s := p.scout
		p.mu.Unlock()
		if err := s.cmd.Process.Signal(unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// or it might answer before it stands
		if err := unix.Waitid(unix.P_PID, s.cmd.Process.Pid, nil, unix.WSTOPPED, nil); err != nil {
			t.Fatal(err)
		}
		return func() { <-s.gone }
	}
	for range 2 {
		wait := stop()
		if _, err := Open("", name, Device{}); !errors.Is(err, ErrSilent) {
			t.Fatal(err)
		}
		wait()
		Warm()
		asked := p.scout.asked
		for _, name := range []string{name, filepath.Join(dir, "below", "it")} {
			if _, err := Open("", name, Device{}); !errors.Is(err, ErrSilent) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.scout.asked != asked {
			t.Error("it is asked for again")
		}
		select {
		case rested <- true:
		case <-time.After(time.Minute):
			t.Fatal("it was not killed in time")
		}
		for from := time.Now(); ; time.Sleep(time.Millisecond) {
			f, err := Open("", name, Device{})
			if err == nil {
				f.Close()
				break
			}
			if !errors.Is(err, ErrSilent) || time.Since(from) > time.Minute {
				t.Fatal(err)
			}
		}
	}
	if hangs, _ := l.told(); len(hangs) != 1 {
		t.Errorf("told: %q", hangs)
	}
}

// TestHangs has a file system of FUSE stop to answer each kind of question in turn. Who asks is
// told so in time, files elsewhere can be opened still, and once it is gone all is as before.
func TestHangs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	const within = 500 * time.Millisecond
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	for what, op := range map[string]uint32{"lookup": scouttest.Lookup, "getattr": scouttest.GetAttr, "open": scouttest.Open, "read": scouttest.Read, "flush": scouttest.Flush} {
		t.Run(what, func(t *testing.T) {
			p, l := sending(t, within)
			p.rest = func() {}
			fs, err := scouttest.Mount(t.TempDir(), content)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EPERM) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer fs.Close()
			prog := filepath.Join(fs.Dir, "prog")
			f, err := Open("", prog, Device{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if b, err := io.ReadAll(f); err != nil || !bytes.Equal(b, content) || f.Info.Size() != int64(len(content)) {
				t.Errorf("read %d bytes, %v", len(b), err)
			}
			if _, err := f.WriteAt([]byte("x"), 0); err == nil {
				t.Error("a copy can be written")
			}
			if n := p.copies.Load(); n != int64(len(content)) {
				t.Errorf("%d bytes are counted as copied", n)
			}
			st := f.Info.Sys().(*syscall.Stat_t)
			on := Device{unix.Major(st.Dev), unix.Minor(st.Dev)}
			unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)

			fs.Silence(op)
			if op == scouttest.Read {
				if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("1"), 0); err != nil {
					t.Skip(err)
				}
			}
			from := time.Now()
			_, err = Open("", prog, on)
			if !errors.Is(err, ErrSilent) {
				t.Fatalf("after %v: %v", time.Since(from), err)
			}
			for range 100 {
				if _, err := Open("", prog, on); !errors.Is(err, ErrSilent) {
					t.Error(err)
				}
			}
			if err := Hangs(on, prog); !errors.Is(err, ErrSilent) {
				t.Error(err)
			}
			if hangs, _ := l.told(); len(hangs) != 1 || !strings.Contains(hangs[0], prog) {
				t.Errorf("told: %q", hangs)
			}
			other, err := Open("", "/etc/passwd", Device{})
			if err != nil {
				t.Fatalf("another file: %v", err)
			}
			other.Close()

			fs.Close()
			for ; ; time.Sleep(time.Millisecond) {
				p.mu.Lock()
				lost, hung := p.lost, len(p.hung)
				p.mu.Unlock()
				if lost == 0 && hung == 0 {
					break
				}
				if time.Since(from) > time.Minute {
					t.Fatalf("%d are lost still", lost)
				}
			}
			if _, err := Open("", prog, on); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("when it is gone: %v", err)
			}
		})
	}
}

// BenchmarkLook looks at a file that the kernel knows of, and at one that a scout is asked for.
func BenchmarkLook(b *testing.B) {
	for what, name := range map[string]string{"known": "/etc/passwd", "asked": fmt.Sprintf("/proc/%d/root/etc/passwd", os.Getpid())} {
		for _, program := range []string{"", "/proc/self/exe"} {
			b.Run(what+"/"+map[bool]string{true: "here", false: "scout"}[program == ""], func(b *testing.B) {
				Use(program, Tell{func(string) {}, func(int) {}})
				defer Use("", Tell{})
				for b.Loop() {
					if _, err := Look(name, Device{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
