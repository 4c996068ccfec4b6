package editor

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/fix"
	"dscope.dev/dlang/token"
	"dscope.dev/ui/document"
)

// remedies are those for one complaint, of which one has been taken.
type remedies struct {
	list []fix.Change
	at   int          // which was taken last
	made document.Ref // the text that it made
}

// noRemedy says why nothing can be mended.
func (m *Model) noRemedy() string {
	switch d := m.doc.Here(); {
	case m.fixes.made == m.doc.Ref() && len(m.fixes.list) > 1:
		return ""
	case d == nil:
		return "the cursor is at no complaint"
	case len(d.Fixes) == 0:
		return "nobody knows a remedy for this complaint"
	}
	return ""
}

// remedy takes the likeliest remedy for the complaint at the cursor; once more takes the next
// in its place.
func (m *Model) remedy() tea.Cmd {
	if r := &m.fixes; r.made == m.doc.Ref() && len(r.list) > 1 {
		m.doc.Undo()
		r.at = (r.at + 1) % len(r.list)
		return m.mend()
	}
	script := m.doc.Text()
	m.fixes = remedies{list: fix.For(script, token.NewFile("", script), m.doc.Here())}
	if len(m.fixes.list) == 0 {
		m.why = "its remedy lies in another file"
		return nil
	}
	return m.mend()
}

func (m *Model) mend() tea.Cmd {
	r := &m.fixes
	cmd := m.Apply(r.list[r.at].Edits)
	r.made = m.doc.Ref()
	m.notice = r.list[r.at].Title
	if n := len(r.list); n > 1 {
		m.notice += fmt.Sprintf(" (%d of %d; once more takes the next)", r.at+1, n)
	}
	return cmd
}
