package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"
)

// A ring is the record buffer of one CPU.
type ring struct {
	cpu   int
	buf   *ebpf.Map
	taken int // bytes left of what it held when the aggregations were taken last; less than 0 beyond

	emptied time.Time // the turn that last found nothing more
	commit  *commit   // what it waits for; nil if it can be read
	*ringbuf.Reader
}

// next reads the next record into rec.
func (r *ring) next(rec *ringbuf.Record) error {
	err := r.ReadInto(rec)
	if err == nil {
		const head, align = 8, 8 // BPF_RINGBUF_HDR_SZ, and that of records
		r.taken -= (head + len(rec.RawSample) + align - 1) &^ (align - 1)
	}
	return err
}

// leastRing is the least size of a kernel buffer, a page.
const leastRing = 4096

// fillRings gives every possible CPU a record buffer of its own, under its
// number. Where there is no memory for buffers of the size that was asked for,
// all of them are made half as large, and again, if the option bufresize lets them.
func (k *loaded) fillRings(possible []int, resize bool) error {
	if k.coll.Maps[k.obj.Maps.Rings] == nil {
		return nil
	}
	spec := k.obj.Spec.Maps[k.obj.Maps.Rings].InnerMap.Copy()
	for {
		err := k.makeRings(possible, spec)
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

func (k *loaded) makeRings(possible []int, spec *ebpf.MapSpec) error {
	outer := k.coll.Maps[k.obj.Maps.Rings]
	for _, cpu := range possible {
		buf, err := ebpf.NewMap(spec)
		if err != nil {
			return fmt.Errorf("make the record buffer of CPU %d (%d bytes; see option bufsize): %w", cpu, spec.MaxEntries, err)
		}
		k.rings = append(k.rings, ring{cpu: cpu, buf: buf})
		if err := outer.Put(uint32(cpu), buf); err != nil {
			return fmt.Errorf("set the record buffer of CPU %d: %w", cpu, err)
		}
		r, err := ringbuf.NewReader(buf)
		if err != nil {
			return fmt.Errorf("read the record buffer of CPU %d: %w", cpu, err)
		}
		r.SetDeadline(time.Unix(1, 0)) // long past: Read returns what there is and never waits
		k.rings[len(k.rings)-1].Reader = r
	}
	return nil
}

// dropRings gives the record buffers back.
func (k *loaded) dropRings() error {
	var errs []error
	for _, r := range k.rings {
		if r.Reader != nil {
			errs = append(errs, r.Reader.Close())
		}
		errs = append(errs, r.buf.Close())
	}
	k.rings = nil
	return errors.Join(errs...)
}

// Lowered returns the bytes of the record buffer of each CPU if there was no
// memory for as many as were asked for, else 0.
func (s *Session) Lowered() int { return s.kernel.lowered }
