package agg

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// sums returns what an average or a deviation is made of: the words of its cell after
// the first.
func sums(cell []uint64) *trace.Sums {
	var w [3]uint64
	copy(w[:], cell[1:])
	return &trace.Sums{Sum: int64(w[0]), SquaresLow: w[1], SquaresHigh: w[2]}
}

// sumsOf returns the cell of which r has the sums, and perhaps more words.
func sumsOf(r *trace.Row) short {
	return short{r.Count, uint64(r.Sums.Sum), r.Sums.SquaresLow, r.Sums.SquaresHigh}
}

// A Merged is one aggregation of several runs, of which the rows are known and not the cells:
// those of other machines. Each row is turned back into the cell that it shows, and these are
// merged as the cells of several CPUs are, so that the result is to the last digit what one
// run over all of it would show.
//
// It is filled anew for each table: Begin, Add for each row, Table. Where a row is added is
// found by its key, which may be long, and is kept by who adds it again for the next table.
type Merged struct {
	a     *aggregation
	order Order
	at    map[int64]int // the words of a histogram by the least value that falls into them
	rows  map[string]*Place
	read  short  // the row that is being added
	seq   uint64 // of the table that is being filled
}

// A Place is one of the rows of the aggregation, to which those of the same key are added.
type Place struct {
	row
	seq  uint64 // of the table in which it was last
	gone bool
}

// Gone reports whether the place has to be looked for anew: there was a table without it.
func (p *Place) Gone() bool { return p.gone }

// maxWords bounds the histograms that others may ask for.
const maxWords = 1 << 20

// NewMerged returns an aggregation of the function, the parameters and the order of t. These
// come from elsewhere, and may be such that there is none.
func NewMerged(t *trace.Table) (*Merged, error) {
	kind := &kinds[t.Func]
	if kind.hist != nil && !kind.hist.sound(t.Params) {
		return nil, fmt.Errorf("@%s: %v%v is no histogram", t.Name, t.Func, t.Params)
	}
	a := &aggregation{name: t.Name, fn: t.Func, kind: kind, types: t.KeyTypes, params: t.Params, origins: t.Origins,
		normal: max(t.Normal, 1), rows: map[string]*row{}}
	m := &Merged{a: a, rows: map[string]*Place{}, order: Order{Key: t.Sorted.ByKey, KeyPos: t.Sorted.KeyPos, Rev: t.Sorted.Rev}}
	if kind.hist != nil {
		a.scale = kind.hist.scale(a.params)
		m.at = make(map[int64]int, len(a.scale.buckets))
		for i := range a.scale.buckets {
			m.at[a.scale.buckets[i].Low] = i
		}
	}
	a.words = words(a.fn, a.params)
	return m, nil
}

// Begin begins a table: nothing has been added to it.
func (m *Merged) Begin(normal uint64) {
	m.seq++
	m.a.normal = max(normal, 1)
}

// Place returns where rows of an id are added, which are one row; the first of them gives it
// its keys. It stays the place for the id until it is gone.
func (m *Merged) Place(id []byte, keys func() []trace.Value) *Place {
	p := m.rows[string(id)]
	if p == nil {
		p = &Place{row: row{key: string(id), values: keys(), cell: make([]uint64, m.a.words)}}
		m.rows[p.key], m.a.rows[p.key] = p, &p.row
	}
	return p
}

// Add adds a row at its place. A row that does not fit the function is refused, and nothing of
// it is added.
func (m *Merged) Add(at *Place, r *trace.Row) error {
	first := 0
	switch {
	case m.a.kind.sums:
		if r.Sums == nil {
			return fmt.Errorf("@%s: %v() came without what it is made of: the dscope there is too old", m.a.name, m.a.fn)
		}
	case m.a.scale != nil:
		var ok bool
		if first, ok = m.words(r.Buckets); !ok {
			return fmt.Errorf("@%s: a histogram with other buckets than %v%v has", m.a.name, m.a.fn, m.a.params)
		}
	}
	if at.seq != m.seq {
		clear(at.cell)
		at.seq, at.lines = m.seq, nil
	}
	if m.a.scale == nil {
		m.read = m.a.kind.read(r)
		m.a.kind.merge(at.cell, m.read[:m.a.words])
		return nil
	}
	for i := range r.Buckets {
		at.cell[first+i] += uint64(r.Buckets[i].Count)
	}
	return nil
}

// words returns the word of the first of buckets, which are those of words that follow each
// other.
func (m *Merged) words(list []trace.Bucket) (first int, ok bool) {
	if len(list) == 0 {
		return 0, true
	}
	first, ok = m.at[list[0].Low]
	if !ok || first+len(list) > len(m.a.scale.buckets) {
		return 0, false
	}
	for i := range list {
		if b := &m.a.scale.buckets[first+i]; list[i].Low != b.Low || list[i].High != b.High {
			return 0, false
		}
	}
	return first, true
}

// Table returns what has been added since Begin.
func (m *Merged) Table() trace.Table {
	for id, x := range m.rows {
		if x.seq != m.seq {
			x.gone = true
			delete(m.rows, id)
			delete(m.a.rows, id)
		}
	}
	rows := m.a.sorted(m.order, false)
	t := m.a.table(m.order, len(rows))
	for i, x := range rows {
		t.Rows[i] = m.a.show(x, nil)
	}
	return t
}
