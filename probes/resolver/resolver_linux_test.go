package resolver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// TestMain has the test binary be the worker, with its jobs (see jobs_linux_test.go).
func TestMain(m *testing.M) {
	if Asked() {
		Serve()
	}
	os.Exit(m.Run())
}

// apart has jobs done by workers during a test.
func apart(t testing.TB, deadline time.Duration) *pool {
	t.Helper()
	p := newPool("/proc/self/exe", deadline)
	use(p)
	scout.Use(p.program, scout.Tell{Hangs: p.hangs, Is: p.scouted})
	t.Cleanup(func() {
		rest()
		use(nil)
		scout.Use("", scout.Tell{})
	})
	if _, used, err := State(); !used {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return p
}

func file(t testing.TB, content []byte) File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, name)
}

func open(t testing.TB, name string) File {
	t.Helper()
	f, err := scout.Open("", name, scout.Device{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return File{File: f.File, Stamp: space.StampOf(f.Info), Name: name}
}

func descriptors(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// children returns how many processes this one has.
func children() int {
	n := 0
	threads, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range threads {
		b, _ := os.ReadFile(name)
		n += len(strings.Fields(string(b)))
	}
	return n
}

// until waits for something to become so.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to be that " + what)
		}
	}
}

func TestAsk(t *testing.T) {
	apart(t, time.Minute)
	f := file(t, []byte("what is in it"))
	if b, err := reads.Ask(f, 4); err != nil || string(b) != "what" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := reads.Ask(f, 100); err == nil || err.Error() != "EOF" {
		t.Errorf("beyond its end: %v", err)
	}
	if s, err := partial.Ask(f, none{}); err == nil || err.Error() != "then damage" || s != "half\xff" {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := panics.Ask(f, none{}); err == nil || !strings.Contains(err.Error(), "makes no sense") {
		t.Errorf("a panic: %v", err)
	}
	if list, _ := Refusals(0); len(list) > 0 {
		t.Errorf("refused: %q", list)
	}
}

// TestNoWorker starts what is no worker.
func TestNoWorker(t *testing.T) {
	for range 20 {
		if _, err := start("/bin/true"); err == nil || !strings.Contains(err.Error(), "could not confine itself") {
			t.Fatal(err)
		}
	}
}

// TestThreads holds that a worker may have new threads, also if it was built with a library of C.
func TestThreads(t *testing.T) {
	apart(t, time.Minute)
	if n, err := threads.Ask(file(t, []byte("x")), 32); n != 32 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestConfined has a worker try what it may not do.
func TestConfined(t *testing.T) {
	apart(t, time.Minute)
	walls, _, _ := State()
	t.Logf("held by %s", strings.Join(walls, ", "))
	list, err := tries.Ask(file(t, []byte("x")), none{})
	if err != nil || len(list) < 20 {
		t.Fatal(list, err)
	}
	for _, a := range list {
		if unix.Errno(a.Errno) != unix.EPERM {
			t.Errorf("%s: %v", a.Name, unix.Errno(a.Errno))
		}
	}
	p := current()
	pid := p.idle[0].cmd.Process.Pid
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !bytes.Contains(status, []byte(line)) {
			t.Errorf("no %q in\n%s", line, status)
		}
	}
	if os.Geteuid() == 0 {
		if !bytes.Contains(status, []byte("Uid:\t65534\t65534\t65534\t65534")) || !bytes.Contains(status, []byte("Groups:\t \n")) {
			t.Errorf("it is not nobody:\n%s", status)
		}
		for _, wall := range []string{"the user nobody", "an empty root"} {
			if !slices.Contains(walls, wall) {
				t.Errorf("not held by %s: %q", wall, walls)
			}
		}
	}
	// every thread, not the first alone
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, name := range threads {
		if b, err := os.ReadFile(name); err == nil && !bytes.Contains(b, []byte("Seccomp:\t2")) {
			t.Errorf("%s is not filtered", name)
		}
	}
}

// TestDeadline holds that who hangs is killed, is told, and holds nobody else up.
func TestDeadline(t *testing.T) {
	p := apart(t, time.Second)
	for name, job := range map[string]*Job[none, none]{"waits": hangs, "computes": spins} {
		f, other := file(t, []byte(name)), file(t, []byte("other"))
		began := time.Now()
		_, err := job.Ask(f, none{})
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "took more than 1s to read; it is not looked into again") || took > 20*time.Second {
			t.Errorf("one that %s: %v after %v", name, err, took)
		}
		if _, again := reads.Ask(f, 1); again == nil || again.Error() != err.Error() {
			t.Errorf("one that %s is read again: %v", name, again)
		}
		if b, err := reads.Ask(other, 5); err != nil || string(b) != "other" {
			t.Errorf("after one that %s: %q, %v", name, b, err)
		}
	}
	if list, next := Refusals(0); len(list) != 2 || next != 2 {
		t.Errorf("told of %q", list)
	}
	until(t, "those killed have gone", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.stuck == 0 })
}

// TestPatience holds that what needs less of a CPU than the deadline is answered, however long it
// waits for one: here it is stopped three quarters of the time.
func TestPatience(t *testing.T) {
	p := apart(t, time.Second)
	if _, err := works.Ask(file(t, nil), 0); err != nil {
		t.Fatal(err)
	}
	w := p.idle[0].cmd.Process
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			for _, s := range []os.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
				_ = w.Signal(s)
				time.Sleep(map[os.Signal]time.Duration{syscall.SIGSTOP: 150 * time.Millisecond, syscall.SIGCONT: 50 * time.Millisecond}[s])
			}
			select {
			case <-quit:
				return
			default:
			}
		}
	}()
	began := time.Now()
	_, err := works.Ask(file(t, []byte("what")), 600*time.Millisecond)
	if took := time.Since(began); err != nil || took < p.deadline {
		t.Errorf("after %v: %v", took, err)
	}
	close(quit)
	<-ended
}

// TestFollow holds that who asks knows the number of each worker before it reads, and does not take
// another process for one that has gone.
func TestFollow(t *testing.T) {
	p := apart(t, time.Minute)
	var mu sync.Mutex
	var seen [MostReaders]int
	end := Follow(func(place, pid int) {
		mu.Lock()
		defer mu.Unlock()
		seen[place] = pid
	})
	now := func() [MostReaders]int { mu.Lock(); defer mu.Unlock(); return seen }
	first := p.idle[0].cmd.Process.Pid
	if got := now(); got != [MostReaders]int{first} {
		t.Errorf("with one worker, %d: %v", first, got)
	}
	p.idle[0].end()
	until(t, "the worker has gone", func() bool { return !p.idle[0].lives() })
	f := file(t, []byte("another"))
	scout.Warm()
	opens := now()[scoutPlace]
	if opens == 0 || opens == first {
		t.Errorf("%d has opened a file", opens)
	}
	if _, err := reads.Ask(f, 1); err != nil {
		t.Fatal(err)
	}
	second := p.idle[0].cmd.Process.Pid
	if got := now(); second == first || got != [MostReaders]int{second, scoutPlace: opens} {
		t.Errorf("after another, %d, has taken its place: %v", second, got)
	}
	if _, err := dies.Ask(f, none{}); err == nil {
		t.Error("one that dies answers")
	}
	if got := now(); got != [MostReaders]int{scoutPlace: opens} {
		t.Errorf("after the last has died: %v", got)
	}
	scout.Forget()
	if got := now(); got != [MostReaders]int{} {
		t.Errorf("after what opens files has ended: %v", got)
	}
	end()
	if _, err := reads.Ask(file(t, []byte("more")), 1); err != nil {
		t.Fatal(err)
	}
	if got := now(); got != [MostReaders]int{} {
		t.Errorf("told after the end: %v", got)
	}
}

// TestFails holds that a worker that dies, eats memory or says too much costs nothing but the file.
func TestFails(t *testing.T) {
	apart(t, time.Minute)
	for name, ask := range map[string]func(File) error{
		"dies":   func(f File) error { _, err := dies.Ask(f, none{}); return err },
		"eats":   func(f File) error { _, err := eats.Ask(f, none{}); return err },
		"floods": func(f File) error { _, err := floods.Ask(f, none{}); return err },
	} {
		f := file(t, []byte(name))
		if err := ask(f); err == nil || !strings.Contains(err.Error(), "it is not looked into again") {
			t.Errorf("one that %s: %v", name, err)
		}
		if b, err := reads.Ask(file(t, []byte("other")), 5); err != nil || string(b) != "other" {
			t.Errorf("after one that %s: %q, %v", name, b, err)
		}
	}
}

// TestKilled holds that a worker that somebody kills is replaced, and that what it was reading
// then is read by another: it had read other files before.
func TestKilled(t *testing.T) {
	p := apart(t, time.Minute)
	f := file(t, []byte("what"))
	for range 5 {
		w := p.idle[0]
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-w.gone
		if b, err := reads.Ask(f, 4); err != nil || string(b) != "what" {
			t.Fatalf("%q, %v", b, err)
		}
	}
	w := p.idle[0]
	answered := make(chan error)
	go func() {
		_, err := works.Ask(f, 300*time.Millisecond)
		answered <- err
	}()
	until(t, "it is asked", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.idle) == 0 })
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// TestNothingLeaks holds that hangs, deaths and questions leave no descriptor and no process, here or in
// the worker.
func TestNothingLeaks(t *testing.T) {
	apart(t, 50*time.Millisecond)
	f := file(t, []byte("what"))
	Forget()
	until(t, "no worker is left", func() bool { return children() == 0 })
	before := descriptors(t)
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			bad := file(t, []byte{byte(i)})
			defer bad.Close()
			switch i % 3 {
			case 0:
				hangs.Ask(bad, none{})
			case 1:
				dies.Ask(bad, none{})
			case 2:
				reads.Ask(bad, 1)
			}
		})
	}
	all.Wait()
	rest()
	use(newPool("/proc/self/exe", time.Minute))
	first, err := counts.Ask(f, none{})
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if _, err := reads.Ask(f, 4); err != nil {
			t.Fatal(err)
		}
	}
	if last, err := counts.Ask(f, none{}); err != nil || last > first+2 { // what Go itself waits with
		t.Errorf("a worker had %d descriptors and has %d, %v", first, last, err)
	}
	Forget()
	until(t, "all workers have gone", func() bool { return children() == 0 })
	until(t, fmt.Sprintf("there are as many descriptors as before: %d", before), func() bool { return descriptors(t) <= before })
}

// TestKeep holds that what is kept is used again, and that there is a bound.
func TestKeep(t *testing.T) {
	for _, where := range []string{"here", "apart"} {
		t.Run(where, func(t *testing.T) {
			if where == "apart" {
				apart(t, time.Minute)
			}
			before := descriptors(t)
			first := file(t, []byte("first"))
			for want := 1; want <= 3; want++ {
				if got, err := keeps.Ask(first, none{}); err != nil || got != want {
					t.Fatalf("%d, %v, want %d", got, err, want)
				}
			}
			for i := range mostHeld/(10<<20) + 1 {
				keeps.Ask(file(t, []byte{byte(i)}), none{})
			}
			if got, err := keeps.Ask(first, none{}); err != nil || got != 1 {
				t.Errorf("the oldest is still kept: %d, %v", got, err)
			}
			Forget()
			if n := descriptors(t) - before; n > mostHeld/(10<<20)+4 { // those of the test itself
				t.Errorf("%d descriptors are left", n)
			}
		})
	}
}

// TestBroker holds that a worker gets files of debug information, and no others.
func TestBroker(t *testing.T) {
	apart(t, time.Minute)
	dir := t.TempDir()
	put := func(name, content string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const header = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	put("bin/prog", "x")
	put("bin/prog.debug", header+"\x03\x00")
	put("bin/.debug/prog.debug", header+"\x03\x00")
	put("bin/core", header+"\x04\x00")
	put("bin/secret", "root:x:0:0")
	put("elsewhere/prog.debug", header+"\x03\x00")
	put("usr/lib/debug/x.debug", header+"\x03\x00")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "bin/link.debug")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "bin/fifo.debug"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, filepath.Join(dir, "bin/prog"))
	f.Name, f.Root = "/bin/prog", dir
	for name, may := range map[string]bool{
		"/bin/prog.debug": true, "/bin/.debug/prog.debug": true, "/usr/lib/debug/x.debug": true,
		"/usr/lib/debug/../../../bin/.debug/../prog.debug": true,
		"/bin/core": false, "/bin/secret": false, "/elsewhere/prog.debug": false, "/bin/link.debug": false, "/bin/fifo.debug": false,
		"/usr/lib/debug/../../../elsewhere/prog.debug": false, "bin/prog.debug": false, "/etc/passwd": false, "": false,
	} {
		got, err := looks.Ask(f, name)
		if (err == nil) != may || may && got != "\x7fELF" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func BenchmarkSymbols(b *testing.B) {
	for _, where := range []string{"here", "apart"} {
		b.Run(where, func(b *testing.B) {
			if where == "apart" {
				apart(b, time.Minute)
			}
			f := open(b, "/proc/self/exe")
			for b.Loop() {
				if _, err := symbols.Ask(f, none{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkQuestion(b *testing.B) {
	apart(b, time.Minute)
	f := open(b, "/proc/self/exe")
	for b.Loop() {
		if _, err := reads.Ask(f, 16); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	apart(b, time.Minute)
	for b.Loop() {
		rest()
		if _, used, err := State(); !used {
			b.Fatal(err)
		}
	}
}
