package grow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/drain"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/names"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/sideband"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// A Growth adds to a run what its openings come to cover. The kernel tells it of
// every piece of code that a process maps: by starting a program, or by loading a
// library. Nobody is stopped, so between that moment and the one at which the new
// probes are there, a few milliseconds later, the process runs on unseen. What is
// looked at is the file: one that has been looked at is known, and the thousandth
// process that executes it costs a look into a table.
//
// The growth means to work for no more than a tenth of the time of one CPU: after each
// piece of work it rests nine times as long, though never longer than mostRest. What it
// cannot keep up with the kernel counts, and the growth says so and looks at all
// processes anew.
type Growth struct {
	Run
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

	wait *sideband.Wait // for ears and modules
	done chan struct{}
	stop context.CancelFunc
}

// The pace of a growth.
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

// Run is the run to which a growth adds, and where it finds more.
type Run struct {
	Plan     *plan.Plan
	Kernel   *load.Loaded
	Drain    *drain.Drain
	Names    *names.Table
	Machine  *plan.Machine
	Registry *probes.Registry
	Late     chan<- func()  // runs what it is sent where the run is drained
	Hooks    func([]string) // tells of attachments
}

// Begin begins to add to a run what its openings come to cover. It returns nil if there
// are none. Without the kernel's help nothing is added, which the hooks tell.
func Begin(run Run) *Growth {
	list := run.Plan.Openings
	if len(list) == 0 {
		return nil
	}
	g := &Growth{Run: run, self: os.Getpid(), has: newCoverage(list), done: make(chan struct{})}
	family := slices.ContainsFunc(list, func(o *plan.Opening) bool { return o.Family })
	err := g.listen(family)
	if err == nil {
		g.wait, err = sideband.NewWait(g.fds()...)
	}
	if err != nil {
		g.deafen()
		g.Hooks([]string{fmt.Sprintf("what begins later is not added: %v", err)})
		return nil
	}
	if family {
		g.family = map[int]bool{}
	}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.Kernel.KeepFiles()
	go g.run()
	return g
}

// listen begins to hear of what the openings are about.
func (g *Growth) listen(family bool) (err error) {
	if slices.ContainsFunc(g.Plan.Openings, func(o *plan.Opening) bool { return len(o.PIDs) > 0 }) {
		g.ears, err = sideband.Listen(g.Machine.Facts.Online, sideband.Options{Lives: family, Pages: earPages, Wake: true})
	}
	if err == nil && g.Plan.Openings.AwaitsModules() {
		err = g.watch.listen(g.Machine.Kernel)
	}
	return err
}

// fds returns what becomes readable when there is something to hear.
func (g *Growth) fds() []int {
	list := g.watch.fds()
	if g.ears != nil {
		list = append(list, g.ears.FDs()...)
	}
	return list
}

// heard reports whether there is something to hear.
func (g *Growth) heard() bool {
	return g.ears != nil && g.ears.Heard() || g.watch.ear != nil && g.watch.ear.Heard()
}

// deafen ends that.
func (g *Growth) deafen() error {
	if g.ears == nil {
		return g.watch.close()
	}
	return errors.Join(g.ears.Close(), g.watch.close())
}

// Close ends that, where the run is drained; g may be nil.
func (g *Growth) Close() error {
	if g == nil {
		return nil
	}
	g.stop()
	err := g.wait.Close()
	<-g.done
	if n := len(g.has.gone); n > 0 {
		g.Drain.Notify(trace.WarnItem, fmt.Sprintf("%s gone before dscope could look for probes in them", plural(n, "file")+was(n)))
	}
	return errors.Join(err, g.deafen())
}

func was(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// run works until the end.
func (g *Growth) run() {
	defer close(g.done)
	g.rest(g.work(func() []probes.Arrival { g.lookAround(); return g.all() }, g.watch.ear != nil))
	for g.wait.For(relook, g.heard) { // not for ever: notices may have been lost, and none may come after them
		g.rest(g.work(g.arrivals, g.watch.ear != nil && g.watch.ear.Drain()))
	}
}

// rest does nothing for long enough, or until the end.
func (g *Growth) rest(busy time.Duration) {
	timer := time.NewTimer(min(max(restTimes*busy, leastRest), mostRest))
	defer timer.Stop()
	select {
	case <-g.ctx.Done():
	case <-timer.C:
	}
}

// work adds what has come, of modules too if some may have, and returns how long that
// took.
func (g *Growth) work(arrivals func() []probes.Arrival, modules bool) time.Duration {
	begin := time.Now()
	defer g.Kernel.ReleaseFiles()
	if modules {
		g.addAll(g.modules())
	}
	if g.ears != nil {
		g.addAll(g.find(arrivals()))
	}
	return time.Since(begin)
}

// addAll adds what was found, and tells why if it cannot.
func (g *Growth) addAll(found []addition) {
	if len(found) == 0 {
		return
	}
	if err := g.add(found); err != nil && g.ctx.Err() == nil {
		g.tell(trace.WarnItem, fmt.Sprintf("%sprobes that came later could not be added: %v", ofModules(found), err))
	}
}

// lookAround learns which processes descend from the targets.
func (g *Growth) lookAround() {
	if g.family == nil {
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
	for _, o := range g.Plan.Openings {
		for _, pid := range pids {
			for p := pid; p > 1; p = parents[p] {
				if o.Family && slices.Contains(o.PIDs, p) {
					g.family[pid] = true
				}
			}
		}
	}
}

// arrivals returns what was heard. If something was lost it is all there is, but not
// more often than relook.
func (g *Growth) arrivals() (list []probes.Arrival) {
	for _, n := range g.ears.Drain() {
		pid, ok := n.Process()
		if !ok {
			continue
		}
		switch n.Kind {
		case unix.PERF_RECORD_FORK:
			g.descends(int(pid), int(n.Parent()))
		case unix.PERF_RECORD_MMAP2:
			if m, generation, ok := n.Code(); ok && m.File.Inode != 0 {
				list = g.wanted(list, int(pid), m, generation)
			}
		}
	}
	if lost := g.ears.Lost - g.lost; lost > 0 && time.Since(g.looked) >= relook {
		g.lost, g.looked = g.ears.Lost, time.Now()
		g.tell(trace.WarnItem, fmt.Sprintf("programs began faster than dscope could follow: %d notices were lost, and all processes are looked at anew; "+
			"what ended in between was not seen", lost))
		g.lookAround()
		return g.all()
	}
	return list
}

// descends notes of which process one has forked. Whoever had that number before has
// ended.
func (g *Growth) descends(pid, parent int) {
	if g.family[parent] {
		g.family[pid] = true
	} else {
		delete(g.family, pid)
	}
}

// wanted appends a piece of code to list if an opening may be about it that has not
// seen its file.
func (g *Growth) wanted(list []probes.Arrival, pid int, m space.Mapping, generation uint64) []probes.Arrival {
	for i := range g.Plan.Openings {
		if where, ok := g.concerns(i, pid); ok && !g.has.known[seenFile{i, where, m.File, generation}] {
			return append(list, probes.Arrival{PID: pid, File: m, Generation: generation})
		}
	}
	return list
}

// concerns reports whether an opening is about a process, and under which number files
// are known: 0 if it is about all.
func (g *Growth) concerns(opening, pid int) (where int, ok bool) {
	o := g.Plan.Openings[opening]
	switch {
	case pid == g.self || len(o.PIDs) == 0:
		return 0, false
	case o.PIDs[0] == 0:
		return 0, true
	case slices.Contains(o.PIDs, pid):
		return pid, true
	case o.Family && g.family[pid]:
		return o.PIDs[0], true
	}
	return 0, false
}

// all returns all code of the processes that run.
func (g *Growth) all() (list []probes.Arrival) {
	pids, err := space.Processes("/proc")
	if err != nil {
		return nil
	}
	for _, pid := range pids {
		concerned := false
		for i := range g.Plan.Openings {
			_, ok := g.concerns(i, pid)
			concerned = concerned || ok
		}
		if !concerned {
			continue
		}
		code, _ := space.Process{Proc: "/proc", PID: pid}.Code()
		for _, m := range code {
			list = g.wanted(list, pid, m, 0)
		}
	}
	return list
}

// find returns what the openings cover in files that have come and is not there yet.
func (g *Growth) find(list []probes.Arrival) []addition {
	var found []addition
	paths := space.FileIDs{}
	for _, a := range list {
		for i, o := range g.Plan.Openings {
			where, ok := g.concerns(i, a.PID)
			seen := seenFile{i, where, a.File.File, a.Generation}
			if !ok || g.has.known[seen] || g.ctx.Err() != nil {
				continue
			}
			for _, s := range g.look(o, a, seen) {
				if n, fresh := g.has.add(o, s, seen, paths); fresh && g.takes(o, s) {
					found = append(found, n)
				}
			}
		}
	}
	return found
}

// look returns the sites that an opening covers in a file. What went away meanwhile may
// be had of the next process that executes it.
func (g *Growth) look(o *plan.Opening, a probes.Arrival, seen seenFile) []*probes.Site {
	if o.Family && seen.pid != 0 {
		a.As = seen.pid
	}
	sites, err := g.Registry.Arrived(g.ctx, o.Pattern, a)
	if space.Gone(err) {
		g.has.gone[seen.file] = true
		return nil
	}
	if err != nil && g.ctx.Err() == nil {
		g.tell(trace.WarnItem, fmt.Sprintf("not added: %v", err))
	}
	for _, s := range sites {
		if err := g.Kernel.HoldFile(s.Hook.File); space.Gone(err) {
			g.has.gone[seen.file] = true
			return nil
		}
	}
	g.has.saw(seen)
	return sites
}

// takes reports whether the clause of an opening can be used with a site, and tells if
// it cannot.
func (g *Growth) takes(o *plan.Opening, s *probes.Site) bool {
	err := o.Takes(g.Plan.Program, s)
	if err != nil {
		g.tell(trace.WarnItem, fmt.Sprintf("not added: %v", err))
	}
	return err == nil
}
