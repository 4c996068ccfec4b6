package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/scout/scouttest"
)

// hung starts a program that lies on a file system which then stops to answer questions of one kind,
// until the test ends or it is closed.
func hung(t *testing.T, op uint32) (pid int, fs *scouttest.FS) {
	t.Helper()
	program, err := os.ReadFile("/usr/bin/sleep")
	if err != nil {
		t.Skip(err)
	}
	fs, err = scouttest.Mount(t.TempDir(), program)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	// By a shell: Go starts a program with a CPU of ours in its hands, of which the file system needs one.
	target := exec.Command("sh", "-c", "exec "+filepath.Join(fs.Dir, "prog")+" 1000")
	if err := target.Start(); err != nil {
		fs.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		target.Process.Kill()
		target.Wait()
		fs.Close()
	})
	for executed := false; !executed; time.Sleep(time.Millisecond) {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", target.Process.Pid))
		if executed = string(name) == "prog\n"; err != nil {
			t.Fatal(err)
		}
	}
	fs.Silence(op)
	return target.Process.Pid, fs
}

// TestSilent traces a process whose program lies on a file system that has stopped to answer. Each
// run ends, wholly, while the file system still hangs, and says why it knows less.
func TestSilent(t *testing.T) {
	if !canTrace(t) {
		t.Skip("this takes the privileges to trace")
	}
	t.Parallel()
	for what, op := range map[string]uint32{"open": scouttest.Open, "getattr": scouttest.GetAttr} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			pid, fs := hung(t, op)
			for script, want := range map[string]string{
				`pid$target:prog::entry { @[ustack()] = count(); }`:                        "prog: its file system does not answer",
				`syscall::nanosleep:entry { @[ustack()] = count(); } tick-1s { exit(0); }`: "prog: its file system does not answer",
			} {
				cmd := exec.Command("dscope", "trace", "-q", "-p", fmt.Sprint(pid), "-n", script)
				var said strings.Builder
				cmd.Stdout, cmd.Stderr = &said, &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				select {
				case <-ended:
				case <-time.After(2 * time.Minute):
					fs.Close() // or nothing could end it
					cmd.Process.Kill()
					t.Fatalf("%s: does not end; said %s", script, &said)
				}
				if !strings.Contains(said.String(), want) {
					t.Errorf("%s: said %s", script, &said)
				}
			}
		})
	}
}

// TestSilentWorkbench opens the workbench on such a process: it is there at once, says why it knows
// less when that is known, and ends.
func TestSilentWorkbench(t *testing.T) {
	mustTrace(t)
	t.Parallel()
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			t.Parallel()
			pid, fs := hung(t, scouttest.Open)
			tty := openSize(t, size.w, size.h, nil, "dscope", "-p", fmt.Sprint(pid))
			defer fs.Close() // before the terminal's command is waited for
			tty.shows(fmt.Sprintf("process %d (prog)", pid))
			if p := tty.picture(); strings.Contains(p, "▾ pid") {
				t.Errorf("its files were waited for before there was anything to see:\n%s", p)
			}
			tty.until("what is known", func(p string) bool { return strings.Contains(p, "▾ pid") })
			tty.keys("\x1b1\x1b[F")
			tty.until("why", func(p string) bool {
				var pane strings.Builder
				for line := range strings.Lines(p) {
					left, _, _ := strings.Cut(line, "│")
					pane.WriteString(" " + left)
				}
				return strings.Contains(strings.Join(strings.Fields(pane.String()), " "), "prog: its file system does not answer")
			})
			tty.keys("\x11")
			if code := tty.end(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
		})
	}
}
