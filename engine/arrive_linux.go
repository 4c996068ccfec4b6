package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/sideband"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// A follower adds to a session what its openings come to cover. The kernel tells it of
// every piece of code that a process maps: by starting a program, or by loading a
// library. Nobody is stopped, so between that moment and the one at which the new
// probes are there, a few milliseconds later, the process runs on unseen. What is
// looked at is the file: one that has been looked at is known, and the thousandth
// process that executes it costs a look into a table.
//
// The follower means to work for no more than a tenth of the time of one CPU: after each
// piece of work it rests nine times as long, though never longer than mostRest. What it
// cannot keep up with the kernel counts, and the follower says so and looks at all
// processes anew.
type follower struct {
	s   *Session
	e   *Engine
	ctx context.Context

	ears   *sideband.Ears // nil if no processes are waited for
	watch  moduleWatch
	self   int          // our own process, which is not traced
	family map[int]bool // of the targets, if openings are about what descends from them
	has    coverage
	last   *plan.Extension
	lost   uint64 // notices of which it is known that they were lost
	looked time.Time
	full   bool

	wake int // an eventfd: the end
	done chan struct{}
	stop context.CancelFunc
}

// The pace of a follower.
const (
	leastRest = 2 * time.Millisecond
	mostRest  = 100 * time.Millisecond
	restTimes = 9
	relook    = time.Second // least time between two looks at all processes
)

// earPages is how much each CPU may have to tell between two looks: some thousand
// executions.
const earPages = 64

// mostAdded is how often a run is extended: each time costs the kernel some programs.
const mostAdded = 1 << 10

// follow begins to add to the session what its openings come to cover. Without the
// kernel's help nothing is, which the hooks tell.
func (s *Session) follow(e *Engine) {
	if len(s.c.Openings) == 0 {
		return
	}
	f := &follower{s: s, e: e, self: os.Getpid(), has: newCoverage(s.c.Openings), done: make(chan struct{})}
	family := slices.ContainsFunc(s.c.Openings, func(o *plan.Opening) bool { return o.Family })
	err := f.listen(family)
	if err == nil {
		f.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	if err != nil {
		f.deafen()
		s.addHooks([]string{fmt.Sprintf("what begins later is not added: %v", err)})
		return
	}
	if family {
		f.family = map[int]bool{}
	}
	f.ctx, f.stop = context.WithCancel(context.Background())
	s.follows = f
	s.kernel.KeepFiles()
	go f.run()
}

// listen begins to hear of what the openings are about.
func (f *follower) listen(family bool) (err error) {
	if slices.ContainsFunc(f.s.c.Openings, func(o *plan.Opening) bool { return len(o.PIDs) > 0 }) {
		f.ears, err = sideband.Listen(f.e.machine.Facts.Online, sideband.Options{Lives: family, Pages: earPages, Wake: true})
	}
	if err == nil && f.s.c.Openings.AwaitsModules() {
		err = f.watch.listen(f.e)
	}
	return err
}

// deafen ends that.
func (f *follower) deafen() error {
	if f.ears == nil {
		return f.watch.close()
	}
	return errors.Join(f.ears.Close(), f.watch.close())
}

// unfollow ends that.
func (s *Session) unfollow() error {
	f := s.follows
	if f == nil {
		return nil
	}
	s.follows = nil
	f.stop()
	unix.Write(f.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	<-f.done
	if n := len(f.has.gone); n > 0 {
		s.drained.Notify(trace.WarnItem, fmt.Sprintf("%s gone before dscope could look for probes in them", plural(n, "file")+was(n)))
	}
	return errors.Join(f.deafen(), unix.Close(f.wake))
}

func was(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// addHooks tells of attachments that were made later.
func (s *Session) addHooks(lines []string) {
	s.hooksMu.Lock()
	defer s.hooksMu.Unlock()
	s.hooks = append(s.hooks, lines...)
}

// run follows until the end.
func (f *follower) run() {
	defer close(f.done)
	f.rest(f.work(func() []probes.Arrival { f.lookAround(); return f.all() }, f.watch.ear != nil))
	listened := append(f.watch.fds(), f.wake)
	if f.ears != nil {
		listened = append(listened, f.ears.FDs()...)
	}
	var fds []unix.PollFd
	for _, fd := range listened {
		fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	for f.ctx.Err() == nil {
		// Not for ever: notices may have been lost, and none may come after them.
		if _, err := unix.Poll(fds, int(relook.Milliseconds())); err != nil && err != unix.EINTR {
			f.tell(trace.WarnItem, fmt.Sprintf("what begins from now on is not added: %v", err))
			return
		}
		f.rest(f.work(f.arrivals, f.watch.ear != nil && f.watch.ear.Drain()))
	}
}

// rest does nothing for long enough, or until the end.
func (f *follower) rest(busy time.Duration) {
	rest := min(max(restTimes*busy, leastRest), mostRest)
	unix.Poll([]unix.PollFd{{Fd: int32(f.wake), Events: unix.POLLIN}}, int(rest.Milliseconds()))
}

// work adds what has come, of modules too if some may have, and returns how long that
// took.
func (f *follower) work(arrivals func() []probes.Arrival, modules bool) time.Duration {
	begin := time.Now()
	defer f.s.kernel.ReleaseFiles()
	if modules {
		f.addAll(f.modules())
	}
	if f.ears != nil {
		f.addAll(f.find(arrivals()))
	}
	return time.Since(begin)
}

// addAll adds what was found, and tells why if it cannot.
func (f *follower) addAll(found []addition) {
	if len(found) == 0 {
		return
	}
	if err := f.add(found); err != nil && f.ctx.Err() == nil {
		f.tell(trace.WarnItem, fmt.Sprintf("%sprobes that came later could not be added: %v", ofModules(found), err))
	}
}

// lookAround learns which processes descend from the targets.
func (f *follower) lookAround() {
	if f.family == nil {
		return
	}
	pids, err := space.Processes("/proc")
	if err != nil {
		return
	}
	parents := map[int]int{}
	for _, pid := range pids {
		stat, _ := space.Process{Proc: "/proc", PID: pid}.Stat() // one that has ended has no parent
		parents[pid] = stat.Parent
	}
	for _, o := range f.s.c.Openings {
		for _, pid := range pids {
			for p := pid; p > 1; p = parents[p] {
				if o.Family && slices.Contains(o.PIDs, p) {
					f.family[pid] = true
				}
			}
		}
	}
}

// arrivals returns what was heard. If something was lost it is all there is, but not
// more often than relook.
func (f *follower) arrivals() (list []probes.Arrival) {
	for _, n := range f.ears.Drain() {
		pid, ok := n.Process()
		if !ok {
			continue
		}
		switch n.Kind {
		case unix.PERF_RECORD_FORK:
			f.descends(int(pid), int(n.Parent()))
		case unix.PERF_RECORD_MMAP2:
			if m, generation, ok := n.Code(); ok && m.File.Inode != 0 {
				list = f.wanted(list, int(pid), m, generation)
			}
		}
	}
	if lost := f.ears.Lost - f.lost; lost > 0 && time.Since(f.looked) >= relook {
		f.lost, f.looked = f.ears.Lost, time.Now()
		f.tell(trace.WarnItem, fmt.Sprintf("programs began faster than dscope could follow: %d notices were lost, and all processes are looked at anew; "+
			"what ended in between was not seen", lost))
		f.lookAround()
		return f.all()
	}
	return list
}

// descends notes of which process one has forked. Whoever had that number before has
// ended.
func (f *follower) descends(pid, parent int) {
	if f.family[parent] {
		f.family[pid] = true
	} else {
		delete(f.family, pid)
	}
}

// wanted appends a piece of code to list if an opening may be about it that has not
// seen its file.
func (f *follower) wanted(list []probes.Arrival, pid int, m space.Mapping, generation uint64) []probes.Arrival {
	for i := range f.s.c.Openings {
		if where, ok := f.concerns(i, pid); ok && !f.has.known[seenFile{i, where, m.File, generation}] {
			return append(list, probes.Arrival{PID: pid, File: m, Generation: generation})
		}
	}
	return list
}

// concerns reports whether an opening is about a process, and under which number files
// are known: 0 if it is about all.
func (f *follower) concerns(opening, pid int) (where int, ok bool) {
	o := f.s.c.Openings[opening]
	switch {
	case pid == f.self || len(o.PIDs) == 0:
		return 0, false
	case o.PIDs[0] == 0:
		return 0, true
	case slices.Contains(o.PIDs, pid):
		return pid, true
	case o.Family && f.family[pid]:
		return o.PIDs[0], true
	}
	return 0, false
}

// all returns all code of the processes that run.
func (f *follower) all() (list []probes.Arrival) {
	pids, err := space.Processes("/proc")
	if err != nil {
		return nil
	}
	for _, pid := range pids {
		concerned := false
		for i := range f.s.c.Openings {
			_, ok := f.concerns(i, pid)
			concerned = concerned || ok
		}
		if !concerned {
			continue
		}
		code, _ := space.Process{Proc: "/proc", PID: pid}.Code()
		for _, m := range code {
			list = f.wanted(list, pid, m, 0)
		}
	}
	return list
}

// find returns what the openings cover in files that have come and is not there yet.
func (f *follower) find(list []probes.Arrival) []addition {
	var found []addition
	paths := space.FileIDs{}
	for _, a := range list {
		for i, o := range f.s.c.Openings {
			where, ok := f.concerns(i, a.PID)
			seen := seenFile{i, where, a.File.File, a.Generation}
			if !ok || f.has.known[seen] || f.ctx.Err() != nil {
				continue
			}
			for _, s := range f.look(o, a, seen) {
				if n, fresh := f.has.add(o, s, seen, paths); fresh && f.takes(o, s) {
					found = append(found, n)
				}
			}
		}
	}
	return found
}

// look returns the sites that an opening covers in a file. What went away meanwhile may
// be had of the next process that executes it.
func (f *follower) look(o *plan.Opening, a probes.Arrival, seen seenFile) []*probes.Site {
	if o.Family && seen.pid != 0 {
		a.As = seen.pid
	}
	sites, err := f.e.registry.Arrived(f.ctx, o.Pattern, a)
	if space.Gone(err) {
		f.has.gone[seen.file] = true
		return nil
	}
	if err != nil && f.ctx.Err() == nil {
		f.tell(trace.WarnItem, fmt.Sprintf("not added: %v", err))
	}
	for _, s := range sites {
		if err := f.s.kernel.HoldFile(s.Hook.File); space.Gone(err) {
			f.has.gone[seen.file] = true
			return nil
		}
	}
	f.has.saw(seen)
	return sites
}

// takes reports whether the clause of an opening can be used with a site, and tells if
// it cannot.
func (f *follower) takes(o *plan.Opening, s *probes.Site) bool {
	err := o.Takes(f.s.c.Program, s)
	if err != nil {
		f.tell(trace.WarnItem, fmt.Sprintf("not added: %v", err))
	}
	return err == nil
}
