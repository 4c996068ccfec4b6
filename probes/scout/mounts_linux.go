package scout

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A mounts tells which devices hold file systems for which neither a process nor another machine
// answers, as /proc/self/mountinfo says.
type mounts struct {
	mu    sync.Mutex
	file  *os.File // the kernel notes on it that something was mounted since
	local map[uint64]bool
}

// localTypes are the file systems of this machine's own disks and memory, as proc_pid_mountinfo(5)
// names types. Of any other nothing is known.
var localTypes = []string{"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "bcachefs", "zfs", "tmpfs", "ramfs", "rootfs", "squashfs", "erofs", "vfat", "iso9660"}

// isLocal reports whether a device, as the kernel tells it of mappings, is one of those.
func (m *mounts) isLocal(dev uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		// Not by os.Open, which has the runtime poll the file and take what the kernel notes.
		fd, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return false
		}
		m.file = os.NewFile(uintptr(fd), "mountinfo")
		m.read()
	} else {
		changed := []unix.PollFd{{Fd: int32(m.file.Fd()), Events: unix.POLLPRI}}
		if n, err := unix.Poll(changed, 0); err != nil || n > 0 {
			m.read()
		}
	}
	return m.local[dev]
}

// read reads what is mounted.
func (m *mounts) read() {
	m.local = map[uint64]bool{}
	if _, err := m.file.Seek(0, io.SeekStart); err != nil {
		return
	}
	m.local = localDevices(m.file, func(dir string) (dev uint64, ok bool) {
		i, err := glimpse(dir)
		if err != nil {
			return 0, false
		}
		return i.stat.Dev, true
	})
}

// localDevices returns the devices of file systems that are local, and of overlays all of whose
// layers are. DeviceOf tells where a layer lies, if that is known.
func localDevices(mountinfo io.Reader, deviceOf func(dir string) (uint64, bool)) map[uint64]bool {
	local := map[uint64]bool{}
	overlays := map[uint64][]string{}
	for lines := bufio.NewScanner(mountinfo); lines.Scan(); {
		// 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
		mount, fs, _ := strings.Cut(lines.Text(), " - ")
		a, b := strings.Fields(mount), strings.Fields(fs)
		if len(a) < 3 || len(b) < 3 {
			continue
		}
		major, minor, _ := strings.Cut(a[2], ":")
		x, err1 := strconv.ParseUint(major, 10, 32)
		y, err2 := strconv.ParseUint(minor, 10, 32)
		if err1 != nil || err2 != nil {
			continue
		}
		dev := unix.Mkdev(uint32(x), uint32(y))
		switch {
		case slices.Contains(localTypes, b[0]):
			local[dev] = true
		case b[0] == "overlay":
			overlays[dev] = layers(b[2])
		}
	}
	var whole []uint64
	for dev, dirs := range overlays {
		outside := func(dir string) bool { on, ok := deviceOf(dir); return !ok || !local[on] }
		if len(dirs) > 0 && !slices.ContainsFunc(dirs, outside) {
			whole = append(whole, dev)
		}
	}
	for _, dev := range whole {
		local[dev] = true
	}
	return local
}

// layers returns the folders that an overlay is made of.
func layers(options string) (dirs []string) {
	for o := range strings.SplitSeq(options, ",") {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "lowerdir", "lowerdir+", "datadir+", "upperdir":
			dirs = append(dirs, strings.FieldsFunc(value, func(r rune) bool { return r == ':' })...)
		}
	}
	return dirs
}
