package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// running is a script that holds programs and maps of several kinds, and the
// sign on the screen that it runs.
const (
	running  = "#pragma D option estimate=off\nsyscall:::entry { @[execname] = count(); } profile-97 { @s[stack()] = count(); }\n"
	openSign = "running"
)

// TestTerminalBack leaves the workbench in each of the ways, in mid-run. The
// terminal is as it was before, and the kernel holds nothing of the run.
func TestTerminalBack(t *testing.T) {
	mustTrace(t)
	for _, tt := range []struct {
		name  string
		leave func(tty *terminal)
		code  int
	}{
		{"q", func(tty *terminal) {
			tty.keys("\x1b3")
			tty.shows("2 aggregations")
			tty.keys("q")
			tty.shows("Leave?")
			tty.keys("y")
		}, 0},
		{"ctrl+c", func(tty *terminal) {
			tty.shows("2 aggregations")
			tty.keys("\x03")
			tty.shows("Leave?")
			tty.keys("\x03")
		}, 0},
		{"SIGTERM", func(tty *terminal) { tty.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"SIGINT", func(tty *terminal) { tty.cmd.Process.Signal(syscall.SIGINT) }, 130},
		{"SIGHUP", func(tty *terminal) { tty.cmd.Process.Signal(syscall.SIGHUP) }, 129},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tty, held := inMidRun(t)
			tt.leave(tty)
			if code := tty.end(); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			tty.givenBack()
			held.gone(t)
		})
	}
}

// inMidRun opens the workbench on a script that traces much and runs it.
func inMidRun(t *testing.T) (*terminal, kernelObjects) {
	t.Helper()
	tty := open(t, nil, "dscope", script(t, running))
	tty.shows("syscall:::entry")
	tty.keys("\x12")
	tty.shows(openSign)
	tty.mu.Lock()
	defer tty.mu.Unlock()
	if s := tty.screen; !s.alt || !s.hidden || len(s.modes) == 0 || len(s.odd) > 0 || s.bells > 0 {
		t.Errorf("alternate screen %t, cursor hidden %t, modes %v, odd sequences %q, %d bells", s.alt, s.hidden, s.modes, s.odd, s.bells)
	}
	if tty.settings() == tty.before {
		t.Error("the terminal still echoes and edits lines")
	}
	return tty, heldBy(t, tty.cmd.Process.Pid)
}

// TestStopped stops the workbench in mid-run, takes the terminal as a shell does, and has
// it go on: it takes the terminal back and draws anew.
func TestStopped(t *testing.T) {
	mustTrace(t)
	tty, held := inMidRun(t)
	for range 2 {
		tty.cmd.Process.Signal(syscall.SIGSTOP)
		waitFor(t, "the workbench to stop", func() bool {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", tty.cmd.Process.Pid))
			return err == nil && strings.Contains(string(text), ") T ")
		})
		if err := unix.IoctlSetTermios(int(tty.slave.Fd()), unix.TCSETS, &tty.before); err != nil {
			t.Fatal(err)
		}
		tty.mu.Lock()
		tty.screen.write([]byte("\x1b[H\x1b[2Ja shell was here"))
		tty.mu.Unlock()
		tty.cmd.Process.Signal(syscall.SIGCONT)
		waitFor(t, "the terminal to be taken back", func() bool { return tty.settings() != tty.before })
		tty.until("the whole picture", func(p string) bool { return strings.Contains(p, "1 Probes") && !strings.Contains(p, "a shell") })
	}
	tty.keys("\x1b3")
	tty.shows("2 aggregations")
	tty.keys("qy") // it has found something, so that leaving is asked about
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.givenBack()
	held.gone(t)
}

// TestTerminalClosed takes the terminal away: the kernel sends SIGHUP, and
// there is no terminal left that could be given back.
func TestTerminalClosed(t *testing.T) {
	mustTrace(t)
	tty, held := inMidRun(t)
	tty.slave.Close()
	tty.master.Close()
	tty.end()
	held.gone(t)
}

// TestKilled kills both modes in mid-run by a signal that nobody can handle.
// What the kernel held for them goes with their descriptors. The terminal of
// the workbench cannot be given back by a process that is gone: reset(1) does.
func TestKilled(t *testing.T) {
	mustTrace(t)
	t.Run("workbench", func(t *testing.T) {
		tty, held := inMidRun(t)
		tty.cmd.Process.Kill()
		if got := tty.end(); got != -int(syscall.SIGKILL) {
			t.Errorf("ended with %d, not by SIGKILL", got)
		}
		held.gone(t)
	})
	t.Run("trace", func(t *testing.T) {
		tty := open(t, nil, "dscope", "trace", "-q", "-n", running+` tick-10ms { printf("alive\n"); }`)
		tty.shows("alive")
		held := heldBy(t, tty.cmd.Process.Pid)
		tty.cmd.Process.Kill()
		tty.end()
		held.gone(t)
		if after := tty.settings(); after != tty.before {
			t.Error("dscope trace changed the settings of the terminal")
		}
	})
}
