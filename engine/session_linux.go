package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"dscope.dev/engine/internal/drain"
	"dscope.dev/engine/internal/grow"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/names"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
)

// A Session is one running script. It owns every kernel object that the script
// needs, and has given all of them back when its channels are closed.
//
// Its life: the programs are loaded; BEGIN runs to its end and what it recorded
// is read; the rest is attached; the drain loop reads until somebody asks for
// the end, or the script calls exit(); everything is detached; END runs to its
// end; the buffers are read a last time; the kernel's objects are freed. All of
// this after the start happens in the one goroutine of run.
type Session struct {
	c       *plan.Plan
	kernel  *load.Loaded
	out     drain.Outlets
	names   *names.Table
	drained *drain.Drain
	err     error // that the run has ended with
	started time.Time
	notice  time.Time    // when exit() is noticed next
	meter   *load.Meter  // nil if nobody wants to know what the run costs
	follows *grow.Growth // nil if nothing can be added to the script
	late    chan func()
	hooksMu sync.Mutex
	hooks   []string
	missing []string                    // of these, what is not attached
	costs   func(trace.Cost) trace.Cost // leaves out what the asker may not know
	leftOut []string                    // what was asked for and is not safe to trace, for hooks

	refused func() []string // why files were not read, once each

	lending sync.Mutex // held while another run takes its place, and while gone is set
	gone    bool       // whether the kernel holds nothing of it any more

	quit    chan struct{} // closed by Stop
	abandon chan struct{} // closed by Close: nobody reads any more
	done    chan struct{} // closed when run has ended
	stop    sync.Once
	close   sync.Once
}

// start loads and starts c. If it fails it leaves nothing behind. The context
// bounds the start alone. Begun is whether BEGIN may have fired.
func start(ctx context.Context, c *plan.Plan, e *Engine, before *load.Loaded) (_ *Session, begun bool, err error) {
	warm := warmed(c)
	c, k, err := load.Load(ctx, c, &e.machine, before)
	<-warm // before anything sees it begin
	if err != nil {
		return nil, false, err
	}
	s := &Session{
		costs: e.withoutHits,
		c:     c, kernel: k, started: time.Now(), leftOut: e.machine.LeftOut(c), refused: e.refused,
		quit: make(chan struct{}), abandon: make(chan struct{}), done: make(chan struct{}), late: make(chan func()),
	}
	s.out = drain.NewOutlets(s.abandon)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.follows.Close(), s.drained.Close(), k.Close())
		}
	}()
	s.names = names.New(&e.machine, c, k.Map)
	s.drained, err = drain.New(drain.Config{Plan: c, Source: k, Names: s.names, Out: s.out,
		CPUs: e.machine.Facts.Possible, Began: s.started, Fill: s.fill})
	if err != nil {
		return nil, false, err
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if err := s.drained.Fits(); err != nil {
		return nil, false, err
	}
	if err := k.Fire("BEGIN"); err != nil {
		return nil, true, err
	}
	if err := s.drained.First(); err != nil {
		return nil, true, err
	}
	if c.Options.Destructive {
		settleChildren()
	}
	if !s.drained.Exited() {
		if unguarded := k.Guard(); unguarded != nil {
			s.hooks = append(s.hooks, fmt.Sprintf("nobody watches whether the machine responds: %v", unguarded))
		}
		k.Ready()
		if err := s.attach(ctx); err != nil {
			return nil, true, err
		}
		if err := k.Begin(slices.Max(e.machine.Facts.Possible) + 1); err != nil {
			return nil, true, err
		}
		s.follows = grow.Begin(grow.Run{Plan: c, Kernel: k, Drain: s.drained, Names: s.names,
			Machine: &e.machine, Registry: e.registry, Late: s.late, Hooks: s.addHooks})
		s.meter = k.NewMeter()
	}
	go s.run()
	return s, true, nil
}

// settleChildren has Go make the child now by which it finds out, once, what the
// kernel's handles of processes can do. A script that runs a command and waits for
// its children to exit would take it for the command.
func settleChildren() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Release()
	}
}

// attach enables every probe but those that the engine fires itself.
func (s *Session) attach(ctx context.Context) error {
	hows, missing, err := s.kernel.AttachAll(ctx)
	if err != nil {
		return err
	}
	s.missing = append(missing, s.leftOut...)
	s.hooks = append(append(append(s.hooks, hows...), s.missing...), s.c.Walks()...)
	return nil
}

// fill adds to the state of the run what the drain does not know.
func (s *Session) fill(st *trace.Status) {
	st.Hooks, st.Missing, st.Cost = s.Hooks(), s.missing, s.costs(s.meter.Cost())
}

// Began returns when the run began.
func (s *Session) Began() time.Time { return s.started }

// Snapshots delivers the state of the aggregations.
func (s *Session) Snapshots() <-chan trace.Snapshot { return s.out.Snapshots }

// Events delivers what the clauses recorded.
func (s *Session) Events() <-chan []trace.Event { return s.out.Events }

// Status delivers the state of the run.
func (s *Session) Status() <-chan trace.Status { return s.out.Status }

// Hooks says how the probes were attached, one line for each attachment, and
// which hooks this kernel turned out not to have.
func (s *Session) Hooks() []string {
	s.hooksMu.Lock()
	defer s.hooksMu.Unlock()
	return slices.Clip(s.hooks)
}

// Executed says that a process has executed a program and does not run yet. The stacks
// of one that is not told of are walked by what was known of it before, until they miss.
func (s *Session) Executed(pid int) {
	s.kernel.Executed(pid)
}

// Stop asks the run to end as Ctrl-C does.
func (s *Session) Stop() { s.stop.Do(func() { close(s.quit) }) }

// Close stops and waits until the kernel holds nothing of the run. What was
// not read is thrown away.
func (s *Session) Close() error {
	s.Stop()
	s.close.Do(func() { close(s.abandon) })
	<-s.done
	return s.err
}

// whenDone calls do once the kernel holds nothing of the run.
func (s *Session) whenDone(do func()) {
	go func() {
		<-s.done
		do()
	}()
}

// run drains until the end, then brings the run to its end.
func (s *Session) run() {
	defer close(s.done)
	s.drained.Status(trace.Running, nil)
	err := s.loop()
	s.drained.Status(trace.Stopping, nil)
	err = errors.Join(err, s.follows.Close(), s.kernel.Detach(), s.meter.Close())
	s.tellLate()
	s.tellRefused()
	switch {
	case err != nil:
	case s.kernel.Killed():
		err = errors.Join(s.drained.Abort(), s.kernel.Unresponsive())
	default:
		err = s.finish()
	}
	if err != nil {
		s.drained.Salvage()
	} else if s.meter.Opens() {
		err = s.meter.TooDear()
	}
	s.err = errors.Join(err, s.drained.Close(), s.end())
	state := trace.Done
	if s.err != nil {
		state = trace.Failed
	}
	s.drained.Status(state, s.err)
	s.out.Shut()
}

// loop reads until the run is to end.
func (s *Session) loop() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if look := s.noticed(); look && s.drained.Exited() {
			return nil
		}
		select {
		case <-s.quit:
			return nil
		case do := <-s.late:
			do()
			continue
		case <-s.kernel.PythonCame(): // its functions are named while it lives
		case <-timer.C:
		}
		if err := s.drained.Turn(); err != nil {
			return err
		}
		s.tellRefused()
		if s.kernel.Killed() {
			return nil
		}
		if s.meter.Turn(time.Now()) {
			return nil
		}
		timer.Reset(s.drained.Due())
	}
}

// noticed reports whether it is time to look whether exit() was called. Without
// option statusrate it always is.
func (s *Session) noticed() bool {
	now := time.Now()
	if now.Before(s.notice) {
		return false
	}
	s.notice = now.Add(s.c.Options.StatusRate)
	return true
}

// finish fires END after everything is detached, and reads what is left.
func (s *Session) finish() error {
	if err := s.drained.BeforeEnd(); err != nil {
		return err
	}
	s.kernel.Resume() // exit() holds back every probe, but not END
	if err := s.kernel.Fire("END"); err != nil {
		return err
	}
	return s.drained.Last()
}

// Lowered returns the bytes of the record buffer of each CPU if there was no
// memory for as many as were asked for, else 0.
func (s *Session) Lowered() int { return s.kernel.Lowered }

// addHooks tells of attachments that were made later.
func (s *Session) addHooks(lines []string) {
	s.hooksMu.Lock()
	defer s.hooksMu.Unlock()
	s.hooks = append(s.hooks, lines...)
}
