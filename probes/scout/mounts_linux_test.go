package scout

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLocalDevices(t *testing.T) {
	const text = `
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /home rw - nfs4 server:/home rw
24 22 0:22 / /dev/shm rw - tmpfs tmpfs rw
25 22 0:23 / /fuse rw - fuse.sshfs x rw
30 22 0:30 / /c/1 rw shared:7 master:3 - overlay overlay rw,lowerdir=/l/1:/l/2,upperdir=/u/1,workdir=/w/1
31 22 0:31 / /c/2 rw - overlay overlay rw,lowerdir=/l/1:/home/l,upperdir=/u/1,workdir=/w/1
32 22 0:32 / /c/3 rw - overlay overlay ro,lowerdir+=/l/1,lowerdir+=/l/2,datadir+=/fuse/d
33 22 0:33 / /c/4 rw - overlay overlay rw,lowerdir=l/1,upperdir=/u/1
34 22 0:34 / /c/5 rw - overlay overlay rw
35 22 0:35 / /c/6 rw - overlay overlay ro,lowerdir=/c/1
36 22 none / /x rw - ext4 y rw
37
`
	on := func(dir string) (uint64, bool) {
		for prefix, dev := range map[string]uint64{"/home/": unix.Mkdev(0, 21), "/fuse/": unix.Mkdev(0, 23), "/c/1": unix.Mkdev(0, 30), "/l/": unix.Mkdev(254, 0), "/u/": unix.Mkdev(254, 0)} {
			if strings.HasPrefix(dir, prefix) {
				return dev, true
			}
		}
		return 0, false
	}
	got := slices.Sorted(maps.Keys(localDevices(strings.NewReader(text), on)))
	want := []uint64{unix.Mkdev(254, 0), unix.Mkdev(0, 22), unix.Mkdev(0, 30)}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestMounted mounts a file system after it was looked what is mounted.
func TestMounted(t *testing.T) {
	var m mounts
	m.isLocal(0)
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, ""); err != nil {
		t.Skip("only root mounts: ", err)
	}
	mounted := true
	defer func() {
		if mounted {
			_ = unix.Unmount(dir, 0)
		}
	}()
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	if !m.isLocal(st.Dev) {
		t.Error("a tmpfs is not local")
	}
	if err := unix.Unmount(dir, 0); err != nil {
		t.Fatal(err)
	}
	mounted = false
	if m.isLocal(st.Dev) {
		t.Error("it is local still")
	}
}

// TestMapping holds that a mapped file of this machine takes no scout: not to be looked at, not to be
// opened, and not to be found gone.
func TestMapping(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("map_files is for root")
	}
	p, _ := sending(t, Within)
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(maps)
	for lines.Scan() && !strings.HasSuffix(lines.Text(), exe) {
	}
	var from, to uint64
	var on Device
	if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %x %x:%x", &from, &to, new(string), new(int), &on.Major, &on.Minor); err != nil {
		t.Fatal(err)
	}
	if !Near(on) {
		t.Skip("the test lies on a file system of which nothing is known")
	}
	name := fmt.Sprintf("/proc/%d/map_files/%x-%x", os.Getpid(), from, to)
	info, err := Look(name, on)
	if want, err2 := os.Stat(exe); err != nil || err2 != nil || info.Size() != want.Size() {
		t.Errorf("%+v, %v", info, err)
	}
	f, err := Open("", name, on)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, gone := range []string{name + "0", "/proc/4194305/map_files/1000-2000"} {
		if _, err := Look(gone, on); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", gone, err)
		}
		if _, err := Open("", gone, on); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("open %s: %v", gone, err)
		}
	}
	if p.scout != nil {
		t.Error("a scout was sent")
	}
	if p.leads(fmt.Sprintf("/proc/%d/root/map_files/x", os.Getpid()), on) || p.leads(name, Device{}) {
		t.Error("a path through a root, or to an unknown device, is taken for a mapping here")
	}
	if _, err := Look(name, Device{}); err != nil {
		t.Error(err)
	}
	if p.scout == nil {
		t.Error("no scout was sent to an unknown device")
	}
}
