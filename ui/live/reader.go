package live

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/filter"
	"dscope.dev/ui/flow"
	"dscope.dev/ui/timeline"
)

// A reader reads one aggregation out of the frames of a timeline for one picture: each frame
// once, however many keys ask for it. Where that would take longer than somebody waits for
// the next frame of the screen, the rest is read beside it, a slice at a time, and the picture
// fills from the newest column to the oldest.
type reader struct {
	of     readerOf
	table  *timeline.Reader // nil if there is nothing of it
	leaves func(*trace.Row) bool
	left   int                    // rows that may be read at once
	have   map[uint64]trace.Table // by the number of the snapshot
	later  []*timeline.Frame      // what was left
}

// A readerOf names what is read. Of the same, the same is found.
type readerOf struct {
	view string
	line *timeline.Timeline
	all  bool
	what string // the keys, or the filter that all keys are of
}

// A readMsg is a slice of what a reader left.
type readMsg struct {
	of   readerOf
	have map[uint64]trace.Table
}

const (
	// readAtOnce is how many rows are read while one waits: about a millisecond.
	readAtOnce = 5_000

	// slice is for how long is read beside the screen before it is shown.
	slice = 20 * time.Millisecond
)

// reader returns one of some keys of the run that is shown, or of the sum of all that the
// filter leaves.
func (m *Model) reader(a *agg, v *section, keys ...string) *reader {
	line := m.told().line
	r := &reader{of: readerOf{view: viewID(a), line: line, what: strings.Join(keys, "\x00")}, left: readAtOnce, have: map[uint64]trace.Table{}}
	r.table = line.Reader(a.name, a.fn, keys...)
	if keys == nil {
		r.of.all, r.of.what = true, v.sieve.filter.String()
		r.leaves = func(row *trace.Row) bool { return v.leaves(a, row) }
	}
	if v.reader != nil && v.reader.of == r.of && v.read != nil {
		r.have = v.read
	}
	v.reader, v.read = r, nil
	return r
}

// at returns what is asked for of a frame, of an aggregation of so many rows: its keys, or one
// row for all of them; false if that has to wait.
func (r *reader) at(f *timeline.Frame, rows int) (t trace.Table, ok bool) {
	if t, ok = r.have[f.Seq()]; ok {
		return t, true
	}
	if r.left <= 0 {
		r.later = append(r.later, f)
		return t, false
	}
	if r.left -= max(rows, 50); r.of.all { // adding them up takes longer
		r.left -= 3 * max(rows, 50)
	}
	t = read(r.table, f, r.leaves)
	r.have[f.Seq()] = t
	return t, true
}

// read returns what is asked for of a frame; leaves says which rows are added up, nil adds
// up none.
func read(r *timeline.Reader, f *timeline.Frame, leaves func(*trace.Row) bool) (t trace.Table) {
	if r == nil {
		return t
	}
	t, _ = r.Read(f)
	if leaves == nil {
		return t
	}
	all := t.Rows[:0]
	for i := range t.Rows {
		row := &t.Rows[i]
		switch {
		case !leaves(row):
		case len(all) == 0:
			all = append(all, *row)
		default:
			all[0].Value += row.Value
			all[0].Buckets = flow.Join(all[0].Buckets, row.Buckets)
		}
	}
	t.Rows = all
	return t
}

// readLater returns what reads the next slice of what the picture of a section waits for; nil
// if that is nothing, or under way.
func (v *section) readLater() tea.Cmd {
	r := v.reader
	if r == nil || len(r.later) == 0 || v.reading {
		return nil
	}
	v.reading = true
	of, frames, table := r.of, r.later, r.table
	var leaves func(*trace.Row) bool
	if of.all {
		leaves = leaving(v.sieve.filter)
	}
	return func() tea.Msg {
		msg, began := readMsg{of, map[uint64]trace.Table{}}, time.Now()
		for _, f := range frames {
			if msg.have[f.Seq()] = read(table, f, leaves); time.Since(began) > slice {
				break
			}
		}
		return msg
	}
}

// hasRead takes a slice. One that nobody waits for any more is dropped.
func (m *Model) hasRead(msg readMsg) {
	v := m.views[msg.of.view]
	if v == nil {
		return
	}
	v.reading = false
	if v.reader != nil && v.reader.of == msg.of {
		v.read = msg.have
	}
}

// leaving returns what a filter leaves, to be asked by one goroutine.
func leaving(f filter.Filter) func(*trace.Row) bool {
	known := map[string]bool{}
	return func(r *trace.Row) bool {
		if f.Empty() {
			return true
		}
		ok, asked := known[r.ID]
		if !asked {
			ok = f.Match(texts(r.Keys))
			known[r.ID] = ok
		}
		return ok
	}
}
