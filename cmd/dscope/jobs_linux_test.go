package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// shell opens an interactive shell in a terminal, and the workbench in that.
func shell(t *testing.T, args string) *terminal {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash: no shell with job control is there")
	}
	tty := open(t, []string{"PS1=shell$ ", "HISTFILE="}, bash, "--norc", "--noprofile", "-i")
	tty.shows("shell$")
	tty.keys("dscope " + args + "\n")
	tty.shows("1 Probes")
	return tty
}

// group waits until another group of processes than the shell's has the terminal, and
// returns it.
func group(t *testing.T, tty *terminal) int {
	t.Helper()
	var pgrp int
	waitFor(t, "the shell to start dscope", func() bool {
		pgrp, _ = unix.IoctlGetInt(int(tty.master.Fd()), unix.TIOCGPGRP)
		return pgrp > 0 && pgrp != tty.cmd.Process.Pid
	})
	return pgrp
}

// stopped waits until a process is stopped, or goes on.
func stopped(t *testing.T, pid int, want bool) {
	t.Helper()
	waitFor(t, "the workbench to stop, or to go on", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && strings.Contains(string(text), ") T ") == want
	})
}

// TestShellSuspends stops the workbench under a shell in each of the ways, has the shell say
// something, and goes back by fg: all of it is drawn again, and keys are keys again. The
// key and the palette are those that give the terminal back before; SIGSTOP cannot be
// prepared for.
func TestShellSuspends(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop func(tty *terminal, pid int)
		asks bool // the shell is asked to clean the terminal, which nobody could do before
	}{
		{"alt+ctrl+z in the script", func(tty *terminal, _ int) { tty.keys("\x1b\x1a") }, false},
		{"ctrl+z beside it", func(tty *terminal, _ int) { tty.keys("\x1b3\x1a") }, false},
		{"the palette", func(tty *terminal, _ int) {
			tty.keys("\x10")
			tty.shows("Commands")
			tty.keys("back to the shell")
			tty.shows("stop dscope")
			tty.keys("\r")
		}, false},
		{"SIGTSTP", func(_ *terminal, pid int) { syscall.Kill(pid, syscall.SIGTSTP) }, false},
		{"SIGSTOP", func(_ *terminal, pid int) { syscall.Kill(pid, syscall.SIGSTOP) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tty := shell(t, "")
			pid := group(t, tty)
			for round := range 2 {
				tt.stop(tty, pid)
				stopped(t, pid, true)
				if tt.asks {
					tty.keys("printf '\\033[?1049l\\033[?25h'\n")
				}
				tty.until("the shell, with a cursor and its own screen", func(p string) bool {
					return strings.Contains(p, "shell$") && !strings.Contains(p, "1 Probes") && !tty.screen.hidden && !tty.screen.alt
				})
				said := fmt.Sprintf("the shell says %d", 41+round)
				tty.keys(fmt.Sprintf("echo the shell says $((41+%d))\n", round))
				tty.shows(said)
				tty.keys("fg\n")
				stopped(t, pid, false)
				tty.until("the whole picture", func(p string) bool { return strings.Contains(p, "1 Probes") && !strings.Contains(p, said) })
				tty.keys("\x1b2") // the script
				tty.keys(fmt.Sprintf("k%d", round))
				tty.shows(fmt.Sprintf("k%d", round))
			}
			tty.keys("\x03y")
			tty.shows("shell$")
			tty.keys("exit\n")
			tty.end()
			tty.givenBack()
		})
	}
}

// TestNoShellSuspends asks to be stopped where no shell could have it go on: it says so, and
// goes on.
func TestNoShellSuspends(t *testing.T) {
	tty := open(t, nil, "dscope")
	tty.shows("1 Probes")
	tty.keys("\x1b\x1a")
	tty.shows("there is no shell that could")
	tty.keys("k0")
	tty.shows("k0")
	tty.keys("\x03y")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.givenBack()
}

// TestStalled ends the workbench in mid-run while its terminal reads nothing: all is detached
// and the process gone, where others leave it the CPU within a second, with the usual code; once
// the terminal reads again it is as it was before.
func TestStalled(t *testing.T) {
	mustTrace(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			tty, held := inMidRun(t)
			tty.hold()
			defer tty.release()
			tty.flood()
			from := time.Now()
			tty.cmd.Process.Signal(sig)
			select {
			case <-tty.ended:
			case <-time.After(patience):
				t.Fatal("it has not ended")
			}
			took := time.Since(from)
			t.Logf("ended after %v", took)
			if took > time.Second && idle() {
				t.Errorf("ended after %v, want a second at most", took)
			}
			held.gone(t)
			if code := tty.end(); code != 128+int(sig) {
				t.Errorf("exit code %d, want %d", code, 128+int(sig))
			}
			tty.release()
			tty.givenBack()
		})
	}
}

// hold has nothing more read of what the command writes.
func (tty *terminal) hold() { tty.held.Store(true) }

// release has it read again.
func (tty *terminal) release() { tty.held.Store(false) }

// flood fills the terminal until it takes no more, and has the command draw something that
// waits for it.
func (tty *terminal) flood() {
	tty.t.Helper()
	pen, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", tty.slave.Fd()), os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		tty.t.Fatal(err)
	}
	defer pen.Close()
	pen.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for err == nil {
		_, err = pen.Write(make([]byte, 512)) // NULs, which draw nothing
	}
	if !os.IsTimeout(err) {
		tty.t.Fatal(err)
	}
	unix.IoctlSetWinsize(int(tty.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})
}

// idle reports whether nobody else has much to do on this machine.
func idle() bool {
	var load float64
	text, _ := os.ReadFile("/proc/loadavg")
	fmt.Sscan(string(text), &load)
	return load < float64(runtime.NumCPU())
}
