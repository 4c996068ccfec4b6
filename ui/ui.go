// Package ui is the workbench: four panes that work together on one script.
//
// The root Model owns the panes and everything between them: which has the
// keys, where each stands, the run in progress, and what is asked of the
// Backend. Each pane stands in a slot behind the interface pane (pane.go). Panes
// never import one another and know no Backend; they return messages such as
// browser.InsertMsg or editor.ChangedMsg, and the root acts.
//
// Rules that keep it calm:
//
//   - Nothing blocks in Update. What takes time is a command, and its answer a
//     message that names the run, document or query it belongs to; stale answers
//     are dropped (run.go, ask.go).
//   - At most one snapshot, one status and one batch of events are in flight:
//     the next is fetched when the last has been taken. A slow terminal slows
//     the fetching, never the tracer.
//   - Keys are one map (package keymap) that feeds dispatch, bottom line, help and
//     palette; tables such as that of keys.go say how each action is done. Keys with letters act where no text is being typed.
//   - A run is put on the shelf (package shelf) when the next has begun. Its pictures are
//     shown as the live pane shows any moment: by its timeline (shelfbox.go). Two runs,
//     or two stretches of one, are compared by package compare (comparebox.go).
//   - The script is a document (package document), which the editor shows: a check, a run or an
//     answer is about one document.Ref. What lies over the panes is an overlay (overlay.go), a type for each.
//   - The layout is a tree of shares (shape.go) and a function of it and the size
//     (layout.go); drawing, clicks and drags read the same rectangles.
//   - View is a function of the model (draw.go, status.go, footer.go, overlay.go), and drawn
//     by a canvas (canvas.go), which a terminal may hold up without holding up the rest.
//
// Run starts the program and sees to it that, however it ends (a key, a
// signal, a panic), the terminal is given back and no run stays open.
package ui

import (
	"context"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/browser"
	"dscope.dev/ui/config"
	"dscope.dev/ui/editor"
	"dscope.dev/ui/history"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/live"
	"dscope.dev/ui/output"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/session"
	"dscope.dev/ui/shelf"
	"dscope.dev/ui/why"
	"dscope.dev/ui/widget"
)

// Options are what a workbench starts with.
type Options struct {
	Path      string           // the script to open; "" begins an empty one
	Text      string           // the script to begin with if Path is ""
	Start     bool             // run the script at once
	Depth     themes.Depth     // how many colours
	Light     bool             // the terminal's background is light
	ASCII     bool             // the terminal has no glyphs beyond ASCII
	Assume    [2]int           // columns and rows of a terminal that tells neither; zeros are the usual ones
	State     string           // folder for copies of unsaved text; "" keeps none
	Process   trace.Process    // the process to look at, which is $target; number 0 is none
	Notice    string           // a word to begin with, such as what privileges are missing
	Source    string           // what is traced if it is not this machine, now; shown while there is nothing else to say
	Machine   string           // which machine is traced if it is another one; shown likewise
	Clipboard io.Writer        // the terminal, for OSC 52; nil keeps copies inside
	Keep      Keep             // writes a run as a recording; nil if nothing does
	Keys      *keymap.Map      // which keys ask for what; nil is as the configuration has it
	Export    Exporter         // writes what is shown, or a run, in other forms
	Beside    []trace.Observer // who is shown each run as it goes on
	Words     <-chan string    // words of what works beside the screen, such as observers; nil if there are none

	Config *config.Config  // what the user has said; nil is nothing
	Wrong  []string        // what the user has said and cannot be taken
	Store  *session.Store  // for the next start; nil remembers nothing
	Last   session.Session // what was open last
	Kernel string          // the release of the one that is traced, for the history of runs
}

// screen says for what screen themes are made.
func (o Options) screen() themes.Options {
	return themes.Options{Depth: o.Depth, Light: o.Light, ASCII: o.ASCII}
}

// A Model is the whole screen.
type Model struct {
	back Backend
	opts Options
	open *runs // every run that has been started and not closed

	target trace.Process // that $target is in the script; number 0 is none

	looks   looks
	keys    *keymap.Map
	w, h    int
	shape   shape
	assumed bool // it has been said that the terminal tells no size
	focus   slot
	trail   trail
	mouse   mouse
	ticks   bool // a tick is under way
	begun   bool // the script to begin with is in the editor

	panes

	run      current
	kept     *shelf.Shelf // the runs before
	visited  *shelf.Run   // the one of them that is shown; nil if none is
	next     pending
	asks     asks
	overlay  overlay    // nil if the panes have the keys
	box      *why.Model // what whyBox shows
	notice   notice
	stale    string // why a key of the pane did nothing before the root did something
	memory   memory
	history  *history.Store // of all runs of the user; nil remembers none
	watching bool           // what is saved is run
	jobs     *jobs          // what gives the terminal to the shell for a time; nil if nothing can
}

// A trail is where the focus was before.
type trail struct {
	last  slot // before the editor
	front slot // of those beside the browser
}

// New returns a workbench over a backend. ctx bounds what it asks of it.
func New(ctx context.Context, b Backend, o Options) (Model, error) {
	o.said()
	t, err := themes.Load(o.themeName(), o.screen())
	if err != nil {
		return Model{}, err
	}
	if o.Assume == [2]int{} {
		o.Assume = usualSize
	}
	m := Model{
		keys: o.Keys,
		back: b, opts: o, open: &runs{ctx: ctx}, looks: newLooks(t), shape: shapeOf(o.Config.Layout),
		focus: editorSlot, trail: trail{last: liveSlot}, mouse: mouse{on: o.Config.Mouse}, box: why.New(t), kept: shelf.New(o.Config.Limits.RunsMemory),
		panes: panes{
			browser: browser.New(t, b.Describe, processesOf(b)),
			editor:  editor.New(t, editor.Options{Clipboard: o.Clipboard, State: o.State, Tab: o.Config.Tab}),
			live:    live.New(t), output: output.New(t),
		},
	}
	for _, p := range m.all {
		p.SetKeys(o.Keys)
	}
	m.box.SetKeys(o.Keys)
	if o.Source == "" { // a recording is seen, and does not run
		m.history = history.New(o.State)
	}
	m.memory.suits = o.suits() && t.Name != themes.Mono
	m.live.SetBudget(o.Config.Limits.PastMemory)
	m.output.SetLimits(o.Config.Limits.OutputLines, o.Config.Limits.OutputMemory)
	m.restore()
	m.setFocus(m.focus)
	m.idle()
	for i, wrong := range o.Wrong {
		if i == 0 {
			m.say(warning, wrong)
		}
		m.output.Note(wrong)
	}
	if o.Notice != "" {
		m.say(warning, o.Notice)
		m.output.Note(o.Notice) // stays when the next key has wiped the status line
	}
	return m, nil
}

// Init asks for the probes and opens the script.
func (m Model) Init() tea.Cmd {
	open := m.editor.Open(m.opts.Path)
	if m.memory.restored != nil && m.opts.Path != "" { // nobody asked for it: all that was left behind is offered
		open = tea.Sequence(open, m.editor.Open(""))
	}
	return tea.Batch(m.readProbes(), open, m.clock(), m.nextWord())
}

// Update routes: keys and mouse go to the pane that they concern, data goes
// where it belongs.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(cmd, m.clock(), m.live.Work(), m.remember(msg))
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyMsg:
		m.live.SetNow(time.Now()) // from which it may be frozen
		return m.key(msg)
	case tea.MouseMsg:
		return m.click(msg)
	case tickMsg:
		m.tick(msg)
	case outsideMsg:
		return m.cameBack(msg)
	case resumedMsg:
		return m.resumed(msg)
	case signalMsg:
		return m.signalled(msg)
	case editor.Msg:
		cmd := m.editor.Update(msg)
		return tea.Batch(cmd, m.begin())
	case editor.ChangedMsg, editor.CompleteMsg:
		return m.ask(msg)
	case knownMsg:
		m.known(msg)
	case readyMsg:
		return m.gotReady(msg)
	case askedMsg: // who asks wants to see the answer
		m.setFocus(liveSlot)
		return m.start()
	case checkedMsg, completedMsg, checkDueMsg:
		return m.answered(msg)
	case backgroundMsg:
		return m.suit(msg)
	case rememberMsg:
		return m.writeSession()
	case rememberedMsg:
		m.remembered(msg)
	case browser.InsertMsg:
		return m.insert(msg)
	case browser.AgainMsg:
		return m.readProbes()
	case browser.TryMsg:
		return m.try(msg)
	case browser.TargetMsg:
		return m.aim(msg.Process)
	case widget.CopyMsg:
		return m.copy(msg.Text)
	case keptMsg:
		m.keptAs(msg)
	case editor.CalledMsg:
		return m.recheck()
	case editor.AskMsg:
		a := always.Named(msg.Action)
		if a == nil {
			a = calm.Named(msg.Action)
		}
		return m.act(a)
	case editor.SavedMsg:
		return m.runSaved()
	case historyListMsg:
		m.gotHistory(msg)
	case recentMsg:
		m.gotRecent(msg)
	case wordMsg:
		return m.heard(msg)
	case exportedMsg:
		m.exportDone(msg)
	case cutMsg:
		m.foundCut(msg)
	case probesMsg:
		return m.gotProbes(msg)
	case contrastedMsg:
		return m.contrasted(msg)
	case contrastMsg:
		m.mergedContrast(msg)
	case selection.AskMsg:
		return m.asked(msg)
	case why.RankedMsg, why.TakeMsg, why.LookMsg, why.FoundMsg, why.CloseMsg:
		return m.answeredWhy(msg)
	case startedMsg, noteMsg, snapshotMsg, eventsMsg, statusMsg, endedMsg, closedMsg:
		return m.runMsg(msg)
	default: // the answer to what a pane asked
		var cmds []tea.Cmd
		for _, p := range m.all {
			cmds = append(cmds, p.Update(msg))
		}
		return tea.Batch(cmds...)
	}
	return nil
}

// begin does what the options ask for, once the editor has its file.
func (m *Model) begin() tea.Cmd {
	if m.begun {
		return nil
	}
	m.begun = true
	reopened := m.reopened()
	var set, run tea.Cmd
	if m.opts.Path == "" && m.opts.Text != "" {
		set = m.editor.SetText(m.opts.Text)
	}
	look := m.lookAt(m.opts.Process)
	if m.opts.Start {
		run = m.start()
	}
	return tea.Batch(set, look, run, reopened)
}

// place gives every pane its size.
func (m *Model) place() {
	m.box.SetSize(m.boxWidth()-2, m.boxHeight()-2)
	l := m.layout()
	for s, p := range m.all {
		if l.visible(s) { // a hidden pane keeps its windows where they are
			p.SetSize(l.body[s].w, l.body[s].h)
		}
	}
}

func (m *Model) layout() layout { return arrange(m.shape, m.w, m.h, m.focus, m.trail.front) }

// setFocus gives the keys to a pane.
func (m *Model) setFocus(s slot) tea.Cmd {
	if s != editorSlot {
		m.trail.last = s
	}
	if s != browserSlot {
		m.trail.front = s
	}
	m.focus = s
	if m.shape.closed(s) {
		m.shape = m.shape.close(s, false)
	}
	for other, p := range m.all {
		p.SetFocus(other == s)
	}
	if m.w > 0 {
		m.place()
	}
	return nil
}

// insert puts a clause into the script and takes the user there.
func (m *Model) insert(msg browser.InsertMsg) tea.Cmd {
	cmd := m.editor.InsertClause(msg.Pattern)
	m.setFocus(editorSlot)
	return cmd
}

func (m *Model) copy(text string) tea.Cmd {
	cmd := widget.Copy(m.opts.Clipboard, text)
	if cmd == nil {
		m.say(warning, "too long for the clipboard of a terminal")
		return nil
	}
	m.say(plain, "copied")
	return cmd
}

// setTheme changes the looks of everything.
func (m *Model) setTheme(t *themes.Theme) {
	m.looks = newLooks(t)
	m.box.SetTheme(t)
	for _, p := range m.all {
		p.SetTheme(t)
	}
}

// tickMsg comes every second while the picture is held, which says for how long it has been.
type tickMsg struct{ at time.Time }

// clock arranges the next tick if anything counts seconds and none is due. What a run says of
// itself brings its own time.
func (m *Model) clock() tea.Cmd {
	if m.ticks || m.live.Held() == "" {
		return nil
	}
	m.ticks = true
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tickMsg{t} })
}

func (m *Model) tick(msg tickMsg) {
	m.ticks = false
	m.live.SetNow(msg.at)
}
