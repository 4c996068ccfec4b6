package export

import (
	"cmp"
	"slices"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// mostCounters bounds how many keys of an aggregation are counters, and mostSeen of how many
// the course is kept until the greatest are known.
const (
	mostCounters = 20
	mostSeen     = 2000
)

// A course is an aggregation over time.
type course struct {
	table trace.Table // without rows
	keys  map[string]*counter
	more  bool // there were keys of which nothing is kept
}

// A counter is a key over time: what it was, whenever that changed.
type counter struct {
	name   string
	values []chromeEvent
	last   int64
}

// of returns the course of an aggregation.
func (c *chrome) of(t *trace.Table) *course {
	id := t.Name + " " + t.Func.String()
	k := c.tables[id]
	if k == nil {
		k = &course{table: *t, keys: map[string]*counter{}}
		k.table.Rows = nil
		c.tables[id] = k
		c.order = append(c.order, k)
	}
	return k
}

// add enters the rows of a snapshot.
func (k *course) add(t *trace.Table, at time.Duration, keep func(*trace.Table, *trace.Row) bool) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if keep != nil && !keep(t, r) {
			continue
		}
		one := k.keys[r.ID]
		if one == nil {
			if len(k.keys) == mostSeen {
				k.more = true
				continue
			}
			one = &counter{name: counterName(t, r)}
			k.keys[r.ID] = one
		}
		if v := spell.Shown(t, r); v != one.last || one.values == nil {
			one.last = v
			one.values = append(one.values, chromeEvent{Name: one.name, Cat: "aggregation", Phase: "C", Time: micros(at), PID: aggregations, Args: args(map[string]any{t.Func.String(): v})})
		}
	}
}

// counterName is what the track of a key is called: @latency[dd, read].
func counterName(t *trace.Table, r *trace.Row) string {
	name := "@" + t.Name
	for i := range r.Keys {
		if i == 0 {
			name += "["
		} else {
			name += ", "
		}
		name += keyText(&r.Keys[i])
	}
	if len(r.Keys) > 0 {
		name += "]"
	}
	return name
}

// counters returns the course of the greatest keys.
func (c *chrome) counters(k *course) (out []chromeEvent) {
	list := make([]*counter, 0, len(k.keys))
	for _, one := range k.keys {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b *counter) int { return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.name, b.name)) })
	if k.more {
		c.o.say("@%s has more than %d keys, and those that came later are no counters", k.table.Name, mostSeen)
	}
	if more := len(list) - mostCounters; more > 0 {
		c.o.say("of @%s the %d greatest keys are counters, %d are left out; -a @%s -f csv has all", k.table.Name, mostCounters, more, k.table.Name)
		list = list[:mostCounters]
	}
	for _, one := range list {
		out = append(out, one.values...)
	}
	return out
}
