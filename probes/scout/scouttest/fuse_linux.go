// Package scouttest has a file system that stops to answer when it is told to.
package scouttest

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// What the kernel asks a file system of FUSE: opcodes of its include/uapi/linux/fuse.h.
const (
	Lookup  = 1
	forget  = 2
	GetAttr = 3
	Open    = 14
	Read    = 15
	statfs  = 17
	release = 18
	Flush   = 25
	begin   = 26 // FUSE_INIT
	openDir = 27
	endDir  = 29 // FUSE_RELEASEDIR
	many    = 42 // FUSE_BATCH_FORGET
)

// An FS is a file system of one file, which is called prog.
type FS struct {
	Dir string // where it is mounted

	fd      int
	content []byte
	silent  atomic.Uint32 // the opcode that is not answered any more
	end     sync.Once
	ended   chan struct{}
}

// Mount mounts one over a folder. It takes root and FUSE.
func Mount(dir string, content []byte) (*FS, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/fuse: %w", err)
	}
	how := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", fd, os.Getuid(), os.Getgid())
	if err := unix.Mount("test", dir, "fuse", unix.MS_NOSUID, how); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("mount: %w", err)
	}
	f := &FS{Dir: dir, fd: fd, content: content, ended: make(chan struct{})}
	go f.serve()
	return f, nil
}

// Silence has questions of a kind answered no more.
func (f *FS) Silence(opcode uint32) { f.silent.Store(opcode) }

// Close takes the file system away. Who waits for it is told that it is gone.
func (f *FS) Close() {
	f.end.Do(func() {
		unix.Unmount(f.Dir, unix.MNT_FORCE)
		unix.Unmount(f.Dir, unix.MNT_DETACH)
		<-f.ended
	})
}

// serve answers until the file system is not mounted any more.
func (f *FS) serve() {
	defer close(f.ended)
	defer unix.Close(f.fd)
	const inHead = 40
	b := make([]byte, 1<<17)
	for {
		n, err := unix.Read(f.fd, b)
		if err == unix.EINTR || err == unix.ENOENT {
			continue // ENOENT: who asked has gone
		}
		if err != nil || n < inHead {
			return
		}
		o := binary.NativeEndian
		op, unique, node := o.Uint32(b[4:]), o.Uint64(b[8:]), o.Uint64(b[16:])
		if op == f.silent.Load() && (op != GetAttr || node != 1) {
			continue
		}
		answer, errno, ok := f.answer(op, node, b[inHead:n])
		if !ok {
			continue
		}
		out := o.AppendUint32(nil, uint32(16+len(answer)))
		out = o.AppendUint64(o.AppendUint32(out, uint32(-int32(errno))), unique)
		unix.Write(f.fd, append(out, answer...)) // who asked may have gone
	}
}

// answer answers one question.
func (f *FS) answer(op uint32, node uint64, q []byte) (a []byte, errno unix.Errno, ok bool) {
	o := binary.NativeEndian
	switch op {
	case forget, many:
		return nil, 0, false // nobody waits
	case begin:
		a = make([]byte, 64)
		for at, v := range map[int]uint32{0: 7, 4: 31, 8: 1 << 16, 20: 1 << 16} { // version, read ahead, bytes of a write
			o.PutUint32(a[at:], v)
		}
		return a, 0, true
	case Lookup:
		if string(q) != "prog\x00" {
			return nil, unix.ENOENT, true
		}
		a = make([]byte, 40) // which may be kept for no time
		o.PutUint64(a, 2)
		return append(a, f.attr(2)...), 0, true
	case GetAttr:
		return append(make([]byte, 16), f.attr(node)...), 0, true
	case Open, openDir:
		return append(o.AppendUint64(nil, 1), make([]byte, 8)...), 0, true
	case Read:
		from := min(o.Uint64(q[8:]), uint64(len(f.content)))
		to := min(from+uint64(o.Uint32(q[16:])), uint64(len(f.content)))
		return f.content[from:to], 0, true
	case statfs:
		return make([]byte, 80), 0, true
	case Flush, release, endDir:
		return nil, 0, true
	}
	return nil, unix.ENOSYS, true
}

// attr returns what is told of the folder, 1, and of the file.
func (f *FS) attr(node uint64) []byte {
	o := binary.NativeEndian
	a := make([]byte, 88)
	size, mode := uint64(0), uint32(unix.S_IFDIR|0o755)
	if node != 1 {
		size, mode = uint64(len(f.content)), unix.S_IFREG|0o755
	}
	o.PutUint64(a, node)
	o.PutUint64(a[8:], size)
	o.PutUint64(a[16:], (size+511)/512)
	o.PutUint32(a[60:], mode)
	o.PutUint32(a[64:], 1) // links
	o.PutUint32(a[80:], 4096)
	return a
}
