package resolver

import (
	"time"

	"golang.org/x/sys/unix"
)

// patience is how many deadlines a question may take by the clock on the wall.
const patience = 12

// watch cuts a question short whose worker has had the time of a CPU that it may have, or
// has had none for as long: it waits for something that does not come. Whoever calls what
// is returned ends the watch.
func (w *worker) watch(deadline time.Duration) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(deadline / 20)
		defer tick.Stop()
		first, _ := w.took()
		last, moved := first, time.Now()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			took, err := w.took()
			if err != nil {
				continue // it has ended, which is seen at its socket
			}
			if took > last {
				last, moved = took, time.Now()
			}
			if took-first >= deadline || time.Since(moved) >= deadline {
				_ = w.conn.SetDeadline(time.Now())
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended // else it might cut short the question that is next
	}
}

// took returns how much time of a CPU w has had.
func (w *worker) took() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(cpuClock(w.cmd.Process.Pid), &t)
	return time.Duration(t.Nano()), err
}

// cpuClock returns the clock of the time that a process has had: see clock_getcpuclockid(3)
// and CPUCLOCK_SCHED in the kernel's include/linux/posix-timers.h.
func cpuClock(pid int) int32 {
	const sched = 2
	return int32(^pid<<3 | sched)
}
