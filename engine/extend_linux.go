package engine

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// add compiles, loads and attaches what was found.
func (f *follower) add(list []addition) error {
	if f.full {
		return nil
	}
	if f.s.kernel.Extensions() >= mostAdded {
		f.full = true
		return plan.ErrFull
	}
	found := map[*plan.Opening][]*probes.Site{}
	for _, n := range list {
		found[n.opening] = append(found[n.opening], n.site)
	}
	x, err := f.e.machine.Extend(f.ctx, f.s.c, f.last, found)
	if err != nil {
		f.full = errors.Is(err, plan.ErrFull)
		return err
	}
	coll, err := f.s.kernel.Extend(x)
	if err != nil {
		return err
	}
	f.last = x
	var wrong error
	installed := f.inDrain(func() {
		if wrong = f.s.drained.Extend(x, func(name string) *ebpf.Program { return coll.Programs[name] }); wrong == nil {
			f.s.kernel.Adopt(coll)
		}
	})
	if !installed || wrong != nil {
		coll.Close()
		return wrong
	}
	missing := map[probes.Hook]error{}
	err = f.attach(x, coll, missing)
	f.has.strike(list, missing)
	return err
}

// attach enables the probes of an extension, notes those that cannot be had, and tells
// what was added.
func (f *follower) attach(x *plan.Extension, coll *ebpf.Collection, missing map[probes.Hook]error) error {
	load.CountListeners(x.Object.Units)
	var hows []string
	for i := x.From; i < len(x.Units); i++ {
		how, err := f.s.kernel.AttachLate(coll.Programs[x.Object.Progs[i]], x.Object.Units[i], missing)
		if err != nil {
			return err
		}
		if how != "" {
			hows = append(hows, how)
		}
	}
	for _, err := range missing {
		hows = append(hows, fmt.Sprintf("not used: %v", err))
	}
	f.s.addHooks(hows)
	for _, line := range summary(x.Units[x.From:], missing) {
		f.tell(trace.EmptyItem, line)
	}
	refused, why := 0, error(nil) // one stands for all
	for hook, err := range missing {
		if !isGone(err) || hook.Kind != probes.User { // which is told at the end, if it does not come back
			refused, why = refused+1, err
		}
	}
	if refused > 0 {
		f.tell(trace.WarnItem, fmt.Sprintf("%s could not be added: %v", plural(refused, "place"), why))
	}
	return nil
}

// tell hands on what is to be told.
func (f *follower) tell(kind trace.ItemKind, text string) {
	f.inDrain(func() { f.s.drained.Notify(kind, text) })
}

// inDrain does something where the session drains, and reports whether it was done: not
// if the run is to end.
func (f *follower) inDrain(do func()) bool {
	done := make(chan struct{})
	select {
	case f.s.late <- func() { do(); close(done) }:
		<-done
		return true
	case <-f.ctx.Done():
		return false
	}
}
