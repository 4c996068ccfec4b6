package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

var start = time.Unix(1000, 0)

func sec(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// counts is the snapshot of a host that has counted by name.
func counts(seq uint64, list map[string]int64) *wire.Snapshot {
	t := trace.Table{Name: "n", Func: trace.Count, KeyTypes: []string{"string"}, Normal: 1}
	for key, n := range list {
		t.Rows = append(t.Rows, trace.Row{ID: key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}, Value: n, Count: uint64(n)})
	}
	return &wire.Snapshot{At: 1, Snapshot: trace.Snapshot{Seq: seq, Aggs: []trace.Table{t}}}
}

// asked returns a merge of hosts that have begun.
func asked(o Options, hosts ...string) *Merge {
	m := NewMerge(start, o)
	for _, h := range hosts {
		m.Asked(Card{Name: h, Kernel: "6.1"}, start)
		m.Put(Update{Host: h, Began: start}, start)
	}
	return m
}

// rows spells what is merged.
func rows(s trace.Snapshot) (list []string) {
	for _, table := range s.Aggs {
		for _, r := range table.Rows {
			var keys []string
			for _, k := range r.Keys {
				keys = append(keys, k.Str)
			}
			list = append(list, fmt.Sprintf("%s=%d", strings.Join(keys, "/"), r.Value))
		}
	}
	slices.Sort(list)
	return list
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestMergeInAnyOrder delivers snapshots of hosts in any order, some twice and some not
// at all: what is merged is of the last of each.
func TestMergeInAnyOrder(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := asked(Options{}, "a", "b", "c")
		var list []Update
		for _, h := range []string{"a", "b", "c"} {
			for seq := range uint64(4) {
				snap := counts(seq+1, map[string]int64{"x": int64(seq), h: int64(10 * seq)})
				if seq == 3 || r.IntN(2) == 0 {
					list = append(list, Update{Host: h, Message: snap}, Update{Host: h, Message: snap})
				}
			}
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, u := range list {
			m.Put(u, sec(1))
			if r.IntN(3) == 0 {
				m.Snapshot(sec(1))
			}
		}
		want(t, fmt.Sprintf("seed %d", seed), rows(m.Snapshot(sec(2))), []string{"a=30", "b=30", "c=30", "x=9"})
	}
}

func TestHostKey(t *testing.T) {
	m := asked(Options{HostKey: true}, "a", "b")
	m.Put(Update{Host: "a", Message: counts(1, map[string]int64{"x": 1})}, sec(1))
	m.Put(Update{Host: "b", Message: counts(1, map[string]int64{"x": 2})}, sec(1))
	s := m.Snapshot(sec(1))
	want(t, "rows", rows(s), []string{"a/x=1", "b/x=2"})
	want(t, "types", s.Aggs[0].KeyTypes, []string{"string", "string"})
}

// TestDeath has a host die: it is named, with the reason, and what it had delivered stays. It
// comes back under its name, and the earlier part stays under another one.
func TestDeath(t *testing.T) {
	m := asked(Options{}, "a", "b")
	m.Put(Update{Host: "a", Message: counts(1, map[string]int64{"x": 1})}, sec(1))
	m.Put(Update{Host: "b", Message: counts(7, map[string]int64{"x": 2})}, sec(1))
	m.Gone("b", "nothing has come of it", sec(2))
	m.Gone("b", "again", sec(3)) // once is enough
	want(t, "rows", rows(m.Snapshot(sec(3))), []string{"x=3"})
	s := m.Status(sec(3))
	if b := s.Hosts[1]; b.State != trace.Failed || b.Refused || b.Why != "nothing has come of it" {
		t.Errorf("the dead host is %+v", b)
	}
	want(t, "told", notices(m.Events(sec(3), false)), []string{"b died: nothing has come of it"})
	if over, any := m.Over(); over || !any {
		t.Error("the run is over though a goes on")
	}

	m.Asked(Card{Name: "b"}, sec(4))
	m.Put(Update{Host: "b", Began: sec(4)}, sec(4))
	m.Put(Update{Host: "b", Message: counts(1, map[string]int64{"x": 10})}, sec(4))
	want(t, "rows", rows(m.Snapshot(sec(5))), []string{"x=13"})
	var names []string
	for _, h := range m.Status(sec(5)).Hosts {
		names = append(names, h.Name+" "+h.State.String())
	}
	want(t, "hosts", names, []string{"a " + trace.Running.String(), "b " + trace.Running.String(), "b (before 1) " + trace.Failed.String()})
}

func TestRefusals(t *testing.T) {
	m := NewMerge(start, Options{})
	for _, h := range []string{"c", "a", "b"} {
		m.Asked(Card{Name: h}, start)
	}
	m.Put(Update{Host: "a", Err: errors.New("no such probe")}, sec(1))
	m.Put(Update{Host: "c", Err: errors.New("no such probe")}, sec(1))
	m.Put(Update{Host: "b", Began: start}, sec(1))
	list := m.Refusals()
	if len(list) != 1 || !slices.Equal(list[0].Hosts, []string{"a", "c"}) || list[0].Err.Error() != "no such probe" {
		t.Errorf("refusals are %v", list)
	}
	if h := m.Status(sec(1)).Hosts[0]; !h.Refused || h.State != trace.Failed {
		t.Errorf("the host that has refused is %+v", h)
	}
}

// event is one that a host has recorded, by its clock.
func event(when time.Time, n int64) trace.Event {
	return trace.Event{Kind: trace.DataEvent, Time: when, Items: []trace.Item{{Text: fmt.Sprint(n)}}}
}

func events(list []trace.Event) (out []string) {
	for _, e := range list {
		if e.Kind == trace.DataEvent {
			out = append(out, e.Host+e.Items[0].Text)
		}
	}
	return out
}

func notices(list []trace.Event) (out []string) {
	for _, e := range list {
		if e.Kind == trace.NoticeEvent {
			out = append(out, e.Items[0].Text)
		}
	}
	return out
}

// TestEventsByTime merges the events of two hosts of which one has a clock that is an hour
// ahead. Nothing is shown before a host can still send something older.
func TestEventsByTime(t *testing.T) {
	m := asked(Options{Hold: 2 * time.Second}, "a", "b")
	m.Put(Update{Host: "b", Clock: &Clock{Ahead: time.Hour, Bound: time.Millisecond}}, start)
	m.Put(Update{Host: "a", Message: &wire.Events{At: 1, List: []trace.Event{event(sec(0.1), 1), event(sec(0.3), 2)}}, Sent: sec(0.4)}, sec(0.4))
	want(t, "before b is heard", events(m.Events(sec(0.5), false)), []string(nil))
	m.Put(Update{Host: "b", Message: &wire.Events{At: 1, List: []trace.Event{event(sec(3600.2), 1), event(sec(3600.45), 2)}}, Sent: sec(3600.5)}, sec(0.5))
	want(t, "up to what a has sent", events(m.Events(sec(0.6), false)), []string{"a1", "b1", "a2"})
	m.Put(Update{Host: "a", Sent: sec(0.7)}, sec(0.7)) // a beat tells that nothing is older
	want(t, "then", events(m.Events(sec(0.8), false)), []string{"b2"})

	// Whoever is silent holds up the others no longer than for Hold, and is late then.
	m.Put(Update{Host: "a", Message: &wire.Events{At: 1, List: []trace.Event{event(sec(1), 3)}}, Sent: sec(1)}, sec(1))
	want(t, "held", events(m.Events(sec(2.5), false)), []string(nil))
	want(t, "held no longer", events(m.Events(sec(3.1), false)), []string{"a3"})
	m.Put(Update{Host: "b", Message: &wire.Events{At: 1, List: []trace.Event{event(sec(3600.9), 3)}}, Sent: sec(3604)}, sec(4))
	want(t, "late", events(m.Events(sec(4.1), false)), []string{"b3"})
	if h := m.Status(sec(4.1)).Hosts; h[1].Late != 1 || h[0].Late != 0 || h[1].Clock != time.Hour || h[1].Bound != time.Millisecond {
		t.Errorf("hosts are %+v", h)
	}
}

// TestLosses counts what was lost on the way, and what was dropped there, by host.
func TestLosses(t *testing.T) {
	m := asked(Options{}, "a", "b")
	m.Put(Update{Host: "a", Lost: 7}, sec(1))
	m.Put(Update{Host: "b", Message: &wire.Status{At: 1, Status: trace.Status{State: trace.Running, Probes: 3,
		Drops: []trace.Drop{{Kind: trace.DropAggregation, CPU: 2, Count: 5}}}}}, sec(1))
	s := m.Status(sec(1))
	want(t, "drops", s.Drops, []trace.Drop{
		{Kind: trace.DropReader, CPU: -1, Count: 7, Where: "a: on the way"},
		{Kind: trace.DropAggregation, CPU: 2, Count: 5, Where: "b"},
	})
	want(t, "by host", []uint64{s.Hosts[0].Lost, s.Hosts[0].Drops, s.Hosts[1].Lost, s.Hosts[1].Drops}, []uint64{7, 0, 0, 5})
	want(t, "probes", s.Probes, 3)
}

func TestSilence(t *testing.T) {
	m := asked(Options{Silence: 5 * time.Second}, "a", "b")
	m.Put(Update{Host: "a", Sent: sec(6)}, sec(6))
	s := m.Status(sec(7))
	if s.Hosts[0].Silent != 0 || s.Hosts[1].Silent != 7*time.Second {
		t.Errorf("hosts are %+v", s.Hosts)
	}
	want(t, "silent", m.Silent(sec(7), 6*time.Second), []string{"b"})
	m.Put(Update{Host: "b", Sent: sec(8)}, sec(8))
	want(t, "told", notices(m.Events(sec(9), true)), []string{"b has been silent for 7s: its part stays as it was", "b is heard again"})
	m.Status(sec(15))
	m.Gone("b", "it is dead", sec(15))
	want(t, "told of the dead", notices(m.Events(sec(15), true)), []string{"a has been silent for 9s: its part stays as it was",
		"b has been silent for 7s: its part stays as it was", "b died: it is dead"})
}

// TestStrangers hands over what does not fit: another function, a snapshot of nobody.
func TestStrangers(t *testing.T) {
	m := asked(Options{}, "a", "b")
	m.Put(Update{Host: "nobody", Message: counts(1, map[string]int64{"x": 1})}, sec(1))
	m.Put(Update{Host: "a", Message: counts(1, map[string]int64{"x": 1})}, sec(1))
	other := counts(1, map[string]int64{"x": 1})
	other.Snapshot.Aggs[0].Func = trace.Max
	m.Put(Update{Host: "b", Message: other}, sec(1))
	m.Snapshot(sec(1))
	want(t, "rows", rows(m.Snapshot(sec(2))), []string{"x=1"})
	if told := notices(m.Events(sec(2), true)); len(told) != 1 || !strings.HasPrefix(told[0], "b: what it aggregates is left out: @n is") {
		t.Errorf("told: %q", told)
	}
}

// TestKeysThatReadAlike merges stacks by what they show, wherever kernels have put it.
func TestKeysThatReadAlike(t *testing.T) {
	frame := func(addr uint64, module, symbol string, offset uint64) trace.Frame {
		return trace.Frame{Addr: addr, Module: module, Symbol: symbol, Offset: offset}
	}
	stack := func(f ...trace.Frame) []trace.Value { return []trace.Value{{Kind: trace.StackValue, Frames: f}} }
	same := func(a, b []trace.Value) bool {
		return string(appendKeys(nil, a)) == string(appendKeys(nil, b))
	}
	for _, test := range []struct {
		what string
		a, b []trace.Value
		same bool
	}{
		{"one function at two addresses", stack(frame(1, "k", "read", 4)), stack(frame(2, "k", "read", 4)), true},
		{"another place in it", stack(frame(1, "k", "read", 4)), stack(frame(1, "k", "read", 5)), false},
		{"addresses without a name", stack(frame(1, "", "", 0)), stack(frame(2, "", "", 0)), false},
		{"a deeper stack", stack(frame(1, "k", "read", 4)), stack(frame(1, "k", "read", 4), frame(1, "k", "read", 4)), false},
		{"integers of two sizes", []trace.Value{{Kind: trace.IntValue, Int: 7}}, []trace.Value{{Kind: trace.UintValue, Int: 7}}, true},
		{"strings that join alike", []trace.Value{{Kind: trace.StringValue, Str: "ab"}, {Kind: trace.StringValue, Str: "c"}},
			[]trace.Value{{Kind: trace.StringValue, Str: "a"}, {Kind: trace.StringValue, Str: "bc"}}, false},
	} {
		if got := same(test.a, test.b); got != test.same {
			t.Errorf("%s: the same is %v", test.what, got)
		}
	}
}
