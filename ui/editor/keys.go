package editor

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/editor/text"
	"dscope.dev/ui/widget"
)

// key is a row of the tables.
type key = widget.Key[Model]

// keys is all that the pane answers to while it has the focus; letters are
// typed. Keys of the lists of completions and of the prompts come first while
// those are open: see compKeys and askKeys.
var keys = slices.Concat([]key{
	{On: "ctrl+s", Help: "save", Hint: "save", Do: (*Model).save},
	{On: "alt+s", Help: "save under another name", Do: (*Model).askSave},
	{On: "ctrl+o", Help: "open a file", Hint: "open", Do: (*Model).askOpen},
	{On: "ctrl+space", Help: "complete the word", Hint: "complete", Do: (*Model).complete},
	{On: "ctrl+z", Help: "undo", Hint: "undo", Off: (*Model).noUndo, Do: (*Model).undo},
	{On: "ctrl+y alt+z", Help: "redo", Off: (*Model).noRedo, Do: (*Model).redo},
	{On: "ctrl+f", Help: "find", Hint: "find", Do: (*Model).askFind},
	{On: "f3 alt+n", Help: "next place found", Off: (*Model).noQuery, Do: func(m *Model) tea.Cmd { return m.findNext(+1) }},
	{On: "f15 alt+p", Help: "previous place found", Off: (*Model).noQuery, Do: func(m *Model) tea.Cmd { return m.findNext(-1) }},
	{On: "ctrl+g", Help: "go to a line", Do: (*Model).askLine},
	{On: "ctrl+]", Help: "go to the matching bracket", Off: (*Model).noBracket, Do: (*Model).toBracket},
	{On: "f8 alt+e", Help: "go to the next complaint", Off: (*Model).noMarks, Do: (*Model).toMark},
	{On: "ctrl+x", Help: "cut the selection, or the line", Do: (*Model).cut},
	{On: "ctrl+c alt+c", Help: "copy the selection", Off: (*Model).noSelection, Do: (*Model).copy},
	{On: "ctrl+v", Help: "paste what was cut or copied here", Off: (*Model).noClip, Do: (*Model).paste},
	{On: "ctrl+a", Help: "select all", Do: (*Model).selectAll},
	{On: "ctrl+_ alt+/", Help: "comment lines out, or in again", Do: (*Model).comment},
	{On: "tab", Help: "indent", Do: (*Model).indent},
	{On: "shift+tab", Help: "indent less", Do: (*Model).outdent},
	{On: "enter", Help: "new line, indented as D is", Do: (*Model).newline},
	{On: "backspace ctrl+h", Help: "delete the character before", Do: (*Model).backspace},
	{On: "delete ctrl+d", Help: "delete the character behind", Do: (*Model).deleteChar},
	{On: "ctrl+w alt+backspace", Help: "delete the word before", Do: func(m *Model) tea.Cmd { return m.deleteTo(prevWord) }},
	{On: "alt+d alt+delete", Help: "delete the word behind", Do: func(m *Model) tea.Cmd { return m.deleteTo(nextWord) }},
	{On: "ctrl+u", Help: "delete to the start of the line", Do: func(m *Model) tea.Cmd { return m.deleteTo(lineStart) }},
	{On: "ctrl+k", Help: "delete the line", Do: (*Model).deleteLine},
	{On: "alt+up", Help: "move the line up", Do: func(m *Model) tea.Cmd { return m.moveLines(-1) }},
	{On: "alt+down", Help: "move the line down", Do: func(m *Model) tea.Cmd { return m.moveLines(+1) }},
	{On: "esc", Help: "drop the selection and the marks of find", Off: (*Model).nothingToDrop, Do: (*Model).escape},
}, moves())

// moves returns the rows that move the cursor; with shift they select.
func moves() []key {
	var out []key
	for _, r := range []struct {
		on, shifted, help string
		to, extend        motion
	}{
		{"left", "shift+left", "left", collapseLeft, left},
		{"right", "shift+right", "right", collapseRight, right},
		{"ctrl+left alt+left alt+b", "ctrl+shift+left alt+shift+left", "a word to the left", prevWord, prevWord},
		{"ctrl+right alt+right alt+f", "ctrl+shift+right alt+shift+right", "a word to the right", nextWord, nextWord},
		{"home", "shift+home", "to the start of the line", home, home},
		{"end ctrl+e", "shift+end", "to the end of the line", lineEnd, lineEnd},
		{"ctrl+home", "ctrl+shift+home", "to the start of the script", textStart, textStart},
		{"ctrl+end", "ctrl+shift+end", "to the end of the script", textEnd, textEnd},
	} {
		out = append(out,
			key{On: r.on, Help: r.help, Do: func(m *Model) tea.Cmd { return m.move(r.to) }},
			key{On: r.shifted, Help: "select " + r.help, Do: func(m *Model) tea.Cmd { return m.extend(r.extend) }})
	}
	for _, r := range []struct {
		on, shifted, help string
		to                motion
	}{
		{"up", "shift+up", "up", up},
		{"down", "shift+down", "down", down},
		{"pgup", "", "a page up", pageUp},
		{"pgdown", "", "a page down", pageDown},
	} {
		out = append(out, key{On: r.on, Help: r.help, Do: func(m *Model) tea.Cmd { return m.placeBelow(text.At(r.to(m))) }})
		if r.shifted == "" {
			continue // bubbletea has no name for it
		}
		out = append(out, key{On: r.shifted, Help: "select " + r.help, Do: func(m *Model) tea.Cmd {
			return m.placeBelow(text.Sel{Anchor: m.sel.Anchor, Head: r.to(m)})
		}})
	}
	return out
}

// key does what a key asks.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	m.notice, m.why = "", ""
	if m.ask.kind != askNothing {
		return m.askKey(msg)
	}
	if msg.Paste {
		m.comp.close()
		return m.insert(unixLines(string(msg.Runes)), text.Other)
	}
	if m.comp.open && widget.Find(compKeys, msg) != nil {
		if cmd, off := widget.Press(m, compKeys, msg); off == "" {
			return cmd
		}
	}
	if widget.Find(keys, msg) != nil {
		if n := widget.KeyName(msg); n != "backspace" && n != "ctrl+h" && n != "ctrl+space" {
			m.comp.close()
		}
		cmd, off := widget.Press(m, keys, msg)
		if off != "" { // else the key may have said why itself
			m.why = off
		}
		return cmd
	}
	if isText(msg) {
		return m.typed(string(msg.Runes))
	}
	return nil
}

// isText reports whether a key types what it says.
func isText(msg tea.KeyMsg) bool {
	return (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt && len(msg.Runes) > 0
}

// Typing reports that letters are text here.
func (m *Model) Typing() bool { return true }

// Takes reports whether the pane has a use for a key now, before all others. Of the
// rest the root may make its own: esc with nothing to drop, ctrl+c with nothing
// selected.
func (m *Model) Takes(msg tea.KeyMsg, _ bool) bool {
	if m.ask.kind != askNothing || msg.Paste || isText(msg) {
		return true
	}
	if m.comp.open && widget.Find(compKeys, msg) != nil {
		return true
	}
	k := widget.Find(keys, msg)
	return k != nil && (k.Off == nil || k.Off(m) == "")
}

// Keys returns the help of the pane as it is now.
func (m *Model) Keys() []widget.Help {
	switch {
	case m.ask.kind != askNothing:
		return widget.Helps(m, askKeys)
	case m.comp.open:
		return widget.Helps(m, compKeys)
	}
	return widget.Helps(m, keys)
}

func (m *Model) noUndo() string {
	if !m.buf.CanUndo() {
		return "there is nothing to undo"
	}
	return ""
}

func (m *Model) noRedo() string {
	if !m.buf.CanRedo() {
		return "there is nothing to redo"
	}
	return ""
}

func (m *Model) noSelection() string {
	if m.sel.Empty() {
		return "nothing is selected"
	}
	return ""
}

func (m *Model) noClip() string {
	if m.clip == "" {
		return "nothing was cut or copied yet"
	}
	return ""
}

func (m *Model) noQuery() string {
	if m.find.query == "" {
		return "nothing was searched for yet"
	}
	return ""
}

func (m *Model) noMarks() string {
	if len(m.marks) == 0 {
		return "there are no complaints"
	}
	return ""
}

func (m *Model) noBracket() string {
	if _, _, ok := m.bracket(); !ok {
		return "the cursor is at no bracket that has a partner"
	}
	return ""
}

func (m *Model) nothingToDrop() string {
	if m.sel.Empty() && !m.find.shown {
		return "there is nothing to drop"
	}
	return ""
}

func (m *Model) escape() tea.Cmd {
	m.sel = text.At(m.sel.Head)
	m.find.shown = false
	return nil
}

// unixLines makes the line ends of a terminal's paste newlines.
func unixLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
