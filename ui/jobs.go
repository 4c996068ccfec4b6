package ui

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"

	"dscope.dev/ui/home"
)

// jobs gives the terminal to the shell while the workbench is stopped, and takes it back
// when that goes on: by the shell's fg, after a key or SIGTSTP, or after SIGSTOP, which
// nobody can prepare for.
type jobs struct {
	program *tea.Program

	mu   sync.Mutex    // of the terminal
	wait chan struct{} // what suspend waits at for SIGCONT
	away atomic.Bool   // it does
	lent atomic.Bool   // another program has the terminal

	shelled bool // a shell was there at the beginning; asked for with each picture
}

// resumedMsg says that the program goes on after it was stopped; alone, that nothing could
// have brought it back and so it was not stopped.
type resumedMsg struct{ alone bool }

// watch takes care of the signals that stop the program and have it go on.
func (j *jobs) watch() (stop func()) {
	j.wait, j.shelled = make(chan struct{}), shelled()
	on, off := make(chan os.Signal, 1), make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(on, syscall.SIGCONT)
	signal.Notify(off, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-on:
				switch {
				case j.away.CompareAndSwap(true, false):
					j.wait <- struct{}{}
				case !j.lent.Load():
					j.back()
				}
			case <-off:
				if j.lent.Load() { // who has it has given it back
					syscall.Kill(0, syscall.SIGSTOP)
				} else {
					go j.suspend()
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(on)
		signal.Stop(off)
		close(done)
	}
}

// suspend gives the terminal back and stops the program, and all that runs for it, such as
// the sudo through which it was called.
func (j *jobs) suspend() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !shelled() {
		go j.program.Send(resumedMsg{alone: true})
		return
	}
	if j.program.ReleaseTerminal() != nil {
		return
	}
	j.away.Store(true)
	// Not SIGTSTP: once it has been asked for, Go's runtime does not stop for it any more.
	// This thread may run on for a moment, until the stop has reached it.
	syscall.Kill(0, syscall.SIGSTOP)
	<-j.wait
	j.take()
}

// lend gives the terminal to a command until that ends, which runs as the user who called sudo
// if somebody has.
func (j *jobs) lend(cmd *exec.Cmd) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if u, ok := home.Invoker(); ok {
		u.Hand(cmd)
	}
	if err := j.program.ReleaseTerminal(); err != nil {
		return err
	}
	j.lent.Store(true)
	err := cmd.Run()
	j.lent.Store(false)
	return errors.Join(err, j.program.RestoreTerminal())
}

// back takes the terminal when the program goes on after somebody else has stopped it. The
// shell has set it up for itself meanwhile.
func (j *jobs) back() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.program.ReleaseTerminal() == nil {
		j.take()
	}
}

// take takes the terminal, and has all of it drawn.
func (j *jobs) take() {
	if j.program.RestoreTerminal() == nil {
		go j.program.Send(resumedMsg{})
	}
}

// shelled reports whether a shell is there that can have this group of processes go on: the
// parent of one of them that is in the same session and not among them. It is what the
// kernel goes by when it calls a group orphaned.
func shelled() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	for pid := os.Getppid(); pid > 1; pid = parent(pid) {
		switch sid, err := unix.Getsid(pid); {
		case err != nil || sid != session:
			return false
		default:
			if group, err := unix.Getpgid(pid); err == nil && group != syscall.Getpgrp() {
				return true
			}
		}
	}
	return false
}

// parent returns the parent of a process, 0 if that is not to be known.
func parent(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n
}

// suspend goes back to the shell.
func (m *Model) suspend() tea.Cmd {
	j := m.jobs
	return func() tea.Msg {
		j.suspend()
		return nil
	}
}

// noShell says why there is no shell to go back to.
func (m *Model) noShell() string {
	switch {
	case m.jobs == nil:
		return "there is no terminal that could be given back"
	case !m.jobs.shelled:
		return "there is no shell that could have dscope go on"
	}
	return ""
}

// resumed draws everything anew, and takes the mouse as before.
func (m *Model) resumed(msg resumedMsg) tea.Cmd {
	if msg.alone {
		m.say(warning, "not stopped: there is no shell that could have dscope go on")
	}
	if !m.mouse.on {
		return tea.ClearScreen
	}
	return tea.Batch(tea.ClearScreen, tea.EnableMouseCellMotion)
}
