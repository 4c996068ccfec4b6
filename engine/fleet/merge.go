package fleet

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// Options say how hosts are merged.
type Options struct {
	HostKey bool          // the host is the first key of each aggregation
	Hold    time.Duration // how long events wait at most for those of other hosts; 0 is two seconds
	Silence time.Duration // after how long without a word a host is said to be silent; 0 is five seconds
	Brief   bool          // of hosts the status has those alone that something is wrong with
}

func (o Options) or() Options {
	if o.Hold == 0 {
		o.Hold = 2 * time.Second
	}
	if o.Silence == 0 {
		o.Silence = 5 * time.Second
	}
	return o
}

// A Merge puts together what has come of hosts. It reads no clock: whoever calls says what
// time it is. It is used by one goroutine at a time.
type Merge struct {
	o      Options
	began  time.Time
	hosts  map[string]*host
	names  []string // of hosts, sorted
	tables []*table // in the order in which they first came
	named  map[string]*table
	seq    uint64
	buf    []byte
	moved  map[identity]*agg.Place // for keep
	notes  []trace.Event           // that no event has told of yet
	shown  time.Time               // events before that have been handed out
	events uint64                  // handed out
	rated  time.Time
	before uint64 // events as of rated
	rate   float64
}

// A host is what has come of one.
type host struct {
	trace.Host
	heard  time.Time // when something came of it
	upto   time.Time // by our clock: nothing older follows
	snap   trace.Snapshot
	places map[string][]place // of the rows of the last picture, by aggregation
	news   []trace.Example    // of snapshots that have not been merged yet
	status trace.Status
	queue  []trace.Event // held back, by time
	last   time.Time     // of the last that was queued
	began  bool
	silent bool // which has been told
	bad    map[string]bool
}

// A table is one aggregation of all hosts.
type table struct {
	shape   trace.Table // of the host that came first
	merged  *agg.Merged
	origins map[*trace.Origin][]trace.Origin // with the host, by those without
}

// NewMerge returns one that nothing has come to.
func NewMerge(began time.Time, o Options) *Merge {
	return &Merge{o: o.or(), began: began, hosts: map[string]*host{}, named: map[string]*table{}, rated: began,
		moved: map[identity]*agg.Place{}}
}

// Asked notes that a host has been asked to run the script. One that is asked again, since it
// has come back, keeps what it had delivered: under the same name, counted from then on.
func (m *Merge) Asked(c Card, now time.Time) {
	h := m.hosts[c.Name]
	if h != nil && h.began {
		m.bury(h)
		h = nil
	}
	if h == nil {
		h = &host{bad: map[string]bool{}, places: map[string][]place{}}
		m.hosts[c.Name] = h
		if i, ok := slices.BinarySearch(m.names, c.Name); !ok {
			m.names = slices.Insert(m.names, i, c.Name)
		}
	}
	h.Host = trace.Host{Name: c.Name, Kernel: c.Kernel, State: trace.Starting, Clock: h.Clock, Bound: h.Bound}
	h.heard, h.upto = now, now
}

// bury keeps under a name of its own what an earlier run of a host had delivered.
func (m *Merge) bury(h *host) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s (before %d)", h.Name, n)
		if m.hosts[name] == nil {
			h.Host.Name = name
			clear(h.places) // which are of keys with the host in front
			m.hosts[name] = h
			i, _ := slices.BinarySearch(m.names, name)
			m.names = slices.Insert(m.names, i, name)
			return
		}
	}
}

// Put takes one thing that has come of a host.
func (m *Merge) Put(u Update, now time.Time) {
	h := m.hosts[u.Host]
	if h == nil {
		return // it was not asked
	}
	h.heard = now
	if h.silent {
		h.silent = false
		m.tell(now, fmt.Sprintf("%s is heard again", h.Name))
	}
	if u.Clock != nil {
		h.Clock, h.Bound = u.Clock.Ahead, u.Clock.Bound
	}
	if !u.Began.IsZero() {
		h.began, h.State = true, trace.Running
	}
	if u.Lost > 0 {
		h.Lost += u.Lost
		h.push(trace.Event{Kind: trace.DropEvent, Time: now.Add(h.Clock), Host: h.Name,
			Drop: trace.Drop{Kind: trace.DropReader, CPU: -1, Count: u.Lost, Where: "on the way"}}, m)
	}
	m.message(h, u.Message)
	if u.Err != nil {
		h.Refused = !h.began
		h.fail(u.Err.Error())
		h.status.Err = u.Err
		verb := "died"
		if h.Refused {
			verb = "refused"
		}
		m.tell(now, fmt.Sprintf("%s %s: %v", h.Name, verb, u.Err))
	}
	if !u.Sent.IsZero() {
		h.upto = u.Sent.Add(-h.Clock)
	}
}

// fail ends a host before its time. Its part stays.
func (h *host) fail(why string) { h.State, h.Why = trace.Failed, why }

// Gone notes that a host is there no more, though its run had not ended.
func (m *Merge) Gone(name, why string, now time.Time) {
	if h := m.hosts[name]; h != nil && h.State < trace.Done {
		h.silent = false // it is not heard again
		m.Put(Update{Host: name, Err: fmt.Errorf("%s", why)}, now)
	}
}

func (m *Merge) message(h *host, msg wire.Message) {
	switch msg := msg.(type) {
	case *wire.Snapshot:
		if msg.Snapshot.Seq < h.snap.Seq {
			return // one that came before
		}
		h.news = wire.Merge(h.news, msg.Snapshot.Examples)
		h.snap = msg.Snapshot
		h.snap.Examples = nil
		h.Keys = 0
		for i := range h.snap.Aggs {
			h.Keys += len(h.snap.Aggs[i].Rows)
		}
	case *wire.Status:
		h.status = msg.Status
		h.Probes, h.Drops = msg.Status.Probes, 0
		for _, d := range msg.Status.Drops {
			h.Drops += d.Count
		}
		if msg.Status.State == trace.Failed && msg.Status.Err != nil {
			h.Why = msg.Status.Err.Error()
		}
		h.State = msg.Status.State
	case *wire.Events:
		h.Events += uint64(trace.Firings(msg.List))
		for i := range msg.List {
			e := msg.List[i]
			e.Host = under(h.Name, e.Host)
			h.push(e, m)
		}
	}
}

// push queues an event by the clock of the reader. The events of one host keep their order.
func (h *host) push(e trace.Event, m *Merge) {
	e.Time = e.Time.Add(-h.Clock)
	if e.Time.Before(h.last) {
		e.Time = h.last
	}
	h.last = e.Time
	if e.Time.Before(m.shown) {
		h.Late++
	}
	h.queue = append(h.queue, e)
}

// tell puts a word of our own among the events.
func (m *Merge) tell(now time.Time, text string) {
	m.notes = append(m.notes, trace.Event{Kind: trace.NoticeEvent, Time: now, CPU: -1,
		Items: []trace.Item{{Kind: trace.WarnItem, Text: text}}})
}

// Events returns the events whose turn it is: those of which no host that is heard can send
// an older one, and all that have waited for as long as they may. All is that nothing is to
// wait.
func (m *Merge) Events(now time.Time, all bool) (out []trace.Event) {
	until := now
	for _, h := range m.hosts {
		if h.State < trace.Done && h.began && h.upto.Before(until) {
			until = h.upto
		}
	}
	if oldest := now.Add(-m.o.Hold); until.Before(oldest) {
		until = oldest
	}
	for _, name := range m.names {
		h := m.hosts[name]
		n := sort.Search(len(h.queue), func(i int) bool { return h.queue[i].Time.After(until) })
		if all {
			n = len(h.queue)
		}
		out = append(out, h.queue[:n]...)
		if h.queue = h.queue[n:]; len(h.queue) == 0 {
			h.queue = nil
		}
	}
	out = append(out, m.notes...)
	m.notes = nil
	slices.SortStableFunc(out, func(a, b trace.Event) int { return a.Time.Compare(b.Time) })
	m.events += uint64(len(out))
	if until.After(m.shown) {
		m.shown = until
	}
	return out
}

// Snapshot merges what hosts have delivered.
func (m *Merge) Snapshot(now time.Time) trace.Snapshot {
	m.seq++
	out := trace.Snapshot{Seq: m.seq, Time: now, Elapsed: now.Sub(m.began)}
	for _, name := range m.names {
		h := m.hosts[name]
		out.Drops += h.snap.Drops + h.Lost
		for i := range h.snap.Aggs {
			m.shape(h, &h.snap.Aggs[i], now)
		}
	}
	for _, t := range m.tables {
		normal := uint64(0)
		for _, name := range m.names {
			if from := tableOf(m.hosts[name], t.shape.Name); from != nil {
				normal = max(normal, from.Normal)
			}
		}
		t.merged.Begin(normal)
		for _, name := range m.names {
			h := m.hosts[name]
			if from := tableOf(h, t.shape.Name); from != nil {
				m.add(t, h, from, now)
			}
		}
		table := t.merged.Table()
		if t.shape.Origins != nil {
			table.Origins = m.origins(t, t.shape.Origins)
		}
		out.Aggs = append(out.Aggs, table)
	}
	for _, name := range m.names {
		h := m.hosts[name]
		out.Examples = append(out.Examples, m.examples(h)...)
		h.news = nil
	}
	return out
}

// tableOf returns an aggregation of a host; nil if it has none of that name.
func tableOf(h *host, name string) *trace.Table {
	for i := range h.snap.Aggs {
		if h.snap.Aggs[i].Name == name {
			return &h.snap.Aggs[i]
		}
	}
	return nil
}

// shape makes a table for an aggregation that has not come before.
func (m *Merge) shape(h *host, from *trace.Table, now time.Time) {
	if m.named[from.Name] != nil {
		return
	}
	t := &table{shape: *from, origins: map[*trace.Origin][]trace.Origin{}}
	t.shape.Rows = nil
	if m.o.HostKey {
		t.shape.KeyTypes = append([]string{"string"}, from.KeyTypes...)
		if t.shape.Sorted.ByKey { // which keys count is said of those of the script
			t.shape.Sorted.KeyPos++
		}
	}
	var err error
	if t.merged, err = agg.NewMerged(&t.shape); err != nil {
		m.blame(h, from.Name, err, now)
		return
	}
	m.named[from.Name] = t
	m.tables = append(m.tables, t)
}

// blame tells, once, that an aggregation of a host cannot be merged.
func (m *Merge) blame(h *host, name string, err error, now time.Time) {
	if !h.bad[name] {
		h.bad[name] = true
		m.tell(now, fmt.Sprintf("%s: what it aggregates is left out: %v", h.Name, err))
	}
}

// add adds the rows of a host.
func (m *Merge) add(t *table, h *host, from *trace.Table, now time.Time) {
	if from.Func != t.shape.Func || !slices.Equal(from.Params, t.shape.Params) {
		m.blame(h, from.Name, fmt.Errorf("@%s is %v%v there, and %v%v elsewhere", from.Name, from.Func, from.Params, t.shape.Func, t.shape.Params), now)
		return
	}
	places := m.keep(h.places[from.Name], from.Rows)
	h.places[from.Name] = places
	for i := range from.Rows {
		r, p := &from.Rows[i], &places[i]
		if p.at == nil || p.at.Gone() {
			p.at = m.place(t, h, r)
		}
		if err := t.merged.Add(p.at, r); err != nil {
			m.blame(h, from.Name, err, now)
			return
		}
	}
}

// place finds the place of a row by its keys.
func (m *Merge) place(t *table, h *host, r *trace.Row) *agg.Place {
	if m.o.HostKey {
		m.buf = append(append(append(m.buf[:0], h.Name...), 0), r.ID...)
		return t.merged.Place(m.buf, func() []trace.Value {
			return append([]trace.Value{{Kind: trace.StringValue, Str: h.Name}}, r.Keys...)
		})
	}
	m.buf = appendKeys(m.buf[:0], r.Keys)
	return t.merged.Place(m.buf, func() []trace.Value { return common(r.Keys) })
}

// hostDimension is what is known of each example of a fleet. Agents give scripts a variable
// of that name.
var hostDimension = trace.Dimension{Name: HostName, Expr: HostName}

// hasHost reports whether a host is known already, as it is of what a relay sends.
func hasHost(dims []trace.Dimension) bool {
	return len(dims) > 0 && dims[len(dims)-1] == hostDimension
}

// under is what a host is called that a relay speaks for; "" is the relay itself, or a host that
// speaks for itself. What it is called there is the word of the relay alone, and stands behind its name.
func under(relay, host string) string {
	if host == "" {
		return relay
	}
	return relay + "/" + host
}

// origins returns where the script fills an aggregation, with the host among what is known.
// It is one list for all snapshots.
func (m *Merge) origins(t *table, list []trace.Origin) []trace.Origin {
	if len(list) == 0 {
		return nil
	}
	if known := t.origins[&list[0]]; known != nil {
		return known
	}
	out := slices.Clone(list)
	for i := range out {
		if m.o.HostKey {
			out[i].Keys = append([]string{HostName}, out[i].Keys...)
		}
		if out[i].Dims != nil && !hasHost(out[i].Dims) {
			out[i].Dims = append(slices.Clone(out[i].Dims), hostDimension)
		}
	}
	t.origins[&list[0]] = out
	return out
}

// examples returns those of a host as they are in the merged snapshot.
func (m *Merge) examples(h *host) (out []trace.Example) {
	for _, e := range h.news {
		if e.Agg >= len(h.snap.Aggs) {
			continue
		}
		from := &h.snap.Aggs[e.Agg]
		t := m.named[from.Name]
		if t == nil || e.Origin >= max(len(t.shape.Origins), 1) {
			continue
		}
		e.Agg = slices.Index(m.tables, t)
		if t.shape.Origins != nil {
			dims := t.shape.Origins[e.Origin].Dims
			if len(e.Facts) != len(dims) {
				continue // of another kernel, where other things are known
			}
			if !hasHost(dims) {
				e.Facts = append(slices.Clip(e.Facts), trace.Value{Kind: trace.StringValue, Str: h.Name})
			}
		}
		e.Time = e.Time.Add(-h.Clock)
		out = append(out, e)
	}
	return out
}
