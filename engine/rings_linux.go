package engine

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/engine/codegen"
	"dscope.dev/engine/kmap"
)

// A ring is the record buffer of one CPU.
type ring struct {
	cpu   int
	spare bool // whether it takes what calls exit() when the other of the CPU is full
	buf   *ebpf.Map
	taken int // bytes left of what it held when the aggregations were taken last; less than 0 beyond

	emptied time.Time // the turn that last found nothing more
	commit  *commit   // what it waits for; nil if it can be read
	*kmap.Ring
}

// next reads the next record, if there is one, into room.
func (r *ring) next(room []byte) (rec []byte, ok bool, err error) {
	rec, ok, err = r.Next(room[:0])
	if ok {
		const head, align = 8, 8 // BPF_RINGBUF_HDR_SZ, and that of records
		r.taken -= (head + len(rec) + align - 1) &^ (align - 1)
	}
	return rec, ok, err
}

// leastRing is the least size of a kernel buffer, a page.
const leastRing = 4096

// startRings makes the map of the record buffers and begins to fill it. To put
// something into a map of maps the kernel waits for a grace period, several
// milliseconds, in which the programs can be loaded: hence beforehand. The map is
// returned under its name, for the programs to use; filled waits until all is
// there.
func (k *loaded) startRings(possible []int, resize bool) (own map[string]*ebpf.Map, filled func() error, err error) {
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
	var failed error
	var filling sync.WaitGroup
	filling.Go(func() { failed = k.fillRings(outer, rings, possible, resize) })
	return map[string]*ebpf.Map{name: outer}, func() error { filling.Wait(); return failed }, nil
}

// fillRings gives every possible CPU a record buffer of its own, under its
// number. Where there is no memory for buffers of the size that was asked for,
// all of them are made half as large, and again, if the option bufresize lets them.
func (k *loaded) fillRings(outer *ebpf.Map, spec *ebpf.MapSpec, possible []int, resize bool) error {
	for {
		err := k.makeRings(outer, spec, possible)
		if err == nil || !resize || !errors.Is(err, unix.ENOMEM) || spec.MaxEntries <= leastRing {
			return err
		}
		if err := k.dropRings(); err != nil {
			return err
		}
		spec.MaxEntries /= 2
		k.lowered = int(spec.MaxEntries)
	}
}

func (k *loaded) makeRings(outer *ebpf.Map, spec *ebpf.MapSpec, possible []int) error {
	for _, cpu := range possible {
		if err := k.makeRing(spec, ring{cpu: cpu}); err != nil {
			return err
		}
	}
	if spare := spec.Copy(); k.obj.Maps.Spare > 0 {
		spare.MaxEntries = uint32(k.obj.Maps.Spare)
		for _, cpu := range possible {
			if err := k.makeRing(spare, ring{cpu: cpu, spare: true}); err != nil {
				return err
			}
		}
	}
	return k.setRings(outer)
}

// makeRing makes one buffer and maps it.
func (k *loaded) makeRing(spec *ebpf.MapSpec, r ring) (err error) {
	if r.buf, err = ebpf.NewMap(spec); err != nil {
		return fmt.Errorf("make the record buffer of CPU %d (%d bytes; see option bufsize): %w", r.cpu, spec.MaxEntries, err)
	}
	r.Ring, err = kmap.OpenRing(r.buf)
	k.rings = append(k.rings, r)
	if err != nil {
		return fmt.Errorf("read the record buffer of CPU %d: %w", r.cpu, err)
	}
	return nil
}

// setRings puts the record buffers into their map: at once, so that the kernel
// waits once only, or one by one where it cannot do that (before 6.0).
func (k *loaded) setRings(outer *ebpf.Map) error {
	var cpus, bufs []uint32
	for _, r := range k.rings {
		at := uint32(r.cpu)
		if r.spare {
			at += outer.MaxEntries() / 2
		}
		cpus, bufs = append(cpus, at), append(bufs, uint32(r.buf.FD()))
	}
	if n, err := outer.BatchUpdate(cpus, bufs, nil); err == nil && n == len(cpus) {
		return nil
	}
	for i, r := range k.rings {
		if err := outer.Put(cpus[i], r.buf); err != nil {
			return fmt.Errorf("set the record buffer of CPU %d: %w", r.cpu, err)
		}
	}
	return nil
}

// spareDue reports whether the spare buffers can be read: once exit() was called, nothing
// fires any more, and what came before it lies in the others.
func (k *loaded) spareDue() bool {
	if k.control.Load32(codegen.ControlStop) == 0 {
		return true
	}
	return !slices.ContainsFunc(k.rings, func(r ring) bool { return !r.spare && r.Waiting() > 0 })
}

// dropRings gives the record buffers back.
func (k *loaded) dropRings() error {
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

// Lowered returns the bytes of the record buffer of each CPU if there was no
// memory for as many as were asked for, else 0.
func (s *Session) Lowered() int { return s.kernel.lowered }
