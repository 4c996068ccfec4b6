package codegen

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cilium/ebpf"
)

// TestBusy holds that a program that finds another one under way on its CPU leaves and is
// counted, and that none leaves the word set.
func TestBusy(t *testing.T) {
	needKernel(t)
	b := newBed()
	b.n = 1
	b.mine(t) // other processes leave by a way of their own
	b.count(0)
	b.Return()
	f := liveFeatures(t)
	f.Busy = true
	o := generate(t, b.p, f, benchUnit("sys_enter", unix.SYS_LSEEK, unix.SYS_GETPPID))
	c := loadAll(t, o)
	hooked(t, o, c)
	words := func(n uint64) {
		t.Helper()
		all := make([]uint64, ebpf.MustPossibleCPU())
		for i := range all {
			all[i] = n
		}
		if err := c.Maps[o.Maps.Busy].Put(uint32(0), all); err != nil {
			t.Fatal(err)
		}
	}
	missed := func() (n uint64) {
		t.Helper()
		var all []uint64
		if err := c.Maps[o.Maps.Drops].Lookup(uint32(oustedBy(0)), &all); err != nil {
			t.Fatal(err)
		}
		for _, cpu := range all {
			n += cpu
		}
		return n
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 50 {
		unix.Seek(-1, 0, 0)
		unix.Seek(7, 0, 0) // closed, too
		unix.Getppid()
	}
	if n := results(t, o, c, 1)[0]; n != 150 || missed() != 0 {
		t.Errorf("%d firings of 150, %d missed", n, missed())
	}
	words(1)
	for range 20 {
		unix.Getppid()
	}
	if n := results(t, o, c, 1)[0]; n != 150 || missed() < 20 {
		t.Errorf("%d firings beside a program that is under way, want none more than 150; %d missed, want 20 and those of others", n, missed())
	}
	words(0)
	unix.Getppid()
	if n := results(t, o, c, 1)[0]; n != 151 {
		t.Errorf("%d firings, want 151", n)
	}
}
