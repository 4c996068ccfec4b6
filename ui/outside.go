package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/shlex"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/home"
)

// A script goes to the user's own editor as a copy, as visudo and git do it: what comes back
// is a change of the text like another, which undo takes back, and no file changes before the
// user saves. The terminal is lent meanwhile, and a run goes on.

// outsideMsg says that the user's own editor has ended.
type outsideMsg struct {
	of   document.Ref
	was  string
	now  string
	name string // of the editor
	left string // where the text lies that was not taken over; "" if nowhere
	err  error
}

// editOutside hands the script to the user's own editor.
func (m *Model) editOutside() tea.Cmd {
	d, j := m.doc(), m.jobs
	msg := outsideMsg{of: d.Ref(), was: d.Text()}
	flush, name := d.Flush(), filepath.Base(d.Path())
	if d.Path() == "" {
		name = "script.d"
	}
	line, _ := m.editor.Cursor()
	return func() tea.Msg {
		if flush != nil {
			flush() // where that fails, the copy that goes out has the text as well
		}
		msg.outside(j, name, line)
		return msg
	}
}

// outside has a copy of the script edited.
func (o *outsideMsg) outside(j *jobs, name string, line int) {
	var words []string
	if words, o.err = editorWords(os.Getenv, exec.LookPath); o.err != nil {
		return
	}
	o.name = filepath.Base(words[0])
	var path string
	if path, o.err = lay(name, o.was); o.err != nil {
		return
	}
	defer func() {
		if o.left == "" {
			o.err = errors.Join(o.err, os.RemoveAll(filepath.Dir(path)))
		}
	}()
	if takesLine(o.name) {
		words = append(words, fmt.Sprintf("+%d", line))
	}
	ended := j.lend(exec.Command(words[0], append(words[1:], path)...))
	f, err := disk.Read(path)
	if o.now = f.Text; err != nil || f.New {
		o.now = o.was
	}
	if err != nil || ended != nil && o.now != o.was {
		o.left = path // what cannot be read here is not lost either
	}
	if errors.Is(ended, fs.ErrNotExist) {
		ended = errors.New("there is no such program")
	}
	if o.err = errors.Join(ended, err); ended != nil {
		o.now = o.was
	}
}

// lay writes a script into a folder of its own, that of the user who called sudo if somebody has.
func lay(name, text string) (path string, err error) {
	dir, err := os.MkdirTemp("", "dscope-")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	err = os.WriteFile(path, []byte(text), 0o600)
	if u, ok := home.Invoker(); ok && err == nil {
		err = errors.Join(os.Lchown(path, u.UID, u.GID), os.Lchown(dir, u.UID, u.GID))
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return path, nil
}

// editorWords returns the command of the user's own editor: what VISUAL or EDITOR says, or
// else what the machine has.
func editorWords(env func(string) string, look func(string) (string, error)) ([]string, error) {
	for _, v := range []string{"VISUAL", "EDITOR"} {
		if env(v) == "" {
			continue
		}
		words, err := shlex.Split(env(v))
		if err != nil || len(words) == 0 {
			return nil, fmt.Errorf("%s=%s is no command", v, env(v))
		}
		return words, nil
	}
	for _, name := range []string{"editor", "vi", "nano"} {
		if _, err := look(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, errors.New("no editor was found: EDITOR names one")
}

// takesLine reports whether an editor goes to the line that +N names.
func takesLine(name string) bool {
	return slices.Contains([]string{"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "joe", "jed", "mg", "ne"}, name)
}

// noTerminal says why the terminal cannot be lent.
func (m *Model) noTerminal() string {
	if m.jobs == nil {
		return "there is no terminal that another editor could have"
	}
	return ""
}

// cameBack takes over what the user's own editor has made of the script.
func (m *Model) cameBack(msg outsideMsg) tea.Cmd {
	redraw := m.resumed(resumedMsg{})
	if msg.err != nil {
		said := fmt.Sprintf("%s: %v", msg.name, msg.err)
		if msg.name == "" {
			said = msg.err.Error()
		}
		if msg.left != "" {
			said += "; what it wrote is in " + msg.left
		}
		m.say(failure, strings.ReplaceAll(said, "\n", "; "))
		return redraw
	}
	if msg.now == msg.was {
		m.say(plain, msg.name+" has changed nothing")
		return redraw
	}
	m.setFocus(editorSlot)
	return tea.Batch(redraw, m.editor.Return(msg.of, msg.now))
}
