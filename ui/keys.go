package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/widget"
)

// always are the keys that mean the same wherever the focus is, also while
// text is typed.
var always = []widget.Key[Model]{
	{On: "ctrl+r f5", Help: "run the script, in place of one that runs", Hint: "run", Do: (*Model).start},
	{On: "ctrl+t f6", Help: "stop the run", Hint: "stop", Off: (*Model).notRunning, Do: (*Model).stop},
	{On: "alt+i f7", Help: "what the run has lost, by kind, and how it is attached", Off: (*Model).notRun, Do: (*Model).openRun},
	{On: "alt+h f4", Help: "what is known of the probes of the clause that the cursor is in", Off: (*Model).noClause, Do: (*Model).openProbes},
	{On: "ctrl+p", Help: "list of all commands", Hint: "commands", Do: (*Model).openPalette},
	{On: "f1", Help: "help", Do: (*Model).openHelp},
	{On: "alt+1", Help: "go to the probes", Do: toPane(browserSlot)},
	{On: "alt+2", Help: "go to the script", Do: toPane(editorSlot)},
	{On: "alt+3", Help: "go to the live pane", Do: toPane(liveSlot)},
	{On: "alt+4", Help: "go to the output", Do: toPane(outputSlot)},
	{On: "f2", Help: "next pane", Do: func(m *Model) tea.Cmd { return m.cycle(+1) }},
	{On: "alt++ f11", Help: "enlarge the pane, or give the others their room back", Do: (*Model).zoom},
	{On: "alt+t f9", Help: "next theme", Do: (*Model).nextTheme},
	{On: "alt+m f12", Help: "take the mouse, or leave it to the terminal", Do: (*Model).toggleMouse},
	{On: "ctrl+l", Help: "draw the screen anew", Do: func(*Model) tea.Cmd { return tea.ClearScreen }},
	{On: "ctrl+q ctrl+c f10", Help: "quit", Do: (*Model).quit},
}

// calm are the keys that mean something while no text is typed.
var calm = []widget.Key[Model]{
	{On: "?", Help: "help", Hint: "help", Do: (*Model).openHelp},
	{On: ":", Help: "list of all commands", Do: (*Model).openPalette},
	{On: "tab", Help: "next pane", Hint: "next pane", Do: func(m *Model) tea.Cmd { return m.cycle(+1) }},
	{On: "shift+tab", Help: "previous pane", Do: func(m *Model) tea.Cmd { return m.cycle(-1) }},
	{On: "1", Help: "go to the probes", Do: toPane(browserSlot)},
	{On: "2", Help: "go to the script", Do: toPane(editorSlot)},
	{On: "3", Help: "go to the live pane", Do: toPane(liveSlot)},
	{On: "4", Help: "go to the output", Do: toPane(outputSlot)},
	{On: ",", Help: "a moment earlier, the run goes on", Hint: "earlier", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(-1) }},
	{On: ".", Help: "a moment later, at last now", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(+1) }},
	{On: "<", Help: "much earlier", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(-stride) }},
	{On: ">", Help: "much later, at last now", Off: (*Model).noPast, Do: func(m *Model) tea.Cmd { return m.step(+stride) }},
	{On: "+ _", Help: "enlarge the pane, or give the others their room back", Do: (*Model).zoom},
	{On: "q", Help: "quit", Do: (*Model).quit},
}

// back are the keys that go back one level where the pane has none to go back
// from.
var back = []widget.Key[Model]{
	{On: "esc", Help: "back to all panes, or from the script to the pane before", Hint: "leave", Off: (*Model).noLevel, Do: (*Model).up},
}

func toPane(s slot) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.setFocus(s) }
}

// key finds out who answers to a key: what lies over the panes, the pane in
// focus if it is typed into, the root, or the pane.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	if len(msg.Runes) > 1 && !msg.Paste && !m.texting() {
		return m.burst(msg)
	}
	if m.overlay.kind != noOverlay {
		return m.overlayKey(msg)
	}
	m.notice = notice{}
	p := m.front()
	if p.Takes(msg, widget.Find(always, msg) != nil) {
		return p.Update(msg)
	}
	for _, table := range append(m.tables(), back) {
		if widget.Find(table, msg) != nil {
			return m.act(table, msg)
		}
	}
	return p.Update(msg)
}

// act does what a row of a table does, or says why not.
func (m *Model) act(table []widget.Key[Model], msg tea.KeyMsg) tea.Cmd {
	cmd, why := widget.Press(m, table, msg)
	if why != "" { // else the row may have had something to say itself
		m.say(plain, why)
	}
	return cmd
}

// texting reports whether letters are text and not commands.
func (m *Model) texting() bool {
	if m.overlay.kind != noOverlay {
		return m.overlay.kind == paletteOverlay
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
func (m *Model) tables() [][]widget.Key[Model] {
	if m.front().Typing() {
		return [][]widget.Key[Model]{always}
	}
	return [][]widget.Key[Model]{always, calm}
}

// cycle gives the keys to the next pane.
func (m *Model) cycle(by int) tea.Cmd {
	return m.setFocus(slot((int(m.focus) + by + int(slots)) % int(slots)))
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
	if t.Name != name {
		m.say(plain, "without colours every theme is "+t.Name)
	} else {
		m.say(plain, "theme "+t.Name+": "+t.Help)
	}
	return nil
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = mouse{on: !m.mouse.on}
	if m.mouse.on {
		m.say(plain, "the mouse belongs to dscope; alt+m gives it back, shift selects")
		return tea.EnableMouseCellMotion
	}
	m.say(plain, "the mouse belongs to the terminal; alt+m takes it")
	return tea.DisableMouse
}
