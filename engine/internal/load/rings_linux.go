package load

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/kmap"
)

// A Ring is the record buffer of one CPU.
type Ring struct {
	CPU   int
	Spare bool // whether it takes what calls exit() when the other of the CPU is full
	buf   *ebpf.Map
	*kmap.Ring
}

// Buffers returns the record buffers of all CPUs.
func (k *Loaded) Buffers() []*Ring { return k.rings }

// leastRing is the least size of a kernel buffer, a page.
const leastRing = 4096

// A filling is the map of the record buffers while the buffers are put into it. Once something is
// there the kernel waits for a grace period, several milliseconds, before it says so.
type filling struct {
	outer *ebpf.Map
	last  atomic.Int64  // one more than the number that is put there last; 0 while the buffers are made
	done  chan struct{} // closed when all is over
	err   error         // then
}

// wait returns when all is there, or nothing more will be.
func (f *filling) wait() error {
	for {
		select {
		case <-f.done:
			return f.err
		case <-time.After(lookAgain):
		}
		var id uint32
		if last := f.last.Load(); last > 0 && f.outer.Lookup(uint32(last-1), &id) == nil {
			return nil
		}
	}
}

// lookAgain is the time between two looks at a map that is being filled.
const lookAgain = 50 * time.Microsecond

// startRings makes the map of the record buffers and begins to fill it, while the programs are
// loaded. The map is returned under its name, for them to use; filled waits until all is there.
func (k *Loaded) startRings(possible []int, resize bool) (own map[string]*ebpf.Map, filled func() error, err error) {
	name := k.obj.Maps.Rings
	spec := k.obj.Spec.Maps[name]
	if spec == nil {
		return nil, func() error { return nil }, nil
	}
	spec = spec.Copy()
	rings := spec.InnerMap.Copy()
	spec.InnerMap.MaxEntries = leastRing // a pattern, whose size is not looked at
	outer, err := ebpf.NewMap(spec)
	if err != nil {
		return nil, nil, fmt.Errorf("make the map of the record buffers: %w", err)
	}
	k.extra = append(k.extra, outer)
	f := &filling{outer: outer, done: make(chan struct{})}
	k.filling = f
	go func() {
		defer close(f.done)
		f.err = k.fillRings(f, rings, possible, resize)
	}()
	return map[string]*ebpf.Map{name: outer}, f.wait, nil
}

// fillRings gives every possible CPU a record buffer of its own, under its
// number. Where there is no memory for buffers of the size that was asked for,
// all of them are made half as large, and again, if the option bufresize lets them.
func (k *Loaded) fillRings(f *filling, spec *ebpf.MapSpec, possible []int, resize bool) error {
	for {
		err := k.makeRings(f, spec, possible)
		if err == nil || !resize || !errors.Is(err, unix.ENOMEM) || spec.MaxEntries <= leastRing {
			return err
		}
		if err := k.dropRings(); err != nil {
			return err
		}
		spec.MaxEntries /= 2
		if k.c.Lacks(int(spec.MaxEntries)) {
			k.Lowered = int(spec.MaxEntries)
		}
	}
}

func (k *Loaded) makeRings(f *filling, spec *ebpf.MapSpec, possible []int) error {
	for _, cpu := range possible {
		if err := k.makeRing(spec, &Ring{CPU: cpu}); err != nil {
			return err
		}
	}
	if spare := spec.Copy(); k.obj.Maps.Spare > 0 {
		spare.MaxEntries = uint32(k.obj.Maps.Spare)
		for _, cpu := range possible {
			if err := k.makeRing(spare, &Ring{CPU: cpu, Spare: true}); err != nil {
				return err
			}
		}
	}
	return k.setRings(f)
}

// makeRing makes one buffer and maps it.
func (k *Loaded) makeRing(spec *ebpf.MapSpec, r *Ring) (err error) {
	if r.buf, err = ebpf.NewMap(spec); err != nil {
		return fmt.Errorf("make the record buffer of CPU %d (%d bytes; see option bufsize): %w", r.CPU, spec.MaxEntries, err)
	}
	r.Ring, err = kmap.OpenRing(r.buf)
	k.rings = append(k.rings, r)
	if err != nil {
		return fmt.Errorf("read the record buffer of CPU %d: %w", r.CPU, err)
	}
	return nil
}

// setRings puts the record buffers into their map: at once, so that the kernel
// waits once only, or one by one where it cannot do that (before 6.0).
func (k *Loaded) setRings(f *filling) error {
	outer := f.outer
	var cpus, bufs []uint32
	for _, r := range k.rings {
		at := uint32(r.CPU)
		if r.Spare {
			at += outer.MaxEntries() / 2
		}
		cpus, bufs = append(cpus, at), append(bufs, uint32(r.buf.FD()))
	}
	if len(cpus) > 0 {
		f.last.Store(int64(cpus[len(cpus)-1]) + 1)
	}
	if n, err := outer.BatchUpdate(cpus, bufs, nil); err == nil && n == len(cpus) {
		return nil
	}
	for i, r := range k.rings {
		if err := outer.Put(cpus[i], r.buf); err != nil {
			return fmt.Errorf("set the record buffer of CPU %d: %w", r.CPU, err)
		}
	}
	return nil
}

// SpareDue reports whether the spare buffers can be read: once exit() was called, nothing
// fires any more, and what came before it lies in the others.
func (k *Loaded) SpareDue() bool {
	if k.control.Load32(codegen.ControlStop) == 0 {
		return true
	}
	return !slices.ContainsFunc(k.rings, func(r *Ring) bool { return !r.Spare && r.Waiting() > 0 })
}

// closeRings is dropRings once nobody puts the buffers anywhere any more.
func (k *Loaded) closeRings() error {
	if k.filling != nil {
		<-k.filling.done
	}
	return k.dropRings()
}

// dropRings gives the record buffers back.
func (k *Loaded) dropRings() error {
	var errs []error
	for _, r := range k.rings {
		if r.Ring != nil {
			errs = append(errs, r.Ring.Close())
		}
		errs = append(errs, r.buf.Close())
	}
	k.rings = nil
	return errors.Join(errs...)
}
