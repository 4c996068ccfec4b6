package widget

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/keymap"
)

// A Table is how a pane of type M does what can be asked for in one context. Which keys
// ask, and the words of help, are the keymap's.
type Table[M any] struct {
	Context string
	Acts    []Act[M]
}

// An Act is how one action is done.
type Act[M any] struct {
	Name string           // of the action, as the keymap has it
	Off  func(*M) string  // why it is not available now; nil or "" if it is
	Do   func(*M) tea.Cmd // must not block
}

// Find returns the act that a key asks for, or nil.
func (t Table[M]) Find(keys *keymap.Map, msg tea.KeyMsg) *Act[M] {
	if msg.Paste {
		return nil // pasted text is never a command
	}
	return t.Named(keys.Action(t.Context, keymap.KeyName(msg)))
}

// Named returns the act of an action, or nil.
func (t Table[M]) Named(action string) *Act[M] {
	for i := range t.Acts {
		if t.Acts[i].Name == action {
			return &t.Acts[i]
		}
	}
	return nil
}

// Try does the act, unless it is nil or not available now; why says why nothing
// happened then.
func (a *Act[M]) Try(m *M) (cmd tea.Cmd, why string) {
	if a == nil {
		return nil, ""
	}
	if why := a.Why(m); why != "" {
		return nil, why
	}
	return a.Do(m), ""
}

// Why says why the act is not available now; "" if it is.
func (a *Act[M]) Why(m *M) string {
	if a.Off == nil {
		return ""
	}
	return a.Off(m)
}

// A DoMsg asks a pane for an action as its key would.
type DoMsg struct{ Action string }

// A Help is one row of the help: keys, what they do, and why not now.
type Help struct {
	Action string
	On     []string // keys
	Text   string
	Hint   string // for the bottom line; may be empty
	Off    string // why it is not available now; "" if it is
}

// Helps returns the help of a table of keys, in the order of the keymap.
func (t Table[M]) Helps(m *M, keys *keymap.Map) []Help {
	var out []Help
	for _, r := range keys.Rows(t.Context) {
		a := t.Named(r.Action)
		if a == nil {
			continue
		}
		out = append(out, Help{r.Action, r.Keys, r.Help, r.Hint, a.Why(m)})
	}
	return out
}
