package load

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
)

// AttachAll enables every probe but those that the engine fires itself, and says how. A
// hook that this kernel does not have after all is told among the missing and does not
// spoil the others, unless a description of the script comes to nothing by it.
func (k *Loaded) AttachAll(ctx context.Context) (hows, lacks []string, err error) {
	missing := map[probes.Hook]error{}
	CountListeners(k.obj.Units)
	for _, e := range attachOrder(k.obj.Entries, k.obj.Units, actors(k.c.Lowered.IR)) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		links, how, err := k.attach(e, missing)
		k.links = append(k.links, links...)
		if err != nil {
			return nil, nil, err
		}
		if how != "" {
			hows = append(hows, how)
		}
	}
	if k.last, err = k.attachLast(missing); err != nil {
		return nil, nil, err
	}
	for _, err := range missing {
		lacks = append(lacks, fmt.Sprintf("not used: %v", err))
	}
	slices.Sort(lacks)
	return hows, lacks, plan.Served(k.c.Program, missing)
}

// attachOrder says in which order entries are attached: what takes long first, so that
// a system call or a clock does not act on a process of which nothing is seen yet, and
// at last what acts on processes: what they do then is to be seen by all the others.
func attachOrder(entries []codegen.Entry, units []*codegen.Unit, acts map[int]bool) []*codegen.Entry {
	var slow, quick, last []*codegen.Entry
	for i := range entries {
		switch e := &entries[i]; {
		case slices.ContainsFunc(e.Units, func(unit int) bool { return acts[unit] }):
			last = append(last, e)
		case units[e.Units[0]].Hook.Quick():
			quick = append(quick, e)
		default:
			slow = append(slow, e)
		}
	}
	return append(append(slow, quick...), last...)
}

// actors returns the units whose programs send signals to processes or write to their
// memory.
func actors(p *ir.Program) map[int]bool {
	list := map[int]bool{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				if v.Op == ir.OpSignal || v.Op == ir.OpWriteU || v.Op == ir.OpWriteUN {
					list[f.Unit] = true
				}
			}
		}
	}
	return list
}

// Detach holds back every probe that could be in the way, disables all, and waits until no program runs any more.
func (k *Loaded) Detach() error {
	if len(k.links)+len(k.last) == 0 && k.deadman == nil {
		return nil
	}
	k.Hold()
	return errors.Join(k.unlink(), k.settle())
}

// unlink takes the programs off their hooks.
func (k *Loaded) unlink() error {
	err := errors.Join(k.last.Close(), k.links.Close(), k.deadman.Close())
	k.last, k.links, k.deadman = nil, nil, nil
	return err
}
