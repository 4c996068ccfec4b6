package kmap

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// How the kernel lays out a ring buffer, from include/uapi/linux/bpf.h: a page with
// the position of the reader, a page with that of the programs, and the data twice,
// so that no record is torn where they begin anew. A record is its length with two
// flags, a word for the kernel, and what it holds.
const (
	ringBusy    = 1 << 31 // BPF_RINGBUF_BUSY_BIT
	ringDiscard = 1 << 30 // BPF_RINGBUF_DISCARD_BIT
	ringHeader  = 8       // BPF_RINGBUF_HDR_SZ
	ringAlign   = 8
)

// A Ring reads a ring buffer. Its data is mapped when there is some: each CPU has a
// buffer of megabytes, and most of them, of a script that waits for something rare,
// hold nothing until it ends. The library's reader maps all of it at once, and asks
// the kernel for news where the positions tell them.
type Ring struct {
	fd, size   int
	cons, prod []byte // a page each
	data       []byte // twice the buffer; nil before the first record
	at         uint64 // position of the reader, which nobody else moves
}

// OpenRing returns a reader of m.
func OpenRing(m *ebpf.Map) (*Ring, error) {
	page := os.Getpagesize()
	r := &Ring{fd: m.FD(), size: int(m.MaxEntries())}
	var err error
	if r.cons, err = unix.Mmap(r.fd, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("map the reader's page of %s into memory: %w", m, err)
	}
	if r.prod, err = unix.Mmap(r.fd, int64(page), page, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		unix.Munmap(r.cons)
		return nil, fmt.Errorf("map the programs' page of %s into memory: %w", m, err)
	}
	r.at = atomic.LoadUint64(position(r.cons))
	return r, nil
}

func position(page []byte) *uint64 { return (*uint64)(unsafe.Pointer(&page[0])) }

// Waiting returns how many bytes the records take that were not read.
func (r *Ring) Waiting() int { return int(atomic.LoadUint64(position(r.prod)) - r.at) }

// Next appends the next record to to, if there is one. For a record that is being
// written it waits, as a program writes it without a pause.
func (r *Ring) Next(to []byte) (rec []byte, ok bool, err error) {
	for {
		waiting := uint64(r.Waiting())
		if waiting == 0 {
			return to, false, nil
		}
		if err := r.reach(); err != nil {
			return to, false, err
		}
		start := r.at & uint64(r.size-1)
		head := atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.data[start])))
		if head&ringBusy != 0 {
			runtime.Gosched()
			continue
		}
		length := uint64(head &^ ringDiscard)
		end := ringHeader + (length+ringAlign-1)&^(ringAlign-1)
		if end > waiting || end > uint64(r.size) {
			return to, false, fmt.Errorf("a record of %d bytes is said to lie in %d", length, waiting)
		}
		ok = head&ringDiscard == 0
		if ok {
			to = append(to, r.data[start+ringHeader:][:length]...)
		}
		r.at += end
		atomic.StoreUint64(position(r.cons), r.at)
		if ok {
			return to, true, nil
		}
	}
}

// reach maps the data.
func (r *Ring) reach() (err error) {
	if r.data == nil {
		r.data, err = unix.Mmap(r.fd, int64(2*os.Getpagesize()), 2*r.size, unix.PROT_READ, unix.MAP_SHARED)
	}
	if err != nil {
		return fmt.Errorf("map a buffer of %d bytes into memory: %w", r.size, err)
	}
	return nil
}

// Close ends the mappings.
func (r *Ring) Close() error {
	var first error
	for _, mem := range []*[]byte{&r.cons, &r.prod, &r.data} {
		if *mem == nil {
			continue
		}
		if err := unix.Munmap(*mem); err != nil && first == nil {
			first = err
		}
		*mem = nil
	}
	return first
}
