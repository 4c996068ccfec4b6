package attach

import (
	"io"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"dscope.dev/probes"
)

// Tracepoint runs prog at a tracepoint. A program of type Tracing is bound to
// its tracepoint already; a raw tracepoint program may serve many, told apart
// by cookie if the kernel has cookies for them (6.10). A cookie of 0 is none.
func Tracepoint(h probes.Hook, prog *ebpf.Program, cookie uint64) (io.Closer, error) {
	var c io.Closer
	var err error
	switch {
	case prog.Type() == ebpf.Tracing:
		c, err = link.AttachTracing(link.TracingOptions{Program: prog, AttachType: ebpf.AttachTraceRawTp})
	case cookie == 0:
		c, err = link.AttachRawTracepoint(link.RawTracepointOptions{Name: h.Target, Program: prog})
	default:
		c, err = rawTracepoint(h.Target, prog, cookie)
	}
	if err != nil {
		return nil, &Error{h, err}
	}
	return c, nil
}

// rawTracepointAttr is the part of union bpf_attr that BPF_RAW_TRACEPOINT_OPEN
// reads, from include/uapi/linux/bpf.h.
type rawTracepointAttr struct {
	name   uint64
	progFd uint32
	_      uint32
	cookie uint64
}

// rawTracepoint does what link.AttachRawTracepoint does, with a cookie, which
// the library does not pass on.
func rawTracepoint(name string, prog *ebpf.Program, cookie uint64) (io.Closer, error) {
	cstr, err := unix.BytePtrFromString(name)
	if err != nil {
		return nil, err
	}
	attr := rawTracepointAttr{
		name:   uint64(uintptr(unsafe.Pointer(cstr))),
		progFd: uint32(prog.FD()),
		cookie: cookie,
	}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_RAW_TRACEPOINT_OPEN,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(cstr)
	runtime.KeepAlive(prog)
	if errno != 0 {
		return nil, errno
	}
	return file(fd), nil
}
