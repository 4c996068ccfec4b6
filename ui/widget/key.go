package widget

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// A Key is one thing that a pane of type M does when asked. Dispatch, footer
// and help all read the same table.
type Key[M any] struct {
	On   string           // names as bubbletea spells them, blank-separated; " " is "space"
	Help string           // what it does: "hold the picture"; "" keeps it out of help
	Hint string           // one or two words for the bottom line; "" keeps it out of there
	Off  func(*M) string  // why it is not available now; nil or "" if it is
	Do   func(*M) tea.Cmd // must not block
}

// Press does what the first key of the table that answers to msg does. why
// says why nothing happened, if the key is known but not available now. A key
// that no row knows gives nil and "": see Find to tell the two apart.
func Press[M any](m *M, keys []Key[M], msg tea.KeyMsg) (cmd tea.Cmd, why string) {
	k := Find(keys, msg)
	if k == nil {
		return nil, ""
	}
	if k.Off != nil {
		if why := k.Off(m); why != "" {
			return nil, why
		}
	}
	return k.Do(m), ""
}

// Find returns the row of the table that answers to msg, or nil.
func Find[M any](keys []Key[M], msg tea.KeyMsg) *Key[M] {
	if msg.Paste {
		return nil // pasted text is never a command
	}
	name := KeyName(msg)
	for i := range keys {
		if slices.Contains(strings.Fields(keys[i].On), name) {
			return &keys[i]
		}
	}
	return nil
}

// KeyName returns the name of a key as a table spells it: bubbletea's, with
// the blank written as space. Terminals send the same code for ctrl+@ as for
// ctrl+space, which is what people press.
func KeyName(msg tea.KeyMsg) string {
	name := msg.String()
	if name == "ctrl+@" {
		return "ctrl+space"
	}
	if strings.HasSuffix(name, " ") {
		return strings.TrimSuffix(name, " ") + "space"
	}
	return name
}

// A Help is one row of the help: keys, what they do, and why not now.
type Help struct {
	On   string // keys, blank-separated
	Text string
	Hint string // for the bottom line; may be empty
	Off  string // why it is not available now; "" if it is
}

// Helps returns the help of a table of keys, in its order. Rows that say the
// same thing twice, such as an alias, should share one On.
func Helps[M any](m *M, keys []Key[M]) []Help {
	var out []Help
	for _, k := range keys {
		if k.Help == "" {
			continue
		}
		h := Help{On: k.On, Text: k.Help, Hint: k.Hint}
		if k.Off != nil {
			h.Off = k.Off(m)
		}
		out = append(out, h)
	}
	return out
}

// KeyLabel returns the first key of a row as the screen shows it: ctrl+r is
// ^R, up is ↑ (or up where glyphs are not to be had).
func KeyLabel(on string, ascii bool) string {
	first, _, _ := strings.Cut(on, " ")
	if rest, ok := strings.CutPrefix(first, "ctrl+"); ok && len(rest) == 1 {
		return "^" + strings.ToUpper(rest)
	}
	if !ascii {
		if glyph, ok := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "⏎"}[first]; ok {
			return glyph
		}
	}
	return pressed(first)
}

// KeyLabels returns all keys of a row as help writes them, blank-separated.
func KeyLabels(on string) string {
	names := strings.Fields(on)
	for i, n := range names {
		names[i] = pressed(n)
	}
	return strings.Join(names, " ")
}

// pressed returns the name of what people press for a key.
func pressed(name string) string {
	if name == "f15" {
		return "shift+f3" // terminals know no other F15
	}
	return name
}
