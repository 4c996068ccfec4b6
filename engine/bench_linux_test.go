package engine

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/text"
)

// BenchmarkDelivery is the reader's cost of a record, from the ring buffer to
// the printed line: the CPU time of this process for each record delivered.
func BenchmarkDelivery(b *testing.B) {
	e := tracing(b)
	for b.Loop() {
		l := newCaller(b, 1_000_000)
		s := started(b, e, `syscall::getppid:entry /pid == $target/ { printf("%s %d %d\n", execname, pid, arg2); }`, l.cmd.Process.Pid, "quiet", "bufsize=64m")
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
		b.ReportMetric(float64(cpuTime(b)-before)/float64(status.Events), "cpu-ns/record")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// cpuTime is what this process has used of the CPU, in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
