package timeline

import (
	"slices"

	"dscope.dev/engine/trace"
)

// A Reader reads one aggregation out of frames, also while more are added to its timeline:
// by who has asked for it, or elsewhere, but in one place at a time. Most frames that are
// read one after another have the same key frame, which it remembers.
type Reader struct {
	names tableNames // as they were when it was made
	at    int        // index of the aggregation
	only  []int      // the names that are read, ascending; nil is all
	key   *Frame     // that was is of
	was   []cell
}

// Reader returns what reads an aggregation, or some keys of it if any are given; nil if there
// has been none of that name and function.
func (t *Timeline) Reader(name string, fn trace.AggFunc, keys ...string) *Reader {
	i := t.names.find(name, fn)
	if i < 0 {
		return nil
	}
	r := t.reader(i)
	if keys != nil {
		r.only = []int{}
	}
	for _, id := range keys {
		if row, ok := t.names.tables[i].ids[id]; ok {
			r.only = append(r.only, int(row))
		}
	}
	slices.Sort(r.only)
	return r
}

// reader returns what reads all of aggregation i.
func (t *Timeline) reader(i int) *Reader {
	r := &Reader{names: *t.names.tables[i], at: i, key: t.key, was: t.base.of(i)}
	r.names.ids, r.names.places, r.names.order = nil, nil, nil // which are written
	return r
}

// readers returns what reads each aggregation.
func (t *Timeline) readers() []*Reader {
	out := make([]*Reader, len(t.names.tables))
	for i := range out {
		out[i] = t.reader(i)
	}
	return out
}

// Tables returns the aggregations of a frame without their rows.
func (t *Timeline) Tables(f *Frame) (out []trace.Table) {
	for _, r := range t.readers() {
		d := decoder(f.code)
		if one, ok := r.head(&d); ok {
			out = append(out, one)
		}
	}
	return out
}

// head returns the aggregation without its rows, and leaves d at these; false if the frame
// has none of it.
func (r *Reader) head(d *decoder) (t trace.Table, ok bool) {
	t = r.names.table
	t.Normal, t.Sorted, ok = d.table(r.at)
	return t, ok
}

// Read returns the aggregation as it was at a frame; false if the frame has none of it. Its
// rows come in the order in which their keys were first seen.
func (r *Reader) Read(f *Frame) (t trace.Table, ok bool) {
	d := decoder(f.code)
	if t, ok = r.head(&d); !ok {
		return t, false
	}
	r.turn(f.key)
	if f.key == f {
		d = decoder{0} // there is no difference
	}
	m := maker{r: r, out: &t}
	if r.only == nil {
		t.Rows = make([]trace.Row, 0, len(r.was))
	}
	next := 0 // of the key frame
	var room []bucket
	for {
		i, on, more := d.row(next)
		if !more {
			break
		}
		m.rows(next, i)
		next = i + 1
		if on {
			was := &cell{}
			if i < len(r.was) {
				was = &r.was[i]
			}
			c := d.cell(&r.names, was, room)
			m.row(i, &c)
			room = c.buckets
		}
	}
	m.rows(next, len(r.was))
	if len(t.Rows) == 0 {
		t.Rows = nil
	}
	return t, true
}

// turn goes to another key frame.
func (r *Reader) turn(key *Frame) {
	if key == r.key {
		return
	}
	r.key, r.was = key, nil
	d := decoder(key.code)
	if _, _, ok := d.table(r.at); !ok {
		return
	}
	var rooms arena[bucket]
	var room []bucket
	var none cell
	for next := 0; ; next++ {
		i, _, more := d.row(next)
		if !more {
			return
		}
		c := d.cell(&r.names, &none, room)
		room = c.buckets
		c.buckets = rooms.take(len(room))
		copy(c.buckets, room)
		for len(r.was) < i {
			r.was = append(r.was, cell{})
		}
		r.was, next = append(r.was, c), i
	}
}

// A maker makes rows of cells.
type maker struct {
	r    *Reader
	out  *trace.Table
	room arena[trace.Bucket]
}

// rows makes those from one name up to another that are as in the key frame.
func (m *maker) rows(from, to int) {
	if m.r.only != nil {
		for _, i := range m.r.only {
			if i >= from && i < min(to, len(m.r.was)) {
				m.row(i, &m.r.was[i])
			}
		}
		return
	}
	for i := from; i < min(to, len(m.r.was)); i++ {
		m.row(i, &m.r.was[i])
	}
}

// row makes one, if it is there and asked for.
func (m *maker) row(i int, c *cell) {
	if !c.on || m.r.only != nil && !slices.Contains(m.r.only, i) {
		return
	}
	names := &m.r.names
	row := names.rows[i]
	row.Value, row.Count, row.Buckets = c.value, c.count, m.room.take(len(c.buckets))
	for j, b := range c.buckets {
		row.Buckets[j] = names.buckets[b.place]
		row.Buckets[j].Count = b.n
	}
	for _, p := range c.shares {
		row.PerCPU = append(row.PerCPU, trace.Share{CPU: int(p.cpu), Value: p.value})
	}
	m.out.Rows = append(m.out.Rows, row)
}
