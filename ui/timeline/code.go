package timeline

import (
	"encoding/binary"
	"slices"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/merge"
)

// names are what keys, buckets and aggregations are called, each once.
type names struct {
	tables []*tableNames
	bytes  int // about what they take
}

// tableNames are the names of one aggregation.
type tableNames struct {
	table   trace.Table // without rows
	ids     map[string]int
	rows    []trace.Row // ID and Keys
	places  map[[2]int64]int
	buckets []trace.Bucket // Label, Low and High
}

// A state is the numbers of one snapshot; indices are those of names.
type state struct{ tables []tableState }

type tableState struct {
	on     bool
	normal uint64
	sorted trace.Sorted
	cells  []cell
}

// A cell is the numbers of one row.
type cell struct {
	on      bool
	value   int64
	count   uint64
	buckets []bucket
	shares  []share
}

type bucket struct {
	on bool
	n  int64
}

type share struct{ cpu, value int64 }

// table returns the names of the aggregation that t continues, and its index.
func (n *names) table(t *trace.Table) (*tableNames, int) {
	for i, have := range n.tables {
		if have.table.Name == t.Name && have.table.Func == t.Func {
			return have, i
		}
	}
	made := &tableNames{table: *t, ids: map[string]int{}, places: map[[2]int64]int{}}
	made.table.Rows = nil
	n.tables = append(n.tables, made)
	n.bytes += 512
	return made, len(n.tables) - 1
}

// state returns the numbers of a snapshot, and learns the names that are new.
func (n *names) state(s trace.Snapshot) *state {
	out := &state{}
	for i := range s.Aggs {
		t := &s.Aggs[i]
		known, at := n.table(t)
		for len(out.tables) <= at {
			out.tables = append(out.tables, tableState{})
		}
		ts := &out.tables[at]
		ts.on, ts.normal, ts.sorted = true, t.Normal, t.Sorted
		ts.cells = make([]cell, len(known.rows), max(len(known.rows), len(t.Rows)))
		renamed := false
		for j := range t.Rows {
			r := &t.Rows[j]
			row, ok := known.ids[r.ID]
			if !ok {
				row = len(known.rows)
				known.ids[r.ID] = row
				known.rows = append(known.rows, trace.Row{ID: r.ID, Keys: r.Keys})
				n.bytes += rowBytes(r)
				ts.cells = append(ts.cells, cell{})
			} else if merge.Renamed(known.rows[row].Keys, r.Keys) {
				if !renamed { // the past may be read elsewhere
					known.rows, renamed = slices.Clone(known.rows), true
				}
				known.rows[row].Keys = r.Keys
			}
			ts.cells[row] = n.cell(known, r)
		}
	}
	return out
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

func (n *names) cell(known *tableNames, r *trace.Row) cell {
	c := cell{on: true, value: r.Value, count: r.Count}
	for _, b := range r.Buckets {
		at, ok := known.places[[2]int64{b.Low, b.High}]
		if !ok {
			at = len(known.buckets)
			known.places[[2]int64{b.Low, b.High}] = at
			known.buckets = append(known.buckets, trace.Bucket{Label: b.Label, Low: b.Low, High: b.High})
			n.bytes += 96
		}
		for len(c.buckets) <= at {
			c.buckets = append(c.buckets, bucket{})
		}
		c.buckets[at] = bucket{true, b.Count}
	}
	for _, p := range r.PerCPU {
		c.shares = append(c.shares, share{int64(p.CPU), p.Value})
	}
	return c
}

// snapshot returns the aggregations that a state stands for.
func (n *names) snapshot(s *state) trace.Snapshot {
	var out trace.Snapshot
	for i := range s.tables {
		ts := &s.tables[i]
		if !ts.on {
			continue
		}
		known := n.tables[i]
		t := known.table
		t.Normal, t.Sorted = ts.normal, ts.sorted
		for j, c := range ts.cells {
			if c.on {
				t.Rows = append(t.Rows, known.row(j, c))
			}
		}
		out.Aggs = append(out.Aggs, t)
	}
	return out
}

func (k *tableNames) row(i int, c cell) trace.Row {
	r := k.rows[i]
	r.Value, r.Count = c.value, c.count
	for j, b := range c.buckets {
		if b.on {
			r.Buckets = append(r.Buckets, k.buckets[j])
			r.Buckets[len(r.Buckets)-1].Count = b.n
		}
	}
	slices.SortFunc(r.Buckets, trace.Bucket.Compare)
	for _, p := range c.shares {
		r.PerCPU = append(r.PerCPU, trace.Share{CPU: int(p.cpu), Value: p.value})
	}
	return r
}

// The code of a frame: for each aggregation that is there a one, how it is shown, then
// for each row that differs from that of the key frame how many were passed over and
// whether it is there, then its numbers as differences. Numbers are varints; a row
// number behind the last ends the rows, a two the aggregations.
//
//	frame  = { table } 2
//	table  = 0 | 1 normal byKey|rev<<1 keyPos { skip<<1|on [ cell ] } end
//	cell   = value count { skip<<1|on [ n ] } end  #shares { cpu value }

// encode returns what makes the state out of that of its key frame.
func (s *state) encode(base *state) []byte {
	var b []byte
	for i := range s.tables {
		ts := &s.tables[i]
		if !ts.on {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		b = binary.AppendUvarint(b, ts.normal)
		b = append(b, flag(ts.sorted.ByKey)|flag(ts.sorted.Rev)<<1)
		b = binary.AppendUvarint(b, uint64(ts.sorted.KeyPos))
		var was []cell
		if i < len(base.tables) && base.tables[i].on {
			was = base.tables[i].cells
		}
		b = encodeList(b, len(ts.cells), func(j int) (on, same bool) {
			return ts.cells[j].on, ts.cells[j].equal(at(was, j))
		}, func(b []byte, j int) []byte { return ts.cells[j].encode(b, at(was, j)) })
	}
	return append(b, 2)
}

// encodeList appends the elements of a list of n that are not the same as before.
func encodeList(b []byte, n int, state func(int) (on, same bool), element func([]byte, int) []byte) []byte {
	skip := uint64(0)
	for j := range n {
		on, same := state(j)
		if same {
			skip++
			continue
		}
		b = binary.AppendUvarint(b, (skip<<1|uint64(flag(on)))+1)
		skip = 0
		if on {
			b = element(b, j)
		}
	}
	return append(b, 0)
}

func (c *cell) encode(b []byte, was cell) []byte {
	b = binary.AppendVarint(b, c.value-was.value)
	b = binary.AppendVarint(b, int64(c.count-was.count))
	b = encodeList(b, max(len(c.buckets), len(was.buckets)), func(j int) (on, same bool) {
		return at(c.buckets, j).on, at(c.buckets, j) == at(was.buckets, j)
	}, func(b []byte, j int) []byte { return binary.AppendVarint(b, c.buckets[j].n-at(was.buckets, j).n) })
	b = binary.AppendUvarint(b, uint64(len(c.shares)))
	for _, p := range c.shares {
		b = binary.AppendVarint(binary.AppendVarint(b, p.cpu), p.value)
	}
	return b
}

func (c *cell) equal(was cell) bool {
	return c.on == was.on && c.value == was.value && c.count == was.count && slices.Equal(c.buckets, was.buckets) && slices.Equal(c.shares, was.shares)
}

// at returns element i of a list that may be shorter: then it is nothing.
func at[T any](list []T, i int) (none T) {
	if i < len(list) {
		return list[i]
	}
	return none
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A decoder reads the code of a frame, which this package has written itself.
type decoder []byte

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(*d)
	*d = (*d)[size:]
	return n
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(*d)
	*d = (*d)[size:]
	return n
}

// decode makes the state of a frame out of that of its key frame.
func (s *state) decode(code []byte) {
	d := decoder(code)
	for i := 0; ; i++ {
		what := d.uint()
		if what == 2 {
			s.tables = s.tables[:min(i, len(s.tables))]
			return
		}
		for len(s.tables) <= i {
			s.tables = append(s.tables, tableState{})
		}
		ts := &s.tables[i]
		if what == 0 {
			*ts = tableState{}
			continue
		}
		ts.on, ts.normal = true, d.uint()
		shown := d.uint()
		ts.sorted = trace.Sorted{ByKey: shown&1 != 0, Rev: shown&2 != 0, KeyPos: int(d.uint())}
		decodeList(&d, &ts.cells, (*cell).decode)
	}
}

func decodeList[T any](d *decoder, list *[]T, element func(*T, *decoder)) {
	for j := 0; ; j++ {
		n := d.uint()
		if n == 0 {
			return
		}
		j += int((n - 1) >> 1)
		for len(*list) <= j {
			var none T
			*list = append(*list, none)
		}
		if (n-1)&1 == 0 {
			var none T
			(*list)[j] = none
			continue
		}
		element(&(*list)[j], d)
	}
}

func (c *cell) decode(d *decoder) {
	c.on = true
	c.value += d.int()
	c.count += uint64(d.int())
	decodeList(d, &c.buckets, func(b *bucket, d *decoder) { b.on, b.n = true, b.n+d.int() })
	c.shares = nil
	for range d.uint() {
		cpu := d.int()
		c.shares = append(c.shares, share{cpu, d.int()})
	}
}
