package wire

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"dscope.dev/engine/trace"
)

// A merger makes snapshots of the messages that a differ makes of them.
type merger struct {
	tables []state
	fresh  []trace.Row // that came and have no place yet
	left   uint64      // bytes of memory that may be taken
	limit  uint64
	work   int64 // rows that may be copied
}

// A state is a table as it stands.
type state struct {
	trace.Table
	shown bool        // a reader has its rows, which stay as they are
	spare []trace.Row // memory for the next
	size  uint64      // bytes that are counted of it
}

func (m *merger) forget() { m.tables, m.fresh, m.left = nil, nil, m.limit }

var (
	errState = errors.New("its aggregations would take too much memory")
	errWork  = errors.New("its aggregations would take too much time")
)

// take counts memory for n rows and what they hold.
func (m *merger) take(bytes uint64) bool {
	if bytes > m.left {
		return false
	}
	m.left -= bytes
	return true
}

const (
	rowSize    = uint64(unsafe.Sizeof(trace.Row{}))
	bucketSize = uint64(unsafe.Sizeof(trace.Bucket{}))
)

// weigh returns about how many bytes a row takes besides itself.
func weigh(r *trace.Row) uint64 {
	n := uint64(len(r.ID)) + bucketSize*uint64(len(r.Buckets))
	if r.Sums != nil {
		n += uint64(unsafe.Sizeof(trace.Sums{}))
	}
	for i := range r.Keys {
		n += uint64(unsafe.Sizeof(trace.Value{})) + uint64(len(r.Keys[i].Str)) // frames are shared
	}
	for i := range r.PerCPU {
		n += uint64(unsafe.Sizeof(trace.Share{})) + bucketSize*uint64(len(r.PerCPU[i].Buckets))
	}
	return n
}

// rows keeps rows for the change that puts them in.
func (m *merger) rows(list []trace.Row) error {
	for i := range list {
		if !m.take(rowSize + weigh(&list[i])) {
			return errState
		}
	}
	m.fresh = append(m.fresh, list...)
	return nil
}

// change makes the table that c is about.
func (m *merger) change(c *change) error {
	switch {
	case c.Table == len(m.tables) && c.Shape != nil:
		m.tables = append(m.tables, state{})
	case c.Table < 0 || c.Table >= len(m.tables):
		return errEdit(c.Table)
	}
	t := &m.tables[c.Table]
	if c.Shape != nil {
		if err := checkTable(c.Shape); err != nil {
			return err
		}
		rows := t.Rows
		t.Table = *c.Shape
		t.Rows = rows
	}
	if c.Rows < 0 || c.Rows > len(t.Rows)+len(m.fresh) {
		return errEdit(c.Table)
	}
	if m.work -= int64(c.Rows + len(t.Rows)); m.work < 0 {
		return errWork
	}
	into := t.spare[:0]
	if t.spare = nil; cap(into) < c.Rows {
		if !m.take(rowSize * uint64(c.Rows)) { // the first count was of rows that came
			return errState
		}
		into = make([]trace.Row, 0, c.Rows+c.Rows/8)
		m.left += min(t.size, m.limit-m.left)
		t.size = rowSize * uint64(c.Rows)
	}
	p := patch{columns{c.Edits}, t.Rows, into, m.fresh, make([]bool, len(t.Rows))}
	if !p.apply(c.Rows) {
		return errEdit(c.Table)
	}
	for i := range t.Rows {
		if p.gone[i] { // that which was changed is counted anew
			m.left = min(m.left+rowSize+weigh(&t.Rows[i]), m.limit)
		}
	}
	if !t.shown {
		t.spare = t.Rows
	}
	t.Rows, t.shown = p.now, false
	m.fresh = nil
	return nil
}

// moment ends the changes of one snapshot, which has n tables.
func (m *merger) moment(n int) error {
	if n < 0 || n > len(m.tables) || len(m.fresh) > 0 {
		return errors.New("a snapshot of tables that were not written")
	}
	for i := n; i < len(m.tables); i++ {
		t := &m.tables[i]
		back := t.size
		for j := range t.Rows {
			back += rowSize + weigh(&t.Rows[j])
		}
		m.left = min(m.left+back, m.limit)
		*t = state{}
	}
	m.tables = m.tables[:n]
	return nil
}

// snapshot returns the tables as they stand. Nothing that it returns is changed later.
func (m *merger) snapshot() []trace.Table {
	if len(m.tables) == 0 {
		return nil
	}
	out := make([]trace.Table, len(m.tables))
	for i := range m.tables {
		out[i] = m.tables[i].Table
		if len(out[i].Rows) == 0 {
			out[i].Rows = nil
		}
		out[i].Rows = slices.Clip(out[i].Rows)
		m.tables[i].shown = true
	}
	return out
}

// A columns reads the columns of edits.
type columns struct{ edits }

// A patch makes a list of rows of the one before.
type patch struct {
	columns
	before, now, fresh []trace.Row
	gone               []bool // rows before that are gone, or stand elsewhere
}

// apply reports whether the edits fit.
func (p *patch) apply(rows int) bool {
	ok := true
	at, from := -1, 0
	type edit struct {
		at, from int
		kind     uint64
	}
	list := make([]edit, 0, min(len(p.At), rows)) // each takes a byte at least
	for len(p.At) > 0 && ok {
		gap := number(&p.At, &ok)
		if gap > uint64(rows) {
			return false
		}
		at += int(gap) + 1
		u := number(&p.From, &ok)
		e := edit{at: at, kind: u % editKinds}
		if e.kind != fresh {
			step := unzigzag(u / editKinds)
			if step > int64(len(p.before)) || step < -int64(len(p.before)) {
				return false
			}
			if e.from = from + int(step); e.from < 0 || e.from >= len(p.before) || p.gone[e.from] {
				return false
			}
			p.gone[e.from] = true
			from = e.from + 1
		}
		list = append(list, e)
	}
	for i := -1; len(p.Gone) > 0 && ok; {
		gap := number(&p.Gone, &ok)
		if gap >= uint64(len(p.before)-i-1) {
			return false
		}
		i += int(gap) + 1
		if p.gone[i] {
			return false
		}
		p.gone[i] = true
	}
	if at >= rows || !ok {
		return false
	}
	next := 0
	for i, k := 0, 0; i < rows; i++ {
		if k < len(list) && list[k].at == i {
			if !p.edit(list[k].from, list[k].kind) {
				return false
			}
			k++
			continue
		}
		for next < len(p.before) && p.gone[next] {
			next++
		}
		if next == len(p.before) {
			return false
		}
		p.now = append(p.now, p.before[next])
		next++
	}
	for next < len(p.before) && p.gone[next] {
		next++
	}
	for _, e := range list { // what was edited is not gone
		if e.kind != fresh {
			p.gone[e.from] = false
		}
	}
	return next == len(p.before) && len(p.fresh) == 0 && len(p.From)+len(p.Value)+len(p.Count)+len(p.Bucket)+len(p.Shares)+len(p.Sums) == 0
}

// edit puts one row.
func (p *patch) edit(from int, kind uint64) bool {
	if kind == fresh {
		if len(p.fresh) == 0 {
			return false
		}
		p.now = append(p.now, p.fresh[0])
		p.fresh = p.fresh[1:]
		return true
	}
	p.now = append(p.now, p.before[from])
	ok := true
	if kind == changed {
		r := &p.now[len(p.now)-1]
		r.Value += unzigzag(number(&p.Value, &ok))
		r.Count += uint64(unzigzag(number(&p.Count, &ok)))
		r.Buckets = counts(&p.Bucket, r.Buckets, &ok)
		if len(r.PerCPU) > 0 {
			r.PerCPU = slices.Clone(r.PerCPU)
		}
		for i := range r.PerCPU {
			s := &r.PerCPU[i]
			s.Value += unzigzag(number(&p.Shares, &ok))
			s.Buckets = counts(&p.Shares, s.Buckets, &ok)
		}
		if r.Sums != nil {
			sums := *r.Sums
			sums.Sum += unzigzag(number(&p.Sums, &ok))
			sums.SquaresLow += uint64(unzigzag(number(&p.Sums, &ok)))
			sums.SquaresHigh += uint64(unzigzag(number(&p.Sums, &ok)))
			r.Sums = &sums
		}
	}
	return ok
}

// counts returns buckets with other counts.
func counts(from *[]byte, before []trace.Bucket, ok *bool) []trace.Bucket {
	if len(before) == 0 {
		return before
	}
	n := number(from, ok)
	if n == 0 {
		return before
	}
	now := slices.Clone(before)
	for i := -1; n > 0 && *ok; n-- {
		gap := number(from, ok)
		if gap >= uint64(len(now)-i-1) {
			*ok = false
			break
		}
		i += int(gap) + 1
		now[i].Count += unzigzag(number(from, ok))
	}
	return now
}

// number takes a number off a column.
func number(from *[]byte, ok *bool) uint64 {
	if b := *from; len(b) > 0 && b[0] < 0x80 {
		*from = b[1:]
		return uint64(b[0])
	}
	u, n := binary.Uvarint(*from)
	if n <= 0 {
		*ok = false
		return 0
	}
	*from = (*from)[n:]
	return u
}
