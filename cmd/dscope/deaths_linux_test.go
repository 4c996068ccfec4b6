package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/ui/history"
)

// What somebody who calls sudo has at home before a death.
const (
	written = "BEGIN\n{\n\texit(0);\n}\n"   // the script, as it was saved last
	chosen  = "# mine\ntheme = \"light\"\n" // the configuration
	typed   = "k0"                          // at the beginning of the script, and never saved
	nobody  = 65534                         // who it is
)

// TestTenDeaths has workbenches die in each of ten ways, in the home of a user who has
// called sudo, after a run and with a text that is not saved. Afterwards the script's file is
// what it was, or what another has made of it; the unsaved text is offered; the session, the
// history with its script, and the configuration are there; and all of it is the user's.
func TestTenDeaths(t *testing.T) {
	mustTrace(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root can act as another user")
	}
	kill := func(_ *house, tty *terminal) { tty.cmd.Process.Kill(); tty.end() }
	for _, tt := range []struct {
		name string
		die  func(h *house, tty *terminal)
		file string // what the script's file holds afterwards
	}{
		{"kill -9", kill, written},
		{"SIGHUP", func(_ *house, tty *terminal) { tty.cmd.Process.Signal(syscall.SIGHUP); tty.end() }, written},
		{"SIGTERM", func(_ *house, tty *terminal) { tty.cmd.Process.Signal(syscall.SIGTERM); tty.end() }, written},
		{"terminal closed", func(_ *house, tty *terminal) {
			tty.slave.Close()
			tty.master.Close()
			tty.cmd.Process.Signal(syscall.SIGWINCH) // what it draws ends the reading that keeps the master open
			tty.end()
		}, written},
		{"power loss", (*house).powerLoss, written},
		{"full disk", func(h *house, tty *terminal) {
			fill(h.t, filepath.Join(h.dir, ".local"))
			tty.keys("k1\x1bt\x12") // text, a theme and a run for which there is no room
			tty.until("a complaint", func(p string) bool { return strings.Contains(p, "no space left") })
			kill(h, tty)
			os.Remove(filepath.Join(h.dir, ".local/filler"))
		}, written},
		{"read-only home", func(h *house, tty *terminal) {
			kill(h, tty)
			h.remount(unix.MS_RDONLY)
			leaveIt(h.live(h.paper))
			h.remount(0)
		}, written},
		{"no home", func(h *house, tty *terminal) {
			kill(h, tty)
			env := h.env
			h.env = append(env[:len(env):len(env)], "XDG_STATE_HOME=/nonexistent/state", "XDG_CONFIG_HOME=/nonexistent/config")
			leaveIt(h.live(h.paper))
			h.env = env
		}, written},
		{"two workbenches on one file", func(h *house, tty *terminal) {
			second := h.live(h.paper)
			second.shows("exit(0);")
			second.keys("Z")
			second.shows("ZBEGIN")
			second.keys("\x13")
			second.shows("saved latency.d")
			leaveIt(second)
			refusedToSave(tty)
			kill(h, tty)
		}, "Z" + written},
		{"the file changed outside", func(h *house, tty *terminal) {
			h.write("END { }\n")
			refusedToSave(tty)
			kill(h, tty)
		}, "END { }\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := usersHouse(t)
			tt.die(h, h.lived())
			h.survived(tt.file)
		})
	}
}

// usersHouse is a house that belongs to a user who calls sudo. Its state lies on a small disk
// of its own.
func usersHouse(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	state, config := filepath.Join(h.dir, ".local/state"), filepath.Join(h.dir, "config")
	h.env = append(h.env, fmt.Sprintf("SUDO_UID=%d", nobody), fmt.Sprintf("SUDO_GID=%d", nobody), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+config)
	at := filepath.Join(h.dir, ".local")
	file := filepath.Join(config, "dscope/config.toml")
	if err := errors.Join(os.Mkdir(at, 0o755), os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(chosen), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("dscope-test", at, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(at, unix.MNT_DETACH) })
	filepath.WalkDir(h.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, nobody, nobody))
	})
	return h
}

func (h *house) remount(flags uintptr) {
	h.t.Helper()
	if err := unix.Mount("", filepath.Join(h.dir, ".local"), "", unix.MS_REMOUNT|flags, ""); err != nil {
		h.t.Fatal(err)
	}
}

// fill leaves no room on a disk.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 512)); err != nil {
			return
		}
	}
}

// lived opens the script, runs it to its end, and types what is not saved.
func (h *house) lived() *terminal {
	h.t.Helper()
	tty := h.live(h.paper)
	tty.shows("exit(0);")
	tty.keys("\x12")
	waitFor(h.t, "the run to be remembered", func() bool {
		runs, _ := history.New(h.state()).List()
		return len(runs) == 1 && runs[0].Ended
	})
	h.remembers()
	tty.keys(typed)
	tty.shows(typed + "BEGIN")
	waitFor(h.t, "a copy of the text", func() bool {
		found, _ := filepath.Glob(filepath.Join(h.state(), "unsaved/*.copy"))
		if len(found) == 0 {
			return false
		}
		data, _ := os.ReadFile(found[0])
		return strings.Contains(string(data), typed+written)
	})
	return tty
}

// powerLoss leaves of the state what was on the disk at some moment while it was written.
func (h *house) powerLoss(tty *terminal) {
	h.t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				tty.master.WriteString([]string{"x", "\x1bt", "\x1b[D"}[n%3])
			}
		}
	}()
	state := h.state()
	r := rand.New(rand.NewPCG(3, 5))
	var disks []string
	for range 8 {
		time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
		disk := h.t.TempDir()
		if err := copyOfDisk(disk, state); err != nil {
			h.t.Fatal(err)
		}
		disks = append(disks, disk)
	}
	close(stop)
	<-stopped
	tty.cmd.Process.Kill()
	tty.end()
	for i, disk := range disks {
		if err := errors.Join(os.RemoveAll(state), os.CopyFS(state, os.DirFS(disk))); err != nil {
			h.t.Fatal(err)
		}
		filepath.WalkDir(state, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, nobody, nobody), os.Chmod(path, 0o700))
		})
		if i < len(disks)-1 {
			h.survived(written)
		}
	}
}

// copyOfDisk copies what is below a folder while it is written: a file that has gone since its
// folder was listed was for a moment, and has become another.
func copyOfDisk(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		rel, relErr := filepath.Rel(from, path)
		if err := errors.Join(err, relErr); err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, os.WriteFile(filepath.Join(to, rel), data, 0o600))
	})
}

// refusedToSave has a workbench save over what somebody else has written meanwhile: it asks.
func refusedToSave(tty *terminal) {
	tty.t.Helper()
	tty.keys("\x13")
	tty.until("the refusal", func(p string) bool { return strings.Contains(p, "changed on disk") })
}

// survived checks what is there after a death, and opens a workbench on it.
func (h *house) survived(file string) {
	h.t.Helper()
	unchanged := func() {
		h.t.Helper()
		for path, want := range map[string]string{h.paper: file, filepath.Join(h.dir, "config/dscope/config.toml"): chosen} {
			if got, err := os.ReadFile(path); string(got) != want || err != nil {
				h.t.Errorf("%s is %q, %v; it was %q", path, got, err, want)
			}
		}
	}
	unchanged()
	store := history.New(h.state())
	runs, err := store.List()
	if err != nil || len(runs) == 0 {
		h.t.Fatalf("the history is %+v, %v", runs, err)
	}
	first := runs[len(runs)-1]
	if text, err := store.Script(first); text != written || err != nil || !first.Ended {
		h.t.Errorf("the run is %+v, its script %q, %v", first, text, err)
	}
	tty := h.live()
	tty.shows("open as last time: latency.d")
	tty.shows(strings.Fields(file)[0])
	tty.keys("\x1bu")
	tty.shows(typed + "BEGIN")
	tty.cmd.Process.Kill() // and the text is offered the next time too
	tty.end()
	unchanged()
	filepath.WalkDir(h.dir, func(path string, _ fs.DirEntry, err error) error {
		info, statErr := os.Lstat(path)
		if err := errors.Join(err, statErr); err != nil {
			h.t.Error(err)
		} else if uid := info.Sys().(*syscall.Stat_t).Uid; uid != nobody {
			h.t.Errorf("%s belongs to %d", path, uid)
		}
		return nil
	})
}
