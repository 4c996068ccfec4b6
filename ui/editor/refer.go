package editor

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/narrow"
	"dscope.dev/dlang/refer"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/document/text"
)

// named returns the symbol at the cursor and the index that it is of; nil if there is none.
func (m *Model) named() (*refer.Index, *refer.Symbol) {
	x := refer.Parse(token.NewFile("", m.doc.Text()))
	s, _ := x.At(m.doc.Sel.Head)
	return x, s
}

// toDefinition goes to where the symbol at the cursor is declared, and from there to the next
// place where it is used.
func (m *Model) toDefinition() tea.Cmd {
	_, s := m.named()
	switch {
	case s == nil:
		m.why = "the cursor is at no name"
		return nil
	case !s.Def.IsValid():
		m.why = s.Shown() + " is not declared in this script"
		return nil
	}
	to, at := s.Def, token.Pos(m.doc.Sel.Head+1)
	if s.Def.From <= at && at <= s.Def.To {
		for i, u := range s.Uses {
			if u == s.Def {
				to = s.Uses[(i+1)%len(s.Uses)]
			}
		}
		m.notice = fmt.Sprintf("%s %s is named in %d places", s.Kind, s.Shown(), len(s.Uses))
	}
	return m.place(text.At(to.From.Offset()))
}

// askRename asks how the symbol at the cursor is to be called.
func (m *Model) askRename() tea.Cmd {
	x, s := m.named()
	if s == nil {
		m.why = "the cursor is at no name"
		return nil
	}
	if err := x.Renames(s); err != nil {
		m.why = err.Error()
		return nil
	}
	m.openPrompt(askRename, s.Name)
	m.ask.in.SelectAll()
	m.ask.about = s.Shown()
	return nil
}

// rename calls the symbol at the cursor otherwise wherever it stands, as one step of undo.
func (m *Model) rename(to string) tea.Cmd {
	x, s := m.named()
	if s == nil {
		return nil
	}
	name, places, err := x.Rename(s, to)
	if err != nil {
		m.notice = "not renamed: " + err.Error()
		return nil
	}
	was, at := s.Shown(), m.doc.Sel.Head
	edits := make([]narrow.Edit, len(places))
	for i, p := range places {
		edits[i] = narrow.Edit{From: p.From.Offset(), To: p.To.Offset(), Text: name}
		if edits[i].To < m.doc.Sel.Head {
			at += len(name) - (edits[i].To - edits[i].From)
		}
	}
	cmd := m.Apply(edits)
	m.place(text.At(min(at, m.doc.Buf.Size())))
	m.notice = fmt.Sprintf("%s is called %s now, in %d places", was, name, len(places))
	return cmd
}
