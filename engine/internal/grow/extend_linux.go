package grow

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
	"dscope.dev/probes/space"
)

// add compiles, loads and attaches what was found.
func (g *Growth) add(list []addition) error {
	if g.full {
		return nil
	}
	if g.Kernel.Extensions() >= mostAdded {
		g.full = true
		return plan.ErrFull
	}
	found := map[*plan.Opening][]*probes.Site{}
	for _, n := range list {
		found[n.opening] = append(found[n.opening], n.site)
	}
	x, err := g.Machine.Extend(g.ctx, g.Plan, g.last, found)
	if err != nil {
		g.full = errors.Is(err, plan.ErrFull)
		return err
	}
	coll, err := g.Kernel.Extend(x)
	if err != nil {
		return err
	}
	g.last = x
	var wrong error
	installed := g.inDrain(func() {
		if wrong = g.Drain.Extend(x, func(name string) *ebpf.Program { return coll.Programs[name] }); wrong == nil {
			g.Kernel.Adopt(coll)
		}
	})
	if !installed || wrong != nil {
		coll.Close()
		return wrong
	}
	missing := map[probes.Hook]error{}
	err = g.attach(x, coll, missing)
	g.has.strike(list, missing)
	return err
}

// attach enables the probes of an extension, notes those that cannot be had, and tells
// what was added.
func (g *Growth) attach(x *plan.Extension, coll *ebpf.Collection, missing map[probes.Hook]error) error {
	load.CountListeners(x.Object.Units)
	var hows []string
	for i := x.From; i < len(x.Units); i++ {
		how, err := g.Kernel.AttachLate(coll.Programs[x.Object.Progs[i]], x.Object.Units[i], missing)
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
	g.Hooks(hows)
	for _, line := range summary(x.Units[x.From:], missing) {
		g.tell(trace.EmptyItem, line)
	}
	refused, why := 0, error(nil) // one stands for all
	for hook, err := range missing {
		if !space.Gone(err) || hook.Kind != probes.User { // which is told at the end, if it does not come back
			refused, why = refused+1, err
		}
	}
	if refused > 0 {
		g.tell(trace.WarnItem, fmt.Sprintf("%s could not be added: %v", plural(refused, "place"), why))
	}
	return nil
}

// tell hands on what is to be told.
func (g *Growth) tell(kind trace.ItemKind, text string) {
	g.inDrain(func() { g.Drain.Notify(kind, text) })
}

// inDrain does something where the session drains, and reports whether it was done: not
// if the run is to end.
func (g *Growth) inDrain(do func()) bool {
	done := make(chan struct{})
	select {
	case g.Late <- func() { do(); close(done) }:
		<-done
		return true
	case <-g.ctx.Done():
		return false
	}
}
