package robot_test

import (
	"fmt"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// dozenScript is that of a recording with twelve aggregations, the first three of which stay
// empty.
const dozenScript = `syscall::read:entry { @a[execname] = count(); }`

// deliverDozen delivers two seconds.
func (m *made) deliverDozen() {
	names := []string{"dd", "sshd", "cron", "postgres", "shop"}
	counts := make([]map[string]map[int]int64, 12)
	for i := range 10 {
		time.Sleep(200 * time.Millisecond)
		s := trace.Snapshot{Seq: uint64(i + 1), Time: time.Now(), Elapsed: time.Duration(i+1) * 200 * time.Millisecond}
		for n := range counts {
			if counts[n] == nil {
				counts[n] = map[string]map[int]int64{}
			}
			for who, name := range names[:5-n%4] {
				if n < 3 {
					break
				}
				if counts[n][name] == nil {
					counts[n][name] = map[int]int64{}
				}
				counts[n][name][8+(i+who)%5] += int64((n + i*who) % 7)
			}
			t := table(trace.Quantize, counts[n])
			if n%3 != 0 {
				t.Func = trace.Count
				for i := range t.Rows {
					t.Rows[i].Buckets = nil
				}
			}
			t.Name = fmt.Sprintf("agg%d", n)
			s.Aggs = append(s.Aggs, t)
		}
		m.snaps <- s
		m.status <- trace.Status{State: trace.Running, Elapsed: s.Elapsed, Probes: 1}
	}
	m.status <- trace.Status{State: trace.Done, Elapsed: 2 * time.Second, Probes: 1}
	close(m.snaps)
	close(m.events)
	close(m.status)
}

// dozen returns that recording.
func dozen(t *testing.T) []byte {
	return recording(t, []trace.Probe{{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}}, madeUp{dozenScript, (*made).deliverDozen})
}
