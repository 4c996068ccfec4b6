package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
)

// How long the kernel's verifier takes for a program is for it to say; codegen does
// what it can to keep that short. Programs are loaded one by one, in a thread of its
// own, so that somebody can tell whose turn it is, and give up. The verifier asks at
// each instruction whether its thread has a signal, and leaves with EAGAIN if it has.
// The library then begins anew, for ever. So that it fails at once, the descriptors of
// the maps that the program names are made to stand for something else.

// A verification brings the programs of a script into the kernel.
type verification struct {
	c      *plan.Plan
	coll   *ebpf.Collection // with the maps of the script already
	turn   atomic.Int64     // one more than the number of the unit whose program it is; 0 before the first
	thread atomic.Int64     // the thread that loads
	over   atomic.Bool      // whether somebody gave up
}

// verify loads the programs of c, whose maps are in coll. When it returns, nobody
// loads any more.
func verify(ctx context.Context, c *plan.Plan, coll *ebpf.Collection, patience time.Duration) error {
	v := &verification{c: c, coll: coll}
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

// load loads one program after another.
func (v *verification) load() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v.thread.Store(int64(unix.Gettid()))
	cache := btf.NewCache()
	for i, name := range v.c.Object.Progs {
		spec := v.c.Object.Spec.Programs[name]
		if spec == nil { // ERROR is part of others
			continue
		}
		if v.over.Load() {
			return context.Canceled
		}
		v.turn.Store(int64(i) + 1)
		spec = spec.Copy()
		for k := range spec.Instructions {
			if in := &spec.Instructions[k]; in.IsLoadFromMap() {
				if err := in.AssociateMap(v.coll.Maps[in.Reference()]); err != nil {
					return err
				}
			}
		}
		one, err := ebpf.NewCollectionWithOptions(&ebpf.CollectionSpec{Programs: map[string]*ebpf.ProgramSpec{name: spec}},
			ebpf.CollectionOptions{Cache: cache})
		if err != nil {
			return err
		}
		v.coll.Programs[name] = one.DetachProgram(name)
	}
	return nil
}

// tells says whose turn it is, and for how long the user has waited.
func (v *verification) tells(waited time.Duration) string {
	i := int(v.turn.Load()) - 1
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("the kernel has been checking programs for %d s; it is at %s", int(waited.Seconds()), v.c.ClausesOf(i))
}

// lingering is how long a thread that does not notice its signals is waited for: it
// was between two programs, or its program names no map, and it ends by itself.
const lingering = 2 * time.Second

// giveUp makes the thread that loads end, and waits for it.
func (v *verification) giveUp(done <-chan error) {
	v.over.Store(true)
	spoilt := v.spoil()
	signal := time.NewTicker(10 * time.Millisecond)
	defer signal.Stop()
	patient := time.After(lingering)
	for {
		if tid := v.thread.Load(); spoilt == nil && tid != 0 {
			_ = unix.Tgkill(unix.Getpid(), int(tid), unix.SIGURG) // which Go sends to its threads itself, and takes for nothing
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
