package timeline

import (
	"bytes"
	"encoding/binary"
	"slices"

	"dscope.dev/engine/trace"
)

// The code of a frame: for each aggregation that is there a one, how it is shown and how
// long its rows are, so that a reader of one passes over the others; then for each row that
// differs from that of the key frame how many were passed over and whether it is there, then
// its numbers as differences. Numbers are varints; a zero ends rows and buckets, a two the
// aggregations.
//
//	frame  = { table } 2
//	table  = 0 | 1 normal byKey|rev<<1 keyPos length { (skip<<1|on)+1 [ cell ] } 0
//	cell   = value count { (place<<1|on)+1 [ n ] } 0  #shares { cpu value }

// A cell is the numbers of one row of a key frame.
type cell struct {
	on      bool
	value   int64
	count   uint64
	buckets []bucket // ascending
	shares  []share
}

// A bucket is how much is in one; place is that among the names.
type bucket struct {
	place int32
	n     int64
}

type share struct{ cpu, value int64 }

// About what a cell and a bucket of it take, in bytes.
const (
	cellBytes   = 80
	bucketBytes = 16
)

// A coder makes code. It keeps its memory from frame to frame.
type coder struct {
	out, rows []byte
	at        []int32 // which row of the snapshot a name is, from 1; 0 is none
}

// reset begins the code of another snapshot.
func (c *coder) reset() { c.out = c.out[:0] }

// table appends a table, the one that is i-th by name, nil if the snapshot has none, and learns the
// names that are new. keys are the tables of its key frame; they are made of it if that is one itself.
func (c *coder) table(n *names, i int, t *trace.Table, keys *keyTables, isKey bool) {
	if t == nil {
		c.out = append(c.out, 0)
		return
	}
	c.out = binary.AppendUvarint(append(c.out, 1), t.Normal)
	c.out = append(c.out, flag(t.Sorted.ByKey)|flag(t.Sorted.Rev)<<1)
	c.out = binary.AppendUvarint(c.out, uint64(t.Sorted.KeyPos))
	known := n.tables[i]
	c.at = n.learn(known, t, c.at)
	c.encodeRows(n, known, t, keys.of(i))
	c.out = binary.AppendUvarint(c.out, uint64(len(c.rows)))
	c.out = append(c.out, c.rows...)
	if isKey {
		keys.set(i, n.cells(known, t, c.at))
	}
}

// code returns that of the snapshot, without the room that it grew into.
func (c *coder) code() []byte {
	c.out = append(c.out, 2)
	return bytes.Clone(c.out)
}

// encodeRows appends the rows of a table that are not the same as in its key frame.
func (c *coder) encodeRows(n *names, known *tableNames, t *trace.Table, was []cell) {
	b := c.rows[:0]
	skip := uint64(0)
	for i, j := range c.at {
		var before *cell
		if i < len(was) && was[i].on {
			before = &was[i]
		}
		switch {
		case j == 0 && before == nil || j > 0 && before != nil && known.same(before, &t.Rows[j-1]):
			skip++
			continue
		case j == 0:
			b = binary.AppendUvarint(b, skip<<1+1)
		default:
			b = binary.AppendUvarint(b, (skip<<1|1)+1)
			b = n.encodeRow(b, known, &t.Rows[j-1], before)
		}
		skip = 0
	}
	c.rows = append(b, 0)
}

// same reports whether a row has the numbers that it had in the key frame.
func (k *tableNames) same(was *cell, r *trace.Row) bool {
	if was.value != r.Value || was.count != r.Count || len(was.buckets) != len(r.Buckets) || len(was.shares) != len(r.PerCPU) {
		return false
	}
	for i := range r.Buckets {
		b, x := &r.Buckets[i], was.buckets[i]
		if is := &k.buckets[x.place]; x.n != b.Count || is.Low != b.Low || is.High != b.High {
			return false
		}
	}
	for i, x := range was.shares {
		if x != (share{int64(r.PerCPU[i].CPU), r.PerCPU[i].Value}) {
			return false
		}
	}
	return true
}

// encodeRow appends the numbers of a row; was is nil if the key frame has none of it.
func (n *names) encodeRow(b []byte, known *tableNames, r *trace.Row, was *cell) []byte {
	if was == nil {
		was = &cell{}
	}
	b = binary.AppendVarint(b, r.Value-was.value)
	b = binary.AppendVarint(b, int64(r.Count-was.count))
	left := was.buckets
	for i := range r.Buckets {
		x := &r.Buckets[i]
		before, place, order := int64(0), int32(0), +1
		for len(left) > 0 {
			place = left[0].place
			if is := &known.buckets[place]; is.Low == x.Low && is.High == x.High { // nearly always
				before, left, order = left[0].n, left[1:], 0
			} else if order = is.Compare(*x); order < 0 { // that one is no more
				b = binary.AppendUvarint(b, uint64(place)<<1+1)
				left = left[1:]
				continue
			}
			break
		}
		if order != 0 {
			place = n.place(known, x)
		} else if before == x.Count {
			continue
		}
		b = binary.AppendUvarint(b, (uint64(place)<<1|1)+1)
		b = binary.AppendVarint(b, x.Count-before)
	}
	for _, x := range left {
		b = binary.AppendUvarint(b, uint64(x.place)<<1+1)
	}
	b = binary.AppendUvarint(append(b, 0), uint64(len(r.PerCPU)))
	for _, p := range r.PerCPU {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(p.CPU)), p.Value)
	}
	return b
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
	if b := (*d)[0]; b < 0x80 { // most are small
		*d = (*d)[1:]
		return uint64(b)
	}
	n, size := binary.Uvarint(*d)
	*d = (*d)[size:]
	return n
}

func (d *decoder) int() int64 {
	n := d.uint()
	if n&1 != 0 {
		return ^int64(n >> 1)
	}
	return int64(n >> 1)
}

// table goes to the rows of an aggregation and says how it is shown; false if the frame has
// none.
func (d *decoder) table(i int) (normal uint64, sorted trace.Sorted, ok bool) {
	for ; ; i-- {
		switch d.uint() {
		case 2:
			return 0, sorted, false
		case 0:
			if i == 0 {
				return 0, sorted, false
			}
			continue
		}
		normal, shown := d.uint(), d.uint()
		sorted := trace.Sorted{ByKey: shown&1 != 0, Rev: shown&2 != 0, KeyPos: int(d.uint())}
		length := d.uint()
		if i == 0 {
			return normal, sorted, true
		}
		*d = (*d)[length:]
	}
}

// row goes on to the next row that differs, from the one behind the last; false if there is
// no more.
func (d *decoder) row(from int) (i int, on, ok bool) {
	n := d.uint()
	if n == 0 {
		return 0, false, false
	}
	return from + int((n-1)>>1), (n-1)&1 != 0, true
}

// cell reads the numbers of a row that was as was in the key frame. Its buckets last until
// the next call.
func (d *decoder) cell(known *tableNames, was *cell, room []bucket) cell {
	c := cell{on: true, value: was.value + d.int(), count: was.count + uint64(d.int())}
	c.buckets = append(room[:0], was.buckets...)
	fresh := false
	for n := d.uint(); n != 0; n = d.uint() {
		place, on := int32((n-1)>>1), (n-1)&1 != 0
		i := slices.IndexFunc(c.buckets, func(b bucket) bool { return b.place == place })
		switch {
		case !on:
			c.buckets = slices.Delete(c.buckets, i, i+1)
		case i >= 0:
			c.buckets[i].n += d.int()
		default:
			c.buckets, fresh = append(c.buckets, bucket{place, d.int()}), true
		}
	}
	if fresh {
		slices.SortFunc(c.buckets, func(a, b bucket) int { return known.buckets[a.place].Compare(known.buckets[b.place]) })
	}
	for range d.uint() {
		cpu := d.int()
		c.shares = append(c.shares, share{cpu, d.int()})
	}
	return c
}
