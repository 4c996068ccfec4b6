package live

import (
	"slices"
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/ink"
)

// A section is how one aggregation is looked at: the order of its keys, which
// of them are open, and where the cursor is. It outlives snapshots.
type section struct {
	all     []*series // in order
	rows    []*series // those of them that are shown
	left    int       // how many the filter lets through
	others  others    // those that are not shown
	sieve   *sieve
	ranks   []rank          // memory for order
	open    map[string]bool // keys whose histogram or frames are shown
	cursor  string          // ID of the selected key
	at      int             // its place, for when the key is gone
	top     int             // the first line shown
	sorted  int             // index into sortable
	desc    bool
	height  int  // lines of its place
	room    int  // lines that it could have, if it wanted as many as all others
	fits    int  // lines that may stand below an open key
	full    bool // it has had a key in the run that is shown
	fresh   bool // no key has been opened or closed yet
	stale   bool // its rows are those of another moment: see Model.view
	moved   bool // the user has chosen a key; until then it is the first one
	kind    int  // how it is drawn: index into kinds
	figure  figure
	reader  *reader                // of the picture over time; nil if it is none
	read    map[uint64]trace.Table // what was read for it beside the screen
	reading bool                   // that is under way
	stacks  *stacks                // the figure, if that is an icicle or a tree; else nil
}

// newSection begins with the greatest value first, or in the order of the keys if
// the script asks for that.
func newSection(a *agg) *section {
	v := &section{sieve: &sieve{}, open: map[string]bool{}, sorted: len(a.types), desc: true, fresh: true, stale: true}
	v.draw(0)
	if a.sorted.ByKey && a.sorted.KeyPos < len(a.types) {
		v.sorted, v.desc = a.sorted.KeyPos, a.sorted.Rev
	}
	return v
}

// columns that a table can be ordered by: its keys, then these.
type column uint8

const (
	keyColumn column = iota
	valueColumn
	countColumn // how often a value was fed into min, max, avg or stddev
	rateColumn
	p50Column // the quantiles of a histogram; see percentile.go
	p90Column
	p99Column
	maxColumn
	trendColumn // a sparkline; has no order
	shareColumn // a bar or a packed histogram; has no order
)

// sortable returns the columns that the rows of a can be ordered by.
func sortable(a *agg) []column {
	var out []column
	for range a.types {
		out = append(out, keyColumn)
	}
	out = append(out, valueColumn)
	if !a.fn.AddsUp() && a.counted {
		out = append(out, countColumn)
	}
	if a.fn.IsHistogram() {
		for _, q := range quantiles {
			out = append(out, q.kind)
		}
	}
	return append(out, rateColumn)
}

// byRate reports whether the keys are ordered by their rate.
func (v *section) byRate(a *agg) bool {
	cols := sortable(a)
	return cols[min(v.sorted, len(cols)-1)] == rateColumn
}

// sortBy orders by another column; numbers begin with the greatest.
func (v *section) sortBy(a *agg, i int) {
	if v.sorted == i {
		v.desc = !v.desc
	} else {
		v.sorted, v.desc = i, sortable(a)[i] != keyColumn
	}
	v.arrange(a)
}

// arrange puts the keys of a in order and chooses those that are shown.
func (v *section) arrange(a *agg) {
	cols := sortable(a)
	v.sorted = min(v.sorted, len(cols)-1)
	v.all = v.all[:0]
	for _, s := range a.rows {
		v.all = append(v.all, s)
	}
	v.order(cols[v.sorted])
	v.sift(a)
	v.openFirst(a)
}

// find puts the cursor on its key again.
func (v *section) find() {
	for i, s := range v.rows {
		if v.moved && s.id == v.cursor {
			v.at = i
			return
		}
	}
	if !v.moved {
		v.at = 0
	}
	v.step(0)
}

// openFirst keeps the first keys open until the user opens or closes one, so
// that the first picture shows what there is. In a low pane other keys come first. It reports
// whether that has changed.
func (v *section) openFirst(a *agg) (changed bool) {
	if !v.fresh || len(v.rows) == 0 || !a.fn.IsHistogram() && !hasFrames(v.rows[0]) {
		return false
	}
	n := min(len(v.rows), max(v.room/opensPer, 1))
	if !v.roomy(a, v.rows[0]) {
		n = 0
	}
	changed = len(v.open) != n
	clear(v.open)
	for _, s := range v.rows[:n] {
		v.open[s.id] = true
	}
	return changed
}

// opensPer is the lines of a section for each key that is open at first.
const opensPer = 16

func (v *section) selected() *series {
	if v.at < len(v.rows) {
		return v.rows[v.at]
	}
	return nil
}

// move moves the cursor by rows, as the user asks.
func (v *section) move(by int) {
	v.moved = true
	v.step(by)
}

// choose moves the cursor to a row.
func (v *section) choose(i int) { v.at, v.cursor, v.moved = i, v.rows[i].id, true }

func (v *section) step(by int) {
	v.at = min(max(v.at+by, 0), max(len(v.rows)-1, 0))
	if s := v.selected(); s != nil {
		v.cursor = s.id
	}
}

func (v *section) toggle() {
	if s := v.selected(); s != nil {
		v.fresh = false
		v.open[s.id] = !v.open[s.id]
	}
}

func (v *section) toggleAll() {
	open := false
	for _, s := range v.rows {
		open = open || v.open[s.id]
	}
	for _, s := range v.rows {
		v.open[s.id] = !open
	}
	v.fresh = false
}

// hasFrames reports whether a key has a stack in it.
func hasFrames(s *series) bool { return slices.ContainsFunc(s.keys, datum.HasFrames) }

// before returns how many lines below the row of s stand before its histogram: the frames of
// its stacks, and what each CPU has.
func (v *section) before(a *agg, s *series) int {
	n := 0
	for _, k := range s.keys {
		if datum.HasFrames(k) {
			n += len(k.Frames)
		}
	}
	if len(a.types) > 0 {
		n += len(s.shares)
	}
	return n
}

// detail returns how many lines belong below the row of s when it is open and has room.
func (v *section) detail(a *agg, s *series) int {
	n := v.before(a, s)
	if a.fn.IsHistogram() {
		n += s.axis.Lines()
	}
	return n
}

// opened reports whether anything is shown below the row of s.
func (v *section) opened(a *agg, s *series) bool { return len(a.types) == 0 || v.open[s.id] }

// below returns how many lines are shown below the row of s.
func (v *section) below(a *agg, s *series) int {
	if !v.opened(a, s) {
		return 0
	}
	n := v.before(a, s)
	if a.fn.IsHistogram() {
		axis := v.axis(a, s)
		n += axis.Lines()
	}
	return n
}

// drawDetail draws line i of what belongs below the row of s.
func (m *Model) drawDetail(l *ink.Line, k chart.Looks, s *series, h histogram, i int) {
	for _, key := range s.keys {
		if !datum.HasFrames(key) {
			continue
		}
		if i < len(key.Frames) {
			l.Skip(4)
			l.Put(k.Label, datum.Named(key.Frames[i]))
			return
		}
		i -= len(key.Frames)
	}
	if len(s.keys) > 0 {
		if i < len(s.shares) {
			l.Skip(4)
			l.Put(k.Label, "CPU "+strconv.Itoa(s.shares[i].cpu)+"  ")
			l.Put(k.Value, strconv.FormatInt(s.shares[i].value, 10))
			return
		}
		i -= len(s.shares)
	}
	if i < len(h.bars) {
		k.HistogramLine(l, &h.axis, h.bars[i])
	}
}

// bucketAt returns the bucket that line i of what belongs below the row of s draws.
func (v *section) bucketAt(a *agg, s *series, i int) (b trace.Bucket, ok bool) {
	if !a.fn.IsHistogram() {
		return b, false
	}
	axis := v.axis(a, s)
	return axis.BucketAt(i - v.before(a, s))
}

// lines returns how many lines all rows take where there is room for them.
func (v *section) lines(a *agg) int {
	n := 0
	for _, s := range v.rows {
		n += v.rowLines(a)
		if v.opened(a, s) {
			n += v.detail(a, s)
		}
	}
	return n
}

// rowLines is 1 where a key has a row of its own; the one histogram of an
// aggregation without keys stands alone.
func (v *section) rowLines(a *agg) int {
	if len(a.types) == 0 && a.fn.IsHistogram() {
		return 0
	}
	return 1
}

// show moves the window of h lines so that the selected key is in it, and as
// much of what is open below it as fits.
func (v *section) show(a *agg, h int) {
	total, first, last := 0, 0, 0
	for i, s := range v.rows {
		if i == v.at {
			first = total
			last = total + v.rowLines(a) + v.below(a, s) - 1
		}
		total += v.rowLines(a) + v.below(a, s)
	}
	if v.rowLines(a) == 0 { // nothing to select: the keys scroll
		v.top = min(v.top, max(total-h, 0))
		return
	}
	if last >= v.top+h {
		v.top = last - h + 1
	}
	if first < v.top {
		v.top = first
	}
	v.top = max(min(v.top, total-h), 0)
}
