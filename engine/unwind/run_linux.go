package unwind

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/sideband"
)

// Programs may meet a process before its code is known, and then its stack is walked by
// frame pointers, which it may not have. So the kernel is heard of every process that is
// made and of every piece of code that one maps, and what there is of new code is read at
// once: that takes less than most programs need to come to where anybody looks. A program
// that is quicker than that is counted (Late).

// every is how often misses are looked at, and soon how often for a while after one was
// found: what begins processes begins more of them, and most of these are gone before
// long. Where nothing is new for as long as settled, the kernel wakes who listens, and seldom is enough.
const (
	every   = 10 * time.Millisecond
	soon    = time.Millisecond
	while   = 200 * time.Millisecond
	seldom  = time.Second
	settled = 300 * time.Millisecond
)

// A Tables means to work for no more than a fifth of the time of a CPU: after each piece
// of work it rests for restTimes as long, though not for longer than mostRest.
const (
	restTimes = 4
	mostRest  = 20 * time.Millisecond
)

// earPages is how much each CPU may have to tell between two looks.
const earPages = 32

// Run looks at misses, and at new processes, until Close.
func (t *Tables) Run(cpus []int) {
	t.quit, t.done = make(chan struct{}), make(chan struct{})
	if ears, err := sideband.Listen(cpus, sideband.Options{Lives: true, Pages: earPages, Wake: true}); err == nil {
		if t.wait, err = sideband.NewWait(ears.FDs()...); err != nil {
			ears.Close()
		} else {
			t.ears = ears
		}
	}
	go func() {
		defer close(t.done)
		t.addRunning()
		t.loop()
	}()
}

// stop ends Run.
func (t *Tables) stop() error {
	if t.quit == nil {
		return nil
	}
	close(t.quit)
	var errs []error
	if t.ears != nil {
		errs = append(errs, t.wait.Close()) // which ends a wait
	}
	<-t.done
	t.quit = nil
	if t.ears != nil {
		errs = append(errs, t.ears.Close())
	}
	return errors.Join(errs...)
}

// loop looks at what there is until the end.
func (t *Tables) loop() {
	var found time.Time
	heard := time.Now()
	for {
		if !t.listen(t.pace(time.Since(found), time.Since(heard))) {
			return
		}
		begin := time.Now()
		if t.hear() {
			heard = begin
		}
		if t.Poll() {
			found, heard = begin, begin
		}
		if rest := min(restTimes*time.Since(begin), mostRest); rest >= time.Millisecond && !t.rest(rest) {
			return
		}
	}
}

// listen waits until something is to be heard, but not for longer than so long. It reports
// whether it is not the end.
func (t *Tables) listen(long time.Duration) bool {
	if t.ears == nil {
		return t.rest(long)
	}
	return t.wait.For(long, t.ears.Heard)
}

// rest waits for so long, or until the end, and reports whether it is not the end.
func (t *Tables) rest(long time.Duration) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-t.quit:
		return false
	case <-timer.C:
		return true
	}
}

// pace returns how long to wait for a sign when misses were found, and anything was
// heard, so long ago. What is new is missed at first, if at all.
func (t *Tables) pace(found, heard time.Duration) time.Duration {
	switch {
	case found < while:
		return soon
	case t.ears == nil:
		return every
	case heard < settled:
		return max(every, heard)
	}
	return seldom
}

// hear learns of the processes that are new, or have new code, each once. It reports
// whether there was any.
func (t *Tables) hear() bool {
	if t.ears == nil {
		return false
	}
	asked := map[uint32]bool{uint32(os.Getpid()): true}
	for _, n := range t.ears.Drain() {
		pid, ok := n.Process()
		if !ok || asked[pid] || !news(n, pid) {
			continue
		}
		asked[pid] = true
		t.Add(pid)
	}
	return len(asked) > 1
}

// news reports whether a notice is of a new process or of new code of one.
func news(n sideband.Notice, pid uint32) bool {
	switch n.Kind {
	case unix.PERF_RECORD_FORK:
		return n.Parent() != pid // else it is a thread
	case unix.PERF_RECORD_MMAP2:
		m, _, ok := n.Code()
		return ok && m.File.Inode != 0
	}
	return false
}
