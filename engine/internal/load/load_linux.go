package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"dscope.dev/dlang/token"
	"dscope.dev/engine/attach"
	"dscope.dev/engine/clock"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/codegen/walk"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/kmap"
	"dscope.dev/engine/unwind"
	"dscope.dev/probes"
	"dscope.dev/probes/resolver"
)

// A Loaded script is its programs and maps in the kernel, and what attaches them.
type Loaded struct {
	c       *plan.Plan
	coll    *ebpf.Collection
	obj     *codegen.Object
	online  []int              // CPUs that are traced
	all     int                // CPUs that are online
	control *kmap.Shared       // nil if the programs need none
	ahead   int64              // nanoseconds of the wall clock before the monotonic one
	rings   []*Ring            // nil if nothing is recorded
	filling *filling           // of the rings; nil if there are none
	hand    *handover          // nil if no run can take its place
	before  *Loaded            // whose place it takes, until it has; nil if it takes nobody's
	Lowered int                // bytes of a record buffer, if there was no memory for what was asked for
	gen     uint32             // which generation of the aggregations the programs fill
	extra   []*ebpf.Map        // that coll does not hold
	added   []*ebpf.Collection // of extensions
	unwind  *unwind.Tables     // nil if no stacks of processes are walked

	unfollow func() // nil if nobody who reads files for us is left out

	places func([]probes.Hook) ([]attach.Place, error) // finds functions of the kernel
	patch  []patching                                  // what is attached after all else
	files  attach.Files                                // of what is added, if their paths may lead nowhere soon

	barrier *barrier // of settle

	links   attach.Group
	last    attach.Group // links to what the kernel calls to attach and detach: the first to be closed
	deadman *deadman     // nil if no probe can do harm

	stats func() (io.Closer, error) // of the plan's machine
	types *btf.Cache                // of its kernel
}

// AsPlanned brings the programs and maps of c into the kernel. If it fails it
// leaves nothing there. It fails when ctx ends.
func AsPlanned(ctx context.Context, c *plan.Plan, m *plan.Machine, before *Loaded) (_ *Loaded, err error) {
	if err := mayWrite(c); err != nil {
		return nil, err
	}
	facts := m.Facts
	if err := MayOpen(filesOf(c.Object, len(facts.Online))); err != nil {
		return nil, err
	}
	k := &Loaded{c: c, obj: c.Object, online: facts.Online, all: len(facts.Online), before: before, stats: m.Stats, types: m.Kernel.Types()}
	if cpu := c.Options.CPU; cpu >= 0 {
		k.online = []int{cpu}
	}
	defer func() {
		if err != nil {
			k.Close()
		}
	}()
	own, filled, err := k.startRings(facts.Possible, !c.Options.ManualResize)
	if err != nil {
		return nil, err
	}
	own = k.shareHandover(own)
	own, err = k.shareBusy(own)
	if err == nil {
		k.coll, err = ebpf.NewCollectionWithOptions(&ebpf.CollectionSpec{Maps: c.Object.Spec.Maps}, ebpf.CollectionOptions{MapReplacements: own})
	}
	if err == nil {
		err = verify(ctx, c, k.coll, k.types, m.Patience)
	}
	if err == nil {
		err = k.fillCalls()
	}
	if wrong := filled(); err != nil {
		return nil, Refused(err, c)
	} else if wrong != nil {
		return nil, wrong
	}
	if err = k.setGroup(); err != nil {
		return nil, err
	}
	if m := k.coll.Maps[k.obj.Maps.Control]; m != nil {
		if k.control, err = kmap.Share(m); err != nil {
			return nil, err
		}
	}
	k.followReaders()
	if k.obj.Maps.Unwind {
		maps := k.coll.Maps
		k.unwind = unwind.New(maps[walk.MapProcs], maps[walk.MapRows], maps[walk.MapMisses], walk.Shard())
		if c.Target != 0 {
			k.unwind.Add(uint32(c.Target))
		}
		k.unwind.Run(facts.Online)
	}
	k.setClock()
	if err = k.openHandover(slices.Max(facts.Possible) + 1); err != nil {
		return nil, err
	}
	return k, nil
}

// fillCalls tells the dispatchers which program serves which system call.
func (k *Loaded) fillCalls() error {
	for _, e := range k.obj.Entries {
		if e.Calls == "" {
			continue
		}
		for _, i := range e.Units {
			for _, s := range k.obj.Units[i].Sites {
				if err := k.Map(e.Calls).Put(s.Key, k.Prog(k.obj.Progs[i])); err != nil {
					return fmt.Errorf("dispatch %s: %w", s.Probe, err)
				}
			}
		}
	}
	return nil
}

// Load loads c, or what does the same in ways that this kernel takes, which it returns.
func Load(ctx context.Context, c *plan.Plan, m *plan.Machine, before *Loaded) (*plan.Plan, *Loaded, error) {
	k, err := AsPlanned(ctx, c, m, before)
	if ctx.Err() != nil && err != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil && c.WithoutTramps != nil {
		var again *plan.Plan
		if again, k, err = loadPlain(ctx, c, m, before, err); err == nil {
			c = again
		}
	}
	if err != nil {
		if c, k = withoutTables(ctx, c, m, before, err); k == nil {
			return nil, nil, err
		}
	}
	k.places = func(hooks []probes.Hook) ([]attach.Place, error) { return PlacesOf(m.Kernel, hooks) }
	return c, k, nil
}

// Close takes the programs off their hooks, unless they are already, and frees every
// program and map, and what else holds them: the mappings of
// the record buffers and of the memory that is shared.
func (k *Loaded) Close() error {
	errs := []error{k.unlink(), k.closeRings(), k.hand.Close()}
	if k.unfollow != nil {
		k.unfollow()
	}
	for _, m := range k.extra {
		errs = append(errs, m.Close())
	}
	errs = append(errs, k.barrier.Close(), k.control.Close())
	for _, c := range k.added {
		c.Close()
	}
	if k.unwind != nil {
		errs = append(errs, k.unwind.Close())
	}
	if k.coll != nil {
		k.coll.Close()
	}
	return errors.Join(errs...)
}

// Prog returns the program of that name, nil if there is none.
func (k *Loaded) Prog(name string) *ebpf.Program { return k.coll.Programs[name] }

// Moment returns the time of day of a time that a program has read.
func (k *Loaded) Moment(ns uint64) time.Time { return time.Unix(0, int64(ns)+k.ahead) }

// setClock tells the programs how far the wall clock is ahead of the monotonic
// one, which is the only one that they can read.
func (k *Loaded) setClock() {
	k.ahead = time.Now().UnixNano() - int64(clock.Monotonic())
	k.control.Store64(codegen.ControlWall, uint64(k.ahead))
}

// followReaders has the programs leave out what those do who read files for us.
func (k *Loaded) followReaders() {
	if !k.c.Features.Readers {
		return
	}
	_ = [codegen.MostReaders - resolver.MostReaders]struct{}{} // there is room for each
	k.unfollow = resolver.Follow(func(place, pid int) {
		k.control.Store32(codegen.ControlReaders+4*place, uint32(pid))
	})
}

// Refused turns what the kernel said against loading into a complaint with a
// place in the script, where the verifier gave one.
func Refused(err error, c *plan.Plan) error {
	var ve *ebpf.VerifierError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.As(err, &ve) {
		return blame(ve, c)
	}
	if errors.Is(err, unix.EFAULT) { // without a log; Linux answers so when branches are too many
		return gaveUp(token.Span{}, c)
	}
	if errors.Is(err, ebpf.ErrNotSupported) {
		return fmt.Errorf("this kernel cannot run the script: %w", err)
	}
	return fmt.Errorf("load the script: %w", err)
}

// attach enables the sites of the units of an entry. It says how, for -v, and notes the
// hooks that this kernel does not have. The links are the caller's even if it
// fails.
func (k *Loaded) attach(e *codegen.Entry, missing map[probes.Hook]error) (links attach.Group, how string, err error) {
	i := e.Units[0] // all have the hook of the first
	prog, u := k.Prog(e.Prog), k.obj.Units[i]
	var c io.Closer
	switch {
	case u.Hook.Kind == probes.Test:
		return nil, "", nil
	case u.Hook.Kind == probes.User:
		return k.attachUser(prog, u, missing)
	case u.Hook.Kind == probes.Function, u.Hook.Kind == probes.Instruction:
		return k.attachFunctions(prog, u, missing)
	case u.Hook.Kind == probes.Tracepoint && u.Shared:
		return k.attachShared(prog, u, missing)
	case u.Hook.Kind == probes.Tracepoint:
		how = "raw tracepoint"
		if prog.Type() == ebpf.Tracing {
			how += " with BTF"
		}
		if e.Calls != "" {
			how += fmt.Sprintf(", %d programs", len(e.Units))
		}
		c, err = attach.Tracepoint(u.Hook, prog, 0)
	case u.Hook.Kind == probes.Timer:
		how = "perf software event"
		if off, ok := codegen.TickWord(k.obj.Units, i); ok {
			k.control.Store64(off, clock.Monotonic()+u.Hook.Every)
		}
		c, err = attach.Timer(u.Hook, prog, k.online)
	case u.Hook.Kind == probes.Counter:
		how = "perf event"
		c, err = attach.Counter(u.Hook, prog, k.online)
	default:
		panic("engine: unknown hook")
	}
	if errors.Is(err, attach.ErrMissing) {
		missing[u.Hook] = err
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	return attach.Group{c}, u.Hook.String() + ": " + how, nil
}

// attachShared attaches one program to all tracepoints of a unit.
func (k *Loaded) attachShared(prog *ebpf.Program, u *codegen.Unit, missing map[probes.Hook]error) (attach.Group, string, error) {
	var links attach.Group
	for j, h := range u.Hooks {
		c, err := attach.Tracepoint(h, prog, uint64(u.Sites[j].Key))
		if errors.Is(err, attach.ErrMissing) {
			missing[h] = err
			continue
		}
		if err != nil {
			return links, "", err
		}
		links = append(links, c)
	}
	return links, fmt.Sprintf("%d tracepoints: one raw tracepoint program", len(links)), nil
}

// Flip makes the programs use the other generation of aggregations and waits
// until none is inside the old one, whose number it returns.
func (k *Loaded) Flip() (old uint32, err error) {
	old = k.gen
	k.gen ^= 1
	k.control.Store32(codegen.ControlGen, k.gen)
	return old, k.settle()
}

// settle waits until every program that was running has ended.
func (k *Loaded) settle() (err error) {
	if k.barrier == nil {
		if k.barrier, err = newBarrier(); err != nil {
			return err
		}
	}
	return k.barrier.wait()
}

// Hold holds back the probes that can take all the time that there is, unless they are
// already: each function that is hooked makes it slower to hook the others, and to let them
// go.
func (k *Loaded) Hold() { k.control.Swap32(codegen.ControlStop, 0, codegen.Held) }

// Release lets them fire. Until now nobody has missed a sign of life.
func (k *Loaded) Release() {
	k.control.Store64(codegen.ControlLate, 0)
	k.control.Swap32(codegen.ControlStop, codegen.Held, 0)
}

// Stopped reports whether exit() was called, or something else holds back the probes.
func (k *Loaded) Stopped() bool { return k.control.Load32(codegen.ControlStop) != 0 }

// Cpus returns how many CPUs are traced.
func (k *Loaded) Cpus() int { return len(k.online) }

// Resume lets probes fire again after exit() has held them back: END must.
func (k *Loaded) Resume() { k.control.Store32(codegen.ControlStop, 0) }

// Map returns the map of that name, nil if the programs need none.
func (k *Loaded) Map(name string) *ebpf.Map { return k.coll.Maps[name] }
