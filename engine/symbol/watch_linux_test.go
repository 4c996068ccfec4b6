package symbol

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/sideband"
)

// heard makes notices as the kernel would.
func heard(kind, misc uint32, words ...uint32) sideband.Notice {
	var b []byte
	for _, w := range words {
		b = binary.NativeEndian.AppendUint32(b, w)
	}
	return sideband.Notice{Kind: kind, Misc: misc, Body: b}
}

func mapped(pid uint32, start, size, off, inode uint64, prot uint32, name string) sideband.Notice {
	o := binary.NativeEndian
	b := o.AppendUint32(o.AppendUint32(nil, pid), pid)
	for _, v := range []uint64{start, size, off} {
		b = o.AppendUint64(b, v)
	}
	b = o.AppendUint32(o.AppendUint32(b, 0xfe), 0)
	b = o.AppendUint64(o.AppendUint64(b, inode), 0)
	b = o.AppendUint32(o.AppendUint32(b, prot), 0)
	b = append(append(b, name...), 0)
	return sideband.Notice{Kind: unix.PERF_RECORD_MMAP2, Body: b}
}

func TestWatch(t *testing.T) {
	const code = unix.PROT_READ | unix.PROT_EXEC
	w := &Watch{lives: map[uint32]*life{}}
	for _, n := range []sideband.Notice{
		mapped(7, 0x1000, 0x1000, 0, 1, code, "/bin/old"), // was there before
		heard(unix.PERF_RECORD_FORK, 0, 8, 7, 8, 7),
		mapped(8, 0x1000, 0x1000, 0, 1, code, "/bin/sh"),
		heard(unix.PERF_RECORD_COMM, commExec, 8, 8),
		mapped(8, 0x400000, 0x2000, 0x1000, 2, code, "/bin/true"),
		mapped(8, 0x500000, 0x2000, 0, 3, unix.PROT_READ, "/bin/data"),
		mapped(8, 0x600000, 0x2000, 0, 4, code, "/lib/first"),
		mapped(8, 0x601000, 0x3000, 0, 5, code, "/lib/second"),
		heard(unix.PERF_RECORD_COMM, 0, 8, 8), // another name only
		heard(unix.PERF_RECORD_FORK, 0, 9, 8, 9, 8),
		heard(unix.PERF_RECORD_FORK, 0, 8, 8, 10, 8), // a thread
		heard(unix.PERF_RECORD_EXIT, 0, 8, 7, 8, 7),
		{Kind: unix.PERF_RECORD_MMAP2, Body: []byte("short")},
	} {
		w.take(n)
	}
	show := func(pid uint32) string {
		maps, parent := w.known(pid)
		var s []string
		for _, m := range maps {
			s = append(s, fmt.Sprintf("%x-%x+%x %02x:%02x %d %s", m.Start, m.End, m.Offset, m.File.Major, m.File.Minor, m.File.Inode, m.Path))
		}
		return fmt.Sprintf("%d: %s", parent, strings.Join(s, ", "))
	}
	const want = "7: 1000-2000+0 fe:00 1 /bin/sh, 400000-402000+1000 fe:00 2 /bin/true, 601000-604000+0 fe:00 5 /lib/second"
	for pid, want := range map[uint32]string{7: "0: ", 8: want, 9: want} {
		if got := show(pid); got != want {
			t.Errorf("process %d: %s\nwant %s", pid, got, want)
		}
	}
}

func TestWatchForgets(t *testing.T) {
	w := &Watch{lives: map[uint32]*life{}}
	for pid := uint32(1); pid <= maxLives+10; pid++ {
		w.take(heard(unix.PERF_RECORD_FORK, 0, pid, 0, pid, 0))
		if pid%2 == 0 {
			w.take(heard(unix.PERF_RECORD_EXIT, 0, pid, 0, pid, 0))
		}
	}
	if n := len(w.lives); n > maxLives || n < maxLives/2 {
		t.Errorf("%d processes are remembered, want at most %d and all that live", n, maxLives)
	}
}

// FuzzWatch hears anything.
func FuzzWatch(f *testing.F) {
	f.Add(uint32(unix.PERF_RECORD_MMAP2), uint32(0), mapped(1, 1, 2, 3, 4, 5, "x").Body)
	f.Fuzz(func(t *testing.T, kind, misc uint32, body []byte) {
		w := &Watch{lives: map[uint32]*life{1: {}}}
		w.take(sideband.Notice{Kind: kind, Misc: misc, Body: body})
		w.known(1)
	})
}

// TestReturnToTheEnd names an address to return to that is behind a function, whose
// last instruction is a call that does not return.
func TestReturnToTheEnd(t *testing.T) {
	pid, addr, end := start(t, `#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline, noipa, noreturn)) void last(void) { void *p = __builtin_return_address(0); printf("%p\n", p); fflush(stdout); getchar(); exit(0); }
__attribute__((noinline, noipa, noreturn)) void caller(void) { last(); }
int main(void) { caller(); }
`, "-O2")
	defer end()
	f := New(nil).Frames(nil, pid, addr, true)
	if len(f) != 1 || f[0].Symbol != "caller" || f[0].Offset == 0 || f[0].Addr != addr {
		t.Errorf("%v, want caller and some bytes", f)
	}
}
