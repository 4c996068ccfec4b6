package timeline

import (
	"slices"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/merge"
)

// names are what keys, buckets and aggregations are called, each once.
type names struct {
	tables []*tableNames
	bytes  int // about what they take
}

// tableNames are the names of one aggregation. Lists only grow, so that a copy can be read
// while more is learnt.
type tableNames struct {
	table   trace.Table // without rows
	ids     map[string]int32
	rows    []trace.Row // ID and Keys
	places  map[[2]int64]int32
	buckets []trace.Bucket // Label, Low and High
	order   []int32        // which name each row of the last snapshot has
}

// table returns the index of the aggregation that t continues.
func (n *names) table(t *trace.Table) int {
	if i := n.find(t.Name, t.Func); i >= 0 {
		return i
	}
	made := &tableNames{table: *t, ids: map[string]int32{}, places: map[[2]int64]int32{}}
	made.table.Rows = nil
	n.tables = append(n.tables, made)
	n.bytes += 512
	return len(n.tables) - 1
}

// arrange returns the tables in the order of all names; nil where there is none of one.
func (n *names) arrange(list []trace.Table) []*trace.Table {
	placed := make([]*trace.Table, len(n.tables), len(n.tables)+len(list))
	for i := range list {
		at := n.table(&list[i])
		for len(placed) <= at {
			placed = append(placed, nil)
		}
		placed[at] = &list[i]
	}
	return placed
}

// find returns the index of an aggregation; -1 if there has been none of that name and
// function.
func (n *names) find(name string, fn trace.AggFunc) int {
	return slices.IndexFunc(n.tables, func(t *tableNames) bool { return t.table.Name == name && t.table.Func == fn })
}

// learn returns which row of t each name is, from 1, 0 for none, in the memory of at. It
// learns those that are new.
func (n *names) learn(known *tableNames, t *trace.Table, at []int32) []int32 {
	at = append(at[:0], make([]int32, len(known.rows))...)
	renamed := false
	for j := range t.Rows {
		r := &t.Rows[j]
		row, ok := known.row(r.ID, j)
		if !ok {
			row = int32(len(known.rows))
			known.ids[r.ID] = row
			known.rows = append(known.rows, trace.Row{ID: r.ID, Keys: r.Keys})
			n.bytes += rowBytes(r)
			at = append(at, 0)
		} else if merge.Renamed(known.rows[row].Keys, r.Keys) {
			if !renamed { // the past may be read elsewhere
				known.rows, renamed = slices.Clone(known.rows), true
			}
			known.rows[row].Keys = r.Keys
		}
		at[row] = int32(j + 1)
		if j < len(known.order) {
			known.order[j] = row
		} else {
			known.order = append(known.order, row)
		}
	}
	return at
}

// row returns the name of row j of a snapshot: mostly that which it had in the one before,
// so that there is nothing to look up.
func (k *tableNames) row(id string, j int) (row int32, ok bool) {
	if j < len(k.order) && k.rows[k.order[j]].ID == id {
		return k.order[j], true
	}
	row, ok = k.ids[id]
	return row, ok
}

// rowBytes returns about what the name of a row takes.
func rowBytes(r *trace.Row) int {
	b := 160 + len(r.ID)
	for _, k := range r.Keys {
		b += 96 + len(k.Str)
		for _, f := range k.Frames {
			b += 64 + len(f.Module) + len(f.Symbol)
		}
	}
	return b
}

// place returns that of a bucket.
func (n *names) place(known *tableNames, b *trace.Bucket) int32 {
	at, ok := known.places[[2]int64{b.Low, b.High}]
	if !ok {
		at = int32(len(known.buckets))
		known.places[[2]int64{b.Low, b.High}] = at
		known.buckets = append(known.buckets, trace.Bucket{Label: b.Label, Low: b.Low, High: b.High})
		n.bytes += 96
	}
	return at
}

// keyTables are the numbers of the last key frame, by aggregation: what frames after it are
// coded against. A list is not written once it is made.
type keyTables struct {
	cells [][]cell
	bytes int // about what they take
}

// of returns the cells of an aggregation, which the key frame may not have.
func (k *keyTables) of(i int) []cell {
	if i < len(k.cells) {
		return k.cells[i]
	}
	return nil
}

func (k *keyTables) set(i int, cells []cell) {
	for len(k.cells) <= i {
		k.cells = append(k.cells, nil)
	}
	k.cells[i] = cells
	for j := range cells {
		k.bytes += cellBytes + bucketBytes*(len(cells[j].buckets)+len(cells[j].shares))
	}
}

// cells returns the numbers of a table; at says which of its rows a name is.
func (n *names) cells(known *tableNames, t *trace.Table, at []int32) []cell {
	out := make([]cell, len(at))
	var room arena[bucket]
	for i, j := range at {
		if j == 0 {
			continue
		}
		r := &t.Rows[j-1]
		c := cell{on: true, value: r.Value, count: r.Count, buckets: room.take(len(r.Buckets))}
		for x := range r.Buckets {
			c.buckets[x] = bucket{n.place(known, &r.Buckets[x]), r.Buckets[x].Count}
		}
		for _, p := range r.PerCPU {
			c.shares = append(c.shares, share{int64(p.CPU), p.Value})
		}
		out[i] = c
	}
	return out
}

// An arena gives memory for many short lists.
type arena[T any] struct{ free []T }

// take returns a list of n; nil if that is 0.
func (a *arena[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(a.free) {
		a.free = make([]T, max(n, 512))
	}
	out := a.free[:n:n]
	a.free = a.free[n:]
	return out
}
