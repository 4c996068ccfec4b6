package kmap

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// A Shared is the memory of an array of one entry, which engine and programs
// see at the same time; nil is that of a script that shares nothing, in which
// writing has no effect. The library's own mapping would hold the map until the
// garbage collector comes by; this one ends with Close.
type Shared struct{ mem []byte }

// Share maps the memory of m, which must have been made mappable.
func Share(m *ebpf.Map) (*Shared, error) {
	mem, err := mapInto(m, os.Getpagesize())
	if err != nil {
		return nil, err
	}
	return &Shared{mem}, nil
}

// mapInto maps the first size bytes of m into memory, for reading and writing.
func mapInto(m *ebpf.Map, size int) ([]byte, error) {
	mem, err := unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s into memory: %w", m, err)
	}
	return mem, nil
}

// unmap ends a mapping, unless it has ended.
func unmap(mem *[]byte) error {
	if *mem == nil {
		return nil
	}
	was := *mem
	*mem = nil
	return unix.Munmap(was)
}

// Load32 reads a word at the offset off, a multiple of 4, in one piece; 0 if nothing
// is shared.
func (s *Shared) Load32(off int) uint32 {
	if s == nil {
		return 0
	}
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&s.mem[off])))
}

// Store32 writes a word at the offset off, a multiple of 4, in one piece.
func (s *Shared) Store32(off int, v uint32) {
	if s == nil {
		return
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&s.mem[off])), v)
}

// Swap32 writes v at the offset off, a multiple of 4, if was stands there.
func (s *Shared) Swap32(off int, was, v uint32) {
	if s != nil {
		atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(&s.mem[off])), was, v)
	}
}

// Store64 writes a word at the offset off, a multiple of 8, in one piece.
func (s *Shared) Store64(off int, v uint64) {
	if s == nil {
		return
	}
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&s.mem[off])), v)
}

// Close ends the mapping.
func (s *Shared) Close() error {
	if s == nil {
		return nil
	}
	return unmap(&s.mem)
}
