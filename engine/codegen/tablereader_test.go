package codegen

import (
	"fmt"
	"slices"
	"testing"
)

// A tableBed is a table of two generations in made-up memory of two CPUs, behind another.
type tableBed struct {
	TableReader
	keys  []uint64
	cells [2][][]uint64
}

func newTableBed(room int) *tableBed {
	b := &tableBed{TableReader: TableReader{Table: &Table{Keys: [2]int{16, 24 + 16*room}, Cells: 8, Room: room, Key: 16, Words: 2}}}
	b.keys = make([]uint64, 4+4*room)
	for gen := range b.cells {
		b.cells[gen] = [][]uint64{make([]uint64, 1+2*room), make([]uint64, 1+2*room)}
	}
	return b
}

// give numbers a key, as a program does.
func (b *tableBed) give(gen int, word uint64) int {
	at := b.Keys[gen] / 8
	n := int(b.keys[at])
	if b.keys[at]++; n < b.Room {
		copy(b.keys[at+1+2*n:], []uint64{word, 7})
	}
	return n
}

func (b *tableBed) add(gen, cpu, n int, words ...uint64) { copy(b.cells[gen][cpu][1+2*n:], words) }

func (b *tableBed) take(t *testing.T, gen int) (list []string, u Use) {
	t.Helper()
	holds := b.Holds(gen, b.keys, b.cells[gen])
	u, err := b.Take(gen, b.keys, b.cells[gen], func(key []byte, cells []uint64) error {
		list = append(list, fmt.Sprint(key[0], key[8], cells))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if holds != (len(list) > 0) {
		t.Errorf("that the table holds something is %v; taken is %v", holds, list)
	}
	return list, u
}

// TestTableReader takes what came: keys that are new, be their cells zeros, and those of before
// whose cells are not. Generations know nothing of each other.
func TestTableReader(t *testing.T) {
	b := newTableBed(4)
	a, none := b.give(0, 'a'), b.give(0, 'n')
	b.add(0, 0, a, 1, 2)
	b.add(0, 1, a, 0, 3)
	b.give(1, 'x')
	want := func(gen int, u Use, list ...string) {
		t.Helper()
		got, use := b.take(t, gen)
		if !slices.Equal(got, list) || use != u {
			t.Errorf("taken is %q, %+v; want %q, %+v", got, use, list, u)
		}
	}
	want(0, Use{Keys: 2, New: 2}, "97 7 [1 2 0 3]", "110 7 [0 0 0 0]")
	want(0, Use{Keys: 2})
	want(1, Use{Keys: 1, New: 1}, "120 7 [0 0 0 0]")
	b.add(0, 1, none, 9, 9)
	b.add(0, 0, b.give(0, 'c'), 5)
	want(0, Use{Keys: 3, New: 1}, "110 7 [0 0 9 9]", "99 7 [5 0 0 0]")
	for range 3 {
		b.give(0, 'd')
	}
	want(0, Use{Keys: 4, New: 1}, "100 7 [0 0 0 0]")
	for range stale {
		b.take(t, 0)
	}
	b.add(0, 0, a, 1)
	want(0, Use{Keys: 4, Stale: 3}, "97 7 [1 0 0 0]")
	if got := b.Forget(0, b.keys); !slices.Equal(got, []uint64{'a', 7, 'n', 7, 'c', 7, 'd', 7}) {
		t.Errorf("forgotten are %v", got)
	}
	want(0, Use{})
	b.add(0, 0, b.give(0, 'z'), 1)
	want(0, Use{Keys: 1, New: 1}, "122 7 [1 0 0 0]")
	want(1, Use{Keys: 1})
}

// TestTableReaderFails hands on the error of whoever takes the keys.
func TestTableReaderFails(t *testing.T) {
	b := newTableBed(4)
	b.give(0, 'a')
	want := fmt.Errorf("no")
	if _, err := b.Take(0, b.keys, b.cells[0], func([]byte, []uint64) error { return want }); err != want {
		t.Error(err)
	}
}

// TestWorn tells when keys give up their numbers.
func TestWorn(t *testing.T) {
	for _, tt := range []struct {
		use     Use
		hurried bool
		want    bool
	}{
		{Use{}, false, false},
		{Use{Keys: 700, New: 700}, false, false}, // they may come again
		{Use{Keys: 700, New: 200}, true, true},   // there may be no room for the next
		{Use{Keys: 700, New: 100}, true, false},
		{Use{Keys: 875}, false, true},
		{Use{Keys: 874}, false, false},
		{Use{Keys: 300, Stale: 160}, false, true},
		{Use{Keys: 300, Stale: 150}, false, false},
		{Use{Keys: 200, Stale: 200}, false, false}, // they are not in the way
	} {
		if got := tt.use.Worn(&Table{Room: 1000}, tt.hurried); got != tt.want {
			t.Errorf("%+v, hurried %v: %v", tt.use, tt.hurried, got)
		}
	}
	if !(Use{Keys: 1, New: 1}).Worn(&Table{Room: 1}, false) {
		t.Error("a table of one key never has room for another")
	}
}
