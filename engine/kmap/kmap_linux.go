package kmap

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// A Table is a per-CPU hash or array whose cells are 64-bit words.
type Table struct {
	m        *ebpf.Map
	keySize  int
	words    int // of one cell
	cpus     int // possible CPUs
	keys     []byte
	vals     []uint64
	taken    []uint64  // what TakeAt returned last
	cursors  [2]uint64 // opaque positions of the kernel: a 32-bit bucket
	capacity int       // entries that the buffers hold
	index    uint32    // of the element that is read
}

// New returns a reader of m, whose values are words 64-bit words on each of
// cpus possible CPUs.
func New(m *ebpf.Map, words, cpus int) *Table {
	return &Table{m: m, keySize: int(m.KeySize()), words: words, cpus: cpus}
}

// batchAttr is the part of union bpf_attr that the batch commands use, from
// include/uapi/linux/bpf.h.
type batchAttr struct {
	inBatch   uint64
	outBatch  uint64
	keys      uint64
	values    uint64
	count     uint32
	fd        uint32
	elemFlags uint64
	flags     uint64
}

// The buffers begin with room for so many entries and no more than so many
// bytes: a cell may have 32 KiB for each of hundreds of CPUs.
const (
	mostEntries = 256
	mostBytes   = 4 << 20
)

// Peek hands every entry to f, and leaves it where it is: the encoded key, and the cells of
// all CPUs, one after another. Both are valid only during the call. What is put there meanwhile
// it may hand on or not.
func (t *Table) Peek(f func(key []byte, cells []uint64)) error {
	if t.capacity == 0 {
		t.grow(min(int(t.m.MaxEntries()), mostEntries, max(mostBytes/(8*t.words*t.cpus), 1)))
	}
	for first := true; ; first = false {
		n, last, err := t.batch(first)
		if errors.Is(err, unix.ENOSPC) { // one bucket holds more than the buffers
			t.grow(t.capacity * 2)
			continue
		}
		if err != nil {
			return fmt.Errorf("read map %s: %w", t.m, err)
		}
		t.each(n, f)
		if last {
			return nil
		}
	}
}

// batch reads some entries and reports whether they were the last.
func (t *Table) batch(first bool) (n int, last bool, err error) {
	attr := batchAttr{
		outBatch: addr(&t.cursors[1]),
		keys:     addr(&t.keys[0]),
		values:   addr(&t.vals[0]),
		count:    uint32(t.capacity),
		fd:       uint32(t.m.FD()),
	}
	if !first {
		t.cursors[0] = t.cursors[1]
		attr.inBatch = addr(&t.cursors[0])
	}
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_LOOKUP_BATCH,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(t)
	switch errno {
	case 0:
		return int(attr.count), false, nil
	case unix.ENOENT:
		return int(attr.count), true, nil
	}
	return 0, false, errno
}

func (t *Table) each(n int, f func(key []byte, cells []uint64)) {
	w := t.words * t.cpus
	for i := range n {
		f(t.keys[i*t.keySize:(i+1)*t.keySize], t.vals[i*w:(i+1)*w])
	}
}

func (t *Table) grow(capacity int) {
	t.capacity = capacity
	t.keys = make([]byte, capacity*t.keySize)
	t.vals = make([]uint64, capacity*t.words*t.cpus)
}

// elemAttr is the part of union bpf_attr that the commands on one element use.
type elemAttr struct {
	fd    uint32
	_     uint32
	key   uint64
	value uint64
	flags uint64
}

// quick has the kernel do what takes it some microseconds and never waits. Go need not be told of
// that: whoever looks often into maps that are empty would have it look as often whether the call
// lasts, which takes longer than the call.
func quick(command uintptr, attr *elemAttr) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_BPF, command, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
	return errno
}

// At reads the cells of all CPUs at index i of an array. The result is valid
// until the next call.
func (t *Table) At(i uint32) ([]uint64, error) {
	if t.vals == nil {
		t.vals = make([]uint64, t.words*t.cpus)
	}
	if err := t.element(unix.BPF_MAP_LOOKUP_ELEM, i); err != nil {
		return nil, err
	}
	return t.vals, nil
}

// TakeAt reads the cells at index i as At does and sets them to zero.
func (t *Table) TakeAt(i uint32) ([]uint64, error) {
	vals, err := t.At(i)
	if err != nil {
		return nil, err
	}
	t.taken = append(t.taken[:0], vals...)
	clear(t.vals)
	return t.taken, t.element(unix.BPF_MAP_UPDATE_ELEM, i)
}

func (t *Table) element(cmd uintptr, i uint32) error {
	t.index = i
	attr := elemAttr{fd: uint32(t.m.FD()), key: addr(&t.index), value: addr(&t.vals[0])}
	errno := quick(cmd, &attr)
	runtime.KeepAlive(t)
	if errno != 0 {
		return fmt.Errorf("read map %s: %w", t.m, errno)
	}
	return nil
}

// addr is an address as union bpf_attr holds it. What it points to is kept
// alive by the caller.
func addr[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }
