package rehearsal

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/internal/drain"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/names"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
)

// A rehearsal is the script itself, its programs with maps of their own at the hooks at
// which they would run, timed by the kernel as in a run. Nothing less tells what it costs:
// the same walk of a stack was seen to take 100 ns and 10 µs, by who stood there; a counter
// in the place of a clause would tell how often it fires alone, and a test run works for few
// kinds of programs and finds no firing to work on.
//
// First the programs are held back: each leaves at its first branch, and the kernel counts
// how often. Where that is too much already it is enough. Then they are let go, for a moment
// that is not measured (they find their keys, and the caches their programs), and for the
// rest of the second. Their records are thrown away as they come, and their aggregations as
// often as those of the run would be taken, since a key that is new costs more than another.
//
// BEGIN fires, because clauses rely on what it sets. What changes the machine (signals,
// memory of processes, chill) does nothing in a rehearsal: such scripts are held back for
// all of it, and what it tells is the least that they take.
const (
	heldTime = 100 * time.Millisecond
	warmTime = 150 * time.Millisecond
	playTime = 100 * time.Millisecond // of each window
	windows  = 6
	lookTime = 5 * time.Millisecond // between two looks at the records
)

// mostRehearsed is the share of all CPUs that a rehearsal may take for longer than one
// window, if the air bag has no limit; else it is twice that.
const mostRehearsed = 0.4

// A rehearsal is a session that nobody reads.
type rehearsal struct {
	c       *plan.Plan
	kernel  *load.Loaded
	drained *drain.Drain
	meter   *load.Meter
	took    time.Time // when the aggregations were thrown away last
}

// Rehearse finds out what c takes.
func Rehearse(ctx context.Context, c *plan.Plan, m *plan.Machine) (est trace.Estimate, err error) {
	c, k, err := load.Load(ctx, c, m, nil)
	if err != nil {
		return est, err
	}
	r := &rehearsal{c: c, kernel: k}
	defer func() { err = errors.Join(err, r.meter.Close(), k.Detach(), r.drained.Close(), k.Close()) }()
	r.drained, err = drain.New(drain.Config{Plan: c, Source: k, Names: names.New(m, c, k.Map), CPUs: m.Facts.Possible, Began: time.Now()})
	if err != nil {
		return est, err
	}
	least := acts(c.Lowered.IR)
	if least && !c.Features.Hands() {
		return est, ErrUntold // what it does to the machine could not be held back
	}
	if !least {
		if err := k.Fire("BEGIN"); err != nil {
			return est, err
		}
	}
	est.CPUs = k.Cpus()
	if k.Stopped() { // BEGIN has called exit()
		return est, nil
	}
	if err := k.Guard(); err != nil {
		return est, err
	}
	k.Hold()
	if _, _, err := k.AttachAll(ctx); err != nil {
		return est, err
	}
	if r.meter = k.Timed(); r.meter == nil {
		return est, ErrUntold
	}
	est.Cost, est.Least, err = r.play(ctx, least)
	return est, err
}

// acts reports whether programs change the machine.
func acts(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				switch v.Op {
				case ir.OpSignal, ir.OpWriteU, ir.OpWriteUN, ir.OpChill:
					return true
				}
			}
		}
	}
	return false
}

// play lets the programs fire and returns what they take. If least, they were held back.
func (r *rehearsal) play(ctx context.Context, held bool) (cost trace.Cost, least bool, err error) {
	most := mostRehearsed
	if limit := r.c.Options.AirBag; limit > 0 {
		most = 2 * limit
	}
	cost, err = r.window(ctx, heldTime)
	if err != nil || held || cost.Share > most {
		return cost, true, err
	}
	r.kernel.Release()
	r.took = time.Now()
	if err := r.pass(ctx, warmTime); err != nil {
		return cost, true, err
	}
	var list []trace.Cost
	for range windows {
		w, err := r.window(ctx, playTime)
		if err != nil {
			return cost, true, err
		}
		list = append(list, w)
		if w.Share > most {
			break
		}
	}
	return together(list), false, nil
}

// together makes one of several windows: the mean of how often programs ran, and the median
// of how long they took. One that the kernel, or what is below it, takes off its CPU counts
// for milliseconds.
func together(list []trace.Cost) trace.Cost {
	var sum trace.Cost
	var nanos []float64
	clauses := map[uint32]*trace.ClauseCost{}
	for _, w := range list {
		sum.Window += w.Window
		sum.Hits += w.Hits / float64(len(list))
		sum.Share += w.Share / float64(len(list))
		if w.Hits > 0 {
			nanos = append(nanos, w.Share/w.Hits)
		}
		for _, c := range w.Clauses {
			k := clauses[c.Clause]
			if k == nil {
				k = &trace.ClauseCost{Clause: c.Clause}
				clauses[c.Clause] = k
			}
			k.Hits += c.Hits / float64(len(list))
			k.Share += c.Share / float64(len(list))
		}
	}
	if sum.Share == 0 {
		return sum
	}
	slices.Sort(nanos)
	usual := (nanos[(len(nanos)-1)/2] + nanos[len(nanos)/2]) / 2 * sum.Hits / sum.Share
	sum.Share *= usual
	for _, n := range slices.Sorted(maps.Keys(clauses)) {
		k := clauses[n]
		k.Share *= usual
		k.Nanos = k.Share * 1e9 / k.Hits
		sum.Clauses = append(sum.Clauses, *k)
	}
	return sum
}

// window has the kernel time the programs for a while.
func (r *rehearsal) window(ctx context.Context, long time.Duration) (trace.Cost, error) {
	if !r.meter.Open(time.Now()) {
		return trace.Cost{}, ErrUntold
	}
	if err := r.pass(ctx, long); err != nil {
		return trace.Cost{}, err
	}
	return r.meter.Shut(time.Now()), nil
}

// pass waits, and throws away what the programs leave behind.
func (r *rehearsal) pass(ctx context.Context, long time.Duration) error {
	over := time.NewTimer(long)
	defer over.Stop()
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over.C:
			return r.forget()
		case <-look.C:
		}
		if err := r.forget(); err != nil {
			return err
		}
	}
}

// forget throws away records, and aggregations when it is time.
func (r *rehearsal) forget() error {
	if err := r.drained.Discard(); err != nil {
		return err
	}
	if r.took.IsZero() || time.Since(r.took) < r.c.Options.AggRate {
		return nil
	}
	r.took = time.Now()
	return r.drained.Take()
}
