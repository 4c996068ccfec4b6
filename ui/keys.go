package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/widget"
)

// always are the acts whose keys mean the same wherever the focus is, also while
// text is typed.
var always = widget.Table[Model]{Context: "always", Acts: []widget.Act[Model]{
	{Name: "run.start", Do: (*Model).start},
	{Name: "run.stop", Off: (*Model).notRunning, Do: (*Model).stop},
	{Name: "run.watch", Do: (*Model).toWatch},
	{Name: "run.facts", Off: (*Model).notRun, Do: (*Model).openRun},
	{Name: "script.probes", Off: (*Model).noWord, Do: (*Model).openKnown},
	{Name: "script.outside", Off: (*Model).noTerminal, Do: (*Model).editOutside},
	{Name: "complaints.open", Off: (*Model).noComplaints, Do: (*Model).openComplaints},
	{Name: "history.open", Off: (*Model).noHistory, Do: (*Model).openHistory},
	{Name: "shelf.open", Off: (*Model).noRuns, Do: (*Model).openShelf},
	{Name: "scripts.open", Do: (*Model).openScripts},
	{Name: "hosts.open", Off: (*Model).noHosts, Do: (*Model).openHosts},
	{Name: "palette.open", Do: (*Model).openPalette},
	{Name: "questions.open", Do: (*Model).openQuestions},
	{Name: "help.open", Do: (*Model).openHelp},
	{Name: "pane.probes", Do: toPane(browserSlot)},
	{Name: "pane.script", Do: toPane(editorSlot)},
	{Name: "pane.live", Do: toPane(liveSlot)},
	{Name: "pane.output", Do: toPane(outputSlot)},
	{Name: "pane.next", Do: func(m *Model) tea.Cmd { return m.cycle(+1) }},
	{Name: "pane.enlarge", Do: (*Model).zoom},
	{Name: "pane.close", Off: (*Model).lonely, Do: (*Model).closePane},
	{Name: "pane.swap", Off: (*Model).lonely, Do: (*Model).swapPane},
	{Name: "pane.wider", Off: unsized(false), Do: resizeBy(+widen, 0)},
	{Name: "pane.narrower", Off: unsized(false), Do: resizeBy(-widen, 0)},
	{Name: "pane.taller", Off: unsized(true), Do: resizeBy(0, +heighten)},
	{Name: "pane.lower", Off: unsized(true), Do: resizeBy(0, -heighten)},
	{Name: "export.open", Off: (*Model).noExport, Do: (*Model).openExport},
	{Name: "theme.next", Do: (*Model).nextTheme},
	{Name: "mouse.toggle", Do: (*Model).toggleMouse},
	{Name: "screen.redraw", Do: func(*Model) tea.Cmd { return tea.ClearScreen }},
	{Name: "session.empty", Do: (*Model).beginEmpty},
	{Name: "suspend", Off: (*Model).noShell, Do: (*Model).suspend},
	{Name: "quit", Do: (*Model).quit},
}}

// calm are the acts whose keys mean something while no text is typed.
var calm = widget.Table[Model]{Context: "calm", Acts: []widget.Act[Model]{
	{Name: "help.open", Do: (*Model).openHelp},
	{Name: "palette.open", Do: (*Model).openPalette},
	{Name: "pane.next", Do: func(m *Model) tea.Cmd { return m.cycle(+1) }},
	{Name: "pane.previous", Do: func(m *Model) tea.Cmd { return m.cycle(-1) }},
	{Name: "pane.probes", Do: toPane(browserSlot)},
	{Name: "pane.script", Do: toPane(editorSlot)},
	{Name: "pane.live", Do: toPane(liveSlot)},
	{Name: "pane.output", Do: toPane(outputSlot)},
	{Name: "timeline.back", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(-1) }},
	{Name: "timeline.forth", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(+1) }},
	{Name: "timeline.farback", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(-stride) }},
	{Name: "timeline.farforth", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(+stride) }},
	{Name: "timeline.now", Off: (*Model).isNow, Do: (*Model).now},
	{Name: "timeline.mark", Off: (*Model).noPast, Do: (*Model).mark},
	{Name: "timeline.write", Off: (*Model).noKeep, Do: (*Model).keepShown},
	{Name: "export.open", Off: (*Model).noExport, Do: (*Model).openExport},
	{Name: "compare.open", Off: (*Model).noCompare, Do: (*Model).openCompare},
	{Name: "shelf.open", Off: (*Model).noRuns, Do: (*Model).openShelf},
	{Name: "pane.enlarge", Do: (*Model).zoom},
	{Name: "suspend", Off: (*Model).noShell, Do: (*Model).suspend},
	{Name: "quit", Do: (*Model).quit},
}}

// back is what goes back one level where the pane has none to go back
// from.
var back = widget.Table[Model]{Context: "back", Acts: []widget.Act[Model]{
	{Name: "pane.leave", Off: (*Model).noLevel, Do: (*Model).up},
}}

func toPane(s slot) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.setFocus(s) }
}

// key finds out who answers to a key: what lies over the panes, the pane in
// focus if it is typed into, the root, or the pane.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	if len(msg.Runes) > 1 && !msg.Paste && !m.texting() {
		return m.burst(msg)
	}
	if m.overlay != nil {
		return m.overlayKey(msg)
	}
	m.notice, m.stale = notice{}, ""
	p := m.front()
	if p.Takes(msg, always.Find(m.keys, msg) != nil) {
		return p.Update(msg)
	}
	for _, table := range append(m.tables(), back) {
		if a := table.Find(m.keys, msg); a != nil {
			m.stale = p.Why()
			return m.act(a)
		}
	}
	return p.Update(msg)
}

// act does what was asked for, or says why not.
func (m *Model) act(a *widget.Act[Model]) tea.Cmd {
	cmd, why := a.Try(m)
	if why != "" { // else the row may have had something to say itself
		m.say(plain, why)
	}
	return cmd
}

// texting reports whether letters are text and not commands.
func (m *Model) texting() bool {
	if m.overlay != nil {
		h := opened[*help](m)
		_, typed := m.overlay.(chooser)
		return typed || opened[*exporting](m) != nil || h != nil && h.typing
	}
	return m.front().Typing()
}

// burst takes letters that came in one piece, as they do from a key that is
// held down, or over a slow line: each is a command, and what comes after one
// that begins a text is text.
func (m *Model) burst(msg tea.KeyMsg) tea.Cmd {
	first, rest := msg, msg
	first.Runes, rest.Runes = msg.Runes[:1], msg.Runes[1:]
	cmd := m.key(first)
	return tea.Batch(cmd, m.key(rest))
}

// up goes back one level: from the enlarged pane to all four, from the editor
// to the pane before.
func (m *Model) up() tea.Cmd {
	if m.shape.zoom {
		return m.zoom()
	}
	if m.shape.closed(m.trail.last) {
		return m.cycle(+1)
	}
	return m.setFocus(m.trail.last)
}

// noLevel says why there is nothing to go back from.
func (m *Model) noLevel() string {
	if !m.shape.zoom && m.focus != editorSlot {
		return "nothing to go back from"
	}
	return ""
}

// tables returns the tables of the root that count now.
func (m *Model) tables() []widget.Table[Model] {
	if m.front().Typing() {
		return []widget.Table[Model]{always}
	}
	return []widget.Table[Model]{always, calm}
}

// cycle gives the keys to the next pane.
// cycle goes to the next pane that is open, by number, or back.
func (m *Model) cycle(by int) tea.Cmd {
	to := m.focus
	for range slots {
		if to = slot((int(to) + by + int(slots)) % int(slots)); !m.shape.closed(to) {
			break
		}
	}
	return m.setFocus(to)
}

func (m *Model) zoom() tea.Cmd {
	m.shape.zoom = !m.shape.zoom
	m.place()
	return nil
}

// nextTheme goes through the themes.
func (m *Model) nextTheme() tea.Cmd {
	names := themes.Names()
	at := 0
	for i, n := range names {
		if n == m.looks.theme {
			at = i
		}
	}
	name := names[(at+1)%len(names)]
	t, err := themes.Load(name, m.opts.screen())
	if err != nil {
		m.say(failure, err.Error())
		return nil
	}
	m.setTheme(t)
	m.memory.suits = false
	if t.Name != name {
		m.say(plain, "without colours every theme is "+t.Name)
		return nil
	}
	text := "theme " + t.Name + ": " + t.Help
	if said := m.opts.Config.Theme; said != "" && said != t.Name {
		text += "; the configuration says " + said + ", which the next start has"
	}
	m.say(plain, text)
	return m.rememberTheme(t.Name)
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = mouse{on: !m.mouse.on}
	if m.mouse.on {
		m.say(plain, "the mouse belongs to dscope; "+m.keys.Key("mouse.toggle")+" gives it back, shift selects")
		return tea.EnableMouseCellMotion
	}
	m.say(plain, "the mouse belongs to the terminal; "+m.keys.Key("mouse.toggle")+" takes it")
	return tea.DisableMouse
}
