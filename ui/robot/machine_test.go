package robot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
)

// A machine is a recording that plays the part of one: it takes a second to find that a
// script on all system calls is dear.
type machine struct{ *replay.Player }

// dear is what it finds.
var dear = trace.Estimate{CPUs: 2, Limit: 0.1, Cost: trace.Cost{Window: time.Second, Hits: 412_345, Share: 0.19,
	Clauses: []trace.ClauseCost{{Clause: 1, Hits: 206_100, Nanos: 90, Share: 0.0185}, {Clause: 2, Hits: 206_245, Nanos: 1750, Share: 0.361}}}}

func (m machine) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	if strings.Contains(s.Text, "syscall:::") && !s.Foreseen.Known() {
		trace.Note(ctx, trace.Estimating)
		select {
		case <-time.After(time.Second):
			return nil, &trace.WideError{Estimate: dear}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return m.Player.Run(ctx, s)
}

// The scripts of a recording of which the second is wide.
const (
	narrowScript = `profile-97 { @p[execname] = count(); }`
	wideScript   = `syscall:::entry { @n[execname] = count(); } syscall:::return { @k[execname, ustack()] = count(); }`
)

// wide returns the recording of a narrow script, and of one that takes more than was foreseen.
func wide(t *testing.T) []byte {
	deliver := func(name string, s trace.Status) func(*made) {
		return func(m *made) {
			for i := range 40 {
				time.Sleep(200 * time.Millisecond)
				n := uint64(i + 1)
				s.Elapsed = time.Duration(n) * 200 * time.Millisecond
				t := trace.Table{Name: name, KeyTypes: []string{"string"}, Normal: 1}
				for k, process := range strings.Fields("shop sshd cat") {
					t.Rows = append(t.Rows, trace.Row{ID: fmt.Sprint(k), Keys: []trace.Value{str(process)}, Value: int64(n) * int64(9*k+1)})
				}
				m.snaps <- trace.Snapshot{Seq: n, Time: time.Now(), Elapsed: s.Elapsed, Aggs: []trace.Table{t}}
				m.status <- s
			}
			s.State = trace.Done
			m.status <- s
			close(m.snaps)
			close(m.events)
			close(m.status)
		}
	}
	return recording(t, []trace.Probe{{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}},
		madeUp{narrowScript, deliver("p", trace.Status{State: trace.Running, Probes: 1})},
		madeUp{wideScript, deliver("k", trace.Status{State: trace.Running, Probes: 720, Before: dear,
			Cost: trace.Cost{Window: time.Second, Hits: 431_000, Share: 0.207}})})
}
