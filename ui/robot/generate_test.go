package robot_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
)

// The scripts of the generated recording.
const (
	firstScript = `syscall:vmlinux:read:entry
{
	self->ts = timestamp;
}

syscall:vmlinux:read:return
/self->ts/
{
	@time[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
	printf("%s\n", execname);
}
`
)

// secondScript is the first with another function, as the robot edits it.
var secondScript = strings.Replace(firstScript, "= quantize(", "= lquantize(", 1)

// A made run is what a tracer would deliver, with all that is rare in a real
// recording: drops, faults, a stalled reader, bytes that would move the cursor.
type made struct {
	began  time.Time
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
}

func (m *made) Began() time.Time                 { return m.began }
func (m *made) Snapshots() <-chan trace.Snapshot { return m.snaps }
func (m *made) Events() <-chan []trace.Event     { return m.events }
func (m *made) Status() <-chan trace.Status      { return m.status }
func (m *made) Stop()                            {}
func (m *made) Close() error                     { return nil }

// deliver delivers a run of some seconds, ten times a second.
func (m *made) deliver(fn trace.AggFunc, seconds int) {
	r := rand.New(rand.NewPCG(1, uint64(fn)))
	counts := map[string]map[int]int64{}
	names := []string{"dd", "sshd", "systemd-journal", "evil\x1b[2Jname"}
	var fired, drops uint64
	p := trace.Probe{ID: 2, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"}
	for i := range seconds * 10 {
		time.Sleep(100 * time.Millisecond)
		var batch []trace.Event
		for range 20 + r.IntN(30) {
			name := names[min(int(r.ExpFloat64()*1.2), 3)]
			if counts[name] == nil {
				counts[name] = map[int]int64{}
			}
			counts[name][10+bits.Len(uint(r.ExpFloat64()*20))]++
			fired++
			batch = append(batch, trace.Event{Probe: p, CPU: r.IntN(2), Clause: 2, Time: time.Now(),
				Items: []trace.Item{{Kind: trace.PrintfItem, Text: name + "\n"}}})
		}
		if i%25 == 24 {
			drops += 7
			batch = append(batch, trace.Event{Kind: trace.DropEvent, Drop: trace.Drop{Kind: trace.DropPrincipal, CPU: 1, Count: 7}})
		}
		if i == 15 {
			batch = append(batch, trace.Event{Kind: trace.FaultEvent, Probe: p,
				Fault: trace.Fault{Kind: trace.FaultBadAddr, Addr: 0x10, EPID: 2, Action: 1, Line: 9}})
		}
		at := time.Duration(i+1) * 100 * time.Millisecond
		m.events <- batch
		m.snaps <- trace.Snapshot{Seq: uint64(i + 1), Time: time.Now(), Elapsed: at, Drops: drops, Aggs: []trace.Table{table(fn, counts)}}
		m.status <- trace.Status{State: trace.Running, Elapsed: at, Events: fired, Rate: float64(len(batch)) * 10, Probes: 2, Drops: dropList(drops)}
	}
	m.status <- trace.Status{State: trace.Done, Elapsed: time.Duration(seconds) * time.Second, Events: fired, Probes: 2, Drops: dropList(drops)}
	close(m.snaps)
	close(m.events)
	close(m.status)
}

func dropList(n uint64) []trace.Drop {
	if n == 0 {
		return nil
	}
	return []trace.Drop{{Kind: trace.DropPrincipal, CPU: 1, Count: n}}
}

// place is where both scripts fill @time.
var place = []trace.Origin{{Clause: 2, Line: 9, From: 97, To: 147, Keys: []string{"execname"}, Arg: "timestamp - self->ts"}}

// table returns @time of counts by key and exponent.
func table(fn trace.AggFunc, counts map[string]map[int]int64) trace.Table {
	t := trace.Table{Name: "time", Func: fn, KeyTypes: []string{"string"}, Normal: 1, Origins: place}
	for name, c := range counts {
		row := trace.Row{ID: name, Keys: []trace.Value{{Kind: trace.StringValue, Str: name}}}
		low, high := 64, 0
		for e, n := range c {
			low, high = min(low, e), max(high, e)
			row.Value += n
		}
		for e := low - 1; e <= high+1; e++ {
			row.Buckets = append(row.Buckets, trace.Bucket{Label: fmt.Sprint(1 << e), Low: 1 << e, High: 2<<e - 1, Count: c[e]})
		}
		row.Count = uint64(row.Value)
		t.Rows = append(t.Rows, row)
	}
	slices.SortFunc(t.Rows, func(a, b trace.Row) int { return int(a.Value - b.Value) })
	return t
}

// generated returns a recording of both scripts on a machine of some probes.
func generated(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		w, err := replay.NewWriter(&file, replay.Header{Kernel: "generated"})
		if err != nil {
			t.Fatal(err)
		}
		var probes []trace.Probe
		for _, call := range strings.Fields("close open openat read readv write writev mmap munmap futex poll select sendto recvfrom nanosleep execve exit") {
			for _, name := range []string{"entry", "return"} {
				probes = append(probes, trace.Probe{ID: uint32(len(probes) + 1), Provider: "syscall", Module: "vmlinux", Function: call, Name: name})
			}
		}
		for _, n := range []string{"BEGIN", "END", "ERROR"} {
			probes = append(probes, trace.Probe{ID: uint32(len(probes) + 1), Provider: "dtrace", Name: n})
		}
		w.Probes(probes, []trace.ProviderInfo{
			{Name: "dtrace", Help: "the beginning and the end of a run, and its faults"},
			{Name: "syscall", Help: "entry and return of every system call"},
			{Name: "fbt", Help: "functions of the kernel", Unavailable: "this kernel is locked down"},
		})
		for _, p := range probes {
			if p.Function == "read" {
				w.Info(trace.ProbeInfo{Probe: p, Help: "read(2) begins or ends", Hook: "tp_btf sys_enter",
					Args: []trace.Arg{{Name: "fd", Type: "unsigned int"}, {Name: "buf", Type: "char *"}, {Name: "count", Type: "size_t"}}})
			}
		}
		for _, s := range []struct {
			script string
			fn     trace.AggFunc
		}{{firstScript, trace.Quantize}, {secondScript, trace.Lquantize}} {
			run := &made{time.Now(), make(chan trace.Snapshot), make(chan []trace.Event), make(chan trace.Status)}
			go run.deliver(s.fn, 20)
			if err := w.Record(context.Background(), s.script, run); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
	return file.Bytes()
}

// recording returns what is recorded of runs on a machine with these probes.
func recording(t *testing.T, probes []trace.Probe, runs ...madeUp) []byte {
	t.Helper()
	var file bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		w, err := replay.NewWriter(&file, replay.Header{Kernel: "generated"})
		if err != nil {
			t.Fatal(err)
		}
		w.Probes(probes, nil)
		for _, g := range runs {
			run := &made{time.Now(), make(chan trace.Snapshot), make(chan []trace.Event), make(chan trace.Status)}
			go g.deliver(run)
			if err := w.Record(context.Background(), g.script, run); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
	return file.Bytes()
}

// A madeUp is a run that never was.
type madeUp struct {
	script  string
	deliver func(*made)
}
