package editor

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/text"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// act is a row of the tables.
type act = widget.Act[Model]

// acts are what the pane does while it has the focus; letters are typed. Those of the
// lists of completions and of the prompts come first while those are open: see compActs
// and askActs or pathActs.
var acts = widget.Table[Model]{Context: "script", Acts: slices.Concat([]act{
	{Name: "file.save", Do: (*Model).save},
	{Name: "file.saveas", Do: (*Model).askSave},
	{Name: "file.open", Do: (*Model).askOpen},
	{Name: "file.new", Do: (*Model).empty},
	{Name: "file.next", Off: (*Model).alone, Do: func(m *Model) tea.Cmd { return m.step(+1) }},
	{Name: "file.previous", Off: (*Model).alone, Do: func(m *Model) tea.Cmd { return m.step(-1) }},
	{Name: "file.close", Do: (*Model).close},
	{Name: "file.recover", Off: (*Model).noLeft, Do: (*Model).recover},
	{Name: "script.call", Do: (*Model).askCall},
	{Name: "edit.complete", Do: (*Model).complete},
	{Name: "edit.undo", Off: (*Model).noUndo, Do: (*Model).undo},
	{Name: "edit.redo", Off: (*Model).noRedo, Do: (*Model).redo},
	{Name: "find.open", Do: (*Model).askFind},
	{Name: "find.next", Off: (*Model).noQuery, Do: func(m *Model) tea.Cmd { return m.findNext(+1) }},
	{Name: "find.previous", Off: (*Model).noQuery, Do: func(m *Model) tea.Cmd { return m.findNext(-1) }},
	{Name: "find.replace", Do: (*Model).askReplace},
	{Name: "go.line", Do: (*Model).askLine},
	{Name: "go.bracket", Off: (*Model).noBracket, Do: (*Model).toBracket},
	{Name: "go.complaint", Off: (*Model).noMarks, Do: (*Model).toMark},
	{Name: "go.definition", Do: (*Model).toDefinition},
	{Name: "edit.rename", Do: (*Model).askRename},
	{Name: "edit.remedy", Off: (*Model).noRemedy, Do: (*Model).remedy},
	{Name: "edit.cut", Do: (*Model).cut},
	{Name: "edit.copy", Off: (*Model).noSelection, Do: (*Model).copy},
	{Name: "edit.paste", Off: (*Model).noClip, Do: (*Model).paste},
	{Name: "select.all", Do: (*Model).selectAll},
	{Name: "edit.comment", Do: (*Model).comment},
	{Name: "edit.format", Do: (*Model).format},
	{Name: "edit.indent", Do: (*Model).indent},
	{Name: "edit.outdent", Do: (*Model).outdent},
	{Name: "edit.newline", Do: (*Model).newline},
	{Name: "delete.before", Do: (*Model).backspace},
	{Name: "delete.behind", Do: (*Model).deleteChar},
	{Name: "delete.wordbefore", Do: func(m *Model) tea.Cmd { return m.deleteTo(prevWord) }},
	{Name: "delete.wordbehind", Do: func(m *Model) tea.Cmd { return m.deleteTo(nextWord) }},
	{Name: "delete.linestart", Do: func(m *Model) tea.Cmd { return m.deleteTo(lineStart) }},
	{Name: "delete.lineend", Do: func(m *Model) tea.Cmd { return m.deleteTo(lineEnd) }},
	{Name: "delete.line", Do: (*Model).deleteLine},
	{Name: "edit.lineup", Do: func(m *Model) tea.Cmd { return m.moveLines(-1) }},
	{Name: "edit.linedown", Do: func(m *Model) tea.Cmd { return m.moveLines(+1) }},
	{Name: "select.none", Off: (*Model).nothingToDrop, Do: (*Model).escape},
}, moves())}

// moves returns the rows that move the cursor; with shift they select.
func moves() []act {
	var out []act
	for _, r := range []struct {
		name       string
		to, extend motion
	}{
		{"left", collapseLeft, left},
		{"right", collapseRight, right},
		{"wordleft", prevWord, prevWord},
		{"wordright", nextWord, nextWord},
		{"home", lineHome, lineHome},
		{"end", lineEnd, lineEnd},
		{"first", textStart, textStart},
		{"last", textEnd, textEnd},
	} {
		out = append(out,
			act{Name: "go." + r.name, Do: func(m *Model) tea.Cmd { return m.move(r.to) }},
			act{Name: "select." + r.name, Do: func(m *Model) tea.Cmd { return m.extend(r.extend) }})
	}
	for _, r := range []struct {
		name string
		to   motion
	}{
		{"up", up},
		{"down", down},
		{"pageup", pageUp}, // bubbletea has no name for these with shift
		{"pagedown", pageDown},
	} {
		out = append(out,
			act{Name: "go." + r.name, Do: func(m *Model) tea.Cmd { return m.placeBelow(text.At(r.to(m))) }},
			act{Name: "select." + r.name, Do: func(m *Model) tea.Cmd {
				return m.placeBelow(text.Sel{Anchor: m.doc.Sel.Anchor, Head: r.to(m)})
			}})
	}
	return out
}

// key does what a key asks.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	if m.modal() && len(msg.Runes) > 1 && !msg.Paste { // letters that came at once are commands each
		var cmds []tea.Cmd
		for _, r := range msg.Runes {
			one := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}
			if r == ' ' {
				one.Type = tea.KeySpace
			}
			cmds = append(cmds, m.key(one))
		}
		return tea.Batch(cmds...)
	}
	m.notice, m.why = "", ""
	m.macros.note(msg)
	if m.swept > 0 {
		m.swept--
		defer func() {
			if m.notice == "" && m.swept > 0 {
				m.sayReplaced()
			}
		}()
	}
	if m.ask.kind != askNothing {
		return m.askKey(msg)
	}
	m.leaving = nil
	if msg.Paste {
		m.comp.close()
		return m.insert(document.UnixLines(string(msg.Runes)), text.Other)
	}
	if m.comp.open {
		if a := compActs.Find(m.keys, msg); a != nil && a.Why(m) == "" {
			cmd := a.Do(m)
			if a.Name != "list.close" || !m.modal() {
				return cmd
			}
		}
	}
	if m.modal() {
		return m.modalKey(msg)
	}
	return m.plainKey(msg)
}

// plainKey does what a key asks for where letters are text.
func (m *Model) plainKey(msg tea.KeyMsg) tea.Cmd {
	if a := acts.Find(m.keys, msg); a != nil {
		return m.do(a)
	}
	if isText(msg) {
		return m.typed(string(msg.Runes))
	}
	return nil
}

// do does what was asked for, or says why not.
func (m *Model) do(a *act) tea.Cmd {
	if a.Name != "delete.before" && a.Name != "edit.complete" {
		m.comp.close()
	}
	cmd, off := a.Try(m)
	if off != "" { // else the act may have said why itself
		m.why = off
	}
	return cmd
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
	if m.comp.open && compActs.Find(m.keys, msg) != nil {
		return true
	}
	if m.modal() && m.hands.Wants(keymap.KeyName(msg)) {
		return true
	}
	a := acts.Find(m.keys, msg)
	return a != nil && a.Why(m) == ""
}

// Keys returns the help of the pane as it is now.
func (m *Model) Keys() []widget.Help {
	return m.table().Helps(m, m.keys)
}

// table returns what keys do now.
func (m *Model) table() widget.Table[Model] {
	switch {
	case m.ask.wantsPath():
		return pathActs
	case m.ask.kind != askNothing:
		return askActs
	case m.comp.open:
		return compActs
	}
	return acts
}

func (m *Model) noUndo() string {
	if !m.doc.Buf.CanUndo() {
		return "there is nothing to undo"
	}
	return ""
}

func (m *Model) noRedo() string {
	if !m.doc.Buf.CanRedo() {
		return "there is nothing to redo"
	}
	return ""
}

func (m *Model) noSelection() string {
	if m.doc.Sel.Empty() {
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
	if m.find.query.Text() == "" {
		return "nothing was searched for yet"
	}
	return ""
}

func (m *Model) noMarks() string {
	if len(m.doc.Marks()) == 0 {
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
	if m.doc.Sel.Empty() && !m.find.shown {
		return "there is nothing to drop"
	}
	return ""
}

func (m *Model) escape() tea.Cmd {
	m.doc.Sel = text.At(m.doc.Sel.Head)
	m.find.shown = false
	return nil
}
