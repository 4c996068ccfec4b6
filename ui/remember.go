package ui

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/session"
)

// memory is what the root knows of what is remembered for the next start.
type memory struct {
	due      bool             // what is open is to be written soon
	path     string           // of the script that was written last
	suits    bool             // the theme is to suit the terminal
	told     map[string]bool  // of what it has been said that it cannot be written
	restored *session.Session // what is to be opened again; nil once it is, or if nothing is
}

// rememberAfter is how long what has changed waits to be written.
const rememberAfter = 3 * time.Second

type (
	rememberMsg   struct{}
	rememberedMsg struct {
		what string // session or history
		err  error
	}
)

// restore takes over what was open last, if no script was asked for.
func (m *Model) restore() {
	o := &m.opts
	if !o.Config.Session {
		return
	}
	if m.shape.restore(o.Last.Layout) {
		m.shape.zoom = o.Last.Layout.Zoom
	}
	if o.Path != "" || o.Text != "" {
		return
	}
	if open := m.shape.open(0); !slices.Contains(open, m.focus) {
		m.focus = open[0]
	}
	last := o.Last
	m.memory.restored = &last
	for name, text := range last.Filters {
		m.live.SetFilter(name, text)
	}
	if len(last.Documents) > 0 {
		o.Path = last.Documents[0].Path
		m.memory.path = o.Path
	}
}

// reopened puts the cursor where it was, and says what has been opened unasked.
func (m *Model) reopened() tea.Cmd {
	last := m.memory.restored
	m.memory.restored = nil
	if last == nil || len(last.Documents) == 0 {
		return nil
	}
	d := last.Documents[0]
	if m.doc().Path() != d.Path {
		return nil // the editor says why
	}
	m.editor.GoTo(d.Line, d.Column)
	var others []tea.Cmd
	for _, d := range last.Documents[1:] {
		if !d.Gone() {
			others = append(others, m.editor.OpenBehind(d.Path, d.Line, d.Column))
		}
	}
	names := filepath.Base(d.Path)
	if n := len(others); n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	text := fmt.Sprintf("open as last time: %s; %s begins empty", names, m.keys.Key("session.empty"))
	m.say(plain, text)
	m.output.Note(text)
	return tea.Sequence(others...)
}

// beginEmpty begins a script without a file.
func (m *Model) beginEmpty() tea.Cmd {
	m.setFocus(editorSlot)
	return m.editor.New("", nil)
}

// present state for the next start.
func (m *Model) session() session.Session {
	s := session.Session{Layout: m.shape.save(), Filters: m.live.Filters()}
	for _, d := range m.editor.Desk().All() {
		if path := d.Path(); path != "" {
			line, col := m.editor.CursorOf(d)
			s.Documents = append(s.Documents, session.Document{Path: path, Line: line, Column: col})
			if d == m.doc() { // the one in front comes first
				i := len(s.Documents) - 1
				s.Documents[0], s.Documents[i] = s.Documents[i], s.Documents[0]
			}
		}
	}
	return s
}

// remember sees to it that what is open is written: another script at once, all else soon.
func (m *Model) remember(msg tea.Msg) tea.Cmd {
	if m.opts.Store == nil || !m.opts.Config.Session || !m.begun {
		return nil
	}
	if path := m.doc().Path(); path != m.memory.path {
		m.memory.path = path
		return m.writeSession()
	}
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg:
		if !m.memory.due {
			m.memory.due = true
			return tea.Tick(rememberAfter, func(time.Time) tea.Msg { return rememberMsg{} })
		}
	}
	return nil
}

// writeSession returns what writes what is open; nil if nothing is remembered.
func (m *Model) writeSession() tea.Cmd {
	m.memory.due = false
	store := m.opts.Store
	if store == nil || !m.opts.Config.Session || m.memory.restored != nil {
		return nil
	}
	now := m.session()
	now.Filters = maps.Clone(now.Filters)
	return func() tea.Msg { return rememberedMsg{"session", store.Save(now)} }
}

// remembered says once of each why it cannot be remembered; it matters to nothing else.
func (m *Model) remembered(msg rememberedMsg) {
	if msg.err == nil || m.memory.told[msg.what] {
		return
	}
	if m.memory.told == nil {
		m.memory.told = map[string]bool{}
	}
	m.memory.told[msg.what] = true
	m.say(warning, msg.err.Error())
	m.output.Note(msg.err.Error())
}

// rememberTheme writes down which theme was chosen.
func (m *Model) rememberTheme(name string) tea.Cmd {
	store := m.opts.Store
	if store == nil {
		return nil
	}
	return func() tea.Msg { return rememberedMsg{"session", store.SaveTheme(name)} }
}

// save returns what can be restored of a shape.
func (s *shape) save() session.Layout {
	return session.Layout{Usual: s.usual.save(nil), Wide: s.wide.save(nil), Zoom: s.zoom}
}

// save appends which pane a slot has and whether it is closed, or of a split whether
// somebody has dragged it, its shares, and what is within.
func (p *part) save(out []int) []int {
	if p.leaf() {
		n := 2 * int(p.slot)
		if p.closed {
			n++
		}
		return append(out, n)
	}
	dragged := 0
	if p.dragged {
		dragged = 1
	}
	out = append(out, dragged)
	for i := range p.parts {
		out = append(out, p.parts[i].share)
	}
	for i := range p.parts {
		out = p.parts[i].save(out)
	}
	return out
}

// restore makes s what was saved, if that is the shape of such a layout.
func (s *shape) restore(l session.Layout) bool {
	usual, wide := s.usual.clone(), s.wide.clone()
	rest1, ok1 := usual.restore(l.Usual)
	rest2, ok2 := wide.restore(l.Wide)
	if !ok1 || !ok2 || len(rest1)+len(rest2) > 0 || !alike(usual.leaves(), wide.leaves()) {
		return false
	}
	s.usual, s.wide = usual, wide
	return true
}

// alike reports whether two lists of slots have each pane once, the same ones closed,
// and one of them open.
func alike(a, b []*part) bool {
	open := 0
	for s := range slots {
		is := func(p *part) bool { return p.slot == s }
		i, j := slices.IndexFunc(a, is), slices.IndexFunc(b, is)
		if i < 0 || j < 0 || a[i].closed != b[j].closed {
			return false
		}
		if !a[i].closed {
			open++
		}
	}
	return open > 0
}

func (p *part) restore(in []int) (rest []int, ok bool) {
	if p.leaf() {
		if len(in) == 0 || in[0] < 0 || in[0] >= 2*int(slots) {
			return nil, false
		}
		p.slot, p.closed = slot(in[0]/2), in[0]%2 == 1
		return in[1:], true
	}
	n := len(p.parts)
	if len(in) < n+1 {
		return nil, false
	}
	p.dragged = p.dragged || in[0] == 1
	for i := range p.parts {
		kid, share := &p.parts[i], in[i+1]
		if share < 0 || share > 1000 || (share == 0) != (kid.share == 0) {
			return nil, false
		}
		if p.dragged && in[0] == 1 { // else it is what it comes with, or what the configuration says
			kid.share = share
		}
	}
	in = in[n+1:]
	for i := range p.parts {
		if in, ok = p.parts[i].restore(in); !ok {
			return nil, false
		}
	}
	return in, true
}
