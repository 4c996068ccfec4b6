package binary

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
	"testing"
)

// standardRows returns the rows of a program's lines as the standard library reads
// them, and how many units have any.
func standardRows(t *testing.T, name string) (rows []string, units int) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	r := data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return rows, units
		}
		r.SkipChildren()
		if e.Tag != dwarf.TagCompileUnit {
			continue
		}
		lines, err := data.LineReader(e)
		if err != nil {
			t.Fatal(err)
		}
		if lines == nil {
			continue
		}
		units++
		dir, _ := e.Val(dwarf.AttrCompDir).(string)
		var l dwarf.LineEntry
		for {
			err := lines.Next(&l)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			file := ""
			if l.File != nil {
				if file = l.File.Name; !path.IsAbs(file) && dir != "" {
					file = path.Join(dir, file)
				}
			}
			rows = append(rows, fmt.Sprintf("%#x %s:%d %v %v", l.Address, file, l.Line, l.IsStmt, l.EndSequence))
		}
	}
}

// ownRows returns them as they are read here.
func ownRows(d *Debug) (rows []string, units int) {
	defer d.ask()()
	for i := range d.main.units {
		u := &d.main.units[i]
		if u.kind != unitCompile {
			continue
		}
		units++
		t := d.lineTable(u)
		for _, r := range t.rows {
			rows = append(rows, fmt.Sprintf("%#x %s:%d %v %v", r.addr, t.name(r.file), r.line, r.stmt, r.end))
		}
	}
	return rows, units
}

// The standard library is right about programs that compilers make.
func TestLinesAsTheStandardLibrary(t *testing.T) {
	more := [][]string{{"-gdwarf-3"}, {"-gdwarf-5", "-gno-as-loc-support"}, {"-gdwarf-4", "-gno-column-info", "-O3", "-static"}}
	for _, flags := range append(more, variants...) {
		name := build(t, "gcc", ".c", source, flags...)
		_, d := debugOf(t, name)
		want, units := standardRows(t, name)
		got, own := ownRows(d)
		if own != units || len(want) < 20 {
			t.Errorf("%v: %d units with %d rows, want %d with some", flags, own, len(got), units)
		}
		compareRows(t, fmt.Sprint(flags), got, want)
	}
}

func compareRows(t *testing.T, of string, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d is %s, want %s", of, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", of, len(got), len(want))
	}
}

// A linesOf is .debug_line of one unit, made by hand.
func linesOf(version uint16, lists, program []byte) []byte {
	rest := append([]byte{1, 1, 1, 0xfb, 14, 13}, standardOperands...) // least instruction, operations, is_stmt, line base and range, opcodes
	if version < 4 {
		rest = append(rest[:1], rest[2:]...)
	}
	rest = append(rest, lists...)
	var b []byte
	b = binary.LittleEndian.AppendUint16(b, version)
	if version == 5 {
		b = append(b, 8, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(rest)))
	b = append(append(b, rest...), program...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// readLines reads lines made by hand.
func readLines(lines []byte) (*lineTable, error) {
	d := &dwarfFile{f: &File{elf: &elf.File{}}, order: binary.LittleEndian, sections: map[string][]byte{".debug_line": lines}}
	u := &unit{d: d, offSize: 4, addrSize: 8}
	h, err := u.lineHead(0)
	if err != nil {
		return nil, err
	}
	t := &lineTable{dir: "/build"}
	err = t.run(h)
	t.dirs, t.files = h.dirs, h.files
	return t, err
}

func TestLineProgram(t *testing.T) {
	lists := []byte("include\x00/usr/include\x00\x00" + "a.c\x00\x00\x00\x00" + "b.h\x00\x01\x00\x00" + "c.h\x00\x02\x00\x00" + "/d.h\x00\x02\x00\x00" + "e.h\x00\x09\x00\x00" + "\x00")
	program := []byte{
		0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, // the address is 0x1000
		18,         // special: as it is
		3, 4, 2, 5, // four lines and five bytes on
		1,          // copy
		4, 2, 6, 8, // file 2, not a statement, constant advance
		18 + 14*3 + 2, // special: three bytes and two lines on
		9, 0, 2, 4, 3, // 512 bytes on, file 3
		5, 7, 10, 11, 12, 1, // column, end of prologue, begin of epilogue, instruction set
		1,
		0, 2, 0x80, 1, // extended, of somebody else
		0, 7, 3, 'f', '.', 'h', 0, 1, 0, // defines a file
		0, // begins what is not there
	}
	want := `0x1000 /build/a.c:1 true false, 0x1005 /build/a.c:5 true false, 0x1019 /build/include/b.h:7 false false, 0x1219 /usr/include/c.h:7 false false`
	for _, version := range []uint16{2, 3, 4} {
		table, err := readLines(linesOf(version, lists, program[:len(program)-10]))
		if err != nil {
			t.Fatal(version, err)
		}
		var got []string
		for _, r := range table.rows {
			got = append(got, fmt.Sprintf("%#x %s:%d %v %v", r.addr, table.name(r.file), r.line, r.stmt, r.end))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("version %d: %s\nwant %s", version, s, want)
		}
		for i, name := range []string{"", "/build/a.c", "/build/include/b.h", "/usr/include/c.h", "/d.h", "/build/e.h", ""} {
			if got := table.name(int32(i)); got != name {
				t.Errorf("version %d: file %d is %q, want %q", version, i, got, name)
			}
		}
		if is := table.named("b.h"); !is[2] || is[1] || is[3] {
			t.Errorf("b.h: %v", is)
		}
	}
	table, err := readLines(linesOf(4, lists, program))
	if err == nil || len(table.rows) != 4 {
		t.Errorf("a broken end: %v, %v", table, err)
	}
}

// Lists that say they are long, or that name one long directory again and again, take
// no more memory than they should.
func TestLinesOfMalice(t *testing.T) {
	long := strings.Repeat("d", 1<<20)
	var files bytes.Buffer
	files.WriteString(long + "\x00\x00")
	for range 100_000 {
		files.WriteString("f\x00\x01\x00\x00")
	}
	files.WriteString("\x00")
	cases := map[string][]byte{
		"joined":   linesOf(4, files.Bytes(), nil),
		"defined":  linesOf(4, []byte(long+"\x00\x00\x00"), bytes.Repeat([]byte("\x00\x06\x03f\x00\x01\x00\x00"), 100_000)),
		"counted":  linesOf(5, append([]byte{1, 1, 8, 0xff, 0xff, 0xff, 0x7f}, bytes.Repeat([]byte{0}, 1<<16)...), nil),
		"no bytes": linesOf(5, append([]byte{1, 1, 0x19, 0x80, 0x80, 4}, bytes.Repeat([]byte{0}, 1<<16)...), nil),
		"no forms": linesOf(5, append([]byte{0, 0x80, 0x80, 4}, bytes.Repeat([]byte{0}, 1<<16)...), nil),
		"unknown":  linesOf(5, append([]byte{1, 1, 0x7f, 0x80, 0x80, 4}, bytes.Repeat([]byte{0}, 1<<16)...), nil),
	}
	for name, lines := range cases {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			table, err := readLines(lines)
			if table != nil {
				table.named("f")
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("%d bytes take %d (%v)", len(lines), took, err)
			}
			if wrong := name != "joined" && name != "defined"; wrong != (err != nil) {
				t.Errorf("error %v", err)
			}
		})
	}
}
