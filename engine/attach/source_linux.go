package attach

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// A source is what perf calls that from which its kprobe or its uprobe events come.
type source struct {
	kind uint32
	bit  uint // of the configuration, that asks for returns
}

// readSource reads what the kernel tells of a source; none is what to say where it
// has no such.
func readSource(name, none string) (p source, err error) {
	dir := "/sys/bus/event_source/devices/" + name + "/"
	kind, err := os.ReadFile(dir + "type")
	if err != nil {
		return p, fmt.Errorf("%s: %w", none, err)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(kind)), 10, 32)
	if err != nil {
		return p, err
	}
	p.kind = uint32(n)
	bit, err := os.ReadFile(dir + "format/retprobe") // config:0
	if err != nil {
		return p, err
	}
	_, text, _ := strings.Cut(strings.TrimSpace(string(bit)), ":")
	n, err = strconv.ParseUint(text, 10, 6)
	p.bit = uint(n)
	return p, err
}

// bound opens an event and binds prog to it.
func bound(attr *unix.PerfEventAttr, pid, cpu int, prog *ebpf.Program, cookie uint64) (Group, error) {
	fd, err := unix.PerfEventOpen(attr, pid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	link, err := perfLink(fd, prog, cookie)
	if err != nil {
		file(fd).Close()
		return nil, err
	}
	return Group{file(fd), file(link)}, nil
}
