package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/ui/session"
)

// A house is a home with a script in it, and the environment of who lives there.
type house struct {
	t     *testing.T
	dir   string
	paper string // the script
	env   []string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	dir, err := os.MkdirTemp("", "house") // where another user may go, too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &house{t: t, dir: dir, paper: filepath.Join(dir, "latency.d")}
	h.env = []string{"HOME=" + dir, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "SUDO_UID=", "DOAS_USER=", "PKEXEC_UID="}
	h.write("BEGIN\n{\n\texit(0);\n}\n")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) write(text string) {
	h.t.Helper()
	if err := os.WriteFile(h.paper, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) state() string { return filepath.Join(h.dir, ".local/state/dscope") }

// live opens the workbench there.
func (h *house) live(args ...string) *terminal {
	h.t.Helper()
	tty := openSize(h.t, 120, 40, h.env, "dscope", args...)
	tty.shows("1 Probes")
	return tty
}

// leaveIt leaves by the key, whatever is lost.
func leaveIt(tty *terminal) {
	tty.t.Helper()
	tty.keys("\x11")
	tty.until("the end, or the question before it", func(p string) bool { return strings.Contains(p, "Leave?") || !strings.Contains(p, "1 Probes") })
	if strings.Contains(tty.picture(), "Leave?") {
		tty.keys("y")
	}
	tty.end()
}

// saved is the session that is written.
func (h *house) saved() (s session.Session) {
	data, err := os.ReadFile(filepath.Join(h.state(), "session.json"))
	if err != nil || json.Unmarshal(data, &s) != nil {
		return session.Session{}
	}
	return s
}

// remembers waits until the script is in the session.
func (h *house) remembers() {
	h.t.Helper()
	waitFor(h.t, "the session to be written", func() bool {
		s := h.saved()
		return len(s.Documents) == 1 && s.Documents[0].Path == h.paper
	})
}

// again opens the workbench without a file, which opens the script.
func (h *house) again() *terminal {
	h.t.Helper()
	tty := h.live()
	tty.shows("open as last time: latency.d; alt+0 begins empty")
	tty.shows("exit(0);")
	return tty
}

// TestSession opens again what was open, whatever ended the workbench, with the cursor, the
// layout and the theme; never in place of what is asked for; and begins empty by a key.
func TestSession(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(tty *terminal)
	}{
		{"left", leaveIt},
		{"SIGTERM", func(tty *terminal) { tty.cmd.Process.Signal(syscall.SIGTERM); tty.end() }},
		{"SIGHUP", func(tty *terminal) { tty.cmd.Process.Signal(syscall.SIGHUP); tty.end() }},
		{"the terminal closed", func(tty *terminal) {
			tty.slave.Close()
			tty.master.Close()
			tty.cmd.Process.Signal(syscall.SIGWINCH) // what it draws ends the reading that keeps the master open
			tty.end()
		}},
		{"kill -9", func(tty *terminal) { tty.cmd.Process.Kill(); tty.end() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			tty := h.live(h.paper)
			tty.shows("exit(0);")
			h.remembers()
			tty.keys("\x1b[B\x1b[B") // two lines down
			tty.keys("\x1bt")        // the next theme
			tty.shows("theme light")
			waitFor(t, "the theme and the cursor to be written", func() bool {
				theme, _ := os.ReadFile(filepath.Join(h.state(), "theme"))
				s := h.saved()
				return string(theme) == "light\n" && len(s.Documents) == 1 && s.Documents[0].Line == 3
			})
			tt.end(tty)

			tty = h.again()
			if !strings.Contains(tty.output(), "38;5;25m") {
				t.Error("the theme is not the one that was chosen")
			}
			tty.keys("X")
			tty.shows("X\texit(0);"[:1])
			tty.until("the letter in the third line", func(p string) bool { return strings.Contains(p, "3 X") })
			tty.keys("\x1a\x1b0") // taken back; empty
			tty.shows("untitled")
			leaveIt(tty)

			other := filepath.Join(h.dir, "other.d")
			if err := os.WriteFile(other, []byte("END { }\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			tty = h.live(other)
			tty.shows("END { }")
			if strings.Contains(tty.picture(), "latency.d") {
				t.Errorf("what was open last is shown in place of what was asked for:\n%s", tty.picture())
			}
			leaveIt(tty)
			if got, _ := os.ReadFile(h.paper); string(got) != "BEGIN\n{\n\texit(0);\n}\n" {
				t.Errorf("the script has become %q", got)
			}
		})
	}
}

// TestKilledWhileWriting kills workbenches at all moments while they write: what is read
// afterwards is a whole session, and nothing else is left of it.
func TestKilledWhileWriting(t *testing.T) {
	h := newHouse(t)
	for i := range 6 {
		tty := h.live(h.paper)
		tty.shows("exit(0);")
		h.remembers()
		go func() {
			defer func() { _ = recover() }()
			for range 20 {
				tty.master.WriteString("\x1bt")
			}
		}()
		time.Sleep(time.Duration(i) * 7 * time.Millisecond)
		tty.cmd.Process.Kill()
		tty.end()
		h.remembers()
		theme, err := os.ReadFile(filepath.Join(h.state(), "theme"))
		if err == nil && !strings.HasSuffix(string(theme), "\n") {
			t.Errorf("half a theme: %q", theme)
		}
	}
	leaveIt(h.again())
}

// TestTwoWorkbenches has the second leave the session of the first alone, and the next one
// have it.
func TestTwoWorkbenches(t *testing.T) {
	h := newHouse(t)
	first := h.live(h.paper)
	first.shows("exit(0);")
	h.remembers()
	second := h.live()
	second.shows("another workbench has the session")
	if strings.Contains(second.picture(), "exit(0);") {
		t.Error("both have the same script open")
	}
	second.keys("BEGIN { trace(2); }")
	second.shows("trace(2)")
	leaveIt(second)
	h.remembers()
	leaveIt(first)
	leaveIt(h.again())
}

// TestUnsavedIsOffered has a text that was never saved offered beside what was open last.
func TestUnsavedIsOffered(t *testing.T) {
	h := newHouse(t)
	tty := h.live(h.paper)
	tty.shows("exit(0);")
	h.remembers()
	leaveIt(tty)
	tty = h.again()
	tty.keys("\x1b0")
	tty.shows("untitled")
	tty.keys("precious = 1;")
	waitFor(t, "a copy of the text", func() bool {
		found, _ := filepath.Glob(filepath.Join(h.state(), "unsaved/*.copy"))
		return len(found) > 0
	})
	tty.cmd.Process.Kill()
	tty.end()
	tty = h.live()
	tty.shows("exit(0);")
	tty.shows("was never saved: alt+u shows it")
	tty.keys("\x1bu")
	tty.shows("precious = 1;")
	leaveIt(tty)
}

// TestNothingToWriteTo starts without a place to remember anything in: that is said once,
// and all else works.
func TestNothingToWriteTo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount")
	}
	mount := func(t *testing.T, h *house, data string, flags uintptr) {
		t.Helper()
		at := filepath.Join(h.dir, ".local")
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("dscope-test", at, "tmpfs", flags, data); err != nil {
			t.Skipf("cannot mount a small file system here: %v", err)
		}
		t.Cleanup(func() { unix.Unmount(at, unix.MNT_DETACH) })
	}
	for _, tt := range []struct {
		name, says string
		ruin       func(t *testing.T, h *house)
	}{
		{"full disk", "no space left on device", func(t *testing.T, h *house) {
			mount(t, h, "size=16k", 0)
			f, err := os.Create(filepath.Join(h.dir, ".local/filler"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for {
				if _, err := f.Write(make([]byte, 512)); err != nil {
					break
				}
			}
		}},
		{"read-only home", "read-only file system", func(t *testing.T, h *house) { mount(t, h, "", unix.MS_RDONLY) }},
		{"no home folder", "there is no home folder", func(_ *testing.T, h *house) { h.env[0] = "HOME=/nonexistent" }},
		{"no HOME", "there is no home folder", func(_ *testing.T, h *house) { h.env[0] = "HOME=" }},
		{"a file where the folder is", "not a directory", func(t *testing.T, h *house) {
			if err := os.WriteFile(filepath.Join(h.dir, ".local"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			tt.ruin(t, h)
			tty := h.live(h.paper)
			tty.shows("exit(0);")
			tty.until(tt.says, func(p string) bool { return strings.Contains(strings.Join(strings.Fields(p), " "), tt.says) })
			tty.keys("\x1bt") // a theme that cannot be remembered
			tty.keys("k0")
			tty.shows("k0")
			tty.keys("\x13") // the script itself can be saved
			tty.shows("saved latency.d")
			if got, _ := os.ReadFile(h.paper); !strings.HasPrefix(string(got), "k0BEGIN") {
				t.Errorf("saved %q", got)
			}
			leaveIt(tty)
			if code := tty.end(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			tty.givenBack()
		})
	}
}

// TestWrongOwner lives in the home of a user who has called sudo, doas or pkexec: nothing of
// root's is there afterwards, and what root has put there before is not believed.
func TestWrongOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root can act as another user")
	}
	// Of users the test must have the one whose home is known: nobody's is not there.
	name, uid, own := ownUser(t)
	for _, by := range []string{"SUDO_UID=" + uid, "DOAS_USER=" + name, "PKEXEC_UID=" + uid} {
		t.Run(by, func(t *testing.T) {
			h := newHouse(t)
			for i, e := range h.env {
				if key, _, _ := strings.Cut(by, "="); strings.HasPrefix(e, key+"=") {
					h.env[i] = by
				}
			}
			state := filepath.Join(own, ".local/state/dscope")
			os.RemoveAll(filepath.Join(own, ".local"))
			h.env = append(h.env, "XDG_STATE_HOME=/root/.nowhere") // root's, which is not the user's
			tty := h.live(h.paper)
			tty.shows("exit(0);")
			tty.keys("\x1btX")
			waitFor(t, "all that is kept", func() bool {
				copies, _ := filepath.Glob(filepath.Join(state, "unsaved/*.copy"))
				_, err1 := os.Stat(filepath.Join(state, "theme"))
				_, err2 := os.Stat(filepath.Join(state, "session.json"))
				return err1 == nil && err2 == nil && len(copies) > 0
			})
			tty.cmd.Process.Kill()
			tty.end()
			filepath.WalkDir(filepath.Join(own, ".local"), func(path string, d fs.DirEntry, err error) error {
				info, statErr := os.Lstat(path)
				if err != nil || statErr != nil || fmt.Sprint(info.Sys().(*syscall.Stat_t).Uid) != uid {
					t.Errorf("%s belongs to another than %s", path, name)
				}
				return nil
			})
			if _, err := os.Stat("/root/.nowhere"); err == nil {
				t.Error("the folder of root was taken")
			}
		})
	}
}

// ownUser finds a user with a home that is the user's own and is no person's, and one in
// which the test may write: those that systems come with.
func ownUser(t *testing.T) (name, uid, dir string) {
	t.Helper()
	text, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Skip("no users are known here")
	}
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Split(line, ":")
		if len(f) < 7 || f[2] == "0" || f[5] == "/" {
			continue
		}
		info, err := os.Stat(f[5])
		if err != nil || !info.IsDir() || fmt.Sprint(info.Sys().(*syscall.Stat_t).Uid) != f[2] {
			continue
		}
		if _, err := os.Stat(filepath.Join(f[5], ".local")); err == nil {
			continue // somebody lives there
		}
		t.Cleanup(func() { os.RemoveAll(filepath.Join(f[5], ".local")) })
		return f[0], f[2], f[5]
	}
	const why = "needs a user other than root with a home of its own"
	t.Skip(why)
	return "", "", ""
}
