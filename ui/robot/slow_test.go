package robot_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// TestMain has times of day shown alike wherever the tests run.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// slowScript is that of a recording with examples: of three processes one, the shop,
// reads from a pipe that is slow from the third second to the fifth. narrowedScript is
// what the workbench makes of it.
const (
	slowScript     = `syscall::read:return /self->ts/ { @t[probefunc] = quantize(timestamp - self->ts); self->ts = 0; }`
	narrowedScript = `syscall::read:return /self->ts/ { if (fds[uregs[R_RDI]].fi_pathname == "pipe:[4711]") @t[probefunc] = quantize(timestamp - self->ts); self->ts = 0; }`
)

// slowPlace returns where a script fills @t.
func slowPlace(script string) []trace.Origin {
	from := strings.Index(script, "@t")
	return []trace.Origin{{Clause: 1, Line: 1, From: from, To: from + strings.Index(script[from:], ";") + 1, Keys: []string{"probefunc"}, Arg: "timestamp - self->ts",
		Dims: []trace.Dimension{{Name: "probefunc", Expr: "probefunc", Key: true}, {Name: "process", Expr: "execname"}, {Name: "pid", Expr: "pid"}, {Name: "thread", Expr: "tid"},
			{Name: "user", Expr: "uid"}, {Name: "CPU", Expr: "cpu"}, {Name: "file", Expr: "fds[uregs[R_RDI]].fi_pathname"}, {Name: "ret", Expr: "args[0]"}, {Name: "user stack", Expr: "ustack()"}}}}
}

func str(s string) trace.Value   { return trace.Value{Kind: trace.StringValue, Str: s} }
func number(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 8, Int: n} }

// A read is one firing of the made run.
func read(r *rand.Rand, at time.Duration, only string) (trace.Example, bool) {
	who := r.IntN(3)
	name := []string{"dd", "shop", "sshd"}[who]
	file := []string{"/dev/zero", "pipe:[4711]", "/dev/ptmx"}[who]
	v := int64(400 + r.ExpFloat64()*800)
	if who == 1 && r.IntN(2) == 0 {
		file = "/etc/prices"
	} else if who == 1 && at > 2*time.Second && at <= 5*time.Second {
		v = int64(30e6 + r.ExpFloat64()*4e6)
	}
	if only != "" && file != only {
		return trace.Example{}, false
	}
	frames := []trace.Frame{{Addr: 10, Module: "libc.so.6", Symbol: "read", Offset: 13}, {Addr: uint64(20 + who), Module: name, Symbol: "main", Offset: 7}}
	if file == "pipe:[4711]" {
		frames = []trace.Frame{frames[0], {Addr: 33, Module: name, Symbol: "wait_for_till", Offset: 64}, frames[1]}
	}
	cpu := r.IntN(2)
	return trace.Example{CPU: cpu, Value: v, Probe: trace.Probe{ID: 2, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"},
		Facts: []trace.Value{str("read"), str(name), number(int64(800 + who)), number(int64(800 + who)), number(int64(1000 * (who % 2))), number(int64(cpu)), str(file),
			number(int64(64 + r.IntN(64))), {Kind: trace.UstackValue, Int: int64(800 + who), Frames: frames}}}, true
}

// deliverSlow delivers eight seconds of reads, with two examples of each bucket, CPU and
// interval.
func (m *made) deliverSlow(script, only string) {
	r := rand.New(rand.NewPCG(7, 7))
	origins := slowPlace(script)
	counts := map[int]int64{}
	for i := range 40 {
		time.Sleep(200 * time.Millisecond)
		now := time.Now()
		at := time.Duration(i+1) * 200 * time.Millisecond
		parts := map[[2]int][]trace.Example{}
		var order [][2]int
		for range 60 {
			e, ok := read(r, at, only)
			if !ok {
				continue
			}
			b := bits.Len64(uint64(e.Value)) - 1
			counts[b]++
			part := [2]int{b, e.CPU}
			if parts[part] == nil {
				order = append(order, part)
			}
			e.Time = now.Add(-time.Duration(r.IntN(200)) * time.Millisecond)
			parts[part] = append(parts[part], e)
		}
		s := trace.Snapshot{Seq: uint64(i + 1), Time: now, Elapsed: at, Aggs: []trace.Table{slowTable(counts, origins)}}
		for _, p := range order {
			list := parts[p]
			kept := list[:min(len(list), 2)]
			for _, e := range kept {
				e.Weight = float64(len(list)) / float64(len(kept))
				s.Examples = append(s.Examples, e)
			}
		}
		m.snaps <- s
		m.status <- trace.Status{State: trace.Running, Elapsed: at, Probes: 2}
	}
	m.status <- trace.Status{State: trace.Done, Elapsed: 8 * time.Second, Probes: 2}
	close(m.snaps)
	close(m.events)
	close(m.status)
}

func slowTable(counts map[int]int64, origins []trace.Origin) trace.Table {
	row := trace.Row{ID: "read", Keys: []trace.Value{str("read")}}
	low, high := 64, 0
	for e, n := range counts {
		low, high = min(low, e), max(high, e)
		row.Value += n
	}
	row.Count = uint64(row.Value)
	for e := low - 1; e <= high+1; e++ {
		row.Buckets = append(row.Buckets, trace.Bucket{Label: fmt.Sprint(1 << e), Low: 1 << e, High: 2<<e - 1, Count: counts[e]})
	}
	return trace.Table{Name: "t", Func: trace.Quantize, KeyTypes: []string{"string"}, Normal: 1, Origins: origins, Rows: []trace.Row{row}}
}

// slow returns the recording of both scripts.
func slow(t *testing.T) []byte {
	return recording(t, []trace.Probe{
		{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "entry"},
		{ID: 2, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"},
	}, madeUp{slowScript, func(m *made) { m.deliverSlow(slowScript, "") }}, madeUp{narrowedScript, func(m *made) { m.deliverSlow(narrowedScript, "pipe:[4711]") }})
}
