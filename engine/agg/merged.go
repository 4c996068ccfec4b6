package agg

import (
	"fmt"

	"dscope.dev/engine/trace"
)

// sumsOf returns what an average or a deviation is made of.
func sumsOf(f trace.AggFunc, cell []uint64) *trace.Sums {
	s := &trace.Sums{Sum: int64(cell[1])}
	if f == trace.Stddev {
		s.SquaresLow, s.SquaresHigh = cell[2], cell[3]
	}
	return s
}

// A Merged is one aggregation of several runs, of which the rows are known and not the cells:
// those of other machines. Each row is turned back into the cell that it shows, and these are
// merged as the cells of several CPUs are, so that the result is to the last digit what one
// run over all of it would show.
//
// It is filled anew for each table: Begin, Add for each row, Table.
type Merged struct {
	a     *aggregation
	order Order
	at    map[int64]int // the words of a histogram by the least value that falls into them
	rows  map[string]*mergedRow
	seq   uint64 // of the table that is being filled
}

// A mergedRow is one of the rows of the aggregation, and in which table it was last.
type mergedRow struct {
	row
	seq uint64
}

// maxWords bounds the histograms that others may ask for.
const maxWords = 1 << 20

// NewMerged returns an aggregation of the function, the parameters and the order of t. These
// come from elsewhere, and may be such that there is none.
func NewMerged(t *trace.Table) (*Merged, error) {
	if err := sound(t.Func, t.Params); err != nil {
		return nil, fmt.Errorf("@%s: %w", t.Name, err)
	}
	a := &aggregation{name: t.Name, fn: t.Func, types: t.KeyTypes, params: t.Params, origins: t.Origins,
		normal: max(t.Normal, 1), rows: map[string]*row{}}
	m := &Merged{a: a, rows: map[string]*mergedRow{}, order: Order{Key: t.Sorted.ByKey, KeyPos: t.Sorted.KeyPos, Rev: t.Sorted.Rev}}
	if a.fn.IsHistogram() {
		a.scale = scaleOf(a.fn, a.params)
		m.at = make(map[int64]int, len(a.scale.buckets))
		for i := range a.scale.buckets {
			m.at[a.scale.buckets[i].Low] = i
		}
	}
	a.words = words(a.fn, a.params)
	return m, nil
}

// sound reports whether there is a histogram of these parameters. The checker lets no others
// through, but who sends them need not have one.
func sound(f trace.AggFunc, params []int64) error {
	wrong := fmt.Errorf("%v%v is no histogram", f, params)
	switch f {
	case trace.Lquantize:
		if len(params) < 2 || params[1] <= params[0] {
			return wrong
		}
		step := uint64(1)
		if len(params) > 2 && params[2] > 0 {
			step = uint64(params[2])
		}
		if levels := (uint64(params[1]) - uint64(params[0])) / step; levels == 0 || levels > maxWords {
			return wrong
		}
	case trace.Llquantize:
		if len(params) < 4 || params[0] < 2 || params[1] < 0 || params[2] < params[1] || params[2] > 63 || params[3] < 1 || params[3] > maxWords {
			return wrong
		}
		top := uint64(1)
		for range params[2] + 1 { // the greatest bound has to be a number
			if top > (1<<64-1)/uint64(params[0]) {
				return wrong
			}
			top *= uint64(params[0])
		}
		if (params[2]-params[1]+1)*params[3] > maxWords {
			return wrong
		}
	}
	return nil
}

// Begin begins a table: nothing has been added to it.
func (m *Merged) Begin(normal uint64) {
	m.seq++
	m.a.normal = max(normal, 1)
}

// Add adds a row. Rows of one id are one row; the first of them gives it its keys. A row that
// does not fit the function is refused, and nothing of it is added.
func (m *Merged) Add(id []byte, r *trace.Row, keys func() []trace.Value) error {
	first := 0
	switch {
	case m.a.fn == trace.Avg || m.a.fn == trace.Stddev:
		if r.Sums == nil {
			return fmt.Errorf("@%s: %v() came without what it is made of: the dscope there is too old", m.a.name, m.a.fn)
		}
	case m.a.scale != nil:
		var ok bool
		if first, ok = m.words(r.Buckets); !ok {
			return fmt.Errorf("@%s: a histogram with other buckets than %v%v has", m.a.name, m.a.fn, m.a.params)
		}
	}
	x := m.rows[string(id)]
	if x == nil {
		x = &mergedRow{row: row{key: string(id), values: keys(), cell: make([]uint64, m.a.words)}}
		m.rows[x.key], m.a.rows[x.key] = x, &x.row
	} else if x.seq != m.seq {
		clear(x.cell)
	}
	x.seq, x.lines = m.seq, nil
	switch c := x.cell; m.a.fn {
	case trace.Count:
		c[0] += uint64(r.Value)
	case trace.Sum:
		c[0], c[1] = c[0]|1, c[1]+uint64(r.Value)
	case trace.Min, trace.Max:
		mergeExtreme(c, []uint64{1, extreme(m.a.fn, uint64(r.Value))})
	case trace.Avg:
		c[0], c[1] = c[0]+r.Count, c[1]+uint64(r.Sums.Sum)
	case trace.Stddev:
		Merge(m.a.fn, c, []uint64{r.Count, uint64(r.Sums.Sum), r.Sums.SquaresLow, r.Sums.SquaresHigh})
	default:
		for i := range r.Buckets {
			c[first+i] += uint64(r.Buckets[i].Count)
		}
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
