package drain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/kmap"
)

// An aggTable is what the kernel keeps of an aggregation, or of a pool of them.
type aggTable struct {
	maps  codegen.AggMaps
	keyed []keyedTable
	one   *kmap.Table // of an aggregation without keys
	agg   int         // the aggregation; where keys have tails they say which
	all   []int       // itself and the others whose cells lie in its own; nil if there are none
	spec  ir.Agg
	buf   []uint64 // the words of cells that are used
	key   []byte   // one that is short, with the zeros that it lacks
}

// A keyedTable is one of the tables of an aggregation with keys.
type keyedTable struct {
	codegen.TableReader
	places [2][]agg.Places // by generation; of each of aggTable.all, or one
}

// An entry is what a table holds of one key.
type entry struct {
	key    []byte
	cells  []uint64     // of all CPUs, one after another
	places []agg.Places // where its number is known; nil if it has none
	number int
}

// placesOf returns where the rows of aggregation i of aggTable.all are known.
func (e *entry) placesOf(i int) *agg.Places {
	if e.places == nil {
		return nil
	}
	return &e.places[i]
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
			k := keyedTable{TableReader: codegen.TableReader{Table: &t.maps.Tables[i]}}
			for gen := range k.places {
				k.places[gen] = make([]agg.Places, max(1, len(t.all)))
			}
			t.keyed = append(t.keyed, k)
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
		places := table.places[gen]
		use, err := table.Take(int(gen), d.memory.keyWords, d.memory.cellWords[gen], func(number int, key []byte, cells []uint64) error {
			return d.takeEntry(t, gen, entry{key: t.whole(key), cells: cells, places: places, number: number})
		})
		if err != nil {
			return err
		}
		left := table.Room - use.Keys
		if use.Worn(table.Table, hurried) {
			left = table.Room
			for i := range places {
				places[i].Forget()
			}
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
func (d *Drain) takeEntry(t *aggTable, gen uint32, e entry) error {
	d.idle.empty = 0
	i, first, aggs := t.agg, 0, d.c.Lowered.IR.Aggs
	if t.spec.Tail {
		tail := len(e.key) - 8
		i, first = lower.ReadTail(binary.LittleEndian.Uint64(e.key[tail:]))
		e.key = e.key[:tail]
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
	part := agg.Part{Agg: i, First: first, Words: n, Key: e.key, Number: e.number}
	if t.all == nil {
		part.Cells, part.Places = t.used(e.cells, 0, n), e.placesOf(0)
		return d.addPart(&part)
	}
	for at, i := range t.all {
		n := d.totals.Words(i)
		own := t.used(e.cells, aggs[i].At, n)
		if !slices.ContainsFunc(own, func(w uint64) bool { return w != 0 }) {
			continue // the firings came to others of the cell alone
		}
		part.Agg, part.First, part.Words, part.Cells, part.Places = i, 0, n, own, e.placesOf(at)
		if err := d.addPart(&part); err != nil {
			return err
		}
	}
	return nil
}

// addPart adds to the totals, and counts what finds no room there.
func (d *Drain) addPart(p *agg.Part) error {
	ok, err := d.totals.AddPart(p, d.names)
	if err == nil && !ok {
		d.drops.crowded(d.c.Lowered.IR.Aggs[p.Agg].Name, d.totals.Firings(p.Agg, p.Words, p.Cells))
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
