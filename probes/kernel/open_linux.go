package kernel

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// Open returns the running kernel. It reads nothing yet, and so cannot fail;
// what is missing is told by the method that needs it.
func Open() *Kernel {
	return New(Roots{
		Proc:    os.DirFS("/proc"),
		Sys:     os.DirFS("/sys"),
		Tracing: openTracefs,
		Arch:    runtime.GOARCH,
		Types:   btf.NewCache(),
	})
}

// OpenWith returns the running kernel as Open does, for a process that may not read tracefs
// but while it raises a privilege: raise calls what it is given meanwhile.
func OpenWith(raise func(do func())) *Kernel {
	k := Open()
	k.roots.Tracing = func() (files fs.FS, mount io.Closer, err error) {
		raise(func() { files, mount, err = openTracefs() })
		return raised{files, raise}, mount, err
	}
	return k
}

// raised is a file system whose files are opened with a privilege.
type raised struct {
	fs.FS
	raise func(do func())
}

func (r raised) Open(name string) (f fs.File, err error) {
	r.raise(func() { f, err = r.FS.Open(name) })
	return f, err
}

// openTracefs finds a mount of tracefs that can be read, or makes one that no
// path leads to. It does not try debugfs/tracing, because to look there mounts
// tracefs for good.
func openTracefs() (fs.FS, io.Closer, error) {
	var seen error
	for _, dir := range tracefsMounts() {
		files := os.DirFS(dir)
		f, err := files.Open("available_events")
		if err == nil {
			return files, nil, f.Close()
		}
		seen = err
	}
	files, mount, err := privateTracefs()
	if err == nil {
		return files, mount, nil
	}
	if seen != nil {
		err = seen
	}
	return nil, nil, tracefsMissing(err)
}

// tracefsMounts lists where tracefs is mounted.
func tracefsMounts() (dirs []string) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "tracefs" {
			dirs = append(dirs, strings.NewReplacer(`\040`, " ", `\011`, "\t", `\134`, `\`).Replace(f[1]))
		}
	}
	return dirs
}

// privateTracefs mounts tracefs nowhere: the mount lives as long as its
// descriptor, and ends with the process at the latest.
func privateTracefs() (fs.FS, io.Closer, error) {
	ctx, err := unix.Fsopen("tracefs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("fsopen tracefs: %w", err)
	}
	defer unix.Close(ctx)
	if err := unix.FsconfigCreate(ctx); err != nil {
		return nil, nil, fmt.Errorf("fsconfig tracefs: %w", err)
	}
	flags := unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
	fd, err := unix.Fsmount(ctx, unix.FSMOUNT_CLOEXEC, flags)
	if err != nil {
		return nil, nil, fmt.Errorf("fsmount tracefs: %w", err)
	}
	mount := os.NewFile(uintptr(fd), "tracefs")
	return os.DirFS(fmt.Sprintf("/proc/self/fd/%d", fd)), mount, nil
}

// tracefsMissing says why tracefs cannot be read, and what to do.
func tracefsMissing(err error) error {
	m := &Missing{What: "tracefs", Why: err.Error(), Err: err}
	switch {
	case errors.Is(err, fs.ErrPermission):
		m.Remedy = "run as root; or mount it and have CAP_DAC_READ_SEARCH: mount -t tracefs nodev /sys/kernel/tracing"
	case errors.Is(err, unix.ENODEV):
		m.Why = "this kernel has none"
		m.Remedy = "use a kernel built with CONFIG_FTRACE=y"
	default:
		m.Remedy = "mount -t tracefs nodev /sys/kernel/tracing"
	}
	return m
}

// mapFile maps a file of sysfs, where that is its own memory and copying it would take
// longer than what is done with it: BTF can be mapped since Linux 6.16. It returns
// nil where it can't.
func mapFile(f fs.File, size int64) (data []byte, unmap func()) {
	file, ok := f.(*os.File)
	if !ok || size == 0 {
		return nil, nil
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	return data, func() { unix.Munmap(data) }
}
