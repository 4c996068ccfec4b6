package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
	"dscope.dev/ui/browser"
	"dscope.dev/ui/document"
	"dscope.dev/ui/editor"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/live"
	"dscope.dev/ui/output"
	"dscope.dev/ui/widget"
)

// A pane is what stands in a slot of the layout. The root routes keys, the mouse and
// focus by this alone; what it knows of each pane beyond is the data that it hands to
// it, and the messages that come back.
type pane interface {
	SetSize(w, h int)
	SetFocus(on bool)
	SetTheme(t *themes.Theme)
	SetKeys(k *keymap.Map)

	// Update takes keys while the pane has the focus, the mouse where it is over the
	// pane (places count from its corner), what is asked of it by name
	// (widget.DoMsg), and the answers to what it asked.
	Update(msg tea.Msg) tea.Cmd

	Rows() []string // the picture: as many lines as it is high, each as wide as it is
	Title() string  // what the frame says beside the name
	Held() string   // why the picture is not the newest; "" if it is

	Keys() []widget.Help // what it answers to
	Why() string         // why the last key did nothing; "" if it did something
	Typing() bool        // letters are text now and no commands

	// Takes reports whether the pane needs a key before the root looks at it.
	// reserved says that the key means the same everywhere.
	Takes(key tea.KeyMsg, reserved bool) bool
}

// A slot is a place that the layout gives a pane.
type slot uint8

const (
	browserSlot slot = iota
	editorSlot
	liveSlot
	outputSlot
	slots // how many there are
)

// String returns the name of a slot as its frame shows it.
func (s slot) String() string { return [...]string{"Probes", "Script", "Live", "Output"}[s] }

// panes are what stands in the slots, each under its own type for the data that the
// root hands it.
type panes struct {
	browser *browser.Model
	editor  *editor.Model
	live    *live.Model
	output  *output.Model
}

// doc returns the script that is written. A check, a run or an answer is about one
// document.Ref of it.
func (p *panes) doc() *document.Document { return p.editor.Document() }

// in returns the pane of a slot.
func (p *panes) in(s slot) pane { return [...]pane{p.browser, p.editor, p.live, p.output}[s] }

// all yields every pane with its slot.
func (p *panes) all(yield func(slot, pane) bool) {
	for s := range slots {
		if !yield(s, p.in(s)) {
			return
		}
	}
}

// front returns the pane in focus.
func (m *Model) front() pane { return m.in(m.focus) }
