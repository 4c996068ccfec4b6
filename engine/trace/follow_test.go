package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is a run that has been told already.
type told struct {
	snaps   chan Snapshot
	events  chan []Event
	states  chan Status
	stopped bool
}

func newTold(snaps []Snapshot, events [][]Event, states []Status) *told {
	return &told{snaps: filled(snaps), events: filled(events), states: filled(states)}
}

func filled[T any](list []T) chan T {
	ch := make(chan T, len(list))
	for _, v := range list {
		ch <- v
	}
	close(ch)
	return ch
}

func (r *told) Began() time.Time           { return time.Unix(100, 0) }
func (r *told) Snapshots() <-chan Snapshot { return r.snaps }
func (r *told) Events() <-chan []Event     { return r.events }
func (r *told) Status() <-chan Status      { return r.states }
func (r *told) Stop()                      { r.stopped = true }
func (r *told) Close() error               { return nil }

// A diary notes what it is shown.
type diary struct {
	lines []string
	fail  error
}

func (d *diary) note(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}
func (d *diary) Begin(t time.Time)   { d.note("begin %d", t.Unix()) }
func (d *diary) Snapshot(s Snapshot) { d.note("snapshot %d", s.Seq) }
func (d *diary) Status(s Status)     { d.note("status %v", s.State) }
func (d *diary) Events(batch []Event) error {
	for _, e := range batch {
		d.note("event on %d", e.CPU)
	}
	return d.fail
}
func (d *diary) End(s Status, aggs []Table) error {
	d.note("end %v with %d", s.State, len(aggs))
	return nil
}

// Observers see all snapshots and states, in order, before the sink is told of the end.
func TestFollowShowsWhatComes(t *testing.T) {
	run := newTold([]Snapshot{{Seq: 1}, {Seq: 2}, {Seq: 3, Aggs: []Table{{}}}}, [][]Event{{{CPU: 1}}}, []Status{{State: Running}, {State: Done}})
	var d diary
	status, err := Follow(run, &d, &d)
	if err != nil || status.State != Done {
		t.Fatalf("%v, %v", status.State, err)
	}
	if d.lines[0] != "begin 100" || d.lines[len(d.lines)-1] != "end done with 1" {
		t.Errorf("it begins and ends otherwise: %q", d.lines)
	}
	for kind, want := range map[string]string{"snapshot": "snapshot 1 snapshot 2 snapshot 3", "status": "status running status done", "event": "event on 1"} {
		got := slices.DeleteFunc(slices.Clone(d.lines), func(s string) bool { return !strings.HasPrefix(s, kind) })
		if strings.Join(got, " ") != want {
			t.Errorf("shown %q, want %q", got, want)
		}
	}
}

// A sink that fails stops the run; observers see it to its end all the same.
func TestFollowWithoutSink(t *testing.T) {
	run := newTold([]Snapshot{{Seq: 1}}, [][]Event{{{}}, {{}}}, []Status{{State: Done}})
	sink, shown := diary{fail: errors.New("no room")}, diary{}
	if _, err := Follow(run, &sink, &shown); err == nil || !run.stopped {
		t.Errorf("err %v, stopped %v", err, run.stopped)
	}
	if want := []string{"event on 0"}; !slices.Equal(sink.lines, want) {
		t.Errorf("the sink got %q", sink.lines)
	}
	slices.Sort(shown.lines)
	if want := []string{"begin 100", "snapshot 1", "status done"}; !slices.Equal(shown.lines, want) {
		t.Errorf("shown %q", shown.lines)
	}
}

func TestPastFollow(t *testing.T) {
	began := time.Unix(100, 0)
	p := Past{Began: began, Status: Status{State: Done}, Snapshots: slices.Values([]Snapshot{{Seq: 1, Elapsed: time.Second}, {Seq: 2, Elapsed: 3 * time.Second, Aggs: []Table{{}, {}}}})}
	for i, s := range []int{0, 2, 5, 4} {
		p.Events = append(p.Events, &Event{CPU: i, Time: began.Add(time.Duration(s) * time.Second)})
	}
	var d diary
	if err := p.Follow(&d, &d); err != nil {
		t.Fatal(err)
	}
	want := "begin 100, event on 0, snapshot 1, event on 1, snapshot 2, event on 2, event on 3, status done, end done with 2"
	if got := strings.Join(d.lines, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
