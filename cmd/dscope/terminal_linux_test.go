package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience bounds every wait of a test; only a failure takes that long.
const patience = 90 * time.Second

// A terminal is a command that runs in a terminal of its own, and what it has
// drawn there.
type terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File // kept open, so that its settings can be read afterwards
	before unix.Termios
	ended  chan struct{} // closed when the command has ended
	held   atomic.Bool   // the terminal does not read

	mu      sync.Mutex
	screen  *screen
	raw     []byte
	changed chan struct{} // closed and replaced whenever something was drawn
	judge   *judge        // of all frames; nil if none was called
}

// open starts a command in a terminal of 80 columns and 24 lines, in a folder
// of its own. Each of set is a variable of its environment.
func open(t testing.TB, set []string, name string, args ...string) *terminal {
	return openSize(t, 80, 24, set, name, args...)
}

func openSize(t testing.TB, w, h int, set []string, name string, args ...string) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	if err := os.Chmod(state, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+state)
	cmd.Env = append(cmd.Env, set...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	tty := &terminal{t: t, cmd: cmd, master: master, slave: slave, ended: make(chan struct{}),
		screen: newScreen(w, h), changed: make(chan struct{})}
	tty.before = tty.settings()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go tty.read()
	go func() {
		cmd.Wait()
		close(tty.ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-tty.ended
		master.Close()
		slave.Close()
	})
	return tty
}

// settings are those of the terminal itself.
func (tty *terminal) settings() unix.Termios {
	s, err := unix.IoctlGetTermios(int(tty.slave.Fd()), unix.TCGETS)
	if err != nil {
		tty.t.Fatal(err)
	}
	return *s
}

// read draws what the command writes.
func (tty *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		for tty.held.Load() {
			time.Sleep(time.Millisecond)
		}
		n, err := tty.master.Read(buf)
		if err != nil {
			return
		}
		tty.mu.Lock()
		tty.screen.write(buf[:n])
		if tty.judge != nil {
			tty.judge.write(buf[:n])
		}
		if tty.raw = append(tty.raw, buf[:n]...); len(tty.raw) > 4<<20 {
			tty.raw = slices.Clone(tty.raw[len(tty.raw)-1<<20:])
		}
		close(tty.changed)
		tty.changed = make(chan struct{})
		tty.mu.Unlock()
	}
}

// keys types.
func (tty *terminal) keys(keys string) {
	tty.t.Helper()
	if _, err := tty.master.WriteString(keys); err != nil {
		tty.t.Fatal(err)
	}
}

// picture is what is on the screen now.
func (tty *terminal) picture() string {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	return tty.screen.text()
}

// output is everything that was written, or the end of it.
func (tty *terminal) output() string {
	tty.mu.Lock()
	defer tty.mu.Unlock()
	return string(tty.raw)
}

// until waits for a picture that is as it should be.
func (tty *terminal) until(what string, is func(picture string) bool) {
	tty.t.Helper()
	deadline := time.After(patience)
	for {
		tty.mu.Lock()
		ok, changed := is(tty.screen.text()), tty.changed
		tty.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-tty.ended:
			if tty.settle(); is(tty.picture()) {
				return
			}
			tty.t.Fatalf("ended before it showed %s:\n%s", what, tty.picture())
		case <-deadline:
			tty.t.Fatalf("no %s:\n%s", what, tty.picture())
		}
	}
}

// shows waits until a text is on the screen.
func (tty *terminal) shows(text string) {
	tty.t.Helper()
	tty.until(strconv.Quote(text), func(p string) bool { return strings.Contains(p, text) })
}

// settle waits until what an ended command wrote has been drawn: when a mark
// that is written behind it arrives.
func (tty *terminal) settle() {
	tty.t.Helper()
	const mark = "\x1b]settled\x07"
	tty.slave.WriteString(mark)
	waitFor(tty.t, "the rest of the output", func() bool {
		tty.mu.Lock()
		defer tty.mu.Unlock()
		return slices.Contains(tty.screen.titles, "settled")
	})
}

// end waits for the command to end and returns its exit code, or the negative
// number of the signal that ended it.
func (tty *terminal) end() int {
	tty.t.Helper()
	select {
	case <-tty.ended:
	case <-time.After(patience):
		tty.t.Fatalf("did not end:\n%s", tty.picture())
	}
	ws := tty.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return -int(ws.Signal())
	}
	return ws.ExitStatus()
}

// givenBack checks that the terminal is as it was before the command.
func (tty *terminal) givenBack() {
	tty.t.Helper()
	tty.settle()
	tty.mu.Lock()
	defer tty.mu.Unlock()
	switch s := tty.screen; {
	case s.alt:
		tty.t.Error("the alternate screen is still shown")
	case s.cut:
		tty.t.Error("lines still end at the edge")
	case s.hidden:
		tty.t.Error("the cursor is still hidden")
	case len(s.modes) > 0:
		tty.t.Errorf("modes are still set: %v", slices.Sorted(maps.Keys(s.modes)))
	}
	if after := tty.settings(); after != tty.before {
		tty.t.Errorf("terminal settings are %+v, were %+v", after, tty.before)
	}
}

// waitFor waits for a condition of the machine.
func waitFor(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// mustTrace skips a test where this machine or these privileges cannot trace.
func mustTrace(t testing.TB) {
	t.Helper()
	if !canTrace(t) {
		t.Skip("cannot trace here")
	}
}

// started starts a helper, which begins its work when begin is called and is
// killed when the test ends.
func started(t testing.TB, name string, args ...string) (cmd *exec.Cmd, begin func()) {
	t.Helper()
	cmd = exec.Command(name, args...)
	w, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, func() { w.Close() }
}

// script writes a script and returns its path.
func script(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.d")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
