// Package merge makes one row of all rows of an aggregation whose keys are called the same.
//
// The kernel tells stacks by their addresses, and which process they are of. A program that
// is run again and again is loaded to another place each time, so that one path through it
// is a new row with each run. People read names: where two rows have stacks of the same
// functions, and all other keys are equal, they are one here. What makes two frames one is
// what package flame says: the function, and without a symbol the module and the place in it.
//
// The values of such rows are put together as the function has it: amounts are added up, the
// least of least values is the least. Deviations cannot be put together, since averages are
// not kept with them: the rows of stddev() stay as they come.
package merge

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/flame"
	"dscope.dev/ui/flow"
)

// Rows merges the rows of one run. The zero value is ready.
type Rows struct {
	seq    uint64
	tables map[tableKey]*table
	buf    []byte
}

type tableKey struct {
	name string
	fn   trace.AggFunc
}

// A table is what is known of the rows of one aggregation.
type table struct {
	groups map[string]*member // by the ID of a row as it comes
	named  map[string]*group  // by what the keys are called
	came   int                // rows of the last snapshot
}

// A member is a row that comes, and what it is part of.
type member struct {
	of   *group
	seen uint64
}

// A group is rows that are called the same.
type group struct {
	id   string
	keys []trace.Value
	seen uint64
	at   int  // in the table that is being made
	own  bool // its buckets there are nobody else's
}

// Snapshot returns s with its rows merged. What came before has to have gone through the
// same Rows: a row keeps its ID, and its keys as long as no other one joins it.
func (m *Rows) Snapshot(s trace.Snapshot) trace.Snapshot {
	m.seq++
	copied := false
	for i := range s.Aggs {
		t := &s.Aggs[i]
		if !m.concerns(t) {
			continue
		}
		if !copied {
			s.Aggs, copied = slices.Clone(s.Aggs), true
			t = &s.Aggs[i]
		}
		t.Rows = m.rows(t)
	}
	return s
}

// Came returns how many rows an aggregation had in the last snapshot before they were
// merged, 0 if they are not.
func (m *Rows) Came(name string, fn trace.AggFunc) int {
	if t := m.tables[tableKey{name, fn}]; t != nil {
		return t.came
	}
	return 0
}

// concerns reports whether rows of t can be called the same and be put together.
func (m *Rows) concerns(t *trace.Table) bool {
	if t.Func.Join() == trace.NoJoin {
		return false
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if t.Func.Join() == trace.JoinMean && len(r.PerCPU) > 0 { // how often each CPU was fed is not known
			return false
		}
		if slices.ContainsFunc(r.Keys, Moves) {
			return true
		}
	}
	return false
}

// Moves reports whether v has addresses of a process, which differ from run to run.
func Moves(v trace.Value) bool {
	return datum.HasFrames(v) || v.Kind == trace.SymValue && v.Int != 0
}

// Renamed reports whether the keys of a row are called otherwise than before: others have
// joined it, so that less is said of them.
func Renamed(before, now []trace.Value) bool {
	return len(now) > 0 && len(before) == len(now) && &before[0] != &now[0] && slices.ContainsFunc(now, Moves)
}

// rows returns the rows of t, each name once, where it came first.
func (m *Rows) rows(t *trace.Table) []trace.Row {
	known := m.tables[tableKey{t.Name, t.Func}]
	if known == nil {
		known = &table{groups: map[string]*member{}, named: map[string]*group{}}
		if m.tables == nil {
			m.tables = map[tableKey]*table{}
		}
		m.tables[tableKey{t.Name, t.Func}] = known
	}
	known.came = len(t.Rows)
	out := make([]trace.Row, 0, min(len(t.Rows), len(known.named)+64))
	for i := range t.Rows {
		r := &t.Rows[i]
		x := known.groups[r.ID]
		if x == nil {
			x = &member{of: m.group(known, r)}
			known.groups[r.ID] = x
		}
		x.seen = m.seq
		g := x.of
		if g.seen != m.seq {
			g.seen, g.at, g.own = m.seq, len(out), false
			out = append(out, *r)
			out[g.at].ID = g.id
			continue
		}
		o := &out[g.at]
		if !g.own {
			o.Buckets, o.PerCPU, g.own = slices.Clone(o.Buckets), slices.Clone(o.PerCPU), true
		}
		join(t.Func, o, r)
	}
	for i := range out { // a row that came later may have changed what they are called
		out[i].Keys = known.named[out[i].ID].keys
	}
	m.forget(known, len(t.Rows))
	return out
}

// forget drops what has not come for long once it is most of what is known.
func (m *Rows) forget(t *table, rows int) {
	if len(t.groups) < 2*rows+1000 {
		return
	}
	for id, x := range t.groups {
		if x.seen != m.seq {
			delete(t.groups, id)
		}
	}
	for id, g := range t.named {
		if g.seen != m.seq {
			delete(t.named, id)
		}
	}
}

// group returns what a row that has not come before is part of.
func (m *Rows) group(t *table, r *trace.Row) *group {
	m.buf = m.buf[:0]
	for i := range r.Keys {
		m.buf = AppendName(m.buf, &r.Keys[i])
	}
	sum := sha256.Sum256(m.buf) // names are long, and there are many
	id := string(sum[:16])
	g := t.named[id]
	if g == nil {
		g = &group{id: id, keys: r.Keys}
		t.named[id] = g
		return g
	}
	g.keys = bare(g.keys, r.Keys)
	return g
}

// AppendName appends to b what is the same for two values if and only if they are called
// the same.
func AppendName(b []byte, v *trace.Value) []byte {
	b = append(b, byte(v.Kind))
	switch {
	case datum.HasFrames(*v):
		kind := flame.KindOf(v)
		b = binary.AppendUvarint(b, uint64(len(v.Frames)))
		for i := range v.Frames {
			n := flame.NameOf(&v.Frames[i], kind)
			b = n.Append(b)
		}
	case Moves(*v) && len(v.Frames) == 1 && v.Frames[0].Symbol == "":
		n := flame.NameOf(&v.Frames[0], flame.User)
		b = n.Append(append(b, 1))
	case Moves(*v):
		b = text(append(b, 0), v.Str)
	default:
		b = text(binary.AppendVarint(b, v.Int), v.Str)
	}
	return b
}

func text(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// bare returns keys without what differs in others that are called the same: the process,
// and where in a function a frame is. Mostly nothing does that has not been left out before.
func bare(keys, others []trace.Value) []trace.Value {
	out := keys
	for i := range keys {
		if !Moves(keys[i]) {
			continue
		}
		v, changed := left(keys[i], &others[i])
		if !changed {
			continue
		}
		if &out[0] == &keys[0] {
			out = slices.Clone(keys) // the old ones have been given away
		}
		out[i] = v
	}
	return out
}

// left returns what is left of v beside w, which is called the same.
func left(v trace.Value, w *trace.Value) (_ trace.Value, changed bool) {
	if v.Int != 0 && v.Int != w.Int {
		v.Int, changed = 0, true
	}
	frames := v.Frames
	for i := range frames {
		f := frames[i]
		if f == w.Frames[i] {
			continue
		}
		if f = flame.Anywhere(f, w.Frames[i]); f == frames[i] {
			continue
		}
		if &v.Frames[0] == &frames[0] {
			v.Frames, changed = slices.Clone(frames), true
		}
		v.Frames[i] = f
	}
	if v.Kind == trace.SymValue && v.Str != w.Str && len(v.Frames) == 1 {
		if name := datum.Raw(v.Frames[0]); name != v.Str {
			v.Str, changed = name, true
		}
	}
	return v, changed
}

// join adds a row to another of the same name, whose buckets and shares it may change.
func join(fn trace.AggFunc, to, r *trace.Row) {
	switch fn.Join() {
	case trace.JoinLeast:
		to.Value = min(to.Value, r.Value)
	case trace.JoinMost:
		to.Value = max(to.Value, r.Value)
	case trace.JoinMean:
		to.Value = average(to.Value, to.Count, r.Value, r.Count)
	default:
		to.Value += r.Value
		to.Buckets = flow.Join(to.Buckets, r.Buckets)
	}
	to.Count += r.Count
	for _, p := range r.PerCPU {
		i := slices.IndexFunc(to.PerCPU, func(q trace.Share) bool { return q.CPU >= p.CPU })
		if i < 0 || to.PerCPU[i].CPU != p.CPU {
			if i < 0 {
				i = len(to.PerCPU)
			}
			p.Buckets = slices.Clone(p.Buckets)
			to.PerCPU = slices.Insert(to.PerCPU, i, p)
			continue
		}
		x, y := trace.Row{Value: to.PerCPU[i].Value, Buckets: slices.Clone(to.PerCPU[i].Buckets)}, trace.Row{Value: p.Value, Buckets: p.Buckets}
		join(fn, &x, &y)
		to.PerCPU[i].Value, to.PerCPU[i].Buckets = x.Value, x.Buckets
	}
}

// average returns the average of what two averages are of. Each has lost its fraction, so
// that the result is less than one off.
func average(a int64, n uint64, b int64, m uint64) int64 {
	if n+m == 0 {
		return a
	}
	// a + (b-a)·m/(n+m): a product of 128 bits, for sums of nanoseconds are long
	if b >= a {
		hi, lo := bits.Mul64(uint64(b)-uint64(a), m)
		q, _ := bits.Div64(hi, lo, n+m)
		return a + int64(q)
	}
	hi, lo := bits.Mul64(uint64(a)-uint64(b), m)
	q, _ := bits.Div64(hi, lo, n+m)
	return a - int64(q)
}
