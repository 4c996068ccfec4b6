package sideband

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ears listen on some CPUs.
type Ears struct {
	rings []*ring
	heard []Notice // of the drain under way
	text  []byte   // what they say
	Lost  uint64   // notices that found no room, so far
}

// A ring is what one CPU has to tell.
type ring struct {
	fd   int
	mem  []byte
	data []byte
}

// Listen begins to listen on some CPUs.
func Listen(cpus []int, o Options) (*Ears, error) {
	e := &Ears{}
	for _, cpu := range cpus {
		r, err := openRing(cpu, o)
		if err != nil {
			e.Close()
			return nil, fmt.Errorf("hear of the code that processes map: %w", err)
		}
		e.rings = append(e.rings, r)
	}
	return e, nil
}

func openRing(cpu int, o Options) (*ring, error) {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Sample_type: unix.PERF_SAMPLE_TIME,
		Bits:   unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitSampleIDAll | unix.PerfBitExcludeKernel | unix.PerfBitWatermark,
		Wakeup: 1 << 30, // nobody waits
	}
	if o.Names {
		attr.Bits |= unix.PerfBitComm | unix.PerfBitCommExec
	}
	if o.Lives {
		attr.Bits |= unix.PerfBitTask
	}
	if o.Wake {
		attr.Wakeup = 1
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	page := unix.Getpagesize()
	mem, err := unix.Mmap(fd, 0, (1+o.Pages)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &ring{fd: fd, mem: mem, data: mem[page:]}, nil
}

// Close stops listening.
func (e *Ears) Close() error {
	var errs []error
	for _, r := range e.rings {
		errs = append(errs, unix.Munmap(r.mem), unix.Close(r.fd))
	}
	e.rings = nil
	return errors.Join(errs...)
}

// FDs returns what becomes readable when there is something to hear.
func (e *Ears) FDs() []int {
	var list []int
	for _, r := range e.rings {
		list = append(list, r.fd)
	}
	return list
}

// Heard reports whether there is anything to drain.
func (e *Ears) Heard() bool {
	return slices.ContainsFunc(e.rings, func(r *ring) bool {
		meta := (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
		return atomic.LoadUint64(&meta.Data_head) != meta.Data_tail
	})
}

// Drain returns what was heard since the last time, in the order in which it happened.
// It is valid until the next call.
func (e *Ears) Drain() []Notice {
	e.heard, e.text = e.heard[:0], e.text[:0]
	for _, r := range e.rings {
		e.read(r)
	}
	for _, n := range e.heard {
		if n.Kind == unix.PERF_RECORD_LOST && len(n.Body) >= 16 {
			e.Lost += binary.NativeEndian.Uint64(n.Body[8:])
		}
	}
	slices.SortStableFunc(e.heard, func(a, b Notice) int { return cmp.Compare(a.Time, b.Time) })
	return e.heard
}

// read takes the records of a ring, whose layout include/uapi/linux/perf_event.h gives.
func (e *Ears) read(r *ring) {
	meta := (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
	head, tail := atomic.LoadUint64(&meta.Data_head), meta.Data_tail
	size := uint64(len(r.data))
	for head-tail >= 8 && head-tail <= size {
		at := tail % size
		length := uint64(binary.NativeEndian.Uint16(r.data[at+6:]))
		if length < 8 || length > head-tail {
			break
		}
		from := len(e.text) // what was put there before stays where it is, also if text moves
		e.text = append(e.text, r.data[at:min(at+length, size)]...)
		e.text = append(e.text, r.data[:length-min(length, size-at)]...)
		rec := e.text[from:]
		tail += length
		const trailer = 8 // the time
		if length < 8+trailer {
			continue
		}
		e.heard = append(e.heard, Notice{
			Kind: binary.NativeEndian.Uint32(rec), Misc: uint32(binary.NativeEndian.Uint16(rec[4:])),
			Time: binary.NativeEndian.Uint64(rec[length-trailer:]), Body: rec[8 : length-trailer],
		})
	}
	atomic.StoreUint64(&meta.Data_tail, head)
}
