package ui

import (
	"path/filepath"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A scriptsBox is the list of scripts to go to: those that are open, what was never saved, and
// the files that were opened last.
type scriptsBox struct {
	typedList
	recent []disk.Known
	err    error // why the files that were opened last are not known
}

// recentMsg brings the files that were opened last.
type recentMsg struct {
	known []disk.Known
	err   error
}

// A place is a row of the list: one of three.
type place struct {
	doc  *document.Document // that is open
	left *disk.Orphan       // that was never saved
	path string             // of a file that is not open
}

func (*scriptsBox) wide() bool                       { return false }
func (*scriptsBox) title(*Model) string              { return "Scripts" }
func (*scriptsBox) body(m *Model) []string           { return m.drawScripts() }
func (*scriptsBox) table(*Model) widget.Table[Model] { return scriptsActs }
func (*scriptsBox) count(m *Model) int               { return len(m.places()) }
func (*scriptsBox) take(m *Model) tea.Cmd            { return m.takePlace() }

// openScripts lists the scripts, with the cursor on the one that was shown before.
func (m *Model) openScripts() tea.Cmd {
	b := &scriptsBox{}
	m.overlay = b
	if len(m.editor.Desk().All()) > 1 {
		b.row = 1
	}
	state := m.opts.State
	return func() tea.Msg {
		if state == "" {
			return recentMsg{}
		}
		known, err := disk.Recent(state)
		return recentMsg{known, err}
	}
}

func (m *Model) gotRecent(msg recentMsg) {
	if b := opened[*scriptsBox](m); b != nil {
		b.recent, b.err = msg.known, msg.err
	}
}

// scriptsActs are what keys do in the list of scripts; all else is typed.
var scriptsActs = widget.Table[Model]{Context: "scripts", Acts: choosing(widget.Act[Model]{Name: "list.take", Do: (*Model).takeChosen})}

// places returns the rows for what was typed: the script in front, the others that are open,
// then what was never saved, then files.
func (m *Model) places() (out []place) {
	b, desk := opened[*scriptsBox](m), m.editor.Desk()
	all := slices.Clone(desk.All())
	front := slices.Index(all, desk.Front())
	all = append([]*document.Document{desk.Front()}, slices.Delete(all, front, front+1)...)
	add := func(name string, p place) {
		if matches(name, b.query.Value()) {
			out = append(out, p)
		}
	}
	for _, d := range all {
		add(d.Name()+" "+d.Path(), place{doc: d})
	}
	for _, o := range desk.Left() {
		add(o.Name()+" "+o.Path+" never saved", place{left: &o})
	}
	for _, k := range b.recent {
		if desk.Find(k.Path) < 0 {
			add(k.Path, place{path: k.Path})
		}
	}
	return out
}

// takePlace goes to the script under the cursor.
func (m *Model) takePlace() tea.Cmd {
	list, row := m.places(), opened[*scriptsBox](m).row
	if row >= len(list) {
		return nil
	}
	m.overlay = nil
	m.setFocus(editorSlot)
	switch p := list[row]; {
	case p.doc != nil:
		return m.editor.ShowDocument(p.doc.Ref())
	case p.left != nil:
		return m.editor.Recover(*p.left)
	default:
		return m.editor.Open(p.path)
	}
}

func (m *Model) drawScripts() []string {
	k, w, b := m.looks, m.boxWidth()-2, opened[*scriptsBox](m)
	var l ink.Line
	out := []string{b.drawQuery(m, &l)}
	list := m.places()
	for i := b.top; i < len(list) && len(out) <= b.height(m); i++ {
		m.drawPlace(&l, list[i], i == b.row)
		out = append(out, l.String())
	}
	switch {
	case b.err != nil:
		l.Reset(w, k.popText)
		l.Fit(k.off, "   files opened before are not known: "+widget.Safe(b.err.Error()), w)
		out = append(out, l.String())
	case len(list) == 0:
		l.Reset(w, k.popText)
		l.Put(k.popDetail, "   no script matches")
		out = append(out, l.String())
	}
	return out
}

// drawPlace draws a row of the list: what it is, its name, and its folder.
func (m *Model) drawPlace(l *ink.Line, p place, selected bool) {
	k := m.looks
	base, kind, detail := k.popText, k.popKind, k.popDetail
	if selected {
		base, kind, detail = k.popSelected, ink.Ink{}, ink.Ink{}
	}
	l.Reset(m.boxWidth()-2, base)
	l.Skip(1)
	what, name, path, end := "file", filepath.Base(p.path), p.path, ""
	switch {
	case p.doc != nil:
		what, name, path, end = "open", p.doc.Name(), p.doc.Path(), widget.Count(p.doc.Buf.Lines(), "line")
		if p.doc.Modified() {
			name += " *"
		}
	case p.left != nil:
		what, name, path, end = "unsaved", p.left.Name(), p.left.Path, p.left.Time.Format("2 Jan 15:04")
	}
	l.Fit(kind, what, 8)
	l.Skip(1)
	room := max(l.Left()-14, 1)
	l.Fit(ink.Ink{}, widget.Safe(name), min(room, max(ink.Width(widget.Safe(name)), 20)))
	l.Skip(1)
	folder := ""
	if path != "" {
		folder = filepath.Dir(path)
	}
	l.Fit(detail, widget.Safe(folder), max(l.Left()-14, 0))
	l.Skip(1)
	l.Right(detail, end, 12)
}
