package attach

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/probes"
	"dscope.dev/probes/code"
	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// Processes are not stopped: the kernel writes a breakpoint into the pages of
// those that map the file now, and of those that come to map it. It counts who
// wants it there, and takes it away with the last link.

// ErrPlace is what User and UserMulti note of a place at which the kernel lets
// nothing be probed: it holds an instruction that cannot be executed elsewhere, or
// none.
var ErrPlace = errors.New("the kernel cannot probe the instruction there")

// ErrHarm is what is noted of a place at which the kernel would let a probe be put
// and then derail the process.
var ErrHarm = errors.New("the kernel takes the vector instruction there for a jump, and the process would be derailed")

// texts reads the instructions at hooks, keeping the file of the last one open.
type texts struct {
	open Files
	name string
	file *os.File
}

// at returns the bytes at a hook, as far as they can be read.
func (t *texts) at(h probes.Hook) []byte {
	if t.file == nil || t.name != h.File {
		t.close()
		t.name = h.File
		if f, err := scout.Open("", t.open.path(h.File), scout.Device{}); err == nil {
			t.file = f.File
		}
	}
	const longest = 15 // bytes of an instruction
	var text [longest]byte
	if t.file == nil {
		return nil
	}
	n, _ := t.file.ReadAt(text[:], int64(h.Offset))
	return text[:n]
}

func (t *texts) harmful(h probes.Hook) bool { return code.Harmful(runtime.GOARCH, t.at(h)) }

func (t *texts) close() {
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
}

// User runs prog at each hook from a perf event of its own, which every kernel
// has. Hooks that cannot be had are noted in missing. The cookie of each tells the
// program which has fired.
func (f Files) User(hooks []probes.Hook, cookies []uint64, prog *ebpf.Program, missing map[probes.Hook]error) (Group, error) {
	from, err := readSource("uprobe", "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)")
	if err != nil {
		return nil, &Error{hooks[0], err}
	}
	var g Group
	look := &texts{open: f}
	defer look.close()
	for i, h := range hooks {
		if look.harmful(h) {
			missing[h] = &Error{h, ErrHarm}
			continue
		}
		links, err := f.openUser(from, h, cookies[i], prog)
		if isPlace(err) {
			missing[h] = placeError(h, err)
			continue
		}
		if err != nil {
			return g, &Error{h, err}
		}
		g = append(g, links...)
	}
	runtime.KeepAlive(prog)
	return g, nil
}

// isPlace reports whether err is about the place alone: others may still be had.
func isPlace(err error) bool {
	for _, e := range []error{unix.EINVAL, unix.ENOTSUP, unix.EIO, unix.ENOENT, unix.ESRCH, unix.ENOEXEC, unix.Errno(enotsupp)} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// enotsupp is an error that the kernel does not mean to show to processes, and
// shows where an instruction cannot be probed.
const enotsupp = 524

// placeError words what the kernel says of one place.
func placeError(h probes.Hook, err error) error {
	switch {
	case errors.Is(err, unix.ESRCH):
		err = fmt.Errorf("the process has ended: %w", err)
	case errors.Is(err, unix.ENOENT):
		err = fmt.Errorf("the file is gone: %w", err)
	default:
		err = fmt.Errorf("%w (%v)", ErrPlace, err)
	}
	return &Error{h, err}
}

// openUser opens an event at h and binds prog to it.
func (f Files) openUser(p source, h probes.Hook, cookie uint64, prog *ebpf.Program) (Group, error) {
	path, err := unix.BytePtrFromString(f.path(h.File))
	if err != nil {
		return nil, err
	}
	var pin runtime.Pinner // the kernel is given the address as a number
	defer pin.Unpin()
	pin.Pin(path)
	attr := unix.PerfEventAttr{
		Type:   p.kind,
		Config: h.Semaphore << 32, // PERF_UPROBE_REF_CTR_OFFSET_SHIFT
		Ext1:   uint64(uintptr(unsafe.Pointer(path))),
		Ext2:   h.Offset,
	}
	if h.Return && !h.AtEnd {
		attr.Config |= 1 << p.bit
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	pid, cpu := -1, 0 // every process, wherever it runs: the event's own CPU has no meaning
	if h.PID != 0 {
		pid, cpu = h.PID, -1
	}
	return bound(&attr, pid, cpu, prog, cookie)
}

// perfLinkAttr and multiAttr are the parts of union bpf_attr that BPF_LINK_CREATE
// reads, from include/uapi/linux/bpf.h.
type perfLinkAttr struct {
	progFd, targetFd, attachType, flags uint32
	cookie                              uint64
}

type multiAttr struct {
	progFd, targetFd, attachType, flags uint32
	path, offsets, semaphores, cookies  uint64
	count, multiFlags, pid              uint32
	_                                   uint32
}

// perfLink binds prog to a perf event with a cookie (5.15) and enables it.
func perfLink(event int, prog *ebpf.Program, cookie uint64) (int, error) {
	attr := perfLinkAttr{progFd: uint32(prog.FD()), targetFd: uint32(event), attachType: uint32(ebpf.AttachPerfEvent), cookie: cookie}
	fd, err := linkCreate(unsafe.Pointer(&attr), unsafe.Sizeof(attr))
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlSetInt(event, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		file(fd).Close()
		return 0, err
	}
	return fd, nil
}

func linkCreate(attr unsafe.Pointer, size uintptr) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_LINK_CREATE, uintptr(attr), size)
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}

// UserMulti runs prog at all hooks by one link for each file and process.
func (f Files) UserMulti(hooks []probes.Hook, cookies []uint64, prog *ebpf.Program, missing map[probes.Hook]error) (Group, error) {
	type link struct {
		file     string
		pid      int
		isReturn bool
	}
	var order []link
	parts := map[link][]int{}
	look := &texts{open: f}
	defer look.close()
	for i, h := range hooks {
		if look.harmful(h) {
			missing[h] = &Error{h, ErrHarm}
			continue
		}
		l := link{h.File, h.PID, h.Return && !h.AtEnd}
		if parts[l] == nil {
			order = append(order, l)
		}
		parts[l] = append(parts[l], i)
	}
	var g Group
	m := multi{f, hooks, cookies, prog, missing}
	for _, l := range order {
		links, err := m.open(parts[l])
		g = append(g, links...)
		if err != nil {
			return g, err
		}
	}
	runtime.KeepAlive(prog)
	return g, nil
}

// A multi attaches one program to many places.
type multi struct {
	files   Files
	hooks   []probes.Hook
	cookies []uint64
	prog    *ebpf.Program
	missing map[probes.Hook]error
}

// open attaches the hooks with these indices, which are of one file. A place that
// the kernel refuses spoils the whole link. Then those that look as if it might are
// left out, and one of each sort is tried; if that does not help, the place is found
// by halves.
func (m *multi) open(which []int) (Group, error) {
	g, err := m.try(which)
	if err == nil || !isPlace(err) || len(which) == 1 || space.Gone(err) {
		return g, m.note(which, err)
	}
	sorts := m.doubts(which)
	plain := sorts[""]
	delete(sorts, "")
	if len(plain) > 0 {
		if g, err = m.halves(plain); err != nil {
			return g, err
		}
	}
	for _, sort := range slices.Sorted(maps.Keys(sorts)) {
		list := sorts[sort]
		first, err := m.try(list[:1])
		g = append(g, first...)
		if err != nil {
			if err = m.note(list, err); err != nil {
				return g, err
			}
			continue
		}
		if len(list) > 1 {
			rest, err := m.halves(list[1:])
			if g = append(g, rest...); err != nil {
				return g, err
			}
		}
	}
	return g, nil
}

// halves attaches hooks, and finds those that the kernel refuses by halves.
func (m *multi) halves(which []int) (Group, error) {
	g, err := m.try(which)
	if err == nil || !isPlace(err) || len(which) == 1 || space.Gone(err) {
		return g, m.note(which, err)
	}
	half := len(which) / 2
	a, err := m.halves(which[:half])
	if err != nil {
		return a, err
	}
	b, err := m.halves(which[half:])
	return append(a, b...), err
}

// try makes one link.
func (m *multi) try(which []int) (Group, error) {
	fd, err := m.link(which)
	if err != nil {
		return nil, err
	}
	return Group{file(fd)}, nil
}

// note makes hooks that the kernel refuses missing ones. Any other error it returns.
func (m *multi) note(which []int, err error) error {
	if err == nil {
		return nil
	}
	if !isPlace(err) {
		return &Error{m.hooks[which[0]], err}
	}
	for _, i := range which {
		m.missing[m.hooks[i]] = placeError(m.hooks[i], err)
	}
	return nil
}

// doubts sorts hooks by what may keep the kernel from probing their instructions.
func (m *multi) doubts(which []int) map[string][]int {
	sorts := map[string][]int{}
	look := &texts{open: m.files}
	defer look.close()
	for _, i := range which {
		sort := code.Doubt(runtime.GOARCH, look.at(m.hooks[i]))
		sorts[sort] = append(sorts[sort], i)
	}
	return sorts
}

// The flag of a link that fires at returns: BPF_F_UPROBE_MULTI_RETURN.
const multiReturn = 1

// link makes one link to several places of a file.
func (m *multi) link(which []int) (int, error) {
	first := m.hooks[which[0]]
	path, err := unix.BytePtrFromString(m.files.path(first.File))
	if err != nil {
		return 0, err
	}
	var offsets, semaphores, cookies []uint64
	counted := false
	for _, i := range which {
		h := m.hooks[i]
		offsets, semaphores, cookies = append(offsets, h.Offset), append(semaphores, h.Semaphore), append(cookies, m.cookies[i])
		counted = counted || h.Semaphore != 0
	}
	var pin runtime.Pinner // the kernel is given addresses as numbers
	defer pin.Unpin()
	pin.Pin(path)
	address := func(words []uint64) uint64 {
		pin.Pin(&words[0])
		return uint64(uintptr(unsafe.Pointer(&words[0])))
	}
	attr := multiAttr{
		progFd: uint32(m.prog.FD()), attachType: uint32(ebpf.AttachTraceUprobeMulti),
		path:    uint64(uintptr(unsafe.Pointer(path))),
		offsets: address(offsets), cookies: address(cookies),
		count: uint32(len(which)), pid: uint32(first.PID),
	}
	if counted {
		attr.semaphores = address(semaphores)
	}
	if first.Return && !first.AtEnd {
		attr.multiFlags = multiReturn
	}
	return linkCreate(unsafe.Pointer(&attr), unsafe.Sizeof(attr))
}
