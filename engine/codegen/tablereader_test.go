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
	u, err := b.Take(gen, b.keys, b.cells[gen], func(n int, key []byte, cells []uint64) error {
		if at := b.Keys[gen]/8 + 1 + 2*n; b.keys[at] != uint64(key[0]) {
			t.Errorf("key %d is said to be number %d", key[0], n)
		}
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
	if _, err := b.Take(0, b.keys, b.cells[0], func(int, []byte, []uint64) error { return want }); err != want {
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
		{Use{Keys: 70_000, New: 70_000}, false, false}, // they may come again
		{Use{Keys: 70_000, New: 20_000}, true, true},   // there may be no room for the next
		{Use{Keys: 70_000, New: 10_000}, true, false},
		{Use{Keys: 87_500}, false, true},
		{Use{Keys: 87_499}, false, false},
		{Use{Keys: 30_000, Stale: 16_000}, false, true},
		{Use{Keys: 30_000, Stale: 15_000}, false, false},
		{Use{Keys: 20_000, Stale: 20_000}, false, false}, // they are not in the way
	} {
		if got := tt.use.Worn(&Table{Room: 100_000}, tt.hurried); got != tt.want {
			t.Errorf("%+v, hurried %v: %v", tt.use, tt.hurried, got)
		}
	}
	for room, keys := range map[int]int{1: 1, 1000: 500, 20_000: 20_000 - fewKeys} { // of small ones more must be free
		small := &Table{Room: room}
		if !(Use{Keys: keys}).Worn(small, false) || (Use{Keys: keys - 1}).Worn(small, false) {
			t.Errorf("%d keys are not just too many for %d", keys, room)
		}
	}
}
