package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/narrow"
	"dscope.dev/dlang/outline"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/loss"
	"dscope.dev/ui/widget"
)

// An entry is a line of the box that tells of the run: a fact, or what was lost.
type entry struct {
	fact
	loss *loss.Line // nil if it is a fact
	why  string     // shown below while the cursor is here; "" if there is no more to say
}

// A ledger is the box that tells of the run.
type ledger struct{ cursor }

func (*ledger) wide() bool                       { return true }
func (*ledger) title(m *Model) string            { return m.ledgerTitle() }
func (*ledger) body(m *Model) []string           { return m.drawLedger() }
func (*ledger) table(*Model) widget.Table[Model] { return ledgerActs }
func (*ledger) listen(m *Model, msg tea.KeyMsg) tea.Cmd {
	return m.closes(msg)
}

func (b *ledger) click(m *Model, _, y int) tea.Cmd {
	if y >= m.ledgerHeight() {
		return nil
	}
	return m.toEntry(b.top + y - b.row)
}

// openRun opens the ledger of the run: how it goes, what it could not see and what can be
// done about that, and how its probes are attached. The cursor is on what matters most.
func (m *Model) openRun() tea.Cmd {
	b := &ledger{}
	m.overlay = b
	for i, e := range m.entries() {
		if e.why != "" {
			b.row = i
			break
		}
	}
	return tea.Batch(m.toEntry(0), m.findCut())
}

// cutMsg tells what is cut in the keys of a run.
type cutMsg struct {
	id    int
	lines []loss.Line
}

// findCut looks for strings and stacks that are cut, which no run counts, in what it has
// aggregated last.
func (m *Model) findCut() tea.Cmd {
	id, script, snap := m.run.id, m.run.script, m.run.last
	return func() tea.Msg { return cutMsg{id, loss.Cut(script, snap)} }
}

// foundCut takes that into the ledger.
func (m *Model) foundCut(msg cutMsg) {
	if msg.id != m.run.id {
		return
	}
	b := opened[*ledger](m)
	idle := b != nil && m.entry().why == ""
	m.run.cut = msg.lines
	if idle && len(msg.lines) > 0 {
		for i, e := range m.entries() {
			if e.loss != nil {
				b.row = i
				break
			}
		}
		m.toEntry(0)
	}
}

// notRun says why there is nothing to tell of a run.
func (m *Model) notRun() string {
	if !m.run.shown() && m.next.err == nil {
		return "nothing has been run yet"
	}
	return ""
}

// entries returns all lines of the ledger.
func (m *Model) entries() []entry {
	k, s := m.looks, m.run.status
	word, _, look := m.state()
	events := widget.Group(s.Events)
	if m.run.active() {
		events += ", now " + chart.Short(s.Rate) + " a second"
	}
	var out []entry
	add := func(name, text string, look ink.Ink) { out = append(out, entry{fact: fact{name, text, look}}) }
	add("state", word, look)
	add("elapsed", widget.Elapsed(s.Elapsed), k.value)
	add("events", events, k.value)
	add("probes", strconv.Itoa(s.Probes), k.value)
	if b := s.Before; b.Known() {
		text := b.String()
		if b.Above() {
			text += ", asked above " + trace.Percent(b.Limit)
		}
		add("estimate", text, k.value)
	}
	if s.Cost.Window > 0 {
		add("takes", s.Cost.Of(s.Before.CPUs), k.value)
	}
	if bag := m.run.bag(); bag != nil {
		out = append(out, entry{fact: fact{"air bag", fmt.Sprintf("took %s of all CPUs, the limit is %s", trace.Percent(bag.Share), trace.Percent(bag.Limit)), k.failure}, why: m.bagWhy(bag)})
	}
	for _, err := range []error{m.next.err, m.run.err} {
		if err != nil && (m.run.bag() == nil || err != m.run.err) {
			add("error", err.Error(), k.failure)
		}
	}
	lines := slices.Concat(m.run.ledger.Lines(), m.run.ledger.Faults(), m.run.cut)
	for i := range lines {
		l := &lines[i]
		why := l.Sentence()
		if l.Cure != "" {
			why += fmt.Sprintf(" %s sets %s in the script and runs it again.", m.keys.KeyIn("ledger", "ledger.fix"), l.Cure)
		}
		out = append(out, entry{fact: fact{first(i, "lost"), l.What(), k.drops}, loss: l, why: why})
	}
	if len(lines) == 0 {
		add("lost", "nothing", k.value)
	}
	for i, text := range s.Missing {
		out = append(out, entry{fact: fact{first(i, "left out"), text, k.drops}, why: text})
	}
	n := 0
	for _, h := range s.Hooks {
		if !slices.Contains(s.Missing, h) {
			add(first(n, "hooks"), h, k.popText)
			n++
		}
	}
	return out
}

// ledgerTitle says what the ledger is of.
func (m *Model) ledgerTitle() string {
	if !m.run.shown() {
		return "What could not be run"
	}
	return fmt.Sprintf("Run %d: how it goes, and what it could not see", m.run.id)
}

// ledgerActs are what keys do in the ledger.
var ledgerActs = widget.Table[Model]{Context: "ledger", Acts: []widget.Act[Model]{
	{Name: "ledger.fix", Off: (*Model).noFix, Do: (*Model).fix},
	{Name: "ledger.resume", Off: (*Model).noResume, Do: (*Model).resume},
	{Name: "ledger.without", Off: (*Model).noResume, Do: (*Model).runWithout},
	{Name: "list.up", Do: func(m *Model) tea.Cmd { return m.toEntry(-1) }},
	{Name: "list.down", Do: func(m *Model) tea.Cmd { return m.toEntry(+1) }},
	{Name: "list.pageup", Do: func(m *Model) tea.Cmd { return m.toEntry(-m.ledgerHeight()) }},
	{Name: "list.pagedown", Do: func(m *Model) tea.Cmd { return m.toEntry(+m.ledgerHeight()) }},
	{Name: "list.first", Do: func(m *Model) tea.Cmd { return m.toEntry(-1 << 20) }},
	{Name: "list.last", Do: func(m *Model) tea.Cmd { return m.toEntry(+1 << 20) }},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

// whyHeight is how many lines tell more of the line under the cursor; one more keeps them
// apart.
const whyHeight = 4

// ledgerHeight returns how many lines of the ledger are in view.
func (m *Model) ledgerHeight() int {
	return max(min(len(m.entries()), m.boxHeight()-2-whyHeight-1), 1)
}

func (m *Model) toEntry(by int) tea.Cmd {
	opened[*ledger](m).move(by, m.ledgerHeight(), len(m.entries()))
	return nil
}

// entry returns the line under the cursor. There is always one: the state comes first.
func (m *Model) entry() entry {
	list := m.entries()
	return list[min(opened[*ledger](m).row, len(list)-1)]
}

// noFix says why nothing can be done about the line under the cursor.
func (m *Model) noFix() string {
	switch e := m.entry(); {
	case e.loss == nil:
		return "go to a loss to take its remedy"
	case e.loss.Cure == "":
		return "no option helps against this"
	}
	return m.noAgain()
}

// noAgain says why the run cannot be run again with another option.
func (m *Model) noAgain() string {
	switch {
	case m.opts.Source != "":
		return "a recording cannot be run otherwise"
	case m.next.under():
		return "the next run is about to begin"
	case m.doc().Text() != m.run.script:
		return "the script was edited: run it first"
	}
	return ""
}

// fix writes the remedy of the loss under the cursor into the script, as one step of undo,
// and runs it in place of the run.
func (m *Model) fix() tea.Cmd {
	name, value, _ := strings.Cut(m.entry().loss.Cure, "=")
	return m.again(name, value, m.run.options)
}

// again sets an option in the script, and runs that with the options of the call.
func (m *Model) again(name, value string, options []string) tea.Cmd {
	m.overlay = nil
	from, to, text := outline.Set(m.doc().Text(), name, value)
	set := m.editor.Apply([]narrow.Edit{{From: from, To: to, Text: text}})
	return tea.Batch(set, m.startWith(options, name+"="+value))
}

// drawLedger draws the ledger, and more of the line under the cursor below it.
func (m *Model) drawLedger() []string {
	w := m.boxWidth() - 2
	list, o := m.entries(), opened[*ledger](m)
	row := min(o.row, len(list)-1)
	var out []string
	var l ink.Line
	for i := min(o.top, len(list)-1); i < len(list) && len(out) < m.ledgerHeight(); i++ {
		m.drawEntry(&l, list[i], i == row)
		out = append(out, l.String())
	}
	var more []string
	if why := list[row].why; why != "" {
		more = words(widget.Safe(why), w-2)
	}
	return m.below(out, more)
}

// drawEntry draws one line of the ledger.
func (m *Model) drawEntry(l *ink.Line, e entry, cursor bool) {
	k := m.looks
	base, name, look := k.popText, k.heading, e.look
	if cursor {
		base, name, look = k.popSelected, ink.Ink{}, ink.Ink{}
	}
	l.Reset(m.boxWidth()-2, base)
	mark := " "
	if cursor {
		mark = k.chart.Glyph("▌", ">")
	}
	l.Put(name, fmt.Sprintf("%s%-9s", mark, e.name))
	if e.loss == nil {
		l.Fit(look, widget.Safe(e.text), l.Left())
		return
	}
	cure := "no remedy"
	if e.loss.Cure != "" {
		cure = m.keys.KeyIn("ledger", "ledger.fix") + " " + e.loss.Cure
	}
	l.Put(look, fmt.Sprintf("%s ", loss.Number(e.loss.Count)))
	since := ""
	if e.loss.Since >= 0 {
		since = "since " + widget.Elapsed(e.loss.Since)
	}
	when, remedy := 14, 20 // what was lost comes first: the lines below tell the rest
	if l.Left()-when-remedy < leastLoss {
		when = 0
	}
	if l.Left()-remedy < leastLoss {
		remedy = 0
	}
	l.Fit(look, e.text, max(l.Left()-when-remedy, 0))
	if when > 0 {
		l.Right(ink.Ink{}, since, when)
	}
	if remedy > 0 {
		l.Skip(2)
		l.Fit(ink.Ink{}, cure, l.Left())
	}
}

// leastLoss is how many cells of a line say what was lost.
const leastLoss = 24
