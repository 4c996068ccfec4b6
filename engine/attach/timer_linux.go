package attach

import (
	"errors"
	"io"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/probes"
)

// Timer runs prog whenever the clock of each of cpus looks, or that of the first of them
// that is there if the hook wants just one. CPUs that have been switched off since
// they were listed are left out.
func Timer(h probes.Hook, prog *ebpf.Program, cpus []int) (io.Closer, error) {
	return overflows(h, prog, cpus, unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Sample: h.Every / h.Looks(),
	})
}

// Counter runs prog on each of cpus when an event has happened so often there.
func Counter(h probes.Hook, prog *ebpf.Program, cpus []int) (io.Closer, error) {
	attr := unix.PerfEventAttr{Type: h.Type, Config: h.Config, Sample: h.Every}
	if h.Mode&probes.UserMode == 0 {
		attr.Bits |= unix.PerfBitExcludeUser
	}
	if h.Mode&probes.KernelMode == 0 {
		attr.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
	}
	return overflows(h, prog, cpus, attr)
}

// overflows opens an event on each of cpus, or on the first that is there if the
// hook wants just one.
func overflows(h probes.Hook, prog *ebpf.Program, cpus []int, attr unix.PerfEventAttr) (io.Closer, error) {
	attr.Bits |= unix.PerfBitDisabled
	attr.Size = uint32(unsafe.Sizeof(attr))
	var g Group
	var off error
	for _, cpu := range cpus {
		f, err := overflow(attr, prog, cpu)
		if errors.Is(err, unix.ENODEV) {
			off = err
			continue
		}
		if err != nil {
			g.Close()
			return nil, &Error{h, err}
		}
		g = append(g, f)
		if !h.PerCPU {
			break
		}
	}
	if len(g) == 0 {
		return nil, &Error{h, off}
	}
	runtime.KeepAlive(prog)
	return g, nil
}

// overflow opens an event that counts from now on, and binds prog to its
// overflow.
func overflow(attr unix.PerfEventAttr, prog *ebpf.Program, cpu int) (file, error) {
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0, err
	}
	f := file(fd)
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, prog.FD()); err != nil {
		f.Close()
		return 0, err
	}
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		f.Close()
		return 0, err
	}
	return f, nil
}
