package binary

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// TestPack holds that symbols come out as they went in, and that nonsense is an error or
// symbols that can be asked.
func TestPack(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	data, err := want.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var got Symbols
	if err := got.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.syms, want.syms) || !slices.Equal(got.segs, want.segs) || string(got.strs) != string(want.strs) || got.Len() == 0 {
		t.Errorf("%d symbols became %d", want.Len(), got.Len())
	}
	small := &Symbols{strs: []byte("one\x00two\x00"), segs: []Segment{{0, 100, 0, true}},
		syms: []symbol{{addr: 1, size: 5, name: 0}, {addr: 7, size: 5, name: 4}}}
	if data, err = small.MarshalBinary(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 20_000 {
		bad := slices.Clone(data)
		for range 1 + r.IntN(4) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		var s Symbols
		if s.UnmarshalBinary(bad[:len(bad)-r.IntN(2)]) != nil {
			continue
		}
		taken++
		for i := range s.Len() {
			s.At(i)
			s.Find(s.At(i).Addr)
			s.Lookup(binary.LittleEndian.Uint64(bad[len(bad)-8:]))
		}
	}
	if taken == 0 || taken == 20_000 {
		t.Errorf("%d of 20,000 were taken", taken)
	}
}
