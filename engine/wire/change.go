package wire

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"dscope.dev/engine/trace"
)

// A snapshot is written as what has changed since the one before: for each table its edits,
// each of a row that was changed, moved or added; rows that nothing is said of follow each
// other as they did. That serves every order of rows, since a row whose value stays keeps
// its place among others of which this is so, whatever they are sorted by. Columns of
// numbers of one kind pack better than rows.
type edits struct {
	Gone   []byte // rows of the table before that it has no more: the gaps between their places
	At     []byte // places of edits: gaps
	From   []byte // the kind of the edit, and its place before from the one that was expected
	Value  []byte // by how much values have changed
	Count  []byte // likewise
	Bucket []byte // likewise, of each list of buckets those that have changed
	Shares []byte // of each CPU
	Sums   []byte // by how much sums have changed
}

// The kinds of edits.
const (
	moved   = iota // the row is as it was, elsewhere
	changed        // its numbers are others
	fresh          // it comes from rows
	editKinds
)

// perRows is how many rows are one message, so that frames stay small.
const perRows = 512

// A differ tells what has changed from one snapshot to the next.
type differ struct {
	tables []trace.Table
}

// forget has the next snapshot written whole.
func (f *differ) forget() { f.tables = nil }

// snapshot hands on the messages that make up s.
func (f *differ) snapshot(m moment, aggs []trace.Table, put func(any)) {
	for i := range aggs {
		var before trace.Table
		if i < len(f.tables) {
			before = f.tables[i]
		}
		f.table(i, &before, &aggs[i], i >= len(f.tables), put)
	}
	f.tables = aggs
	m.Tables = len(aggs)
	put(&m)
}

// same reports whether two lists are one.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

func (f *differ) table(i int, before, now *trace.Table, isNew bool, put func(any)) {
	c := change{Table: i, Rows: len(now.Rows)}
	old, shape := *before, *now
	old.Rows, shape.Rows = nil, nil
	if isNew || !sameOrigins(old.Origins, shape.Origins) || !reflect.DeepEqual(old, shape) {
		c.Shape = &shape
	}
	if c.Shape == nil && same(before.Rows, now.Rows) {
		return
	}
	var added []trace.Row
	said := changes(&c.Edits, before.Rows, now.Rows, &added)
	if c.Shape == nil && !said {
		return
	}
	for part := range slices.Chunk(added, perRows) {
		put(&rows{part})
	}
	put(&c)
}

// sameOrigins spares the comparison of what is the same list in nearly all snapshots.
func sameOrigins(a, b []trace.Origin) bool { return same(a, b) || reflect.DeepEqual(a, b) }

// changes writes the edits that make now of before, and reports whether there are any.
func changes(e *edits, before, now []trace.Row, added *[]trace.Row) bool {
	var places map[string]int // of rows before, once one is not where it is looked for first
	place := func(id string) (at int, ok bool) {
		if places == nil {
			places = make(map[string]int, len(before))
			for i := range before {
				places[before[i].ID] = i
			}
		}
		at, ok = places[id]
		return at, ok
	}
	used := make([]bool, len(before))
	next, lastEdit, expect := 0, -1, 0 // next: the first row before of which nothing is said yet
	follows := 0                       // the row behind that of the last
	for i := range now {
		from, ok := follows, true
		if from >= len(before) || before[from].ID != now[i].ID {
			from, ok = place(now[i].ID)
		}
		if ok {
			follows = from + 1
		}
		if !ok || used[from] {
			e.At = appendUint(e.At, uint64(i-lastEdit-1))
			e.From = append(e.From, fresh)
			lastEdit = i
			*added = append(*added, now[i])
			continue
		}
		kind := compare(&before[from], &now[i])
		if kind == fresh { // the key has become another value
			e.At = appendUint(e.At, uint64(i-lastEdit-1))
			e.From = append(e.From, fresh)
			lastEdit = i
			*added = append(*added, now[i])
			continue
		}
		used[from] = true
		if kind == moved && from >= next {
			next = from + 1
			continue
		}
		e.At = appendUint(e.At, uint64(i-lastEdit-1))
		e.From = appendUint(e.From, zigzag(int64(from-expect))*editKinds+uint64(kind))
		lastEdit, expect = i, from+1
		if kind == changed {
			e.row(&before[from], &now[i])
		}
	}
	last := -1
	for i, u := range used {
		if !u {
			e.Gone = appendUint(e.Gone, uint64(i-last-1))
			last = i
		}
	}
	return e.At != nil || e.Gone != nil
}

func zigzag(n int64) uint64   { return uint64(n)<<1 ^ uint64(n>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// compare says which kind of edit makes b of a: moved if they are equal.
func compare(a, b *trace.Row) int {
	if !same(a.Keys, b.Keys) && !reflect.DeepEqual(a.Keys, b.Keys) || !sameBounds(a.Buckets, b.Buckets) || len(a.PerCPU) != len(b.PerCPU) ||
		(a.Sums == nil) != (b.Sums == nil) {
		return fresh
	}
	equal := a.Value == b.Value && a.Count == b.Count && slices.Equal(a.Buckets, b.Buckets) && (a.Sums == b.Sums || *a.Sums == *b.Sums)
	for i := range a.PerCPU {
		x, y := &a.PerCPU[i], &b.PerCPU[i]
		if x.CPU != y.CPU || !sameBounds(x.Buckets, y.Buckets) {
			return fresh
		}
		equal = equal && x.Value == y.Value && slices.Equal(x.Buckets, y.Buckets)
	}
	if equal {
		return moved
	}
	return changed
}

// sameBounds reports whether two histograms differ in their counts at most.
func sameBounds(a, b []trace.Bucket) bool {
	if len(a) != len(b) || same(a, b) {
		return len(a) == len(b)
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Count, y.Count = 0, 0; x != y {
			return false
		}
	}
	return true
}

// row writes by how much the numbers of a row have changed.
func (e *edits) row(a, b *trace.Row) {
	e.Value = appendInt(e.Value, b.Value-a.Value)
	e.Count = appendInt(e.Count, int64(b.Count-a.Count))
	e.Bucket = appendBuckets(e.Bucket, a.Buckets, b.Buckets)
	for i := range a.PerCPU {
		e.Shares = appendInt(e.Shares, b.PerCPU[i].Value-a.PerCPU[i].Value)
		e.Shares = appendBuckets(e.Shares, a.PerCPU[i].Buckets, b.PerCPU[i].Buckets)
	}
	if a.Sums != nil {
		e.Sums = appendInt(e.Sums, b.Sums.Sum-a.Sums.Sum)
		e.Sums = appendInt(e.Sums, int64(b.Sums.SquaresLow-a.Sums.SquaresLow))
		e.Sums = appendInt(e.Sums, int64(b.Sums.SquaresHigh-a.Sums.SquaresHigh))
	}
}

// appendBuckets writes which buckets have changed, and by how much. Nothing is written of
// lists that are empty, as the reader knows them to be.
func appendBuckets(to []byte, a, b []trace.Bucket) []byte {
	if len(a) == 0 {
		return to
	}
	n := 0
	for i := range a {
		if a[i].Count != b[i].Count {
			n++
		}
	}
	to = appendUint(to, uint64(n))
	last := -1
	for i := range a {
		if a[i].Count != b[i].Count {
			to = appendUint(to, uint64(i-last-1))
			to = appendInt(to, b[i].Count-a[i].Count)
			last = i
		}
	}
	return to
}

// errEdit is what edits meet that fit no table.
func errEdit(table int) error { return fmt.Errorf("a change that does not fit table %d", table) }
