package space

import (
	"bytes"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Since Linux 6.11 an open /proc/PID/maps also answers questions, by an ioctl, and so
// can tell of executable memory alone without writing of all the rest: struct
// procmap_query of include/uapi/linux/fs.h.
type procmapQuery struct {
	size, flags, addr     uint64
	start, end, permitted uint64
	pageSize, offset      uint64
	inode                 uint64
	major, minor          uint32
	nameSize, buildSize   uint32
	name                  unsafe.Pointer
	build                 uint64
}

const (
	procmapExecutable = 0x04
	procmapOrNext     = 0x10
	procmapFile       = 0x20
)

// procmapQueryCall is PROCMAP_QUERY: _IOWR('f', 17, struct procmap_query).
const procmapQueryCall = 3<<30 | uintptr(unsafe.Sizeof(procmapQuery{}))<<16 | 'f'<<8 | 17

// query returns the pieces of files that a process can execute, ascending. It is not
// ok where the kernel cannot be asked, or not to the end.
func (l *lines) query() (list []Mapping, ok bool) {
	q := procmapQuery{flags: procmapExecutable | procmapOrNext | procmapFile}
	for n := 0; n < maxPieces; n++ {
		q.size, q.name, q.nameSize = uint64(unsafe.Sizeof(q)), unsafe.Pointer(&l.buf), uint32(len(l.buf)/2) // a page
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), procmapQueryCall, uintptr(unsafe.Pointer(&q)))
		runtime.KeepAlive(l)
		switch errno {
		case 0:
		case unix.ENOENT, unix.ESRCH: // there is nothing behind addr, or no address space: threads of the kernel
			return list, true
		case unix.EINTR:
			continue
		default:
			return nil, false
		}
		name, _, _ := bytes.Cut(l.buf[:min(int(q.nameSize), len(l.buf))], []byte{0})
		path, deleted := strings.CutSuffix(string(name), " (deleted)")
		list = append(list, Mapping{Start: q.start, End: q.end, Offset: q.offset, File: FileID{q.major, q.minor, q.inode},
			Exec: true, Deleted: deleted, Path: path})
		q.addr = q.end
	}
	return nil, false
}
