package unwind

import (
	"encoding/binary"
	"slices"
	"testing"
)

// goSample makes the table of two functions, the first of which takes 24 bytes of stack
// from its fourth byte on, and its last byte without them.
func goSample() []byte {
	o := binary.LittleEndian
	b := make([]byte, goHeader)
	o.PutUint32(b, goMagic120)
	b[6], b[7] = 1, 8
	o.PutUint64(b[goFuncCount:], 2)
	o.PutUint64(b[goText:], 0x401000)
	part := func(field int) { o.PutUint64(b[field:], uint64(len(b))) }
	part(goNames)
	b = append(b, "main.f\x00runtime.goexit\x00"...)
	part(goPCTab)
	b = append(b, 0)                      // no function has the first
	b = append(b, 2, 4, 48, 28, 47, 1, 0) // 0 for 4 bytes, 24 for 28, 0 for one
	b = append(b, 2, 16, 0)               // 0 for all
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	part(goFuncTab)
	const tab = 5 * 4
	for _, w := range []uint32{0, tab, 0x21, tab + 20, 0x31} {
		b = o.AppendUint32(b, w)
	}
	for _, fn := range [][]uint32{{0, 0, 0, 0, 1}, {0x21, 7, 0, 0, 8}} {
		for _, w := range fn {
			b = o.AppendUint32(b, w)
		}
	}
	return b
}

func goRows(data []byte) ([]Row, error) {
	t := table{place: func(addr uint64) (uint64, bool) { return addr - 0x400000, addr >= 0x400000 }}
	err := t.goFunctions(&goTable{data: data, text: 0x401000})
	return t.rows, err
}

func TestGoRows(t *testing.T) {
	got, err := goRows(goSample())
	want := []Row{
		MakeRow(0x1000, FromSP, 1, 0), MakeRow(0x1004, FromSP, 4, -2), MakeRow(0x1020, FromSP, 1, 0),
		MakeRow(0x1021, Unknown, 0, 0), MakeRow(0x1021, End, 0, 0),
	}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("rows %x, %v; want %x", got, err, want)
	}
}

// FuzzGoRows reads whatever stands in a program.
func FuzzGoRows(f *testing.F) {
	f.Add(goSample())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= goHeader {
			goRows(data)
		}
	})
}
