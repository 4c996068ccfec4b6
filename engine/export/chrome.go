package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"dscope.dev/dlang/outline"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// The form is the JSON object of the "Trace Event Format", which Perfetto and Chrome load:
// a list of events with a phase (ph), a time in microseconds (ts), and a process and a
// thread, which are no more than the tracks that things are drawn on. There are three
// processes: in firings each CPU is a thread with the moments at which something fired (ph i);
// in durations what lasted (ph X), on so many threads a clause that none overlaps; and in
// aggregations each key is a counter (ph C).
const (
	firings      = 1
	lasting      = 2
	aggregations = 3
)

// mostEvents bounds how many events are kept until they can be written, each of which takes
// about 300 bytes; the viewers have had enough long before.
const mostEvents = 2_000_000

// A chromeEvent is one event of the format.
type chromeEvent struct {
	Name  string          `json:"name"`
	Cat   string          `json:"cat,omitempty"`
	Phase string          `json:"ph"`
	Time  micros          `json:"ts"`
	Dur   *micros         `json:"dur,omitempty"`
	PID   int             `json:"pid"`
	TID   int             `json:"tid"`
	Scope string          `json:"s,omitempty"`
	Args  json.RawMessage `json:"args,omitempty"`
}

// args encodes what an event tells beside its name: few bytes of each of many.
func args(list map[string]any) json.RawMessage {
	b, err := json.Marshal(list)
	if err != nil {
		panic("export: " + err.Error()) // of strings and numbers
	}
	return b
}

// micros is a time in nanoseconds that is written in microseconds, to the last digit.
type micros int64

func (m micros) MarshalJSON() ([]byte, error) {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return fmt.Appendf(nil, "%s%d.%03d", sign, m/1000, m%1000), nil
}

// A chrome writes a trace.
type chrome struct {
	o         Options
	out       io.Writer
	began     time.Time
	durations durations
	events    []chromeEvent
	more      int // events that are left out
	probes    map[trace.Probe]string
	cpus      map[int]bool
	tables    map[string]*course
	order     []*course
	length    time.Duration
}

func newChrome(out io.Writer, o Options) Writer {
	return &chrome{o: o, out: out, durations: durationsOf(o.Script), cpus: map[int]bool{}, probes: map[trace.Probe]string{}, tables: map[string]*course{}}
}

func (c *chrome) Begin(began time.Time) { c.began = began }

func (c *chrome) Status(s trace.Status) { c.length = max(c.length, s.Elapsed) }

func (c *chrome) Events(batch []trace.Event) error {
	for e := range trace.Each(batch) {
		c.event(e)
	}
	return nil
}

// event enters what a firing has printed, a loss, a fault.
func (c *chrome) event(e *trace.Event) {
	at := e.Time.Sub(c.began)
	if c.o.One || c.o.At != 0 && at > c.o.At {
		return
	}
	if len(c.events) == mostEvents {
		c.more++
		return
	}
	x := chromeEvent{Name: c.name(&e.Probe), Cat: "probe", Phase: "i", Scope: "t", Time: micros(at), PID: firings, TID: e.CPU + 1}
	switch e.Kind {
	case trace.DropEvent:
		x.Name, x.Cat, x.Scope = spell.Drop(e.Drop), "drop", "g"
	case trace.FaultEvent:
		x.Name, x.Cat = "error: "+e.Fault.Kind.String(), "error"
	case trace.NoticeEvent, trace.ExitEvent:
		return
	default:
		if c.lasting(e, at) {
			return
		}
	}
	if text := printedText(e); text != "" {
		x.Args = args(map[string]any{"printed": text})
	}
	if e.Kind != trace.DropEvent {
		c.cpus[e.CPU] = true
	}
	c.events = append(c.events, x)
}

// name returns what a probe is called, one string for all of its firings.
func (c *chrome) name(p *trace.Probe) string {
	name, ok := c.probes[*p]
	if !ok {
		name = safe(p.String())
		c.probes[*p] = name
	}
	return name
}

// lasting enters an event that stands for a stretch of time; false if it does not.
func (c *chrome) lasting(e *trace.Event, at time.Duration) bool {
	n, ok := c.durations.of(e)
	if !ok {
		return false
	}
	dur := micros(n)
	told := map[string]any{"cpu": e.CPU}
	if text := printedText(e); text != "" {
		told["printed"] = text
	}
	c.events = append(c.events, chromeEvent{Name: c.name(&e.Probe), Cat: "duration", Phase: "X", Time: micros(at) - dur, Dur: &dur, PID: lasting, TID: int(e.Clause), Args: args(told)})
	return true
}

// printedText is what a firing has printed, on one line as far as it is text.
func printedText(e *trace.Event) string {
	var out string
	for i := range e.Items {
		switch it := &e.Items[i]; it.Kind {
		case trace.PrintfItem, trace.PrintaItem, trace.PrintItem:
			out += it.Text
		case trace.ValueItem, trace.StackItem, trace.SymItem, trace.BytesItem:
			out += keyText(&it.Value) + " "
		}
	}
	return safe(out)
}

func (c *chrome) Snapshot(s trace.Snapshot) {
	if c.o.At != 0 && s.Elapsed > c.o.At {
		c.length = max(c.length, s.Elapsed)
		return
	}
	c.length = max(c.length, s.Elapsed)
	for i := range s.Aggs {
		t := &s.Aggs[i]
		if !c.o.One || t.Name == c.o.Agg {
			c.of(t).add(t, s.Elapsed, c.o.Keep)
		}
	}
}

// End writes all of it.
func (c *chrome) End(trace.Status, []trace.Table) error {
	if c.o.At > c.length {
		return fmt.Errorf("the run lasted %v: there is nothing at %v", c.length.Round(time.Millisecond), c.o.At)
	}
	if c.o.One && len(c.order) == 0 {
		return fmt.Errorf("there is no aggregation @%s", c.o.Agg)
	}
	if c.more > 0 {
		c.o.say("the first %d events are in the trace, %d are left out; ndjson has all", mostEvents, c.more)
	}
	all := append(c.names(), c.events...)
	lanes(all[len(all)-len(c.events):])
	all = append(all, laneNames(all)...)
	for _, k := range c.order {
		all = append(all, c.counters(k)...)
	}
	if len(all) == len(c.names()) {
		return fmt.Errorf("chrome has what was printed and how aggregations changed, and there is neither")
	}
	return c.write(all)
}

// names calls the processes and threads by what they stand for.
func (c *chrome) names() []chromeEvent {
	meta := func(what string, pid, tid int, name string) chromeEvent {
		return chromeEvent{Name: what, Phase: "M", PID: pid, TID: tid, Args: args(map[string]any{"name": name})}
	}
	out := []chromeEvent{meta("process_name", firings, 0, "firings"), meta("process_name", lasting, 0, "durations"), meta("process_name", aggregations, 0, "aggregations")}
	for cpu := range c.cpus {
		out = append(out, meta("thread_name", firings, cpu+1, fmt.Sprintf("CPU %d", cpu)))
	}
	slices.SortStableFunc(out[3:], func(a, b chromeEvent) int { return cmp.Compare(a.TID, b.TID) })
	return out
}

// perClause is how many threads a clause can have for what lasts.
const perClause = 1000

// lanes puts what lasts on threads so that on none of them two overlap: the viewers draw
// what overlaps as if one had called the other, and leave out what does not fit so.
func lanes(events []chromeEvent) {
	var list []*chromeEvent
	for i := range events {
		if events[i].Phase == "X" {
			list = append(list, &events[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *chromeEvent) int { return cmp.Compare(a.Time, b.Time) })
	free := map[int][]micros{} // by clause, when each of its threads is free
	for _, x := range list {
		ends := free[x.TID]
		lane := slices.IndexFunc(ends, func(end micros) bool { return end <= x.Time })
		if lane < 0 {
			lane = len(ends)
			ends = append(ends, 0)
		}
		ends[lane] = x.Time + *x.Dur
		free[x.TID] = ends
		x.TID = x.TID*perClause + min(lane, perClause-1)
	}
}

// laneNames calls those threads by their clause, or rather by the probe of the first event.
func laneNames(events []chromeEvent) (out []chromeEvent) {
	seen := map[int]bool{}
	for i := range events {
		if x := &events[i]; x.Phase == "X" && !seen[x.TID] {
			seen[x.TID] = true
			out = append(out, chromeEvent{Name: "thread_name", Phase: "M", PID: lasting, TID: x.TID, Args: args(map[string]any{"name": fmt.Sprintf("clause %d: %s", x.TID/perClause, x.Name)})})
		}
	}
	return out
}

func (c *chrome) write(events []chromeEvent) error {
	times := "of the firing"
	if !outline.Sets(c.o.Script, "temporal") {
		times = "of reading, up to a second or so after the firing; #pragma D option temporal keeps those of firings"
		if len(c.events) > 0 {
			c.o.say("times of events are those of reading: %s", "#pragma D option temporal keeps those of firings")
		}
	}
	other, err := json.Marshal(map[string]string{"program": "dscope", "began": c.began.UTC().Format(time.RFC3339Nano), "times": times})
	if err != nil {
		return err
	}
	b := bufio.NewWriter(c.out)
	b.WriteString("{\"displayTimeUnit\":\"ns\",\"otherData\":")
	b.Write(other)
	b.WriteString(",\"traceEvents\":[")
	for i := range events {
		one, err := json.Marshal(&events[i])
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(one)
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}
