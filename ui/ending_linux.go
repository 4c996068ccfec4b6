package ui

import (
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// penOf opens a terminal once more, so that a write to it can be given up: the descriptor
// that we were handed is shared with the shell, whose writes must wait. Where it cannot be
// opened, as after su, the one at hand has to do.
func penOf(tty *os.File) *os.File {
	if !term.IsTerminal(tty.Fd()) {
		return tty
	}
	pen, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", tty.Fd()), os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return tty
	}
	return pen
}

// discard throws away what a terminal has not taken yet.
func discard(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCOFLUSH) }
