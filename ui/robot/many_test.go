package robot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// manyScript is that of a recording with many keys: processes that read from many
// descriptors, each at its own pace, cron once a second.
const manyScript = `syscall::read:entry { @reads[execname, arg0] = count(); @size[execname] = quantize(arg2); }`

// deliverMany delivers eight seconds of reads. After four of them the sizes change.
func (m *made) deliverMany() {
	r := rand.New(rand.NewPCG(3, 3))
	names := []string{"dd", "sshd", "ssh-agent", "cron", "postgres", "shop"}
	counts := map[string]int64{}
	reads := trace.Table{Name: "reads", KeyTypes: []string{"string", "int64_t"}, Normal: 1, Origins: []trace.Origin{{Clause: 1, Keys: []string{"execname", "arg0"}}}}
	sizes := map[string]map[int]int64{}
	for i := range 80 {
		time.Sleep(100 * time.Millisecond)
		reads.Rows = nil
		for who, name := range names {
			if sizes[name] == nil {
				sizes[name] = map[int]int64{}
			}
			for fd := range 12 {
				id := fmt.Sprint(name, fd)
				n := int64(r.IntN(1 + 40/(who+1)/(fd+1)))
				if name == "cron" {
					if n = 0; fd == 0 && i%10 == 9 {
						n = 1
					}
				}
				counts[id] += n
				sizes[name][6+r.IntN(4)+i/40*4] += n
				if counts[id] > 0 {
					reads.Rows = append(reads.Rows, trace.Row{ID: id, Keys: []trace.Value{str(name), number(int64(fd))}, Value: counts[id], Count: uint64(counts[id])})
				}
			}
		}
		size := table(trace.Quantize, sizes)
		size.Name, size.Origins = "size", []trace.Origin{{Clause: 1, Keys: []string{"execname"}, Arg: "arg2"}}
		at := time.Duration(i+1) * 100 * time.Millisecond
		m.snaps <- trace.Snapshot{Seq: uint64(i + 1), Time: time.Now(), Elapsed: at, Aggs: []trace.Table{reads, size}}
		m.status <- trace.Status{State: trace.Running, Elapsed: at, Probes: 1}
	}
	m.status <- trace.Status{State: trace.Done, Elapsed: 8 * time.Second, Probes: 1}
	close(m.snaps)
	close(m.events)
	close(m.status)
}

// many returns that recording.
func many(t *testing.T) []byte {
	return recording(t, []trace.Probe{{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"}}, madeUp{manyScript, (*made).deliverMany})
}
