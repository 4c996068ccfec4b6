package attach

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"dscope.dev/probes"
)

// Functions of the kernel are named to it by their addresses, because several
// may bear one name.

// ErrFunction is what Functions and FunctionsMulti note of a function in which the
// kernel lets nothing be probed.
var ErrFunction = errors.New("the kernel cannot probe it")

// Trampoline runs prog, which is bound to the function already, by a trampoline.
func Trampoline(h probes.Hook, prog *ebpf.Program) (io.Closer, error) {
	how := ebpf.AttachTraceFEntry
	if h.Return {
		how = ebpf.AttachTraceFExit
	}
	c, err := link.AttachTracing(link.TracingOptions{Program: prog, AttachType: how})
	if err != nil {
		return nil, &Error{h, err}
	}
	return c, nil
}

// Functions runs prog at each place from a kprobe of its own. What cannot be had
// is noted in missing.
func Functions(places []Place, prog *ebpf.Program, missing map[probes.Hook]error) (Group, error) {
	from, err := readSource("kprobe", "this kernel has none, or perf has none of it (CONFIG_KPROBE_EVENTS)")
	if err != nil {
		return nil, &Error{places[0].Hook, err}
	}
	var all together
	for _, p := range places {
		before, refused := len(all), error(nil)
		for _, addr := range p.Addrs {
			links, err := openFunction(from, p.Hook, addr, p.Cookie, prog)
			if isPlace(err) || refusesFunction(err) {
				refused = err
				continue
			}
			if err != nil {
				return Group{all}, &Error{p.Hook, err}
			}
			all = append(all, links)
		}
		if refused != nil && len(all) == before { // of several by one name, one is enough
			missing[p.Hook] = &Error{p.Hook, fmt.Errorf("%w (%v)", ErrFunction, refused)}
		}
		noteGone(p, missing)
	}
	runtime.KeepAlive(prog)
	if len(all) == 0 {
		return nil, nil
	}
	return Group{all}, nil
}

// together is a group that is closed side by side even if it is small: the kernel waits
// for a grace period with each, and the same one serves all that wait.
type together Group

// Close closes all members and returns what went wrong with any of them.
func (t together) Close() error { return Group(t).closeAtOnce() }

// noteGone notes a function that is not there any more.
func noteGone(p Place, missing map[probes.Hook]error) {
	if len(p.Addrs) == 0 {
		missing[p.Hook] = &Error{p.Hook, fmt.Errorf("it is gone, and its module with it: %w", unix.ENOENT)}
	}
}

// refusesFunction reports whether err is what the kernel says of a function that
// it does not let us probe; others may still be had.
func refusesFunction(err error) bool {
	for _, e := range []error{unix.EADDRNOTAVAIL, unix.EOPNOTSUPP, unix.EILSEQ, unix.EBUSY, unix.E2BIG} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openFunction opens an event at an address and binds prog to it.
func openFunction(p source, h probes.Hook, addr, cookie uint64, prog *ebpf.Program) (Group, error) {
	attr := unix.PerfEventAttr{Type: p.kind, Ext2: addr}
	var pin runtime.Pinner // the kernel is given the address of the name as a number
	defer pin.Unpin()
	if addr == 0 {
		name, err := unix.BytePtrFromString(h.Target)
		if err != nil {
			return nil, err
		}
		pin.Pin(name)
		attr.Ext1, attr.Ext2 = uint64(uintptr(unsafe.Pointer(name))), h.Offset
	}
	if h.Return {
		attr.Config |= 1 << p.bit
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	const everywhere, cpu = -1, 0 // whatever runs, on every CPU: the event's own has no meaning
	return bound(&attr, everywhere, cpu, prog, cookie)
}

// FunctionsMulti runs prog at all places by one link for each module, so that one
// that is going away spoils no other, and one for what is doubtful.
func FunctionsMulti(places []Place, prog *ebpf.Program, missing map[probes.Hook]error) (Group, error) {
	type part struct {
		module   string
		doubtful bool
	}
	var order []part
	parts := map[part][]spot{}
	for rest := places; len(rest) > 0; {
		of := part{rest[0].Hook.Module, rest[0].Doubtful}
		n := 1 // of those in a row that belong together, which are often thousands
		for n < len(rest) && rest[n].Hook.Module == of.module && rest[n].Doubtful == of.doubtful {
			n++
		}
		spots, known := parts[of]
		if !known {
			order = append(order, of)
		}
		spots = slices.Grow(spots, n)
		for i := range rest[:n] {
			for _, addr := range rest[i].Addrs {
				spots = append(spots, spot{&rest[i], addr})
			}
			noteGone(rest[i], missing)
		}
		parts[of], rest = spots, rest[n:]
	}
	var g Group
	for _, of := range order {
		links, err := openSpots(parts[of], prog, missing)
		g = append(g, links...)
		if err != nil {
			return g, err
		}
	}
	runtime.KeepAlive(prog)
	return g, nil
}

// A spot is one address of a place.
type spot struct {
	of   *Place
	addr uint64
}

// openSpots makes one link to all spots. One that the kernel refuses spoils the
// link; it is found by halves.
func openSpots(spots []spot, prog *ebpf.Program, missing map[probes.Hook]error) (Group, error) {
	if len(spots) == 0 {
		return nil, nil
	}
	fd, err := linkSpots(spots, prog)
	switch h := spots[0].of.Hook; {
	case err == nil:
		return Group{file(fd)}, nil
	case !isPlace(err) && !refusesFunction(err):
		return nil, &Error{h, err}
	case len(spots) == 1:
		missing[h] = &Error{h, fmt.Errorf("%w (%v)", ErrFunction, err)}
		return nil, nil
	}
	half := len(spots) / 2
	a, err := openSpots(spots[:half], prog, missing)
	if err != nil {
		return a, err
	}
	b, err := openSpots(spots[half:], prog, missing)
	return append(a, b...), err
}

// kprobeMultiAttr is the part of union bpf_attr that BPF_LINK_CREATE reads, from
// include/uapi/linux/bpf.h.
type kprobeMultiAttr struct {
	progFd, targetFd, attachType, flags uint32
	multiFlags, count                   uint32
	symbols, addrs, cookies             uint64
}

// linkSpots makes one link to all spots.
func linkSpots(spots []spot, prog *ebpf.Program) (int, error) {
	addrs, cookies := make([]uint64, len(spots)), make([]uint64, len(spots))
	for i, s := range spots {
		addrs[i], cookies[i] = s.addr, s.of.Cookie
	}
	var pin runtime.Pinner // the kernel is given addresses as numbers
	defer pin.Unpin()
	pin.Pin(&addrs[0])
	pin.Pin(&cookies[0])
	attr := kprobeMultiAttr{
		progFd: uint32(prog.FD()), attachType: uint32(ebpf.AttachTraceKprobeMulti), count: uint32(len(spots)),
		addrs:   uint64(uintptr(unsafe.Pointer(&addrs[0]))),
		cookies: uint64(uintptr(unsafe.Pointer(&cookies[0]))),
	}
	if len(spots) == 1 && addrs[0] == 0 {
		name, err := unix.BytePtrFromString(spots[0].of.Hook.Target)
		if err != nil {
			return 0, err
		}
		names := []uint64{uint64(uintptr(unsafe.Pointer(name)))}
		pin.Pin(name)
		pin.Pin(&names[0])
		attr.addrs, attr.symbols = 0, uint64(uintptr(unsafe.Pointer(&names[0])))
	}
	if spots[0].of.Hook.Return {
		attr.multiFlags = unix.BPF_F_KPROBE_MULTI_RETURN
	}
	return linkCreate(unsafe.Pointer(&attr), unsafe.Sizeof(attr))
}
