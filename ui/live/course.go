package live

import (
	"strings"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A course is an aggregation over time, a column an interval: of the key under the cursor,
// or of all together. It is a picture of the timeline up to a moment. What is drawn of it
// is a matter of the figure.
type course struct {
	all     bool                      // of all keys together
	id      string                    // of the key that sums are of, or the filter that all keys are of
	sums    map[uint64][]trace.Bucket // what was there at a snapshot, by its number
	columns []interval                // what is shown, the newest last
	length  time.Duration             // of an interval
	at      time.Duration             // where the cursor is; 0 goes along with the newest interval
}

// An interval is one column of a heat map.
type interval struct {
	n        int64 // how many of its length lie before it
	from, to time.Duration
	kept     bool           // its counts are known
	counts   []trace.Bucket // what came, ascending, without labels
	total    int64
	lost     uint64 // events that were dropped
	partial  bool   // more of it is to come
	marks    []time.Duration
}

// A source says what a course is made of.
type source interface {
	// part returns what is drawn of a row, as buckets.
	part(a *agg, r *trace.Row) []trace.Bucket

	// came enters into an interval what came between two snapshots.
	came(a *agg, c *interval, now, was []trace.Bucket)
}

// moment returns the frame that is shown; -1 if there is none.
func (m *Model) moment() int {
	line := m.told().line
	if m.held != nil && line.Len() > 0 {
		return line.Find(m.held.elapsed)
	}
	return line.Len() - 1
}

// follow goes on to the key under the cursor, or to what the filter leaves of all, and
// reports whether that is another than before.
func (c *course) follow(v *section) bool {
	id := ""
	if s := v.selected(); s != nil {
		id = s.id
	}
	if c.all {
		id = v.sieve.filter.String()
	}
	if c.sums != nil && id == c.id {
		return false
	}
	c.id, c.sums = id, map[uint64][]trace.Bucket{}
	return true
}

// fill works out the columns. It looks up what was there at the ends of all intervals, the
// newest first; what a reader leaves for later is blank until then.
func (c *course) fill(of source, r *reader, a *agg, moment, width int) {
	c.columns = make([]interval, width)
	if moment < 0 {
		return
	}
	line := r.of.line
	c.length = line.Interval(moment, width)
	ends, last := make([]int, width+1), int64((line.Elapsed(moment)-1)/c.length) // frames; -1 is before the first
	wanted := map[uint64]bool{}
	for x := width; x >= 0; x-- {
		n := time.Duration(last - int64(width-x) + 1)
		if ends[x] = -1; n < 0 || n*c.length < line.Elapsed(0) {
			continue
		}
		i := min(line.Find(n*c.length), moment)
		ends[x] = i
		f := line.Frame(i)
		wanted[f.Seq()] = true
		if _, known := c.sums[f.Seq()]; !known {
			if t, ok := r.at(f, len(a.rows)); ok {
				c.sums[f.Seq()] = c.sum(of, t, a)
			}
		}
	}
	for seq := range c.sums {
		if !wanted[seq] {
			delete(c.sums, seq)
		}
	}
	for x := range c.columns {
		c.columns[x] = c.column(of, line, a, ends[x], ends[x+1])
		c.columns[x].n = last - int64(width-1-x)
	}
	c.tell(line, moment)
}

// keys returns which the course reads: that under the cursor, or all of them.
func (c *course) keys() []string {
	if c.all {
		return nil
	}
	return []string{c.id}
}

// sum returns what there is of the key, or of all together, in what was read of a snapshot.
func (c *course) sum(of source, t trace.Table, a *agg) []trace.Bucket {
	for i := range t.Rows {
		if r := &t.Rows[i]; c.all || r.ID == c.id {
			return of.part(a, r)
		}
	}
	return nil
}

// column returns what came between two frames; -1 is before the first.
func (c *course) column(of source, line *timeline.Timeline, a *agg, from, to int) (out interval) {
	if to < 0 || from == to { // nothing is kept of this interval by itself
		return out
	}
	now, known := c.sums[line.Seq(to)]
	var was []trace.Bucket
	if from >= 0 && known {
		was, known = c.sums[line.Seq(from)]
		out.from, out.lost = line.Elapsed(from), line.Drops(to)-min(line.Drops(from), line.Drops(to))
	}
	out.to, out.kept = line.Elapsed(to), known
	if known {
		of.came(a, &out, now, was)
	}
	return out
}

// key returns the key that is drawn; "" is all of them.
func (c *course) key() string {
	if c.all {
		return ""
	}
	return c.id
}

// titleOf says in the title which keys are drawn.
func (m *Model) titleOf(l *ink.Line, a *agg, v *section, all bool) {
	l.Put(m.looks.Key, v.filterText())
	if len(a.types) == 0 {
		return
	}
	of := " all keys"
	if s := v.selected(); s != nil && !all {
		of = " " + strings.Join(s.texts, " ")
	}
	l.Fit(m.looks.Key, widget.Cut(of, 30), min(ink.Width(of), 30))
}
