package kmap

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Words is the memory of an array of 64-bit words, which engine and programs see at the same
// time. It must be closed; what was got from it must not be used after that.
type Words struct {
	mem   []byte
	value int // words of an element
}

// ShareWords maps the memory of m, which must have been made mappable.
func ShareWords(m *ebpf.Map) (*Words, error) {
	value := (int(m.ValueSize()) + 7) / 8
	page := os.Getpagesize()
	size := (8*value*int(m.MaxEntries()) + page - 1) / page * page
	mem, err := mapInto(m, size)
	if err != nil {
		return nil, err
	}
	return &Words{mem, value}, nil
}

// At returns the element with index i.
func (w *Words) At(i int) []uint64 {
	all := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(w.mem))), len(w.mem)/8)
	return all[i*w.value:][:w.value:w.value]
}

// Close ends the mapping.
func (w *Words) Close() error {
	if w == nil {
		return nil
	}
	return unmap(&w.mem)
}

// Delete takes keys, which lie one behind another, out of a hash. Those that are not there are
// passed over.
func Delete(m *ebpf.Map, keys []uint64) error {
	size := int(m.KeySize()) / 8
	for len(keys) > 0 {
		attr := batchAttr{keys: addr(&keys[0]), count: uint32(len(keys) / size), fd: uint32(m.FD())}
		_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_MAP_DELETE_BATCH, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
		runtime.KeepAlive(m)
		switch errno {
		case 0:
			return nil
		case unix.ENOENT:
			keys = keys[(int(attr.count)+1)*size:]
		default:
			return fmt.Errorf("empty map %s: %w", m, errno)
		}
	}
	return nil
}
