package agg

import (
	"fmt"
	"slices"
	"unsafe"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
)

// All stands for every aggregation where a clear() names none.
const All = -1

// Totals holds the aggregations of a run: the merged cells of each key. It is
// used by one goroutine at a time; the tables it returns are immutable.
type Totals struct {
	aggs []*aggregation
	cpus []int // whose shares are kept apart: option aggpercpu; nil if none are
	rows int   // of all aggregations
	held int   // bytes that the rows take
	max  int   // bytes that they may take; 0 is no limit
	cuts int   // how often rows were forgotten
}

// An aggregation is one of them.
type aggregation struct {
	name    string
	fn      trace.AggFunc
	kind    *kind // of fn
	words   int
	keys    *keyReader
	types   []string
	params  []int64
	origins []trace.Origin
	scale   *scale // nil if it is no histogram
	normal  uint64
	rows    map[string]*row // by canonical key
}

// A row is one key and what all CPUs have added to it.
type row struct {
	key    string // canonical
	values []trace.Value
	cell   []uint64
	cpus   []uint64 // the cells of each of Totals.cpus, one after another

	// lines are the buckets of cell as they were shown last; nil if they have changed since.
	// Most keys are as they were in the table before.
	lines []trace.Bucket
}

// NewTotals returns empty totals of the aggregations of a script. Their keys and
// values take no more than limit bytes in all; 0 is no limit. Keys differ too
// much to be counted: a stack takes twenty times as much as a number.
func NewTotals(keys []lower.KeyLayout, limit int) *Totals {
	t := &Totals{max: limit}
	for _, k := range keys {
		f, ok := Func(k.Agg.Func)
		if !ok {
			panic(fmt.Sprintf("@%s: %s is not an aggregating function", k.Agg.Name, k.Agg.Func))
		}
		a := &aggregation{
			name: k.Agg.Name, fn: f, kind: &kinds[f], keys: newKeyReader(k), normal: 1,
			types: keyTypes(k.Agg), params: k.Agg.Params, rows: make(map[string]*row),
		}
		if a.kind.hist != nil {
			a.scale = a.kind.hist.scale(k.Agg.Params)
		}
		a.words = words(f, k.Agg.Params)
		t.aggs = append(t.aggs, a)
	}
	return t
}

// Tell says where the script fills each aggregation, which every table of it repeats.
func (t *Totals) Tell(origins [][]trace.Origin) {
	for i, list := range origins {
		t.aggs[i].origins = list
	}
}

// keyTypes spells the types of the keys of a.
func keyTypes(a *check.Agg) []string {
	var list []string
	for _, k := range a.Keys {
		if w := kindText[k.Kind]; w != "" || k.Type == nil {
			for _, also := range k.Also {
				w += " or " + kindText[also]
			}
			list = append(list, w)
			continue
		}
		list = append(list, k.Type.String())
	}
	return list
}

var kindText = [...]string{
	check.KeyStack: "stack()", check.KeyUstack: "ustack()", check.KeySym: "sym()", check.KeyMod: "mod()",
	check.KeyUsym: "usym()", check.KeyUmod: "umod()", check.KeyUaddr: "uaddr()",
}

// A Part is what one drain found of the cells of one key.
type Part struct {
	Agg          int
	First, Words int // where it begins in a whole cell, and its words of each CPU; only cells of histograms are in parts
	Key          []byte
	Cells        []uint64 // of all CPUs, one after another
	Places       *Places  // of the numbers of keys, each of which is that of one; nil where they have none
	Number       int      // of the key
}

// Add adds what one drain found under one key of aggregation i: the cells of
// all CPUs, one after another. It reports whether there was room for the key.
// An aggregation without keys has one cell that is always there, and nothing
// is added where no CPU has touched it.
func (t *Totals) Add(i int, key []byte, cells []uint64, names Names) (bool, error) {
	return t.AddPart(&Part{Agg: i, Words: t.aggs[i].words, Key: key, Cells: cells}, names)
}

// AddPart is Add for what may be a part of the cells, of a key that may have a number.
func (t *Totals) AddPart(p *Part, names Names) (bool, error) {
	a, n := t.aggs[p.Agg], p.Words
	if n <= 0 || p.First < 0 || p.First+n > a.words || len(p.Cells)%n != 0 {
		return false, fmt.Errorf("add to @%s: %d words at %d are not cells, or parts, of %d", a.name, len(p.Cells), p.First, a.words)
	}
	r := p.Places.at(p.Number, t.cuts)
	if r == nil {
		if err := a.keys.check(p.Key); err != nil {
			return false, fmt.Errorf("add to @%s: %w", a.name, err)
		}
		if len(a.keys.data) == 0 && isUntouched(p.Cells) {
			return true, nil
		}
		if r = t.find(a, p.Key, names); r == nil {
			return false, nil
		}
		if a.keys.lasting {
			p.Places.set(p.Number, r)
		}
	}
	r.lines = nil
	for k, cells := 0, p.Cells; len(cells) > 0; k, cells = k+1, cells[n:] {
		a.kind.merge(r.cell[p.First:p.First+n], cells[:n])
		if k < len(t.cpus) {
			at := k*a.words + p.First
			a.kind.merge(r.cpus[at:at+n], cells[:n])
		}
	}
	return true, nil
}

// find returns the row of a key, which may be a new one, or nil if there is no room for it.
func (t *Totals) find(a *aggregation, key []byte, names Names) *row {
	canon := a.keys.canonical(key, names)
	r := a.rows[string(canon)]
	if r == nil {
		r = t.newRow(a, string(canon))
		r.values = a.keys.values(key, names)
		if t.max > 0 && t.held+r.bytes() > t.max {
			return nil
		}
		t.insert(a, r)
	}
	return r
}

// KeepCPUs keeps what each CPU adds apart, beside the sum of all. The list has
// their numbers, in the order of their cells.
func (t *Totals) KeepCPUs(cpus []int) { t.cpus = cpus }

func (t *Totals) newRow(a *aggregation, key string) *row {
	if a.words > len(short{}) || len(t.cpus) > 0 {
		return &row{key: key, cell: make([]uint64, a.words), cpus: make([]uint64, len(t.cpus)*a.words)}
	}
	near := &struct { // one after another in memory, as they are read
		row
		cell short
	}{row: row{key: key}}
	near.row.cell = near.cell[:a.words:a.words]
	return &near.row
}

func (t *Totals) insert(a *aggregation, r *row) {
	a.rows[r.key] = r
	t.rows++
	t.held += r.bytes()
}

// Touch notes that something was added to aggregation i, which has no keys, even
// if what was added comes to nothing.
func (t *Totals) Touch(i int) {
	if a := t.aggs[i]; len(a.rows) == 0 {
		t.insert(a, t.newRow(a, ""))
	}
}

// Words returns the number of words in a cell of aggregation i.
func (t *Totals) Words(i int) int { return t.aggs[i].words }

// bytes returns about how much memory a row takes.
func (r *row) bytes() int {
	const place = 64 // in the map of rows
	n := place + int(unsafe.Sizeof(*r)) + len(r.key) + 8*len(r.cell) + 8*len(r.cpus)
	for i := range r.values {
		v := &r.values[i]
		n += int(unsafe.Sizeof(*v)) + len(v.Str) + len(v.Frames)*int(unsafe.Sizeof(trace.Frame{}))
	}
	return n
}

// Firings returns how many firings went into the cells of all CPUs of one key
// of aggregation i, which have words each. Where cells do not tell, it is the
// least that it can be: one for each CPU that has touched its cell.
func (t *Totals) Firings(i int, words int, cells []uint64) uint64 {
	a := t.aggs[i]
	var n uint64
	for ; len(cells) >= words; cells = cells[words:] {
		cell := cells[:words]
		switch {
		case isUntouched(cell):
		case a.kind.counted:
			n += cell[0]
		case a.scale != nil:
			n += uint64(max(total(cell), 1)) // increments may be other than 1, or negative
		default:
			n++
		}
	}
	return n
}

// Clear sets every value of aggregation i, or of All, to nothing. The keys
// stay, as they do in DTrace.
func (t *Totals) Clear(i int) {
	for _, a := range t.chosen(i) {
		for _, r := range a.rows {
			clear(r.cell)
			clear(r.cpus)
			r.lines = nil
		}
	}
}

// Trunc keeps the n keys of aggregation i with the greatest values, or if n is
// negative the -n keys with the least, and forgets the others.
func (t *Totals) Trunc(i int, n int64) {
	for _, a := range t.chosen(i) {
		rows := a.sorted(Order{}, true)
		keep := rows
		switch {
		case n >= 0 && n < int64(len(rows)):
			keep = rows[int64(len(rows))-n:]
		case n < 0 && -n < int64(len(rows)) && -n > 0:
			keep = rows[:-n]
		}
		t.rows -= len(rows) - len(keep)
		t.cuts++
		for _, r := range rows {
			t.held -= r.bytes()
		}
		clear(a.rows)
		for _, r := range keep {
			a.rows[r.key] = r
			t.held += r.bytes()
		}
	}
}

// Normalize has every value of aggregation i divided by factor when it is
// shown. Division by zero is not asked for by anybody: 0 changes nothing.
func (t *Totals) Normalize(i int, factor uint64) {
	if factor == 0 {
		return
	}
	for _, a := range t.chosen(i) {
		a.normal = factor
	}
}

// Denormalize undoes Normalize.
func (t *Totals) Denormalize(i int) { t.Normalize(i, 1) }

// Len returns how many keys are held in all.
func (t *Totals) Len() int { return t.rows }

func (t *Totals) chosen(i int) []*aggregation {
	if i == All {
		return t.aggs
	}
	return t.aggs[i : i+1]
}

// Tables returns all aggregations as they stand, in the order of the script.
func (t *Totals) Tables(o Order) []trace.Table {
	tables := make([]trace.Table, len(t.aggs))
	for i := range t.aggs {
		tables[i] = t.Table(i, o)
	}
	return tables
}

// Table returns aggregation i as it stands.
func (t *Totals) Table(i int, o Order) trace.Table {
	a := t.aggs[i]
	rows := a.sorted(o, false)
	table := a.table(o, len(rows))
	for j, r := range rows {
		table.Rows[j] = a.show(r, t.cpus)
	}
	return table
}

// table returns what is known of a beside its rows, with room for n of them.
func (a *aggregation) table(o Order, n int) trace.Table {
	return trace.Table{Name: a.name, Func: a.fn, KeyTypes: a.types, Params: a.params, Normal: a.normal,
		Sorted: o.sorted(), Origins: a.origins, Rows: make([]trace.Row, n)}
}

// show turns a row into what leaves the engine.
func (a *aggregation) show(r *row, cpus []int) trace.Row {
	if r.lines == nil && a.scale != nil {
		r.lines = a.scale.lines(r.cell)
	}
	out := trace.Row{ID: r.key, Keys: r.values, Value: a.kind.value(r.cell), Buckets: r.lines}
	if a.kind.counted {
		out.Count = r.cell[0]
	}
	if a.kind.sums {
		out.Sums = sums(r.cell)
	}
	for i, cpu := range cpus {
		if at := i * a.words; at+a.words <= len(r.cpus) {
			share := a.share(r.cpus[at : at+a.words])
			share.CPU = cpu
			out.PerCPU = append(out.PerCPU, share)
		}
	}
	return out
}

// share makes what a cell amounts to.
func (a *aggregation) share(cell []uint64) trace.Share {
	out := trace.Share{Value: a.kind.value(cell)}
	if a.scale != nil {
		out.Buckets = a.scale.lines(cell)
	}
	return out
}

// sorted returns the rows in the order o, or by value and key alone if plain.
func (a *aggregation) sorted(o Order, plain bool) []*row {
	list := make([]weighed, 0, len(a.rows))
	for _, r := range a.rows {
		list = append(list, weighed{row: r, primary: a.primary(r.cell), tie: a.tie(r.cell)})
	}
	if plain {
		o = Order{}
	}
	slices.SortFunc(list, func(x, y weighed) int { return o.compare(x, y) })
	rows := make([]*row, len(list))
	for i, w := range list {
		rows[i] = w.row
	}
	return rows
}
