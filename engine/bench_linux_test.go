package engine

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

// BenchmarkDelivery is the reader's cost of a record, from the ring buffer to
// the printed line: the CPU time of this process for each record delivered, with firings
// that share events and with an event for each.
func BenchmarkDelivery(b *testing.B) {
	e := tracing(b)
	for name, prints := range map[string]bool{"shared": true, "alone": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				deliver(b, e, prints)
			}
		})
	}
}

// deliver has a million records delivered.
func deliver(b *testing.B, e *Engine, prints bool) {
	l := newCaller(b, 1_000_000)
	o := options.Default()
	o.BufSize, o.Quiet, o.Prints = 64<<20, true, prints
	s := begun(b, e, Script{Name: b.Name(), Options: o, Target: l.cmd.Process.Pid,
		Text: `syscall::getppid:entry /pid == $target/ { printf("%s %d %d\n", execname, pid, arg2); }`})
	status, cpu := toNowhere(b, s, l)
	b.ReportMetric(float64(cpu)/float64(status.Events), "cpu-ns/record")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// toNowhere has l make its calls and prints what s tells of them to nowhere, and returns how
// the run ended and the nanoseconds of the CPU that this process used meanwhile.
func toNowhere(b *testing.B, s *Session, l *caller) (trace.Status, int64) {
	before := cpuTime(b)
	l.start()
	go func() {
		l.cmd.Wait()
		s.Stop()
	}()
	status, err := text.New(io.Discard, io.Discard, text.Options{Quiet: true}).Run(s)
	if err != nil {
		b.Fatal(err)
	}
	return status, cpuTime(b) - before
}

// cpuTime is what this process has used of the CPU, in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
