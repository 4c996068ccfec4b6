// Package why answers questions about a selection: it lists the examples in it and shows
// each with all that is known of it (examples.go), says what is different about them
// (ranking.go), shows what the script would become to keep no more (change.go), and follows
// an example to what it waits for and where its numbers lead (follow.go).
//
// A Model is a pile of pages: what is asked from a page lies on it, and escape takes it
// off again. It knows no pane and no backend: whoever opens it gives it the examples and
// the script, and takes its messages: TakeMsg asks for a change of the script, CloseMsg
// that the pile is empty.
package why

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/narrow"
	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/difference"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// Messages to whoever has opened a Model.
type (
	// TakeMsg asks for the edits to be made in the script, which is still this, or for
	// Text, if it is not "", to take the place of whatever script is there; and for the
	// result to be run.
	TakeMsg struct {
		Script string
		Edits  []narrow.Edit
		Text   string
	}
	// CloseMsg says that there is nothing left to show.
	CloseMsg struct{}

	// RankedMsg is an answer that has been worked out.
	RankedMsg struct {
		id     int
		answer difference.Answer
	}
)

// A Model answers questions about one selection.
type Model struct {
	looks looks
	keys  *keymap.Map
	w, h  int
	pages []page

	of      selection.Selection
	script  string // of the run
	q       difference.Question
	answer  *difference.Answer // nil until it has been worked out
	none    string             // why there are no examples
	thinned string             // that not all examples are kept; "" if they are
	asked   int                // number of the ranking that is waited for
	early   bool               // examples are listed by time, and not by value
	trail   trail

	recorded string // why what runs now cannot be asked about; "" if it can
	why      string // why the last key did nothing
}

// A page is lines of which some can be chosen.
type page struct {
	kind  kind
	title string
	head  []line // stays while the others scroll
	lines []line
	row   int // the chosen line
	top   int
	edits []narrow.Edit
	text  string         // the script that takes the place of the one that is there; "" if edits change that
	of    *trace.Example // which it is about; nil if it is about several
}

type kind uint8

const (
	examplesPage kind = iota
	examplePage
	rankingPage
	changePage
	followPage
)

// A line is text, or what can be chosen.
type line struct {
	look    look
	name    string // stands before the text, in a column of its own
	text    string
	example int // index of what is inside; -1 for none
	finding *difference.Finding
	value   *difference.Value
	ask     *asking
}

func plainLine(k look, text string) line { return line{look: k, text: text, example: -1} }

func (l *line) chosen() bool { return l.example >= 0 || l.value != nil || l.ask != nil }

// New returns a Model with nothing to show.
func New(t *themes.Theme) *Model { return &Model{looks: newLooks(t), keys: keymap.Default()} }

// SetTheme changes the looks.
func (m *Model) SetTheme(t *themes.Theme) { m.looks = newLooks(t) }

// SetKeys says which keys ask for what.
func (m *Model) SetKeys(k *keymap.Map) { m.keys = k }

// SetRecorded says why what runs now cannot be asked about: the run is a recording, perhaps
// from elsewhere. It is "" if it can.
func (m *Model) SetRecorded(why string) { m.recorded = why }

// SetSize fits the pages into w columns and h lines.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.settle()
}

// Open asks a question about a selection of the run of a script.
func (m *Model) Open(ask selection.AskMsg, x *timeline.Examples, script string) tea.Cmd {
	unknown := 0
	m.of, m.script, m.pages, m.answer, m.why = ask.Of, script, nil, nil, ""
	m.q, unknown = ask.Of.Sides(x)
	m.none = selection.None(x, &m.q, unknown)
	m.thinned = ""
	if x.Kept() < x.Came() {
		m.thinned = widget.Count(x.Kept(), "example") + " of " + count(x.Came()) + " are still kept; those stand for the others"
	}
	m.asked++
	return m.ask(ask.For)
}

// ask lays the page that answers a question on the others.
func (m *Model) ask(q selection.Question) tea.Cmd {
	switch q {
	case selection.Examples:
		m.push(m.examplesPage())
	case selection.Differs:
		m.push(m.rankingPage())
		return m.rank()
	case selection.Narrow:
		changes, left, err := m.of.Changes(m.origins())
		m.push(m.changePage(changes, left, err))
	}
	return nil
}

// push lays a page on the others, in place of one of its kind.
func (m *Model) push(p page) {
	m.pages = append(slices.DeleteFunc(m.pages, func(have page) bool { return have.kind == p.kind }), p)
	m.settle()
}

// pop takes the upmost page off.
func (m *Model) pop() tea.Cmd {
	if m.pages = m.pages[:max(len(m.pages)-1, 0)]; len(m.pages) == 0 {
		return closed
	}
	return nil
}

func closed() tea.Msg { return CloseMsg{} }

// page returns the upmost page.
func (m *Model) page() *page { return &m.pages[len(m.pages)-1] }

// Update handles keys, what is asked for by name, and the answers that were worked out.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd = m.do(acts.Find(m.keys, msg))
	case widget.DoMsg:
		cmd = m.do(acts.Named(msg.Action))
	case RankedMsg:
		m.ranked(msg)
	case FoundMsg:
		m.found(msg)
	}
	m.settle()
	return cmd
}

// Click chooses the line at row y of the picture, or opens it if it is chosen.
func (m *Model) Click(y int) tea.Cmd {
	if len(m.pages) == 0 {
		return closed
	}
	p := m.page()
	i := p.top + y - len(p.head)
	switch {
	case y < len(p.head) || i >= len(p.lines) || !p.lines[i].chosen():
		return nil
	case i == p.row:
		return m.do(acts.Named("why.open"))
	}
	p.row = i
	return nil
}

// do does what was asked for, or notes why not.
func (m *Model) do(a *widget.Act[Model]) (cmd tea.Cmd) {
	if len(m.pages) == 0 {
		return closed
	}
	cmd, m.why = a.Try(m)
	return cmd
}

// acts are what can be done on the pages.
var acts = widget.Table[Model]{Context: "why", Acts: []widget.Act[Model]{
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.move(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.move(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.move(-m.room()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.move(+m.room()) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.move(-1 << 30) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.move(+1 << 30) }},
	{Name: "why.open", Off: (*Model).noEnter, Do: (*Model).enter},
	{Name: "why.examples", Off: (*Model).onExamples, Do: func(m *Model) tea.Cmd { return m.ask(selection.Examples) }},
	{Name: "why.differs", Off: (*Model).onRanking, Do: func(m *Model) tea.Cmd { return m.ask(selection.Differs) }},
	{Name: "why.narrow", Off: (*Model).onChange, Do: (*Model).narrow},
	{Name: "why.follow", Off: (*Model).noFollow, Do: (*Model).follow},
	{Name: "why.order", Off: (*Model).notExamples, Do: (*Model).sort},
	{Name: "list.close", Do: (*Model).pop},
}}

// Keys returns the help of the keys.
func (m *Model) Keys() []widget.Help { return acts.Helps(m, m.keys) }

// Why says why the last key did nothing.
func (m *Model) Why() string { return m.why }

func (m *Model) on(k kind, why string) string {
	if len(m.pages) > 0 && m.page().kind == k {
		return why
	}
	return ""
}

func (m *Model) onExamples() string { return m.on(examplesPage, "these are the examples") }
func (m *Model) onRanking() string  { return m.on(rankingPage, "this is the answer") }
func (m *Model) onChange() string {
	return m.on(changePage, "this is the change: "+m.keys.Key("why.open")+" takes it")
}

func (m *Model) notExamples() string {
	if len(m.pages) > 0 && m.page().kind != examplesPage {
		return "only the list of examples has an order"
	}
	return ""
}

// noEnter says why there is nothing to open.
func (m *Model) noEnter() string {
	if len(m.pages) == 0 {
		return ""
	}
	p := m.page()
	switch {
	case p.kind == changePage && !p.taken():
		return "there is no change to take"
	case p.row < len(p.lines) && p.lines[p.row].ask != nil:
		return m.recorded
	case p.kind == changePage, p.row < len(p.lines) && p.lines[p.row].chosen():
		return ""
	}
	return "there is nothing to open"
}

func (m *Model) enter() tea.Cmd {
	p := m.page()
	if p.kind == changePage {
		take := TakeMsg{m.script, p.edits, p.text}
		return func() tea.Msg { return take }
	}
	switch l := &p.lines[p.row]; {
	case l.value != nil:
		return m.narrow()
	case l.ask != nil:
		m.push(m.askPage(l.ask))
	default:
		m.push(m.examplePage(l.example))
	}
	return nil
}

// taken reports whether the page has something to take.
func (p *page) taken() bool { return p.edits != nil || p.text != "" }

// narrow shows what the script becomes: with the value under the cursor alone, or else
// with what is selected.
func (m *Model) narrow() tea.Cmd {
	p := m.page()
	if p.kind != rankingPage || p.row >= len(p.lines) || p.lines[p.row].value == nil {
		return m.ask(selection.Narrow)
	}
	l := &p.lines[p.row]
	changes, left, err := selection.To(l.finding, l.value, m.origins())
	m.push(m.changePage(changes, left, err))
	return nil
}

// room returns how many lines of a page are in view.
func (m *Model) room() int {
	if len(m.pages) == 0 {
		return m.h
	}
	return max(m.h-len(m.page().head)-1, 1)
}

// move chooses another line, or scrolls where none can be chosen.
func (m *Model) move(by int) tea.Cmd {
	p := m.page()
	to := min(max(p.row+by, 0), max(len(p.lines)-1, 0))
	for step := sign(by); ; step = -step { // the next that can be chosen, else the one before
		for i := to; i >= 0 && i < len(p.lines); i += step {
			if p.lines[i].chosen() && (i-p.row)*by >= 0 {
				p.row = i
				return nil
			}
		}
		if step != sign(by) {
			break
		}
	}
	if !p.choice() {
		p.row = to
	} else if by < 0 { // what stands above the first choice
		p.top = 0
	}
	return nil
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// choice reports whether a page has lines to choose.
func (p *page) choice() bool {
	for i := range p.lines {
		if p.lines[i].chosen() {
			return true
		}
	}
	return false
}

// first puts the cursor on the first line that can be chosen.
func (p *page) first() {
	for i := range p.lines {
		if p.lines[i].chosen() {
			p.row = i
			return
		}
	}
}

// settle keeps the cursor in view. The first choice brings all above it along.
func (m *Model) settle() {
	if len(m.pages) == 0 {
		return
	}
	p := m.page()
	p.row = min(max(p.row, 0), max(len(p.lines)-1, 0))
	s := widget.Scroll{Top: p.top, Height: m.room(), Total: len(p.lines)}
	show := p.row
	for show > 0 && p.choice() && !p.lines[show-1].chosen() {
		show--
	}
	s = s.Show(show).Show(p.row)
	p.top = s.Clamp().Top
}

// Title says which page is shown, and of what.
func (m *Model) Title() string {
	if len(m.pages) == 0 {
		return ""
	}
	return m.page().title
}

// looks are the inks of the pages.
type looks struct {
	chart.Looks
	of [lastLook + 1]ink.Ink
}

// A look is how a line is drawn.
type look uint8

const (
	asText look = iota
	asHeading
	asMuted
	asWarning
	asAdded
	asRemoved
	lastLook = asRemoved
)

func newLooks(t *themes.Theme) looks {
	k := looks{Looks: chart.NewLooks(t)}
	k.of = [...]ink.Ink{
		asText: ink.Of(t.Popup.Text), asHeading: k.Looks.Title, asMuted: ink.Of(t.Popup.Detail), asWarning: ink.Of(t.Status.Warning),
		asAdded: k.Looks.Total, asRemoved: k.Looks.Minus,
	}
	return k
}
