package live

import (
	"math"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/selection"
	"dscope.dev/ui/timeline"
)

// A pick is what is selected of one aggregation: what lies between two corners. It is
// kept by values and times, not by lines and columns, so that it stays what it is while
// the picture moves.
type pick struct {
	kind       pickKind
	a          string // the aggregation, as views are told by
	from, to   corner // where it began, and where the cursor is
	stretching bool   // the cursor leaves the beginning behind
	rows       []string
}

// A corner is a bucket and an interval, or a row.
type corner struct {
	low, high int64
	since, at time.Duration // an interval: behind since, up to at
	row       string        // ID of the key
}

type pickKind uint8

const (
	cells   pickKind = iota // of a heat map
	buckets                 // of the histogram of a key
	rows                    // of a table
)

func viewID(a *agg) string { return a.name + " " + a.fn.String() }

// picked returns what is selected of an aggregation; nil if nothing is.
func (m *Model) picked(a *agg) *pick {
	if m.pick == nil || a == nil || m.pick.a != viewID(a) {
		return nil
	}
	return m.pick
}

// selectHere begins a selection at the cursor; once there is one, it says whether the
// cursor takes it along or stretches it.
func (m *Model) selectHere() tea.Cmd {
	a, v := m.current()
	if p := m.picked(a); p != nil {
		p.stretching = !p.stretching
		return nil
	}
	p := &pick{a: viewID(a)}
	if !v.figure.pickHere(a, v, p) {
		return nil
	}
	if p.to == (corner{}) {
		p.to = p.from
	}
	m.pick = p
	return nil
}

// selectRows begins a selection of whole keys.
func (m *Model) selectRows() tea.Cmd {
	_, v := m.current()
	if s := v.selected(); s != nil {
		a, _ := m.current()
		m.pick = &pick{kind: rows, a: viewID(a), from: corner{row: s.id}, to: corner{row: s.id}, rows: []string{s.id}, stretching: true}
	}
	return nil
}

func cellCorner(b trace.Bucket, c interval) corner {
	return corner{low: b.Low, high: b.High, since: c.from, at: c.to}
}

func fullest(list []trace.Bucket) trace.Bucket {
	best := list[0]
	for _, b := range list {
		if b.Count > best.Count {
			best = b
		}
	}
	return best
}

// noSelect says why nothing can be selected.
func (m *Model) noSelect() string {
	a, v := m.current()
	switch {
	case a == nil:
		return m.nothing()
	case v.stacks != nil:
		return m.noTable()
	case v.tabled() && v.selected() == nil && v.others.keys > 0:
		return "the filter leaves no key to select"
	case v.tabled() && v.selected() == nil:
		return "the aggregation holds nothing to select"
	}
	return ""
}

// noPick says why there is no selection to give up.
func (m *Model) noPick() string {
	if m.pick == nil {
		return "nothing is selected"
	}
	return ""
}

// Examples returns the examples of the run.
func (m *Model) Examples() *timeline.Examples { return m.told().whole().Examples() }

// unselect goes back one step: from stretching to the one place, from that to nothing.
func (m *Model) unselect() tea.Cmd {
	if p := m.pick; p.stretching && p.kind != rows {
		p.stretching, p.to.row = false, p.from.row
		p.from = p.to
		return nil
	}
	m.pick = nil
	return nil
}

// walk moves the cursor of the selection, by lines down and columns to the right; false
// means that there is none to move.
func (m *Model) walk(down, right int) bool {
	a, v := m.current()
	p := m.picked(a)
	if p == nil {
		return false
	}
	switch p.kind {
	case rows:
		v.move(down)
		m.stretchRows(v)
		return true
	case cells:
		v.figure.walk(a, v, p, down, right)
	default:
		s := a.rows[p.from.row]
		if s == nil {
			break
		}
		axis := v.axis(a, s)
		all := axis.Buckets()
		if i := slices.IndexFunc(all, func(b trace.Bucket) bool { return b.Low <= p.to.low && p.to.low <= b.High }); i >= 0 {
			b := all[min(max(i+down, 0), len(all)-1)]
			p.to.low, p.to.high = b.Low, b.High
		}
	}
	if !p.stretching {
		row := p.from.row
		p.from = p.to
		p.from.row = row
	}
	return true
}

// step moves a corner by intervals that are kept.
func (c *corner) step(columns []interval, by int) {
	i := slices.IndexFunc(columns, func(x interval) bool { return x.to >= c.at && x.kept })
	if i < 0 {
		i = len(columns) - 1
	}
	for n := i + by; n >= 0 && n < len(columns); n += sign(by) {
		if x := columns[n]; x.kept {
			c.since, c.at = x.from, x.to
			return
		}
		if by == 0 {
			return
		}
	}
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// stretchRows takes in the keys from where the selection began to the cursor.
func (m *Model) stretchRows(v *section) {
	p, s := m.pick, v.selected()
	if s == nil {
		return
	}
	if p.to.row = s.id; !p.stretching {
		p.from.row = s.id
	}
	from := slices.IndexFunc(v.rows, func(s *series) bool { return s.id == p.from.row })
	if from < 0 {
		from = v.at
	}
	p.rows = nil
	for _, s := range v.rows[min(from, v.at) : max(from, v.at)+1] {
		p.rows = append(p.rows, s.id)
	}
}

// span returns the buckets and the stretch of time that are selected.
func (p *pick) span() (low, high int64, since, at time.Duration) {
	return min(p.from.low, p.to.low), max(p.from.high, p.to.high), min(p.from.since, p.to.since), max(p.from.at, p.to.at)
}

// hasBucket reports whether a bucket of the histogram of a key is selected.
func (p *pick) hasBucket(id string, b trace.Bucket) bool {
	if p == nil || p.kind != buckets || p.from.row != id {
		return false
	}
	low, high, _, _ := p.span()
	return b.Low >= low && b.High <= high
}

// hasCell reports whether a cell of the heat map is selected.
func (p *pick) hasCell(c interval, b trace.Bucket) bool {
	if p == nil || p.kind != cells {
		return false
	}
	low, high, _, _ := p.span()
	return b.High >= low && b.Low <= high && p.hasTime(&c)
}

// hasTime reports whether an interval is selected, or a part of it.
func (p *pick) hasTime(c *interval) bool {
	if p == nil || p.kind != cells {
		return false
	}
	_, _, since, at := p.span()
	return c.kept && c.to > since && c.from < at
}

// showPick moves the window of h lines so that the bucket under the cursor of a selection
// is in it.
func (m *Model) showPick(p place, h int) {
	pick := m.picked(p.a)
	if pick == nil || pick.kind != buckets {
		return
	}
	line := 0
	for _, s := range p.v.rows {
		head, below := p.v.rowLines(p.a), p.v.below(p.a, s)
		for i := 0; s.id == pick.to.row && i < below; i++ {
			if b, ok := p.v.bucketAt(p.a, s, i); ok && b.Low <= pick.to.low && pick.to.low <= b.High {
				at := line + head + i
				p.v.top = max(min(p.v.top, at), at-h+1)
				return
			}
		}
		line += head + below
	}
}

// column returns the interval that the cursor of a selection is in, or else another.
func (p *pick) column(columns []interval, other int) int {
	if p == nil || p.kind != cells {
		return other
	}
	if i := slices.IndexFunc(columns, func(c interval) bool { return c.kept && c.to >= p.to.at }); i >= 0 {
		return i
	}
	return other
}

// hasRow reports whether a key is selected.
func (p *pick) hasRow(id string) bool {
	return p != nil && p.kind == rows && slices.Contains(p.rows, id)
}

// selection returns what is selected; without anything, the key under the cursor is.
func (m *Model) selection() (s selection.Selection) {
	a, v := m.current()
	if a == nil {
		return s
	}
	s.Name, s.Func, s.Unit = a.name, a.fn, a.unit
	p := m.picked(a)
	switch {
	case p != nil && p.kind == rows:
		for _, id := range p.rows {
			s.Rows = appendRow(s.Rows, a, id)
		}
	case p != nil:
		s.Buckets, s.Time = true, p.kind == cells
		s.Low, s.High, s.From, s.To = p.span()
		if p.kind == buckets && len(a.types) > 0 {
			s.Rows, s.Among = appendRow(nil, a, p.from.row), true
		}
		if p.kind == cells && p.from.row != "" && len(a.types) > 0 {
			s.Rows, s.Among = appendRow(nil, a, p.from.row), true
		}
		if p.kind == cells && p.from.row == "" && v.left < len(v.all) {
			for _, x := range v.all {
				if !x.out {
					s.Rows = append(s.Rows, x.keys)
				}
			}
			s.Among = true
		}
		if s.Low == s.High && s.Low == math.MinInt64 { // no bucket has been chosen
			s.Buckets = false
		}
	case v.tabled() && len(a.types) > 0 && v.selected() != nil:
		s.Rows = appendRow(nil, a, v.selected().id)
	}
	return s
}

func appendRow(list [][]trace.Value, a *agg, id string) [][]trace.Value {
	if s := a.rows[id]; s != nil {
		list = append(list, s.keys)
	}
	return list
}

// noAnswer says why nothing can be asked about what is selected.
func (m *Model) noAnswer() string {
	a, v := m.current()
	if a == nil || v.stacks != nil {
		return m.noTable()
	}
	if m.picked(a) == nil && (!v.tabled() || len(a.types) == 0) {
		return "select something first: " + m.keys.Key("live.select") + " begins at the cursor, or drag with the mouse"
	}
	return ""
}

// ask puts a question about the selection to whoever has answers.
func (m *Model) ask(q selection.Question) tea.Cmd { return m.selection().Ask(q) }
