package robot_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"dscope.dev/engine/question"
	"dscope.dev/engine/trace"
)

// followedScript is that of a recording whose examples lead on: to a thread, a file, and
// places in memory.
const followedScript = `syscall::read:return /self->ts/ { @t[execname] = quantize(timestamp - self->ts); self->ts = 0; }`

// followedDims are what is known of its examples.
var followedDims = []trace.Dimension{{Name: "execname", Expr: "execname", Key: true}, {Name: "pid", Expr: "pid"}, {Name: "thread", Expr: "tid"},
	{Name: "file", Expr: "fds[uregs[R_RDI]].fi_pathname"}, {Name: "descriptor", Expr: "(int)uregs[R_RDI]"}, {Name: "ret", Expr: "args[0]"},
	{Name: "self->lock", Expr: "self->lock"}, {Name: "self->task", Expr: "self->task"}, {Name: "self->gone", Expr: "self->gone"}}

// Addresses that they have.
const (
	inLibrary = 0x7f00_0000_4711
	inKernel  = 0xffff_ffff_8100_4711
	inNothing = 0x7f00_0000_0815
)

// Lead tells where they lead.
func (m machine) Lead(_ context.Context, l trace.Lead) (string, error) {
	switch {
	case l.Kind == trace.DescriptorLead && l.PID == 800 && l.N == 3:
		return "socket:[4712]", nil
	case l.Kind == trace.DescriptorLead:
		return "", errors.New("closed")
	case l.N == inLibrary:
		return "libshop.so.1`till_lock+0x8", nil
	case l.N == inKernel:
		return "vmlinux`init_task", nil
	}
	return "", nil
}

// follow returns a recording of it, and of the question that it leads to.
func follow(t *testing.T) []byte {
	deliver := func(s trace.Snapshot) func(*made) {
		return func(m *made) {
			for i := range 20 {
				time.Sleep(200 * time.Millisecond)
				s.Seq, s.Time, s.Elapsed = uint64(i+1), time.Now(), time.Duration(i+1)*200*time.Millisecond
				for k := range s.Examples {
					s.Examples[k].Time = s.Time
				}
				m.snaps <- s
				m.status <- trace.Status{State: trace.Running, Elapsed: s.Elapsed, Probes: 2}
			}
			m.status <- trace.Status{State: trace.Done, Elapsed: s.Elapsed, Probes: 2}
			close(m.snaps)
			close(m.events)
			close(m.status)
		}
	}
	reads := slowTable(map[int]int64{24: 40}, []trace.Origin{{Clause: 1, Line: 1, From: 32, To: 77, Keys: []string{"execname"}, Arg: "timestamp - self->ts", Dims: followedDims}})
	reads.Rows[0].Keys = []trace.Value{str("shop")}
	kernel := int64(-1<<63 | inKernel&(1<<63-1))
	one := trace.Example{CPU: 1, Value: 21_000_000, Weight: 1, Probe: trace.Probe{ID: 2, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"},
		Facts: []trace.Value{str("shop"), number(800), number(812), str("pipe:[4711]"), number(3), number(64), number(inLibrary), number(kernel), number(inNothing)}}
	off := trace.Table{Name: "off", Func: trace.Sum, KeyTypes: []string{"stack"}, Normal: 1, Rows: []trace.Row{{ID: "1", Value: 900_000_000, Count: 40, Keys: []trace.Value{
		{Kind: trace.StackValue, Frames: []trace.Frame{{Addr: 1, Module: "vmlinux", Symbol: "schedule"}, {Addr: 2, Module: "vmlinux", Symbol: "anon_pipe_read"}}}}}}}
	wakers := trace.Table{Name: "wakers", KeyTypes: []string{"string", "int"}, Normal: 1, Rows: []trace.Row{{ID: "1", Value: 40, Count: 40, Keys: []trace.Value{str("till"), number(813)}}}}
	q, _ := question.Named("thread-waits")
	return recording(t, []trace.Probe{{ID: 2, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"}},
		madeUp{followedScript, deliver(trace.Snapshot{Aggs: []trace.Table{reads}, Examples: []trace.Example{one}})},
		madeUp{q.About(812), deliver(trace.Snapshot{Aggs: []trace.Table{off, wakers}})})
}
