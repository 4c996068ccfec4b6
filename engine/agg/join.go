package agg

import (
	"cmp"
	"slices"

	"dscope.dev/engine/trace"
)

// Printa returns the aggregations that one printa() names, as they stand: one
// as Table gives it, several joined, so that they have the same keys in the
// same order and a zero where one of them lacks a key.
func (t *Totals) Printa(aggs []int, o Order) []trace.Table {
	switch len(aggs) {
	case 0:
		return nil
	case 1:
		return []trace.Table{t.Table(aggs[0], o)}
	}
	lines := t.join(aggs)
	first := o.Pos
	if first < 0 || first >= len(aggs) {
		first = 0
	}
	slices.SortFunc(lines, func(x, y line) int { return o.compareLines(x, y, first) })
	tables := make([]trace.Table, len(aggs))
	for i, n := range aggs {
		a := t.aggs[n]
		tables[i] = a.table(o, len(lines))
		for j, l := range lines {
			tables[i].Rows[j] = a.show(l.cells[i].row, t.cpus)
		}
	}
	return tables
}

// A line is one key with its row in each of several aggregations.
type line struct {
	keys  []trace.Value
	cells []weighed
}

// join collects the keys of several aggregations, whose keys have the same
// types. Keys of another shape are left out: the checker lets none through.
func (t *Totals) join(aggs []int) []line {
	at := make(map[string]int)
	var lines []line
	for i, n := range aggs {
		for key, r := range t.aggs[n].rows {
			j, ok := at[key]
			if !ok {
				j = len(lines)
				at[key] = j
				lines = append(lines, line{r.values, make([]weighed, len(aggs))})
			}
			lines[j].cells[i].row = r
		}
	}
	for _, l := range lines {
		for i, n := range aggs {
			a, w := t.aggs[n], &l.cells[i]
			if w.row == nil {
				w.row = &row{values: l.keys, cell: a.zeroCell(), cpus: make([]uint64, len(t.cpus)*a.words)}
			}
			w.primary, w.tie = a.primary(w.row.cell), a.tie(w.row.cell)
		}
	}
	return lines
}

// zeroCell is what DTrace shows where an aggregation lacks a key that another
// has: zero, for min and max too.
func (a *aggregation) zeroCell() []uint64 {
	cell := make([]uint64, a.words)
	copy(cell, a.kind.zero[:])
	return cell
}

// compareLines orders lines by the values of the aggregation that counts
// first, then of those after it, going round; ties by key.
func (o Order) compareLines(x, y line, first int) int {
	n := 0
	if o.Key {
		n = CompareKeys(x.keys, y.keys, o.KeyPos)
	}
	for i := range x.cells {
		if n != 0 {
			break
		}
		j := (first + i) % len(x.cells)
		n = cmp.Or(compareSigned(x.cells[j].primary, y.cells[j].primary), cmp.Compare(x.cells[j].tie, y.cells[j].tie))
	}
	if n == 0 {
		n = CompareKeys(x.keys, y.keys, o.KeyPos)
	}
	if o.Rev {
		return -n
	}
	return n
}
