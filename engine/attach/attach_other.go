//go:build !linux

package attach

import (
	"errors"
	"io"

	"github.com/cilium/ebpf"

	"dscope.dev/probes"
)

var errLinux = errors.New("tracing needs Linux")

// Tracepoint is refused: only Linux has tracepoints.
func Tracepoint(h probes.Hook, _ *ebpf.Program, _ uint64) (io.Closer, error) {
	return nil, &Error{h, errLinux}
}

// Counter is refused: only Linux has perf events.
func Counter(h probes.Hook, _ *ebpf.Program, _ []int) (io.Closer, error) {
	return nil, &Error{h, errLinux}
}

// Timer is refused: only Linux has perf events.
func Timer(h probes.Hook, _ *ebpf.Program, _ []int) (io.Closer, error) {
	return nil, &Error{h, errLinux}
}

// User is refused: only Linux has uprobes.
func (Files) User(hooks []probes.Hook, _ []uint64, _ *ebpf.Program, _ map[probes.Hook]error) (Group, error) {
	return nil, &Error{hooks[0], errLinux}
}

// UserMulti is refused: only Linux has uprobes.
func (Files) UserMulti(hooks []probes.Hook, _ []uint64, _ *ebpf.Program, _ map[probes.Hook]error) (Group, error) {
	return nil, &Error{hooks[0], errLinux}
}
