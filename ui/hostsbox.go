package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A hostsBox is the list of the machines of a fleet, and how each comes through the run. What
// is typed narrows it.
type hostsBox struct {
	typedList
	at string // the host under the cursor, which others may overtake
}

func (*hostsBox) wide() bool                       { return true }
func (*hostsBox) title(m *Model) string            { return m.hostsTitle() }
func (*hostsBox) body(m *Model) []string           { return m.drawHosts() }
func (*hostsBox) table(*Model) widget.Table[Model] { return hostsActs }
func (b *hostsBox) count(m *Model) int             { return len(m.hostRows()) }
func (*hostsBox) take(*Model) tea.Cmd              { return nil } // a row is only to be read

// aboutHost is how many lines below the list tell of the host under the cursor.
const aboutHost = 7

// height returns how many hosts are in view, below the heading and above what is told of one.
func (b *hostsBox) height(m *Model) int { return max(b.typedList.height(m)-1-aboutHost, 1) }

// click goes to a row, which the heading moves down by one.
func (b *hostsBox) click(m *Model, x, y int) tea.Cmd { return b.typedList.click(m, x, y-1) }

func (b *hostsBox) moved(m *Model) tea.Cmd {
	b.at = ""
	if list := m.hostRows(); b.row < len(list) {
		b.at = list[b.row].Name
	}
	return nil
}

// followHost keeps the cursor on its host when the order is another.
func (m *Model) followHost() {
	b := opened[*hostsBox](m)
	if b == nil {
		return
	}
	list := m.hostRows()
	if i := slices.IndexFunc(list, func(h trace.Host) bool { return h.Name == b.at }); i >= 0 {
		b.move(i-b.row, b.height(m), len(list))
		return
	}
	m.choose(0)
}

// hostsActs are what keys do in the list of hosts; all else is typed.
var hostsActs = widget.Table[Model]{Context: "hosts", Acts: choosing(
	widget.Act[Model]{Name: "hosts.key", Off: (*Model).noHostKey, Do: (*Model).keyByHost},
)}

func (m *Model) openHosts() tea.Cmd {
	m.overlay = &hostsBox{}
	return m.choose(0)
}

// noHosts says why there are no hosts to list.
func (m *Model) noHosts() string {
	if _, many := m.back.(Crowd); !many && len(m.hosts()) == 0 {
		return "one machine is traced, and no fleet (dscope --fleet)"
	}
	return ""
}

// hosts returns those of the run that is shown, or, before there is one, those that are there.
func (m *Model) hosts() []trace.Host {
	if m.ofRun() {
		return m.shownStatus().Hosts
	}
	if many, ok := m.back.(Crowd); ok {
		return many.There()
	}
	return nil
}

// ofRun reports whether the hosts are those of a run.
func (m *Model) ofRun() bool { return len(m.shownStatus().Hosts) > 0 }

// shownStatus returns that of the run that is shown.
func (m *Model) shownStatus() *trace.Status {
	if m.visited != nil {
		return &m.visited.Status
	}
	return &m.run.status
}

// hostRows returns the hosts that what was typed matches, those first that something is wrong
// with.
func (m *Model) hostRows() []trace.Host {
	query := strings.ToLower(opened[*hostsBox](m).query.Value())
	list := slices.DeleteFunc(slices.Clone(m.hosts()), func(h trace.Host) bool {
		return !holds(strings.ToLower(h.Name+" "+m.hostState(&h)+" "+h.Kernel+" "+h.Why), query)
	})
	slices.SortStableFunc(list, func(a, b trace.Host) int {
		return cmp.Or(cmp.Compare(trouble(&a), trouble(&b)), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// trouble orders hosts: the less, the worse it stands with one.
func trouble(h *trace.Host) int {
	switch {
	case h.State == trace.Failed && !h.Refused:
		return 0
	case h.Refused:
		return 1
	case h.Silent > 0:
		return 2
	case h.Drops+h.Lost+h.Late > 0:
		return 3
	}
	return 4
}

// hostState is the word for how it stands with a host.
func (m *Model) hostState(h *trace.Host) string {
	switch {
	case h.Refused:
		return "refused"
	case h.State == trace.Failed:
		return "died"
	case h.Silent > 0:
		return "silent"
	case !m.ofRun():
		return "there"
	}
	return h.State.String()
}

// hostsTitle says how many hosts there are of each kind.
func (m *Model) hostsTitle() string { return "Hosts: " + m.hostsBrief(m.hosts()) }

// lossyWord is said of hosts of which something is lost, whatever their state.
const lossyWord = "with losses"

// hostsBrief tells in few words how a fleet stands, what is wrong first: the line may be short.
func (m *Model) hostsBrief(list []trace.Host) string {
	counts := map[string]int{}
	for i := range list {
		counts[m.hostState(&list[i])]++
		if list[i].Drops+list[i].Lost > 0 {
			counts[lossyWord]++
		}
	}
	var out []string
	for _, word := range []string{"died", "refused", "silent", lossyWord, "there", "starting", "running", "stopping", "done"} {
		if n := counts[word]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, word))
		}
	}
	if len(out) == 0 {
		return "none is there"
	}
	return strings.Join(out, ", ")
}

// noHostKey says why hosts cannot be put in front of the keys.
func (m *Model) noHostKey() string {
	switch {
	case !m.run.shown():
		return "nothing has been run yet"
	case m.opts.Source != "":
		return "a recording cannot be run otherwise"
	}
	return m.noAgain()
}

// keyByHost runs the script again with the host in front of all keys.
func (m *Model) keyByHost() tea.Cmd { return m.again("hostkey", "on", m.run.options) }

// A hostColumn is what is told of each host, and how wide it is.
type hostColumn struct {
	name string
	w    int
	text func(*trace.Host) string
}

// hostColumns stand beside name, state and kernel. A narrow screen has no room for the first.
var hostColumns = []hostColumn{
	{"probes", 7, func(h *trace.Host) string { return number(uint64(h.Probes)) }},
	{"events", 7, func(h *trace.Host) string { return number(h.Events) }},
	{"keys", 6, func(h *trace.Host) string { return number(uint64(h.Keys)) }},
	{"drops", 6, func(h *trace.Host) string { return number(h.Drops) }},
	{"lost", 6, func(h *trace.Host) string { return number(h.Lost) }},
	{"late", 6, func(h *trace.Host) string { return number(h.Late) }},
	{"behind", 7, func(h *trace.Host) string {
		if h.Behind == 0 {
			return "-"
		}
		return widget.Elapsed(h.Behind)
	}},
}

// number is short, and a dash for nothing, among which what is something is seen.
func number(n uint64) string {
	if n == 0 {
		return "-"
	}
	return chart.Short(float64(n))
}

// hostLayout returns the columns that there is room for, and how wide names and kernels are.
func (m *Model) hostLayout() (columns []hostColumn, name, kernel int) {
	columns = hostColumns
	if m.w < 100 {
		columns = columns[1:]
	}
	left := m.boxWidth() - 2 - 2 - 10
	for _, c := range columns {
		left -= c.w
	}
	kernel = min(max(left*2/5, 8), 28)
	return columns, min(max(left-kernel-1, 1), 48), kernel
}

// drawHosts draws the list, and more of the host under the cursor below it.
func (m *Model) drawHosts() []string {
	k, w, b := m.looks, m.boxWidth()-2, opened[*hostsBox](m)
	var l ink.Line
	out := []string{b.drawQuery(m, &l)}
	columns, name, kernel := m.hostLayout()
	l.Reset(w, k.popText)
	l.Skip(1)
	l.Fit(k.heading, "host", name)
	l.Skip(1)
	l.Fit(k.heading, "state", 10)
	l.Fit(k.heading, "kernel", kernel)
	for _, c := range columns {
		l.Right(k.heading, c.name, c.w)
	}
	out = append(out, l.String())
	list := m.hostRows()
	for i := b.top; i < len(list) && i < b.top+b.height(m); i++ {
		m.drawHost(&l, &list[i], i == b.row)
		out = append(out, l.String())
	}
	if len(list) == 0 {
		l.Reset(w, k.popText)
		l.Put(k.popDetail, " no host matches")
		out = append(out, l.String())
	}
	for len(out) < b.height(m)+2 {
		l.Reset(w, k.popText)
		out = append(out, l.String())
	}
	l.Reset(w, k.popText)
	l.Rep(k.popBorder, k.glyphs.horizontal, w)
	out = append(out, l.String())
	var told []string
	if b.row < len(list) {
		told = aboutOf(&list[b.row], w-2)
	}
	for i := range aboutHost - 1 {
		l.Reset(w, k.popText)
		l.Skip(1)
		if i < len(told) {
			l.Fit(k.popText, told[i], w-2)
		}
		out = append(out, l.String())
	}
	return out[:min(len(out), m.boxLines())]
}

// drawHost draws one host.
func (m *Model) drawHost(l *ink.Line, h *trace.Host, cursor bool) {
	k := m.looks
	state := k.states[h.State]
	if h.Silent > 0 {
		state = k.drops
	}
	base, detail := k.popText, k.popDetail
	if cursor {
		base, detail, state = k.popSelected, ink.Ink{}, ink.Ink{}
	}
	l.Reset(m.boxWidth()-2, base)
	columns, name, kernel := m.hostLayout()
	mark := " "
	if cursor {
		mark = k.chart.Glyph("▌", ">")
	}
	l.Put(ink.Ink{}, mark)
	l.Fit(ink.Ink{}, widget.Safe(h.Name), name)
	l.Skip(1)
	l.Fit(state, m.hostState(h), 10)
	l.Fit(detail, widget.Safe(h.Kernel), kernel)
	for _, c := range columns {
		look, text := ink.Ink{}, c.text(h)
		if !cursor && text != "-" && (c.name == "drops" || c.name == "lost" || c.name == "late") {
			look = k.drops
		}
		l.Right(look, text, c.w)
	}
}

// aboutOf tells of a host in lines of w cells.
func aboutOf(h *trace.Host, w int) (out []string) {
	say := func(format string, args ...any) {
		text := ansi.Wordwrap(widget.Safe(fmt.Sprintf(format, args...)), max(w, 1), "")
		out = append(out, strings.Split(text, "\n")...)
	}
	why := strings.Join(strings.Fields(h.Why), " ")
	switch {
	case h.Refused:
		say("%s refused the script: %s.", h.Name, why)
	case h.State == trace.Failed:
		say("%s died: %s. What it had delivered stays in the picture.", h.Name, why)
	case h.Silent > 0:
		say("Nothing has come of %s for %v: its part stays as it was.", h.Name, h.Silent.Round(time.Second))
	}
	for _, n := range []struct {
		count     uint64
		what, why string
	}{
		{h.Drops, "drop", "there: the losses of the run name them"},
		{h.Lost, "event", "lost on the way: the network, or this machine, is too slow"},
		{h.Late, "event", "late: later ones of other hosts had been shown"},
	} {
		if n.count > 0 {
			say("%s %s.", widget.Count(int(n.count), n.what), n.why)
		}
	}
	clock := ""
	if h.Bound > 0 {
		where := "ahead of"
		if h.Clock < 0 {
			where = "behind"
		}
		clock = fmt.Sprintf("; its clock is %v %s ours, within %v", h.Clock.Abs().Round(time.Microsecond), where, h.Bound.Round(time.Microsecond))
	}
	say("Linux %s%s.", h.Kernel, clock)
	return out
}
