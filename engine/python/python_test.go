package python

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	exe "dscope.dev/probes/binary"
)

// TestLines reads tables of lines that CPython has made, each with what co_lines says of it: which line
// so many code units run, 0 for none.
func TestLines(t *testing.T) {
	f, err := os.Open("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var version, name, table, want string
		var first int
		if _, err := fmt.Sscan(lines.Text(), &version, &name, &first, &table, &want); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(table)
		if err != nil {
			t.Fatal(err)
		}
		fn := Function{first: first, lines: readLines(b, first)}
		unit := 0
		for run := range strings.SplitSeq(want, ",") {
			var line, n int
			if _, err := fmt.Sscanf(run, "%d*%d", &line, &n); err != nil {
				t.Fatal(err)
			}
			if line == 0 {
				line = first
			}
			for range n {
				if got := fn.Line(unit); got != line {
					t.Errorf("%s %s: unit %d is of line %d, want %d", version, name, unit, got, line)
				}
				unit++
			}
		}
		if got := fn.Line(NoUnit); got != first {
			t.Errorf("%s %s: line %d, want the first", version, name, got)
		}
	}
}

func TestMark(t *testing.T) {
	for _, unit := range []int{0, 1, NoUnit} {
		const code = 0x7fff_ffff_fff8
		mark := MarkBit | uint64(code)>>3<<UnitBits | uint64(unit)
		if c, u := Unmark(mark); !IsMark(mark) || c != code || u != unit {
			t.Errorf("%#x is of %#x, %d, want %#x, %d", mark, c, u, code, unit)
		}
	}
	if IsMark(1<<AddrBits - 1) {
		t.Error("an address of a process is taken for a mark")
	}
}

// A memory is that of a process: what lies at some addresses.
type memory map[uint64][]byte

func (m memory) ReadAt(b []byte, off int64) (int, error) {
	for at, data := range m {
		if from := uint64(off) - at; uint64(off) >= at && from < uint64(len(data)) {
			n := copy(b, data[from:])
			if n < len(b) {
				return n, io.EOF
			}
			return n, nil
		}
	}
	return 0, io.EOF
}

// The addresses in the memory of tests.
const (
	typeAt  = 0x1000
	codeAt  = 0x2000
	nameAt  = 0x2100
	fileAt  = 0x2200
	linesAt = 0x2300
)

// process makes the memory of a process that has a function.
func process(l *Layout, name, file, lines []byte) memory {
	code := make([]byte, maxCodeHead)
	binary.LittleEndian.PutUint64(code[objType:], typeAt)
	binary.LittleEndian.PutUint64(code[l.Name:], nameAt)
	binary.LittleEndian.PutUint64(code[l.File:], fileAt)
	binary.LittleEndian.PutUint64(code[l.LineTable:], linesAt)
	binary.LittleEndian.PutUint32(code[l.FirstLine:], 7)
	return memory{codeAt: code, nameAt: name, fileAt: file, linesAt: lines}
}

// text makes a str of so many characters, of kind bytes each.
func text(l *Layout, kind uint32, ascii bool, length uint64, data string) []byte {
	b := make([]byte, l.Compact, int(l.Compact)+len(data))
	state := kind<<2 | 1<<5
	if ascii {
		b, state = b[:l.ASCII], state|1<<6
	}
	binary.LittleEndian.PutUint64(b[textLength:], length)
	binary.LittleEndian.PutUint32(b[textState:], state)
	return append(b, data...)
}

func bytesObject(data ...byte) []byte {
	b := make([]byte, bytesText)
	binary.LittleEndian.PutUint64(b[varSize:], uint64(len(data)))
	return append(b, data...)
}

func TestRead(t *testing.T) {
	for version, l := range layouts {
		file := text(&l, 1, true, 7, "shop.py")
		lines := bytesObject(0x80|11<<3, 0, 0, 0x80|12<<3|1, 0, 0) // a unit of line 8, two of line 10
		for _, tt := range []struct {
			name  string
			name0 []byte
			want  string
		}{
			{"ASCII", text(&l, 1, true, 4, "main"), "main"},
			{"Latin 1", text(&l, 1, false, 2, "f\xfc"), "fü"},
			{"two bytes", text(&l, 2, false, 2, "F\x04f\x00"), "цf"},
			{"four bytes", text(&l, 4, false, 1, "\x0d\xf4\x01\x00"), "🐍"},
			{"half a pair", text(&l, 2, false, 1, "\x00\xd8"), "�"},
			{"no character", text(&l, 4, false, 1, "\xff\xff\xff\xff"), "�"},
			{"longer than there is", text(&l, 1, true, 1<<40, "main"), ""},
			{"as no str is", text(&l, 3, true, 4, "main"), ""},
		} {
			m := process(&l, tt.name0, file, lines)
			f, err := l.Read(m, typeAt, codeAt)
			switch {
			case err != nil && tt.want != "":
				t.Errorf("%v, a name of %s: %v", version, tt.name, err)
			case err == nil && (f.Name != tt.want || f.File != "shop.py" || f.Line(0) != 8 || f.Line(2) != 10 || f.Line(NoUnit) != 7):
				t.Errorf("%v, a name of %s: %+v", version, tt.name, f)
			case err == nil && !l.Still(m, typeAt, codeAt, f):
				t.Errorf("%v: the function has changed", version)
			}
		}
		m := process(&l, text(&l, 1, true, 4, "main"), file, bytesObject())
		f, err := l.Read(m, typeAt, codeAt)
		if err != nil || f.Line(3) != 7 {
			t.Errorf("%v: without lines: %+v, %v", version, f, err)
		}
		if _, err := l.Read(m, typeAt+8, codeAt); err == nil {
			t.Errorf("%v: what has another type is read", version)
		}
		binary.LittleEndian.PutUint32(m[codeAt][l.FirstLine:], 8)
		if l.Still(m, typeAt, codeAt, f) {
			t.Errorf("%v: another function is taken for the first", version)
		}
	}
}

// FuzzRead reads functions from a memory that holds anything.
func FuzzRead(f *testing.F) {
	for _, l := range layouts {
		var b []byte
		m := process(&l, text(&l, 1, true, 4, "main"), text(&l, 2, false, 1, "F\x04"), bytesObject(0x80|11<<3, 0, 0))
		for _, at := range []uint64{codeAt, nameAt, fileAt, linesAt} {
			b = append(append(b, make([]byte, at-codeAt-uint64(len(b)))...), m[at]...)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, l := range layouts {
			fn, err := l.Read(memory{codeAt: b}, typeAt, codeAt)
			if err != nil {
				continue
			}
			for _, unit := range []int{0, 1, 1 << 10, NoUnit} {
				fn.Line(unit)
			}
			if fn.Size() > 1<<20 {
				t.Errorf("a function takes %d bytes", fn.Size())
			}
		}
	})
}

// TestKey reads where the key is from the code of PyGILState_GetThisThreadState as it was found: in
// Debian's 3.11, where all is in one program and what it calls was put into it, in libraries of
// 3.11 and 3.12, and in a program that is loaded where it was linked to.
func TestKey(t *testing.T) {
	for _, tt := range []struct {
		code        string
		at, runtime uint64
		want        uint32
	}{
		{"48833d503d5600000f841fc8f2ff8b3d503d5600e9a78af2ff", 0x4f7c30, 0xa5b740, 0x250},
		{"488b0509d81a004883b8480200000074 0f488db850020000e9f33be6ff", 0x296520, 0x54e540, 0x250},
		{"488b05c9c0260053488d98080600004889dfe8d921e3ff85c0740d4889df5be9ec36e3ff", 0x2d7c30, 0x643340, 0x608},
		{"bf48330700e9ec36e3ff", 0x401000, 0x072d40, 0x608},
		{"31c0c3", 0x401000, 0x643340, 7}, // which says nothing
		{"ffffff", 0x401000, 0x643340, 7},
	} {
		code, err := hex.DecodeString(strings.ReplaceAll(tt.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := keyIn(code, tt.at, exe.Range{Low: tt.runtime, High: tt.runtime + 0x28b20}, 7); got != tt.want {
			t.Errorf("the key is at %#x by %s, want %#x", got, tt.code, tt.want)
		}
	}
}

// TestSystem reads the Python that a distribution ships: what its code says of the key is what is
// believed of its version.
func TestSystem(t *testing.T) {
	f, err := exe.Open("/usr/bin/python3")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	in := Of(f)
	if in == nil || in.Layout == nil {
		t.Skip("/usr/bin/python3 is of a version that is not understood, or has its interpreter in a library")
	}
	if want := layouts[[2]int{in.Major, in.Minor}].Key; in.Layout.Key != want {
		t.Errorf("%v has its key at %d, want %d", in, in.Layout.Key, want)
	}
}
