package binary

import (
	"debug/gosym"
	"encoding/binary"
	"os"
	"runtime"
	"testing"
)

// TestGoTable reads the table of this very test, and tables as older versions of Go
// wrote them, as package gosym does.
func TestGoTable(t *testing.T) {
	for _, magic := range []uint32{goMagic2, goMagic16, goMagic18, goMagic20} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			sameAsGosym(t, oldGoTable(order, magic), 0x401000)
		}
	}
	if runtime.GOOS != "linux" {
		return // only there are we an ELF file
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, _, err := f.Section(".text")
	if err != nil {
		t.Fatal(err)
	}
	_, data, err := f.Section(".gopclntab")
	if err != nil {
		t.Fatal(err)
	}
	if n := sameAsGosym(t, data, text); n < 1000 {
		t.Errorf("the table of this test has %d functions", n)
	}
}

func sameAsGosym(t *testing.T, data []byte, text uint64) int {
	t.Helper()
	want, err := gosym.NewTable(nil, gosym.NewLineTable(data, text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := newGoTable(data, text)
	if err != nil {
		t.Fatal(err)
	}
	if got.count != uint64(len(want.Funcs)) {
		t.Fatalf("%x: %d functions, want %d", data[:16], got.count, len(want.Funcs))
	}
	for i, fn := range want.Funcs {
		if name, from, to := got.function(uint64(i)); string(name) != fn.Name || from != fn.Entry || to != fn.End {
			t.Fatalf("function %d is %s at %#x to %#x, want %s at %#x to %#x", i, name, from, to, fn.Name, fn.Entry, fn.End)
		}
	}
	return len(want.Funcs)
}

// oldGoTable makes a table of two functions.
func oldGoTable(order binary.AppendByteOrder, magic uint32) []byte {
	const names = "main.main\x00main.other\x00"
	word := func(b []byte, v uint64) []byte { return order.AppendUint64(b, v) }
	b := order.AppendUint32(nil, magic)
	b = word(append(b, 0, 0, 1, 8), 2) // functions
	field, from := word, uint64(0x401000)
	head, infos, place := 8+8, uint64(0), uint64(0) // where functab is, and what places of _funcs and names count from
	switch magic {
	case goMagic16:
		head = 8 + 7*8
	case goMagic18, goMagic20:
		head, from = 8+8*8, 0
		field = func(b []byte, v uint64) []byte { return order.AppendUint32(b, uint32(v)) }
	}
	table := func() (t []byte) {
		size := uint64(5*len(field(nil, 0)) + 8) // with the place of the files, of which there are none
		info := infos + size
		t = field(field(t, from), info)
		t = field(field(t, from+0x10), info+64)
		t = field(t, from+0x30)
		t = order.AppendUint32(order.AppendUint32(t, uint32(info)-4), 0)
		for i, at := range []uint64{from, from + 0x10} {
			t = field(t, at)
			t = order.AppendUint32(t, uint32(place)+uint32(10*i))
			t = append(t, make([]byte, int(info)+64*(i+1)-int(infos)-len(t))...)
		}
		return t
	}
	switch magic {
	case goMagic2:
		infos = uint64(head)
		place = infos + uint64(len(table()))
		b = append(b, table()...)
	default:
		parts := (head - 8) / 8
		for i := 1; i < parts; i++ {
			switch {
			case i == parts-5: // names
				b = word(b, uint64(head))
			case i == parts-1: // functions
				b = word(b, uint64(head+len(names)))
			default:
				b = word(b, 0)
			}
		}
		return append(append(b, names...), table()...)
	}
	return append(b, names...)
}
