package engine

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// add compiles, loads and attaches what was found.
func (f *follower) add(list []addition) error {
	if f.full {
		return nil
	}
	if len(f.s.kernel.added) >= mostAdded {
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
	coll, err := f.s.kernel.extend(x, f.s.c)
	if err != nil {
		return err
	}
	f.last = x
	var wrong error
	installed := f.inDrain(func() { wrong = f.s.drained.extend(x, coll) })
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
	countListeners(x.Object.Units)
	var hows []string
	for i := x.From; i < len(x.Units); i++ {
		links, how, err := f.s.kernel.attachLate(coll.Programs[x.Object.Progs[i]], x.Object.Units[i], missing)
		f.links = append(f.links, links...)
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

// attachLate attaches one program to all that a unit of an extension has.
func (k *loaded) attachLate(prog *ebpf.Program, u *codegen.Unit, missing map[probes.Hook]error) (attach.Group, string, error) {
	if u.Hook.Kind == probes.Function {
		return k.attachFunctions(prog, u, missing)
	}
	return k.attachUser(prog, u, missing)
}

// tell hands on what is to be told.
func (f *follower) tell(kind trace.ItemKind, text string) {
	f.inDrain(func() { f.s.drained.notices = append(f.s.drained.notices, notice(kind, text)) })
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

// extend loads the programs of an extension, which use the maps of the script.
func (k *loaded) extend(x *plan.Extension, c *plan.Plan) (*ebpf.Collection, error) {
	own := map[string]*ebpf.Map{}
	for name := range x.Object.Spec.Maps {
		if x.Object.Private(name) {
			continue
		}
		m := k.coll.Maps[name]
		if m == nil {
			return nil, fmt.Errorf("internal error: the run has no map %s", name)
		}
		own[name] = m
	}
	coll, err := ebpf.NewCollectionWithOptions(x.Object.Spec, ebpf.CollectionOptions{MapReplacements: own})
	if err != nil {
		again := *c
		again.Object = x.Object
		return nil, refused(err, &again)
	}
	return coll, nil
}

// extend makes the drain understand what the programs of an extension write. The
// programs are the session's from here on.
func (d *drain) extend(x *plan.Extension, coll *ebpf.Collection) error {
	for i := len(d.names.units); i < len(x.Units); i++ {
		d.names.units = append(d.names.units, x.Units[i].Lowering(fmt.Sprintf("u%d", i)))
	}
	if err := d.dec.Extend(x.Lowered.IR.Records, x.Lowered.Layouts, d.names.units, x.Lowered.Places); err != nil {
		return err
	}
	d.s.kernel.added = append(d.s.kernel.added, coll)
	for i, name := range x.Object.Progs[x.From:] {
		d.drops.watch(coll.Programs[name], probesOf(x.Object.Units[x.From+i]))
	}
	return nil
}
