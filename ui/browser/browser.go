// Package browser is the pane that shows every probe of the machine: as a tree
// of provider, module, function and name, and as a list that narrows as one
// types.
//
// The tree is lazy: a Catalog holds the probes in order, a branch is a range
// of it, and the lines below a branch are worked out when it is opened.
// Searches run in commands, never in Update: each names the query that it
// answers, and an answer to anything but the latest query is dropped. What is
// known of the selected probe comes from the tracer in the same way, once the
// cursor has rested for a moment.
//
// The probes of processes are too many to be listed. Their families lead to a list
// of the processes that run (picker.go), and that to a tree of one process
// (scope.go), which has a catalog of its own that grows as files are read.
package browser

import (
	"context"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/widget"
)

// A Describer tells what is known of a probe.
type Describer func(context.Context, trace.Probe) (trace.ProbeInfo, error)

// Messages to the parent.
type (
	// InsertMsg asks for a clause for the probes that Pattern covers.
	InsertMsg struct{ Pattern string }
)

// Messages to the pane itself, from its commands.
type (
	foundMsg struct {
		id     int
		result *result
	}
	restMsg struct{ probe trace.Probe } // the cursor rests on it
	infoMsg struct {
		probe trace.Probe
		info  trace.ProbeInfo
		err   error
	}
)

// rest is how long the cursor stays before the tracer is asked about a probe.
const rest = 60 * time.Millisecond

// A Model is the pane.
type Model struct {
	looks    looks
	keys     *keymap.Map
	w, h     int
	focused  bool
	describe Describer
	source   Processes // nil if there are none to be asked for

	view         // of the machine, or of a process
	machine view // of the machine, while that of a process is shown
	picker  picker
	scope   *scope // the process that is shown; nil if it is the machine
	target  trace.Process

	lookedAt time.Time // when it was asked last which processes run

	id     int                // of the latest query
	cancel context.CancelFunc // ends the search under way; nil if there is none
	taken  bool               // what it finds first is to be inserted

	info    map[trace.Probe]infoMsg // what is known of probes looked at
	trial   trial
	choice  choice
	why     string
	waiting trace.Probe // what the tracer is asked about
}

// A view is a catalog and what is looked at in it.
type view struct {
	catalog *Catalog
	err     error // why there is no catalog

	tree []row // the open part of the tree
	at   int   // the selected line of the tree
	top  int

	typing bool
	input  widget.Input // what is typed
	query  string       // what is looked for
	result *result      // of the latest query answered; nil outside a search
	hit    int          // the selected line of the result
	hitTop int
}

// looks are the inks of the pane.
type looks struct {
	branch, leaf, count, match, cursor, unavailable, typ, help, filter, muted ink.Ink

	glyph func(glyph, ascii string) string // which of the two the terminal draws
}

// New returns an empty pane that asks describe about probes, and source, unless that
// is nil, about processes.
func New(t *themes.Theme, describe Describer, source Processes) *Model {
	m := &Model{keys: keymap.Default(), describe: describe, source: source, info: map[trace.Probe]infoMsg{}}
	m.SetTheme(t)
	return m
}

// SetTheme changes the looks.
func (m *Model) SetTheme(t *themes.Theme) {
	b := t.Browser
	m.looks = looks{
		branch: ink.Of(b.Branch), leaf: ink.Of(b.Leaf), count: ink.Of(b.Count), match: ink.Of(b.Match),
		cursor: ink.Of(b.Cursor), unavailable: ink.Of(b.Unavailable), typ: ink.Of(b.Type), help: ink.Of(b.Help),
		filter: ink.Of(b.Filter), muted: ink.Of(t.Frame.Muted), glyph: t.Glyph,
	}
}

// SetKeys says which keys ask for what.
func (m *Model) SetKeys(k *keymap.Map) { m.keys = k }

// SetSize fits the pane into w columns and h lines.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.settle()
}

// SetFocus says whether keys go to this pane.
func (m *Model) SetFocus(on bool) { m.focused = on }

// SetCatalog shows the probes of c.
func (m *Model) SetCatalog(c *Catalog) tea.Cmd {
	if m.scope != nil { // what was looked for is looked for again on the way back
		m.machine = view{catalog: c, tree: c.roots(), query: m.machine.query, input: m.machine.input}
		return nil
	}
	m.replant(c) // who has it read anew keeps their place
	m.catalog, m.err, m.lookedAt, m.why = c, nil, time.Time{}, ""
	m.info = map[trace.Probe]infoMsg{}
	m.settle()
	if m.query != "" {
		m.result = nil
		return m.search()
	}
	return nil
}

// SetError says why there are no probes to show.
func (m *Model) SetError(err error) {
	if m.scope != nil {
		m.machine.err = err
		return
	}
	m.err = err
}

// Typing reports whether keys are letters of a query now.
func (m *Model) Typing() bool { return m.typing || m.picker.open }

// Takes reports whether a key is for the query that is typed, or goes back a level
// within the pane.
func (m *Model) Takes(msg tea.KeyMsg, reserved bool) bool {
	if m.Typing() && !reserved {
		return true
	}
	a := m.table().Find(m.keys, msg)
	return a != nil && (a.Name == "probes.back" || a.Name == "list.close") && m.inside()
}

// inside reports whether esc goes back a level within the pane.
func (m *Model) inside() bool {
	return m.Searching() || m.picker.open || m.scope != nil || m.trying() || m.choice.open
}

// Held reports that what is shown is all that is known.
func (m *Model) Held() string { return "" }

// Why says why the last key did nothing.
func (m *Model) Why() string { return m.why }

// Title says what the frame should say beside the pane's name.
func (m *Model) Title() string {
	switch {
	case m.picker.open:
		return "processes"
	case m.scope != nil:
		return m.scope.title(m.target == m.scope.process)
	case m.catalog == nil:
		return ""
	}
	return strconv.Itoa(m.catalog.Len())
}

// acts are what the pane does while it has the focus.
var acts = widget.Table[Model]{Context: "probes", Acts: []widget.Act[Model]{
	{Name: "probes.search", Off: (*Model).nothing, Do: (*Model).startSearch},
	{Name: "probes.enter", Off: (*Model).nothing, Do: (*Model).enter},
	{Name: "probes.insert", Off: (*Model).nothing, Do: (*Model).insert},
	{Name: "probes.up", Do: func(m *Model) tea.Cmd { return m.move(-1) }},
	{Name: "probes.down", Do: func(m *Model) tea.Cmd { return m.move(+1) }},
	{Name: "probes.expand", Off: (*Model).nothing, Do: (*Model).expand},
	{Name: "probes.collapse", Off: (*Model).nothing, Do: (*Model).collapse},
	{Name: "probes.pageup", Do: func(m *Model) tea.Cmd { return m.move(-m.page()) }},
	{Name: "probes.pagedown", Do: func(m *Model) tea.Cmd { return m.move(+m.page()) }},
	{Name: "probes.first", Do: func(m *Model) tea.Cmd { return m.move(-1 << 30) }},
	{Name: "probes.last", Do: func(m *Model) tea.Cmd { return m.move(+1 << 30) }},
	{Name: "probes.back", Off: (*Model).noLevel, Do: (*Model).back},
	{Name: "probes.try", Off: (*Model).nothing, Do: (*Model).try},
	{Name: "probes.latency", Off: (*Model).nothing, Do: (*Model).measure},
	{Name: "probes.argument", Off: (*Model).nothing, Do: (*Model).chooseArgument},
	{Name: "probes.process", Off: (*Model).noProcesses, Do: (*Model).openPicker},
	{Name: "probes.target", Off: (*Model).noScope, Do: (*Model).aim},
	{Name: "probes.again", Off: (*Model).noAgain, Do: (*Model).again},
	{Name: "probes.copy", Off: (*Model).nothing, Do: (*Model).copyName},
}}

// Keys returns the help of the pane's keys.
func (m *Model) Keys() []widget.Help { return m.table().Helps(m, m.keys) }

// table returns what keys do now; what it does not know is typed where text is.
func (m *Model) table() widget.Table[Model] {
	switch {
	case m.picker.open:
		return pickActs
	case m.typing:
		return searchActs
	case m.choice.open:
		return choiceActs
	}
	return acts
}

// Update handles keys, the mouse and the answers to what the pane asked.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if a := m.table().Find(m.keys, msg); a != nil || !m.Typing() {
			cmd = m.do(a)
		} else {
			cmd = m.typed(msg)
		}
	case widget.DoMsg:
		cmd = m.do(m.table().Named(msg.Action))
	case tea.MouseMsg:
		return m.mouse(msg)
	case foundMsg:
		if msg.id == m.id && msg.result != nil {
			cmd = m.found(msg.result)
		}
		m.settle()
	case restMsg:
		cmd = m.asked(msg)
	case infoMsg:
		m.learn(msg)
	case TriedMsg:
		m.tried(msg)
	case runningMsg:
		m.markOver(msg)
	default:
		cmd = m.ofProcesses(msg)
	}
	return cmd
}

// do does what was asked for, or says why not.
func (m *Model) do(a *widget.Act[Model]) tea.Cmd {
	m.why = ""
	cmd, off := a.Try(m)
	if off != "" { // else the act may have said why itself
		m.why = off
	}
	m.settle()
	return tea.Batch(cmd, m.ask(), m.lookWhoRuns())
}

// typed takes a key that is text.
func (m *Model) typed(msg tea.KeyMsg) (cmd tea.Cmd) {
	m.why = ""
	if m.picker.open {
		m.pickKey(msg)
	} else {
		cmd = m.typeKey(msg)
	}
	m.settle()
	return tea.Batch(cmd, m.ask())
}

func (m *Model) nothing() string {
	switch {
	case m.err != nil:
		return m.err.Error()
	case m.catalog == nil:
		return "the probes are still being read"
	}
	return ""
}

func (m *Model) noLevel() string {
	if !m.inside() {
		return "nothing to go back from"
	}
	return ""
}

// back goes back one level.
func (m *Model) back() tea.Cmd {
	switch {
	case m.trying():
		m.giveUpTrial()
		return nil
	case m.Searching():
		return m.leave()
	case m.scope.busy():
		m.scope.giveUp()
		return nil
	}
	return m.leaveScope()
}

// Searching reports whether the list of a search is shown, from which esc goes
// back to the tree.
func (m *Model) Searching() bool { return m.typing || m.query != "" }

// selected returns the line under the cursor.
func (m *Model) selected() (row, bool) {
	if m.Searching() {
		if m.result == nil || m.hit >= len(m.result.found) {
			return row{}, false
		}
		return m.hitRow(m.hit), true
	}
	if m.at >= len(m.tree) {
		return row{}, false
	}
	return m.tree[m.at], true
}

// hitRow returns line n of a search.
func (m *Model) hitRow(n int) row {
	i := int(m.result.found[n])
	return row{span: span{i, i + 1}, level: nameLevel, leaf: true, label: m.catalog.probes[i].String()}
}

func (m *Model) move(by int) tea.Cmd {
	if m.Searching() {
		if m.result != nil {
			m.hit = min(max(m.hit+by, 0), max(len(m.result.found)-1, 0))
		}
		return nil
	}
	m.at = min(max(m.at+by, 0), max(len(m.tree)-1, 0))
	return nil
}

func (m *Model) page() int { return max(m.listHeight()-1, 1) }

// enter inserts a clause for a probe, or opens a branch.
func (m *Model) enter() tea.Cmd {
	r, ok := m.selected()
	switch {
	case !ok:
		return nil
	case r.leaf:
		return m.insert()
	case r.open:
		return m.collapse()
	}
	return m.expand()
}

func (m *Model) insert() tea.Cmd {
	r, ok := m.selected()
	if !ok {
		return nil
	}
	if why := m.reasonOf(r); why != "" {
		m.why = r.label + ": " + why
		return nil
	}
	if m.leads(r) {
		return m.openPicker()
	}
	if m.scope != nil && m.scope.ended != nil {
		m.why = m.scope.ended.Error()
		return nil
	}
	pattern := m.pattern(r)
	return func() tea.Msg { return InsertMsg{pattern} }
}

func (m *Model) copyName() tea.Cmd {
	if r, ok := m.selected(); ok {
		return widget.AskCopy(m.pattern(r))
	}
	return nil
}

// expand opens the selected branch, or steps into it if it is open.
func (m *Model) expand() tea.Cmd {
	r, ok := m.selected()
	switch {
	case !ok || m.Searching() || r.leaf:
		return nil
	case r.reason != "" && r.len() > 0:
		m.why = r.label + ": " + r.reason
		return nil
	case m.leads(r):
		return m.openPicker()
	case m.unread(r):
		return m.readFile(r.file - 1)
	case r.len() == 0 && !r.files:
		return nil
	case r.open:
		return m.move(+1)
	}
	below := m.catalog.children(r)
	m.tree[m.at].open = true
	tree := make([]row, 0, len(m.tree)+len(below))
	tree = append(append(append(tree, m.tree[:m.at+1]...), below...), m.tree[m.at+1:]...)
	m.tree = tree
	return nil
}

// collapse closes the selected branch, or goes to the branch that it is in.
func (m *Model) collapse() tea.Cmd {
	r, ok := m.selected()
	if !ok || m.Searching() {
		return nil
	}
	if !r.open {
		for i := m.at - 1; i >= 0; i-- {
			if m.tree[i].depth < r.depth {
				m.at = i
				break
			}
		}
		return nil
	}
	end := m.at + 1
	for end < len(m.tree) && m.tree[end].depth > r.depth {
		end++
	}
	tree := append([]row(nil), m.tree[:m.at+1]...)
	tree[m.at].open = false
	m.tree = append(tree, m.tree[end:]...)
	return nil
}
