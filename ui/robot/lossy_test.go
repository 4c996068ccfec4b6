package robot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// lossyScript is that of a recording whose run had too little room for everything.
// curedScript is what the workbench makes of it; its run is too dear, and the air bag
// stops it.
const lossyScript = `syscall:::entry { @k[tid, probefunc] = count(); x[tid] = timestamp; printf("%s\n", execname); }`

var curedScript = "#pragma D option aggsize=8m\n" + lossyScript

// deliverLossy delivers eight seconds of a run that loses more and more, or three of one
// that is detached.
func (m *made) deliverLossy(dear bool) {
	seconds := 8
	if dear {
		seconds = 3
	}
	var s trace.Status
	for i := range seconds * 5 {
		time.Sleep(200 * time.Millisecond)
		at := time.Duration(i+1) * 200 * time.Millisecond
		n := uint64(i + 1)
		s = trace.Status{State: trace.Running, Elapsed: at, Events: 40 * n, Rate: 200, Probes: 360,
			Hooks:   []string{"tracepoint sys_enter: raw tracepoint with BTF", "not used: attach to tracepoint sys_enter_lookup_dcookie: not on this kernel"},
			Missing: []string{"not used: attach to tracepoint sys_enter_lookup_dcookie: not on this kernel"}}
		if !dear {
			s.Drops = []trace.Drop{
				{Kind: trace.DropPrincipal, CPU: 0, Count: 3 * n, Cure: "bufsize=8m"}, {Kind: trace.DropPrincipal, CPU: 1, Count: 4 * n, Cure: "bufsize=8m"},
				{Kind: trace.DropRecursion, CPU: -1, Count: n, Where: "fbt:vmlinux:vfs_read:entry and 12 others"},
			}
			if i >= 9 {
				s.Drops = append(s.Drops, trace.Drop{Kind: trace.DropAggregation, CPU: -1, Count: 4883 * (n - 9), Where: "@k", Cure: "aggsize=8m"},
					trace.Drop{Kind: trace.DropDynamic, CPU: -1, Count: 2 * n, Where: "x[]", Cure: ""})
			}
		} else {
			s.Cost = trace.Cost{Window: time.Second, Hits: 95_000, Share: 0.34}
		}
		var lost uint64
		for _, d := range s.Drops {
			lost += d.Count
		}
		t := trace.Table{Name: "k", KeyTypes: []string{"int", "string"}, Normal: 1}
		for k := range 6 {
			call := strings.Fields("read write futex poll close openat")[k]
			t.Rows = append(t.Rows, trace.Row{ID: fmt.Sprint(k), Keys: []trace.Value{number(int64(800 + k)), str(call)}, Value: int64(n) * int64(k+1) * 7})
		}
		m.events <- []trace.Event{{Probe: trace.Probe{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}, Clause: 1, Time: time.Now(),
			Items: []trace.Item{{Kind: trace.PrintfItem, Text: "shop\n"}}}}
		m.snaps <- trace.Snapshot{Seq: n, Time: time.Now(), Elapsed: at, Drops: lost, Aggs: []trace.Table{t}}
		m.status <- s
	}
	s.State = trace.Done
	if dear {
		s.State, s.Err = trace.Failed, &trace.DearError{Share: 0.34, Limit: 0.2}
	}
	m.status <- s
	close(m.snaps)
	close(m.events)
	close(m.status)
}

// lossy returns the recording of both scripts.
func lossy(t *testing.T) []byte {
	return recording(t, []trace.Probe{{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}},
		madeUp{lossyScript, func(m *made) { m.deliverLossy(false) }}, madeUp{curedScript, func(m *made) { m.deliverLossy(true) }})
}
