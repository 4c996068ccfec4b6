package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
)

// How long the kernel's verifier takes for a program is for it to say; codegen does
// what it can to keep that short. Programs are loaded by threads of their own, each one
// after another, so that somebody can tell whose turn it is, and give up. The verifier asks
// at each instruction whether its thread has a signal, and leaves with EAGAIN if it has.
// The library then begins anew, for ever. So that it fails at once, the descriptors of
// the maps that the program names are made to stand for something else.

// mostLoaders is how many threads load at a time at most: the verifier may need much memory.
const mostLoaders = 4

// A verification brings the programs of a script into the kernel.
type verification struct {
	c       *plan.Plan
	coll    *ebpf.Collection // with the maps of the script already
	names   []string         // of the programs, in their order
	units   []int            // of each of these; of a dispatcher the first that it serves
	loaded  []*ebpf.Program  // of these
	errs    []error
	next    atomic.Int64 // whose turn it is next
	loaders []loader
	over    atomic.Bool // whether somebody gave up, or a program was refused
	types   *btf.Cache  // of the kernel
}

// A loader is a thread that loads.
type loader struct {
	turn   atomic.Int64 // one more than the number of the program; 0 if it has none
	thread atomic.Int64 // its number; 0 before it begins
}

// verify loads the programs of c, whose maps are in coll. When it returns, nobody
// loads any more.
func verify(ctx context.Context, c *plan.Plan, coll *ebpf.Collection, types *btf.Cache, patience time.Duration) error {
	v := newVerification(c, coll, types)
	done := make(chan error, 1)
	go func() { done <- v.load() }()
	begun := time.Now()
	remind := time.NewTicker(patience)
	defer remind.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-remind.C:
			if text := v.tells(time.Since(begun)); text != "" {
				trace.Note(ctx, text)
			}
		case <-ctx.Done():
			v.giveUp(done)
			return ctx.Err()
		}
	}
}

func newVerification(c *plan.Plan, coll *ebpf.Collection, types *btf.Cache) *verification {
	v := &verification{c: c, coll: coll, types: types}
	for i, name := range c.Object.Progs {
		if name != "" { // ERROR is part of others
			v.names, v.units = append(v.names, name), append(v.units, i)
		}
	}
	for _, e := range c.Object.Entries {
		if e.Calls != "" {
			v.names, v.units = append(v.names, e.Prog), append(v.units, e.Units[0])
		}
	}
	v.loaded, v.errs = make([]*ebpf.Program, len(v.names)), make([]error, len(v.names))
	v.loaders = make([]loader, min(mostLoaders, runtime.GOMAXPROCS(0), len(v.names)))
	return v
}

// load has all programs loaded, and returns the error of the first that was refused.
func (v *verification) load() error {
	var all sync.WaitGroup
	for i := range v.loaders {
		all.Go(func() { v.loaders[i].load(v) })
	}
	all.Wait()
	for i, p := range v.loaded {
		if p != nil {
			v.coll.Programs[v.names[i]] = p
		}
	}
	for _, err := range v.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// load loads one program after another, until there is none, or somebody has enough.
func (l *loader) load(v *verification) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l.thread.Store(int64(unix.Gettid()))
	defer l.turn.Store(0)
	for !v.over.Load() {
		i := int(v.next.Add(1)) - 1
		if i >= len(v.names) {
			return
		}
		l.turn.Store(int64(i) + 1)
		if v.loaded[i], v.errs[i] = v.program(v.names[i]); v.errs[i] != nil {
			v.over.Store(true)
		}
	}
}

// program loads a program.
func (v *verification) program(name string) (*ebpf.Program, error) {
	spec := v.c.Object.Spec.Programs[name].Copy()
	for k := range spec.Instructions {
		if in := &spec.Instructions[k]; in.IsLoadFromMap() {
			if err := in.AssociateMap(v.coll.Maps[in.Reference()]); err != nil {
				return nil, err
			}
		}
	}
	one, err := ebpf.NewCollectionWithOptions(&ebpf.CollectionSpec{Programs: map[string]*ebpf.ProgramSpec{name: spec}},
		ebpf.CollectionOptions{Cache: v.types})
	if err != nil {
		return nil, err
	}
	return one.DetachProgram(name), nil
}

// tells says whose turn it is, and for how long the user has waited: of several programs
// the one that was begun first.
func (v *verification) tells(waited time.Duration) string {
	first := int64(0)
	for i := range v.loaders {
		if turn := v.loaders[i].turn.Load(); turn != 0 && (first == 0 || turn < first) {
			first = turn
		}
	}
	if first == 0 {
		return ""
	}
	return fmt.Sprintf("the kernel has been checking programs for %d s; it is at %s", int(waited.Seconds()), v.c.ClausesOf(v.units[first-1]))
}

// lingering is how long threads that do not notice their signals are waited for: they
// were between two programs, or their program names no map, and they end by themselves.
const lingering = 2 * time.Second

// giveUp makes the threads that load end, and waits for them.
func (v *verification) giveUp(done <-chan error) {
	v.over.Store(true)
	spoilt := v.spoil()
	signal := time.NewTicker(10 * time.Millisecond)
	defer signal.Stop()
	patient := time.After(lingering)
	for {
		for i := range v.loaders {
			if tid := v.loaders[i].thread.Load(); spoilt == nil && tid != 0 {
				_ = unix.Tgkill(unix.Getpid(), int(tid), unix.SIGURG) // which Go sends to its threads itself, and takes for nothing
			}
		}
		select {
		case <-done:
			return
		case <-patient:
			signal.Stop()
			<-done
			return
		case <-signal.C:
		}
	}
}

// spoil puts other files where the descriptors of the maps are. They stay taken until
// the maps are closed, so that nothing else comes to be there.
func (v *verification) spoil() error {
	other, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(other)
	var errs []error
	for _, m := range v.coll.Maps {
		errs = append(errs, unix.Dup3(other, m.FD(), unix.O_CLOEXEC))
	}
	return errors.Join(errs...)
}
