package symbol

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"dscope.dev/engine/python"
	"dscope.dev/engine/trace"
)

// The memory of a process with functions of Python at some addresses, in a file.
const (
	pyType  = 0x1000
	pyCode  = 0x2000
	pyClean = 0x3000
)

var pyLayout = python.Layout{FirstLine: 16, File: 24, Name: 32, LineTable: 40, Bytecode: 200, ASCII: 40, Compact: 56}

// writeFunction writes a code object at an address, its texts behind it, and its table of lines, by
// which its second unit is of the line after the first.
func (p fakeProc) writeFunction(addr uint64, name, file string, line uint32) {
	p.t.Helper()
	code := make([]byte, 0x800)
	put := func(off int, v uint64) { binary.LittleEndian.PutUint64(code[off:], v) }
	str := func(off int, s string) {
		put(off+16, uint64(len(s)))
		put(off+32, 1<<2|1<<5|1<<6) // a byte each, compact, ASCII
		copy(code[off+40:], s)
	}
	put(8, pyType)
	binary.LittleEndian.PutUint32(code[pyLayout.FirstLine:], line)
	put(int(pyLayout.File), addr+0x200)
	put(int(pyLayout.Name), addr+0x400)
	put(int(pyLayout.LineTable), addr+0x600)
	str(0x200, file)
	str(0x400, name)
	put(0x600+16, 3)
	copy(code[0x600+32:], []byte{0x80, 0x80 | 11<<3, 0}) // columns that are left out are no harm
	mem, err := os.OpenFile(p.dir+"/42/mem", os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer mem.Close()
	if _, err := mem.WriteAt(code, int64(addr)); err != nil {
		p.t.Fatal(err)
	}
}

func mark(code, unit uint64) uint64 { return python.MarkBit | code>>3<<python.UnitBits | unit }

// python makes a table that knows of a process which runs Python.
func (p fakeProc) python() *Table {
	p.t.Helper()
	id := p.write("root/tmp/perf-42.map", "7f0000004000 b py::Shop.total:/srv/shop.py\n7f0000004010 b py::other:/srv/shop.py\n")
	needFiles(p.t, id)
	p.write("maps", "7f0000000000-7f0000100000 r-xp 00000000 00:00 0 \n")
	p.writeFunction(pyCode, "Shop.total", "/srv/shop.py", 7)
	p.writeFunction(pyClean, "__init__", "__init__", 4)
	t := NewAt(p.dir, nil)
	q := t.process(42)
	q.scripts = &scripts{Interpreter: &python.Interpreter{Layout: &pyLayout}, codeType: pyType, read: q.read}
	return t
}

func TestScriptFrames(t *testing.T) {
	p := newFakeProc(t)
	table := p.python()
	for _, tt := range []struct {
		addrs []uint64
		want  string
	}{
		{[]uint64{mark(pyCode, 0)}, "[Shop.total (shop.py:7)]"},
		{[]uint64{mark(pyCode, 1)}, "[Shop.total (shop.py:8)]"},
		{[]uint64{mark(pyCode, python.NoUnit)}, "[Shop.total (shop.py:7)]"},
		{[]uint64{mark(0x5000, 0)}, "[python`0x5000]"},
		{[]uint64{mark(pyClean, 0), mark(pyCode, 0)}, "[Shop.total (shop.py:7)]"},
		{[]uint64{mark(pyCode, 1), 0x7f0000004008}, "[Shop.total (shop.py:8)]"}, // a function, and the trampoline that has called it
		{[]uint64{mark(pyCode, 1), 0x7f0000004018}, "[Shop.total (shop.py:8) other (shop.py)]"},
		{[]uint64{0x7f0000004008, 0x7f0000004008}, "[Shop.total (shop.py) Shop.total (shop.py)]"},
	} {
		var frames []trace.Frame
		for _, a := range table.Believe(42, tt.addrs) {
			frames = table.Frames(frames, 42, a, len(frames) > 0)
		}
		if got := fmt.Sprint(frames); got != tt.want {
			t.Errorf("%#x is %s, want %s", tt.addrs, got, tt.want)
		}
	}
}

// A mark in the stack of what is no Python was never one.
func TestMarkOfNone(t *testing.T) {
	p := newFakeProc(t)
	p.write("maps", "7f0000000000-7f0000100000 r-xp 00000000 00:00 0 \n")
	table := NewAt(p.dir, nil)
	addrs := []uint64{0x7f0000000010, mark(pyCode, 0), 0x7f0000000020}
	if got := table.Believe(42, addrs); !slices.Equal(got, addrs[:1]) {
		t.Errorf("believed is %#x", got)
	}
}

// Another function may be made where one was; of a process that has gone what was known stays.
func TestScriptsChange(t *testing.T) {
	p := newFakeProc(t)
	table := p.python()
	name := func() string { return table.User(42, mark(pyCode, 0)).String() }
	want := func(want string) {
		t.Helper()
		if got := name(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	want("Shop.total (shop.py:7)")
	p.writeFunction(pyCode, "next", "/srv/next.py", 9)
	for _, f := range table.procs[42].scripts.funcs {
		f.sure = time.Time{}
	}
	want("next (next.py:9)")
	if err := os.RemoveAll(p.dir + "/42"); err != nil {
		t.Fatal(err)
	}
	for _, f := range table.procs[42].scripts.funcs {
		f.sure = time.Time{}
	}
	want("next (next.py:9)")
}
