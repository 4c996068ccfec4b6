// Package live is the pane that shows every aggregation of the running script
// as it grows, without a change to the script.
//
// A book keeps what has been learnt so far: for each key the latest value,
// what came since the snapshot before, and a ring of past rates. Changes are
// divided by the time that really passed between two snapshots, which is never
// quite the same. Keys are told by their identity in the run, not by their
// place; a count that shrinks means that the script cleared it, and what is
// there then is all new. Keys that are called the same are one before
// anything else sees them: see package merge.
//
// Each aggregation is a section: a title, a table of its keys, and under an
// open key its histogram or its stack frames, or in their place another figure
// (figure.go). Sections stand below one another, those that have data first; where there is
// no room for all, a line of tabs tells of the others.
//
// There may be a hundred aggregations with many keys each. So only what is in view is put into
// order, and of another moment only that is read (moment.go); what takes longer than somebody
// waits for a frame is read beside the screen (reader.go), and merged there (stacks.go).
//
// The past of the run is kept in a timeline. Freezing, and stepping back and forth,
// choose a moment of it: the book goes on, one of that moment is shown. Cursor, order
// and opening still work on it. Visiting shows another run in the same way, by its
// timeline.
package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A Model is the pane. Its parent sizes it, hands it snapshots, and passes it
// keys while it has the focus.
type Model struct {
	looks    chart.Looks
	keys     *keymap.Map
	w, h     int
	focused  bool
	story           // of the run that goes on
	visited  *visit // another run, which is shown in its place; nil if none is
	raw      bool   // whether quantiles are shown in raw numbers
	held     *book  // of the moment that is shown; nil if that is now
	heldAt   time.Time
	stepped  bool // the moment was chosen by stepping, not by freezing
	now      time.Time
	views    map[string]*section // by name and function; kept from run to run
	sel      int                 // the section that keys act on
	chosen   bool                // a key has acted on it; until then it is the first that has data
	sieves   map[string]*sieve   // by name; kept from run to run
	meaning  meaning             // of all values
	prompt   *prompt             // in which a filter is typed; nil if none is
	pick     *pick               // what is selected; nil if nothing is
	grabbed  *pick               // where the button of the mouse went down
	late     bool                // something of the last snapshot is not entered in the book yet
	entering bool                // an EnterMsg is under way
	trends   *errand             // what is under way to find what a moment lacks; nil if nothing is
	budget   int                 // bytes of the past of a run
	empty    string              // what to say while there is nothing to show
	why      string              // why the last key did nothing
}

// New returns an empty pane.
func New(t *themes.Theme) *Model {
	return &Model{looks: chart.NewLooks(t), keys: keymap.Default(), story: newStory(timeline.Budget), budget: timeline.Budget, views: map[string]*section{}, sieves: map[string]*sieve{}}
}

// SetBudget says how many bytes the past of a run may take. Call it before there is one.
func (m *Model) SetBudget(bytes int) {
	m.budget = bytes
	m.story = newStory(bytes)
}

// SetTheme changes the looks.
func (m *Model) SetTheme(t *themes.Theme) { m.looks = chart.NewLooks(t) }

// SetKeys says which keys ask for what.
func (m *Model) SetKeys(k *keymap.Map) { m.keys = k }

// SetSize fits the pane into w columns and h lines.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.refresh()
	m.settle()
}

// SetFocus says whether keys go to this pane.
func (m *Model) SetFocus(on bool) { m.focused = on }

// SetNow tells the time, for how long the picture has been frozen.
func (m *Model) SetNow(t time.Time) { m.now = t }

// SetEmpty says what to show while there is nothing.
func (m *Model) SetEmpty(text string) { m.empty = text }

// Reset forgets the run before; how sections are sorted stays.
func (m *Model) Reset() {
	m.CatchUp() // the shelf has the timeline
	m.story, m.why = newStory(m.budget), ""
	m.turn(nil)
}

// SetSnapshot takes a new state. It is shown at once unless the picture is frozen. Where it is
// large, what is not in view is entered later, a slice at a time: see Work.
func (m *Model) SetSnapshot(s trace.Snapshot) {
	m.CatchUp()
	s = m.rows.Snapshot(s)
	m.line.Start(s)
	if rowsOf(s) <= enterAtOnce {
		m.CatchUp()
	}
	m.book.arrive(s)
	for _, a := range m.book.aggs {
		a.came = m.rows.Came(a.name, a.fn)
		m.section(a)
	}
	if m.held == nil && m.visited == nil {
		m.arrange()
	}
	m.late = m.book.enter(enterAtOnce)
}

func rowsOf(s trace.Snapshot) (n int) {
	for i := range s.Aggs {
		n += len(s.Aggs[i].Rows)
	}
	return n
}

// Late reports whether something of the last snapshot is still to be entered.
func (m *Model) Late() bool { return m.late || m.line.Entering() }

// enterAtOnce is how many rows are entered at once: about half a millisecond of what is not in view,
// and twice as long of the past.
const enterAtOnce = 2_000

// An EnterMsg asks the pane to enter the next slice of what has arrived.
type EnterMsg struct{}

// shown returns the book that is on the screen.
func (m *Model) shown() *book {
	if m.held != nil {
		return m.held
	}
	return m.told().book
}

// arrange brings the picture into order after a change. Sections that are not in view wait
// until they are: there may be a hundred.
func (m *Model) arrange() {
	for _, v := range m.views {
		v.stale = true
	}
	n := len(m.shown().aggs)
	m.sel = min(m.sel, max(n-1, 0))
	if n > 0 && !m.chosen {
		m.sel = m.order()[0]
	}
	m.refresh()
	m.settle()
}

// view returns the section of an aggregation that is shown, with its rows in order.
func (m *Model) view(a *agg) *section {
	v := m.section(a)
	if v.stale || m.misses(a, v) {
		v.stale = false
		m.shown().read(a, m.bears(a, v), m.work(readAtOnce))
		m.weigh(a)
		v.arrange(a)
	}
	return v
}

// section returns the section of an aggregation.
func (m *Model) section(a *agg) *section {
	id := viewID(a)
	v := m.views[id]
	if v == nil {
		v = newSection(a)
		v.sieve = m.sieveOf(a.name)
		m.views[id] = v
	}
	return v
}

// current returns the section that keys act on.
func (m *Model) current() (*agg, *section) {
	b := m.shown()
	if len(b.aggs) == 0 {
		return nil, nil
	}
	a := b.aggs[min(m.sel, len(b.aggs)-1)]
	return a, m.view(a)
}

// Title says what the frame should say beside the pane's name.
func (m *Model) Title() string {
	var parts []string
	b := m.shown()
	if a, _ := m.current(); m.picked(a) != nil {
		s := m.selection()
		parts = append(parts, "selected "+s.String())
	}
	if n := len(b.aggs); n > 0 {
		text := widget.Moment(b.elapsed)
		if m.over && m.held == nil && m.visited == nil {
			text += ", ended" // what is shown is not of now
		}
		parts = append(parts, text)
	}
	if b.lost > 0 {
		parts = append(parts, fmt.Sprintf("! %d lost in this interval", b.lost))
	}
	if text := m.marks(); text != "" {
		parts = append(parts, text)
	}
	if text := m.lack(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "  ")
}

// Summary says in few words what the run has aggregated so far and what flows
// into it now, whether the picture is frozen or not; "" before the first snapshot.
func (m *Model) Summary() (held, flow string) {
	switch aggs := m.book.aggs; len(aggs) {
	case 0:
		return "", ""
	case 1:
		held, flow = aggs[0].summary()
		return strings.TrimRight(widget.Cut(widget.Safe("@"+aggs[0].name), 16)+" "+held, " "), flow
	default:
		keys := 0
		for _, a := range aggs {
			keys += len(a.rows)
		}
		return fmt.Sprintf("%d aggregations  %s", len(aggs), widget.Count(keys, "key")), ""
	}
}

// Held says which run and moment is shown, or for how long the picture has been frozen;
// "" if it is that of now.
func (m *Model) Held() string {
	switch {
	case m.visited != nil && m.held == nil:
		return m.visited.name
	case m.held == nil:
		return ""
	case m.visited != nil:
		return m.visited.name + " at " + widget.Moment(m.held.elapsed)
	case m.stepped:
		return "at " + widget.Moment(m.held.elapsed)
	}
	d := max(m.now.Sub(m.heldAt), 0).Truncate(time.Second)
	return "frozen for " + d.String()
}

// Why says why the last key did nothing.
func (m *Model) Why() string { return m.why }

// acts are what the pane does while it has the focus.
var acts = widget.Table[Model]{Context: "live", Acts: []widget.Act[Model]{
	{Name: "live.up", Do: func(m *Model) tea.Cmd { return m.move(-1) }},
	{Name: "live.down", Do: func(m *Model) tea.Cmd { return m.move(+1) }},
	{Name: "live.open", Off: (*Model).noTable, Do: (*Model).toggle},
	{Name: "live.heat", Off: noKind("live.heat"), Do: toKind("live.heat")},
	{Name: "live.stacks", Off: noKind("live.stacks"), Do: toKind("live.stacks")},
	{Name: "live.shades", Off: (*Model).noShades, Do: (*Model).anew},
	{Name: "live.openall", Off: (*Model).noTable, Do: (*Model).toggleAll},
	{Name: "live.freeze", Off: (*Model).nothing, Do: (*Model).freeze},
	{Name: "live.sort", Off: (*Model).noTable, Do: (*Model).sortNext},
	{Name: "live.filter", Off: (*Model).keyless, Do: (*Model).openFilter},
	{Name: "live.inverse", Off: (*Model).keyless, Do: (*Model).openInverse},
	{Name: "live.top", Off: (*Model).keyless, Do: (*Model).toTop},
	{Name: "live.meaning", Off: (*Model).nothing, Do: (*Model).toMeaning},
	{Name: "live.raw", Off: (*Model).noQuantiles, Do: (*Model).toRaw},
	{Name: "live.reverse", Off: (*Model).noTable, Do: (*Model).reverse},
	{Name: "live.left", Off: (*Model).noAside, Do: func(m *Model) tea.Cmd { return m.aside(-1) }},
	{Name: "live.right", Off: (*Model).noAside, Do: func(m *Model) tea.Cmd { return m.aside(+1) }},
	{Name: "live.next", Off: (*Model).alone, Do: func(m *Model) tea.Cmd { return m.choose(+1) }},
	{Name: "live.previous", Off: (*Model).alone, Do: func(m *Model) tea.Cmd { return m.choose(-1) }},
	{Name: "live.pageup", Do: func(m *Model) tea.Cmd { return m.move(-m.page()) }},
	{Name: "live.pagedown", Do: func(m *Model) tea.Cmd { return m.move(+m.page()) }},
	{Name: "live.first", Do: func(m *Model) tea.Cmd { return m.move(-1 << 30) }},
	{Name: "live.last", Do: func(m *Model) tea.Cmd { return m.move(+1 << 30) }},
	{Name: "live.select", Off: (*Model).noSelect, Do: (*Model).selectHere},
	{Name: "live.selectkeys", Off: (*Model).noSelect, Do: (*Model).selectRows},
	{Name: "live.unselect", Off: (*Model).noPick, Do: (*Model).unselect},
	{Name: "why.examples", Off: (*Model).noAnswer, Do: func(m *Model) tea.Cmd { return m.ask(selection.Examples) }},
	{Name: "why.differs", Off: (*Model).noAnswer, Do: func(m *Model) tea.Cmd { return m.ask(selection.Differs) }},
	{Name: "why.narrow", Off: (*Model).noAnswer, Do: func(m *Model) tea.Cmd { return m.ask(selection.Narrow) }},
	{Name: "live.copy", Off: (*Model).nothing, Do: (*Model).copyRow},
}}

// Update handles keys and the mouse; sizes and data come through the setters.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		m.chosen = len(m.shown().aggs) > 0
		switch m.why = ""; {
		case m.prompt != nil:
			cmd = m.typeFilter(msg)
		case m.finding():
			cmd = m.typeFind(msg)
		default:
			cmd, m.why = m.act(msg).Try(m)
		}
	case widget.DoMsg:
		cmd, m.why = m.named(msg.Action).Try(m)
	case mergedMsg:
		m.merged(msg)
	case readMsg:
		m.hasRead(msg)
	case *errand:
		m.brought(msg)
	case EnterMsg:
		m.entering = false
		if m.line.Entering() {
			m.line.Enter(enterAtOnce)
		} else {
			m.late = m.book.enter(enterAtOnce)
		}
	case tea.MouseMsg:
		m.mouse(msg)
	default:
		return nil
	}
	m.refresh()
	m.settle()
	return cmd
}

func (m *Model) nothing() string {
	if a, _ := m.current(); a == nil {
		return "no aggregation has arrived yet"
	}
	return ""
}

func (m *Model) alone() string {
	if len(m.shown().aggs) < 2 {
		return "there is one aggregation only"
	}
	return ""
}

func (m *Model) page() int { return max(m.h-3, 1) }

// move moves the cursor of the current section by rows.
func (m *Model) move(by int) tea.Cmd {
	a, v := m.current()
	switch {
	case a == nil || m.walk(by, 0):
	default:
		v.figure.move(a, v, by)
	}
	return nil
}

// aside moves the cursor of a selection or of a picture over time to the side, where there is
// none to the next aggregation.
func (m *Model) aside(by int) tea.Cmd {
	if m.walk(0, by) {
		return nil
	}
	if _, v := m.current(); v != nil {
		if f, ok := v.figure.(timed); ok {
			f.later(by)
			return nil
		}
	}
	return m.choose(by)
}

// noAside says why there is nothing at either side.
func (m *Model) noAside() string {
	a, v := m.current()
	if v != nil {
		if _, ok := v.figure.(timed); ok || m.picked(a) != nil {
			return ""
		}
	}
	return m.alone()
}

func (m *Model) choose(by int) tea.Cmd {
	order := m.order()
	n := len(order)
	m.toSection(order[((slices.Index(order, m.sel)+by)%n+n)%n])
	return nil
}

func (m *Model) toSection(n int) { m.sel, m.chosen = n, true }

func (m *Model) toggle() tea.Cmd {
	_, v := m.current()
	v.toggle()
	return nil
}

func (m *Model) toggleAll() tea.Cmd {
	_, v := m.current()
	v.toggleAll()
	return nil
}

func (m *Model) sortNext() tea.Cmd {
	a, v := m.current()
	v.sortBy(a, (v.sorted+1)%len(sortable(a)))
	return nil
}

func (m *Model) reverse() tea.Cmd {
	a, v := m.current()
	v.desc = !v.desc
	v.arrange(a)
	return nil
}

// copyRow copies the selected key and its value, and what is open below it.
func (m *Model) copyRow() tea.Cmd {
	a, v := m.current()
	s := v.selected()
	if s == nil {
		return nil
	}
	lines := []string{strings.Join(append(slices.Clone(s.texts), fmt.Sprint(a.shown(s))), "  ")}
	hist := m.histogram(a, s, s.axis)
	for i := range v.detail(a, s) {
		var l ink.Line
		l.Reset(78, ink.Ink{})
		plain := chart.Looks{Mono: true, ASCII: m.looks.ASCII}
		m.drawDetail(&l, plain, s, hist, i)
		lines = append(lines, strings.TrimRight(l.String(), " "))
	}
	return widget.AskCopy(strings.Join(lines, "\n"))
}
