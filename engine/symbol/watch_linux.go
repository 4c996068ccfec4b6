package symbol

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/space"
)

// A Watch hears from the kernel what code processes map while it is open, so that
// addresses of a process can be named that was gone before anybody could look. It
// costs the traced nothing but at fork, exec and when code is mapped.
type Watch struct {
	rings []*ring
	lives map[uint32]*life
	heard []notice // of the drain under way
}

// A life is what was heard of a process.
type life struct {
	maps   []space.Mapping // code only, in the order in which it was mapped, also of what it executed before
	parent uint32          // of which it is a copy; 0 if that has told all it has
	gone   bool
}

// maxCode is how many pieces of code of a process are remembered.
const maxCode = 1 << 12

// maxLives is how many processes are remembered.
const maxLives = 1 << 14

// ringPages is how much each CPU may have to tell between two drains: some hundred
// executions.
const ringPages = 32

// A ring is what one CPU has to tell.
type ring struct {
	fd   int
	mem  []byte
	data []byte
}

// NewWatch begins to listen on some CPUs.
func NewWatch(cpus []int) (*Watch, error) {
	w := &Watch{lives: make(map[uint32]*life)}
	for _, cpu := range cpus {
		r, err := openRing(cpu)
		if err != nil {
			w.Close()
			return nil, fmt.Errorf("hear of the code that processes map: %w", err)
		}
		w.rings = append(w.rings, r)
	}
	return w, nil
}

func openRing(cpu int) (*ring, error) {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY,
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Sample_type: unix.PERF_SAMPLE_TIME,
		Bits: unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask |
			unix.PerfBitSampleIDAll | unix.PerfBitExcludeKernel | unix.PerfBitWatermark,
		Wakeup: 1 << 30, // nobody waits
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	page := unix.Getpagesize()
	mem, err := unix.Mmap(fd, 0, (1+ringPages)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &ring{fd: fd, mem: mem, data: mem[page:]}, nil
}

// Close stops listening. What was heard stays known.
func (w *Watch) Close() error {
	if w == nil {
		return nil
	}
	var errs []error
	for _, r := range w.rings {
		errs = append(errs, unix.Munmap(r.mem), unix.Close(r.fd))
	}
	w.rings = nil
	return errors.Join(errs...)
}

// A notice is one thing that was heard.
type notice struct {
	kind, misc uint32
	time       uint64
	body       []byte
}

// Drain takes what was heard since the last time. The CPUs' tales are put into the
// order in which they happened.
func (w *Watch) Drain() {
	if w == nil {
		return
	}
	w.heard = w.heard[:0]
	for _, r := range w.rings {
		w.heard = r.read(w.heard)
	}
	slices.SortStableFunc(w.heard, func(a, b notice) int { return cmp.Compare(a.time, b.time) })
	for _, n := range w.heard {
		w.take(n)
	}
}

// read takes the records of a ring, whose layout include/uapi/linux/perf_event.h gives.
func (r *ring) read(list []notice) []notice {
	meta := (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
	head, tail := atomic.LoadUint64(&meta.Data_head), meta.Data_tail
	size := uint64(len(r.data))
	for head-tail >= 8 && head-tail <= size {
		at := tail % size
		length := uint64(binary.NativeEndian.Uint16(r.data[at+6:]))
		if length < 8 || length > head-tail {
			break
		}
		rec := make([]byte, length)
		n := copy(rec, r.data[at:])
		copy(rec[n:], r.data)
		tail += length
		const trailer = 8 // the time
		if length < 8+trailer {
			continue
		}
		list = append(list, notice{
			kind: binary.NativeEndian.Uint32(rec), misc: uint32(binary.NativeEndian.Uint16(rec[4:])),
			time: binary.NativeEndian.Uint64(rec[length-trailer:]), body: rec[8 : length-trailer],
		})
	}
	atomic.StoreUint64(&meta.Data_tail, head)
	return list
}

// commExec is PERF_RECORD_MISC_COMM_EXEC: the name has changed because a program was
// executed.
const commExec = 1 << 13

// take learns from one notice.
func (w *Watch) take(n notice) {
	if len(n.body) < 8 {
		return
	}
	pid := binary.NativeEndian.Uint32(n.body)
	switch n.kind {
	case unix.PERF_RECORD_FORK:
		if parent := binary.NativeEndian.Uint32(n.body[4:]); parent != pid {
			w.born(pid, parent)
		}
	case unix.PERF_RECORD_COMM:
		if n.misc&commExec != 0 && w.lives[pid] == nil {
			w.set(pid, &life{})
		}
	case unix.PERF_RECORD_MMAP2:
		if m, ok := parseMmap(n.body); ok {
			l := w.lives[pid]
			if l == nil {
				return // it was there before: what it has can be read
			}
			if len(l.maps) >= maxCode {
				l.maps = l.maps[maxCode/2:]
			}
			l.maps = append(l.maps, m)
		}
	case unix.PERF_RECORD_EXIT:
		if l := w.lives[pid]; l != nil {
			l.gone = true
		}
	}
}

// born notes a process that has forked from another.
func (w *Watch) born(pid, parent uint32) {
	l := &life{parent: parent}
	if p := w.lives[parent]; p != nil {
		l.maps, l.parent = slices.Clone(p.maps), p.parent
	}
	w.set(pid, l)
}

// set notes a process. When there are too many, those that have gone are forgotten.
func (w *Watch) set(pid uint32, l *life) {
	if len(w.lives) >= maxLives {
		for p, old := range w.lives {
			if old.gone {
				delete(w.lives, p)
			}
		}
		if len(w.lives) >= maxLives {
			clear(w.lives)
		}
	}
	w.lives[pid] = l
}

// parseMmap reads a piece of code that was mapped:
//
//	pid, tid uint32 | addr, len, pgoff uint64 | maj, min uint32 | ino, generation uint64 | prot, flags uint32 | name
func parseMmap(b []byte) (m space.Mapping, ok bool) {
	const fixed = 64
	if len(b) < fixed {
		return m, false
	}
	o := binary.NativeEndian
	name, _, _ := strings.Cut(string(b[fixed:]), "\x00")
	m = space.Mapping{
		Start: o.Uint64(b[8:]), Offset: o.Uint64(b[24:]),
		File: space.FileID{Major: o.Uint32(b[32:]), Minor: o.Uint32(b[36:]), Inode: o.Uint64(b[40:])},
		Exec: o.Uint32(b[56:])&unix.PROT_EXEC != 0,
	}
	m.End = m.Start + o.Uint64(b[16:])
	if m.Path, m.Deleted = strings.CutSuffix(name, " (deleted)"); strings.HasPrefix(name, "//anon") {
		m.Path = ""
	}
	return m, m.Exec && m.End > m.Start
}

// known returns the code of a process as it was heard of, ascending, and of which
// other one it has more. Of two pieces at one place the later counts.
func (w *Watch) known(pid uint32) (maps []space.Mapping, parent uint32) {
	if w == nil {
		return nil, 0
	}
	w.Drain()
	l := w.lives[pid]
	if l == nil {
		return nil, 0
	}
	later := slices.Clone(l.maps)
	slices.Reverse(later)
	return merge(nil, later), l.parent
}
