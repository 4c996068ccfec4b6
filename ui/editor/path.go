package editor

import (
	"io/fs"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/filename"
	"dscope.dev/ui/home"
	"dscope.dev/ui/widget"
)

// pathActs are what keys do while the path of a file is asked for.
var pathActs = widget.Table[Model]{Context: "script.path", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).answer},
	{Name: "list.close", Do: (*Model).closePrompt},
	{Name: "path.complete", Do: (*Model).completePath},
}}

// pathMsg brings what the last part of a path could be.
type pathMsg struct {
	typed string
	names []string
}

func (pathMsg) editorMsg() {}

// completePath looks for the files that the path could be of, as the user sees them.
func (m *Model) completePath() tea.Cmd {
	typed := m.ask.in.Value()
	return func() tea.Msg {
		return pathMsg{typed, filename.Complete("", home.Expand(typed), listed, nil)}
	}
}

// listed reads a folder as the user.
func listed(dir string) (list []fs.DirEntry, err error) {
	err = home.As(func() error {
		list, err = os.ReadDir(dir)
		return err
	})
	return list, err
}

// pathCompleted carries the path on as far as there is one way only, and names the ways.
func (m *Model) pathCompleted(msg pathMsg) {
	if !m.ask.wantsPath() || m.ask.in.Value() != msg.typed {
		return // about what stood there before
	}
	base := filename.Base(msg.typed)
	common := filename.Common(msg.names)
	switch {
	case len(msg.names) == 0:
		m.notice = "no file is called so"
		return
	case len(common) > len(base):
		m.ask.in = widget.NewInput(strings.TrimSuffix(msg.typed, base) + common)
	}
	if len(msg.names) > 1 {
		m.notice = strings.Join(msg.names, "  ")
	}
}
