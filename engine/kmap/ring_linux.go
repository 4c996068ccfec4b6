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
	ringAlign   = 8

	RecordHeader = 8 // bytes before each record: BPF_RINGBUF_HDR_SZ
)

// mostUnfreed is after how many bytes of records the programs get their room back, in a large
// buffer: each time takes the page from their CPU.
const mostUnfreed = 16 << 10

// In a flood, the reader waits for the cache of the CPU that wrote the record. Where records are
// short, CPUs read ahead by themselves; of longer ones, the first two lines, where most strings
// end, are loaded some records before they are read, as if all records were as long. Go has
// nothing else by which one could ask for a line.
const (
	cacheLine = 64
	nearer    = 5 // records from the one that is read
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
	freed      uint64 // the position that the programs know of
	most       uint64 // bytes that are read before they know of it
	mark       uint64 // where the programs were when somebody asked for it
	near       byte   // made of what was loaded ahead, or there would be no load
	seen       uint64 // that of the programs when it was looked at last: each look takes the page from their CPU
}

// OpenRing returns a reader of m.
func OpenRing(m *ebpf.Map) (*Ring, error) {
	page := os.Getpagesize()
	r := &Ring{fd: m.FD(), size: int(m.MaxEntries())}
	r.most = min(mostUnfreed, uint64(r.size)/8)
	var err error
	if r.cons, err = unix.Mmap(r.fd, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("map the reader's page of %s into memory: %w", m, err)
	}
	if r.prod, err = unix.Mmap(r.fd, int64(page), page, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		unix.Munmap(r.cons)
		return nil, fmt.Errorf("map the programs' page of %s into memory: %w", m, err)
	}
	r.at = atomic.LoadUint64(position(r.cons))
	r.freed, r.mark, r.seen = r.at, r.at, r.at
	return r, nil
}

func position(page []byte) *uint64 { return (*uint64)(unsafe.Pointer(&page[0])) }

// Size returns how many bytes the buffer has.
func (r *Ring) Size() int { return r.size }

// Waiting returns how many bytes the records take that were not read.
func (r *Ring) Waiting() int { return int(atomic.LoadUint64(position(r.prod)) - r.at) }

// Mark remembers which records there are now.
func (r *Ring) Mark() { r.mark = atomic.LoadUint64(position(r.prod)) }

// Left returns how many bytes of the records that there were at Mark are still to be read:
// less than 0 if later ones have been.
func (r *Ring) Left() int { return int(r.mark - r.at) }

// Next returns the next record where it lies, if there is one: it is good until Next or Free
// is called. For a record that is being written it waits, as a program writes it without a
// pause.
func (r *Ring) Next() (rec []byte, ok bool, err error) {
	if r.at-r.freed > r.most {
		r.Free()
	}
	for {
		if r.at == r.seen {
			if r.seen = atomic.LoadUint64(position(r.prod)); r.at == r.seen {
				r.Free()
				return nil, false, nil
			}
			if err := r.reach(); err != nil {
				return nil, false, err
			}
		}
		// A record begins within the buffer and is no longer, and the data is mapped twice.
		waiting, mask := r.seen-r.at, uint64(r.size-1)
		base, start := unsafe.Pointer(unsafe.SliceData(r.data)), r.at&mask
		head := atomic.LoadUint32((*uint32)(unsafe.Add(base, start)))
		if head&ringBusy != 0 {
			runtime.Gosched()
			continue
		}
		length := uint64(head &^ ringDiscard)
		end := RecordHeader + (length+ringAlign-1)&^(ringAlign-1)
		if end > waiting || end > uint64(r.size) {
			return nil, false, fmt.Errorf("a record of %d bytes is said to lie in %d", length, waiting)
		}
		r.at += end
		if head&ringDiscard == 0 {
			if end > cacheLine {
				next := unsafe.Add(base, (start+nearer*end)&mask)
				r.near ^= *(*byte)(next) ^ *(*byte)(unsafe.Add(next, cacheLine))
			}
			return unsafe.Slice((*byte)(unsafe.Add(base, start+RecordHeader)), length), true, nil
		}
	}
}

// Free gives the programs the room of the records that were read.
func (r *Ring) Free() {
	if r.freed != r.at {
		r.freed = r.at
		atomic.StoreUint64(position(r.cons), r.at)
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
