package drain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/kmap"
)

// An aggTable is what the kernel keeps of an aggregation, or of a pool of them.
type aggTable struct {
	maps  codegen.AggMaps
	keyed []codegen.TableReader
	one   *kmap.Table // of an aggregation without keys
	agg   int         // the aggregation; where keys have tails they say which
	all   []int       // itself and the others whose cells lie in its own; nil if there are none
	spec  ir.Agg
	buf   []uint64 // the words of cells that are used
	key   []byte   // one that is short, with the zeros that it lacks
}

func newAggTables(src Source, c *plan.Plan, cpus int) []aggTable {
	var list []aggTable
	p := c.Lowered.IR
	for i, a := range p.Aggs {
		if p.Table(i) != i {
			continue // with the first of its pool
		}
		t := aggTable{agg: i, spec: a, maps: c.Object.Maps.Aggs[i]}
		if within := p.Within(i); len(within) > 0 {
			t.all = append([]int{i}, within...)
		}
		if a.Key == 0 {
			t.one = kmap.New(src.Map(t.maps.Array), a.Words, cpus)
		}
		for i := range t.maps.Tables {
			t.keyed = append(t.keyed, codegen.TableReader{Table: &t.maps.Tables[i]})
		}
		list = append(list, t)
	}
	return list
}

// A tableMemory is the keys and cells of all tables.
type tableMemory struct {
	keys, cells *kmap.Words // nil if no aggregation has keys
	keyWords    []uint64
	cellWords   [2][][]uint64 // by generation and CPU
}

func newTableMemory(src Source, c *plan.Plan, cpus []int) (m tableMemory, err error) {
	keys, cells := src.Map(c.Object.Maps.Keys), src.Map(c.Object.Maps.Cells)
	if keys == nil {
		return m, nil
	}
	if m.keys, err = kmap.ShareWords(keys); err != nil {
		return m, err
	}
	if m.cells, err = kmap.ShareWords(cells); err != nil {
		return m, errors.Join(err, m.keys.Close())
	}
	m.keyWords = m.keys.At(0)
	for gen := range m.cellWords {
		for _, cpu := range cpus {
			m.cellWords[gen] = append(m.cellWords[gen], m.cells.At(gen*c.Features.CPUs+cpu))
		}
	}
	return m, nil
}

func (m *tableMemory) close() error { return errors.Join(m.keys.Close(), m.cells.Close()) }

// takeTable empties generation gen of a table into the totals; hurried is what haste says.
func (d *Drain) takeTable(t *aggTable, gen uint32, hurried bool) error {
	if t.spec.Key == 0 {
		cells, err := t.one.TakeAt(gen)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(cells, func(w uint64) bool { return w != 0 }) {
			d.idle.empty = 0
		}
		if t.agg >= len(d.c.Lowered.Keys) {
			d.samples.count(t.agg, cells, d.possible)
			return nil
		}
		if t.touched(cells) {
			d.totals.Touch(t.agg)
		}
		_, err = d.totals.Add(t.agg, nil, t.used(cells, 0, d.totals.Words(t.agg)), d.names)
		return err
	}
	for i := range t.keyed {
		table := &t.keyed[i]
		use, err := table.Take(int(gen), d.memory.keyWords, d.memory.cellWords[gen], func(key []byte, cells []uint64) error {
			return d.takeEntry(t, gen, t.whole(key), cells)
		})
		if err != nil {
			return err
		}
		left := table.Room - use.Keys
		if use.Worn(table.Table, hurried) {
			left = table.Room
			if err := kmap.Delete(d.src.Map(table.Hash[gen]), table.Forget(int(gen), d.memory.keyWords)); err != nil {
				return err
			}
		}
		d.haste.fills(float64(use.New) / float64(left))
	}
	return nil
}

// whole returns a key with the zeros that a short one lacks.
func (t *aggTable) whole(key []byte) []byte {
	if len(key) == t.spec.Key {
		return key
	}
	if t.key == nil {
		t.key = make([]byte, t.spec.Key)
	}
	copy(t.key, key)
	return t.key
}

// takeEntry adds one entry of a table to the totals.
func (d *Drain) takeEntry(t *aggTable, gen uint32, key []byte, cells []uint64) error {
	d.idle.empty = 0
	i, first, aggs := t.agg, 0, d.c.Lowered.IR.Aggs
	if t.spec.Tail {
		tail := len(key) - 8
		i, first = lower.ReadTail(binary.LittleEndian.Uint64(key[tail:]))
		key = key[:tail]
		if i >= len(aggs) {
			return fmt.Errorf("read map %d of the aggregations: a key of aggregation %d, of %d", t.agg, i, len(aggs))
		}
		if len(d.c.Lowered.Keys[i].Data) == 0 {
			d.totals.Touch(i)
		}
	}
	n := d.totals.Words(i) - first
	if t.spec.Parts || aggs[i].Parts {
		n = min(n, aggs[i].Words)
	}
	d.names.Taking(i, gen)
	if t.all == nil {
		return d.addEntry(i, first, n, key, t.used(cells, 0, n))
	}
	for _, i := range t.all {
		n := d.totals.Words(i)
		own := t.used(cells, aggs[i].At, n)
		if !slices.ContainsFunc(own, func(w uint64) bool { return w != 0 }) {
			continue // the firings came to others of the cell alone
		}
		if err := d.addEntry(i, 0, n, key, own); err != nil {
			return err
		}
	}
	return nil
}

// addEntry adds the words of a cell of aggregation i to the totals: n for each CPU, from the one
// with the number first on.
func (d *Drain) addEntry(i, first, n int, key []byte, cells []uint64) error {
	ok, err := d.totals.AddPart(i, first, n, key, cells, d.names)
	if err == nil && !ok {
		d.drops.crowded(d.c.Lowered.IR.Aggs[i].Name, d.totals.Firings(i, n, cells))
	}
	return err
}

// touched reports whether a CPU has aggregated into cells whose words do not tell.
func (t *aggTable) touched(cells []uint64) bool {
	for i := t.spec.Words; t.spec.Touch && i <= len(cells); i += t.spec.Words {
		if cells[i-1] != 0 {
			return true
		}
	}
	return false
}

// used returns n words, from one on, of the cell of each CPU, one after another. The
// table may keep more of each.
func (t *aggTable) used(cells []uint64, from, n int) []uint64 {
	if n == t.spec.Words {
		return cells
	}
	t.buf = t.buf[:0]
	for ; len(cells) > 0; cells = cells[t.spec.Words:] {
		t.buf = append(t.buf, cells[from:from+n]...)
	}
	return t.buf
}
