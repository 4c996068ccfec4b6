package symbol

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/probes/binary/binarytest"
	"dscope.dev/probes/space"
)

// fakeKernel has a function at every multiple of 0x100 that it lists.
type fakeKernel map[uint64]string

func (k fakeKernel) Lookup(addr uint64) (module, name string, offset uint64, ok bool) {
	name, ok = k[addr&^0xff]
	return "vmlinux", name, addr & 0xff, ok
}

func TestKernelIsLoadedWhenNeeded(t *testing.T) {
	loads := 0
	table := New(func() Kernel { loads++; return fakeKernel{0x100: "vfs_read"} })
	if loads != 0 {
		t.Error("loaded before it was needed")
	}
	for range 2 {
		if got, want := table.Kernel(0x103).String(), "vmlinux`vfs_read+0x3"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got, want := table.Kernel(0x900), (trace.Frame{Addr: 0x900}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if loads != 1 {
		t.Errorf("loaded %d times", loads)
	}
}

func TestKernelThatCannotBeHad(t *testing.T) {
	for _, load := range []func() Kernel{nil, func() Kernel { return nil }} {
		if got, want := New(load).Kernel(0x10).String(), "0x10"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestTrim(t *testing.T) {
	table := New(func() Kernel {
		return fakeKernel{0x100: "bpf_prog_1234_u0", 0x200: "bpf_trace_run3", 0x300: "__traceiter_sched_switch",
			0x400: "__schedule", 0x500: "bpf_prog_of_another"}
	})
	for _, tt := range []struct{ in, want []uint64 }{
		{[]uint64{0x110, 0x210, 0x310, 0x410, 0x510}, []uint64{0x410, 0x510}},
		{[]uint64{0x410}, []uint64{0x410}},
		{[]uint64{0x110}, nil},
		{nil, nil},
		{[]uint64{0x999, 0x110}, []uint64{0x999, 0x110}},
	} {
		if got := table.Trim(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("Trim(%x) = %x, want %x", tt.in, got, tt.want)
		}
	}
}

// A fakeProc is a process file system of one process, 42.
type fakeProc struct {
	t   *testing.T
	dir string
}

func newFakeProc(t *testing.T) fakeProc {
	return fakeProc{t, t.TempDir()}
}

func (p fakeProc) write(name, content string) space.FileID {
	p.t.Helper()
	name = filepath.Join(p.dir, "42", name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
	id, err := space.IDOf(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// needFiles skips where files have no numbers.
func needFiles(t *testing.T, id space.FileID) {
	if id.Inode == 0 {
		t.Skip("processes are looked at on Linux only")
	}
}

func TestUserBySymbolTable(t *testing.T) {
	p := newFakeProc(t)
	bin := p.write("root/bin/prog", string(binarytest.ELF(binarytest.Symbol{Name: "main", Addr: 0x401100, Size: 0x80, Info: binarytest.Function})))
	needFiles(t, bin)
	p.write("maps", fmt.Sprintf("555500001000-555500002000 r-xp 00001000 fe:00 %d /bin/prog\n", bin.Inode))
	table := NewAt(p.dir, nil)
	for _, tt := range []struct {
		addr uint64
		want string
	}{
		{0x555500001100, "prog`main"}, {0x555500001102, "prog`main+0x2"},
		{0x555500001800, "prog`0x555500001800"}, {0x555500003000, "0x555500003000"},
	} {
		if got := table.User(42, tt.addr).String(); got != tt.want {
			t.Errorf("%#x is %s, want %s", tt.addr, got, tt.want)
		}
	}
	if got, want := table.User(43, 0x10).String(), "0x10"; got != want {
		t.Errorf("an address of no process is %s, want %s", got, want)
	}
}

// What was seen while a process lived can be named when it has gone.
func TestProcessThatHasGone(t *testing.T) {
	p := newFakeProc(t)
	bin := p.write("root/bin/prog", string(binarytest.ELF(binarytest.Symbol{Name: "main", Addr: 0x401100, Size: 0x80, Info: binarytest.Function})))
	needFiles(t, bin)
	p.write("maps", fmt.Sprintf("555500001000-555500002000 r-xp 00001000 fe:00 %d /bin/prog\n", bin.Inode))
	table := NewAt(p.dir, nil)
	table.Remember(42)
	if err := os.RemoveAll(filepath.Join(p.dir, "42")); err != nil {
		t.Fatal(err)
	}
	table.procs[42].read = time.Time{} // long ago
	if got, want := table.User(42, 0x555500001104).String(), "prog`main+0x4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A path may lead to another file than the one that is mapped: its symbols
// would be lies.
func TestReplacedFileIsNotRead(t *testing.T) {
	p := newFakeProc(t)
	bin := p.write("root/bin/prog", string(binarytest.ELF(binarytest.Symbol{Name: "impostor", Addr: 0x401100, Size: 0x80, Info: binarytest.Function})))
	needFiles(t, bin)
	p.write("maps", fmt.Sprintf("555500001000-555500002000 r-xp 00001000 fe:00 %d /bin/prog\n", bin.Inode+1))
	if got, want := NewAt(p.dir, nil).User(42, 0x555500001104).String(), "prog`0x555500001104"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestGeneratedCode(t *testing.T) {
	p := newFakeProc(t)
	p.write("maps", "7f0000000000-7f0000100000 rwxp 00000000 00:00 0 \n")
	p.write("status", "Name:\tnode\nNSpid:\t42\t7\n")
	info := p.write("root/tmp/perf-7.map", "7f0000001000 100 LazyCompile:*fib app.js:3\nbad line\n7f0000002000 10 old\n7f0000002000 20 new\n"+
		"7f0000004000 b py::Shop.total:/srv/shop.py\n7f0000004010 b py::loads:/usr/lib/json/__init__.py\n7f0000004020 b py::odd\n")
	needFiles(t, info)
	table := NewAt(p.dir, nil)
	for _, tt := range []struct {
		addr uint64
		want string
	}{
		{0x7f0000001000, "jit`LazyCompile:*fib app.js:3"}, {0x7f0000001010, "jit`LazyCompile:*fib app.js:3+0x10"},
		{0x7f0000002018, "jit`new+0x18"}, {0x7f0000003000, "0x7f0000003000"},
		{0x7f0000004008, "Shop.total (shop.py)"}, {0x7f0000004010, "loads (json/__init__.py)"}, {0x7f0000004020, "jit`py::odd"},
	} {
		if got := table.User(42, tt.addr).String(); got != tt.want {
			t.Errorf("%#x is %s, want %s", tt.addr, got, tt.want)
		}
	}
}

// FuzzJit reads whatever a process may have put into the map of its generated code.
func FuzzJit(f *testing.F) {
	f.Add("1000 10 name\n")
	f.Fuzz(func(t *testing.T, jit string) {
		j := jitMap{syms: parseJit(strings.NewReader(jit))}
		for _, s := range j.syms {
			j.lookup(s.addr)
		}
		j.lookup(1<<64 - 1)
	})
}
