package unwind

import (
	"encoding/binary"
	"slices"
	"testing"

	"dscope.dev/engine/python"
	exe "dscope.dev/probes/binary"
)

// TestMarkPython marks the rows of the function that evaluates, and of its part that lies elsewhere: not of
// another function's such part with a frame of the same size, nor of one that it jumps to and that has its own frame.
func TestMarkPython(t *testing.T) {
	body := MakeRow(0, FromSP, 44, -6)
	begin := MakeRow(0, FromSP, 1, 0)
	tab := table{eval: span{0x1000, 0x1100}, evalCode: make([]byte, 0x100)}
	jump := func(at int, code []byte, to uint64) {
		copy(tab.evalCode[at:], code)
		end := at + len(code) + 4
		binary.LittleEndian.PutUint32(tab.evalCode[end-4:], uint32(to-tab.eval.from-uint64(end)))
	}
	jump(0x10, []byte{0xe9}, 0x208)
	jump(0x20, []byte{0x0f, 0x84}, 0x408)
	add := func(from, to uint64, rows ...Row) {
		first := uint64(len(tab.rows))
		for i, r := range rows {
			tab.rows = append(tab.rows, r+Row(from+uint64(4*i))<<32)
		}
		tab.rows = append(tab.rows, MakeRow(uint32(to), Unknown, 0, 0))
		tab.funcs = append(tab.funcs, fun{span: span{from, to}, rows: span{first, uint64(len(tab.rows))}})
	}
	add(0x200, 0x210, body)        // the part elsewhere
	add(0x300, 0x310, body)        // of another function
	add(0x400, 0x410, begin, body) // a function
	add(0x1000, 0x1100, begin, body)
	tab.markPython()
	var got []uint32
	for _, r := range tab.rows {
		if r.Kind()&Python != 0 {
			got = append(got, r.Place())
		}
	}
	if want := []uint32{0x200, 0x1000, 0x1004}; !slices.Equal(got, want) {
		t.Errorf("rows at %#x are marked, want %#x", got, want)
	}
}

// TestPythonOfSystem reads the Python that a distribution ships, without its symbols and, as Debian
// builds it, with what is seldom run in another place.
func TestPythonOfSystem(t *testing.T) {
	f, err := exe.Open("/usr/bin/python3")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	in := python.Of(f)
	if in == nil || in.Layout == nil {
		t.Skip("/usr/bin/python3 is of a version that is not understood, or has its interpreter in a library")
	}
	rows, err := Read(f, in)
	if err != nil {
		t.Fatal(err)
	}
	inside, elsewhere := 0, 0
	for _, r := range rows {
		switch at := uint64(r.Place()); {
		case r.Kind()&Python == 0:
			if at >= in.Offset && at < in.Offset+in.Eval.High-in.Eval.Low {
				t.Errorf("the row at %#x in the function that evaluates is not marked", at)
			}
		case at >= in.Offset && at < in.Offset+in.Eval.High-in.Eval.Low:
			inside++
		default:
			elsewhere++
		}
	}
	t.Logf("%v: %d rows are marked in the function that evaluates, %d elsewhere", in, inside, elsewhere)
	if inside == 0 {
		t.Error("no row is marked")
	}
}
