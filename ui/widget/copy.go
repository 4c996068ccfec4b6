package widget

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// CopyMax is the longest text that terminals are known to take by OSC 52.
const CopyMax = 74994

// Copy returns a command that puts text on the clipboard of the terminal that
// w writes to, by OSC 52: it works over ssh, where the clipboard is on the
// machine with the eyes. Inside tmux the sequence is sent a second time,
// wrapped for tmux to pass on, for settings that let only that through. A nil
// w, or a text that is too long, gives no command.
func Copy(w io.Writer, text string) tea.Cmd {
	if w == nil || len(text) > CopyMax {
		return nil
	}
	seq := ansi.SetSystemClipboard(text)
	if os.Getenv("TMUX") != "" {
		seq += ansi.TmuxPassthrough(seq)
	}
	return func() tea.Msg {
		// One write, so that it cannot fall into the middle of a frame. If the
		// terminal is gone there is nobody to tell.
		_, _ = io.WriteString(w, seq)
		return nil
	}
}
