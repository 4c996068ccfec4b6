package unwind

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	exe "dscope.dev/probes/binary"
)

// lookUp finds a row in a shard as programs do (package codegen, findRow).
func lookUp(shard []byte, p *piece, place uint64) Row {
	rel := uint32(place - p.from)
	block := min(rel>>BlockShift, p.last)
	at := int(binary.LittleEndian.Uint16(shard[8*int(p.index)+2*int(block):]))
	for d := (BlockRows + 1) / 2; d > 0; d /= 2 {
		if binary.LittleEndian.Uint32(shard[8*(at+d)+4:]) <= rel {
			at += d
		}
	}
	r := Row(binary.LittleEndian.Uint64(shard[8*at:]))
	return r + Row(p.from)<<32
}

// shards cuts rows as a Tables does.
func shards(t *testing.T, rows []Row) (list []piece, data [][]byte) {
	t.Helper()
	var fill []byte
	keep := func() {
		if len(fill) > 8*ShardUnits {
			t.Fatalf("a shard has %d bytes", len(fill))
		}
		data = append(data, append(fill, make([]byte, ShardSize-len(fill))...))
		fill = nil
	}
	for len(rows) > 0 {
		if ShardUnits-len(fill)/8 < leastPiece {
			keep()
		}
		p, n, b := cut(rows, len(fill)/8)
		p.shard = uint16(len(data))
		fill = append(fill, b...)
		list, rows = append(list, p), rows[n:]
	}
	keep()
	return list, data
}

// compare looks up the places around all rows.
func compare(t *testing.T, rows []Row) (pieces int) {
	t.Helper()
	list, data := shards(t, rows)
	for i, r := range rows {
		end := uint64(1 << 32)
		if i+1 < len(rows) {
			end = uint64(rows[i+1].Place())
		}
		for _, place := range []uint64{uint64(r.Place()), (uint64(r.Place()) + end) / 2, end - 1} {
			n, _ := slices.BinarySearchFunc(list, place, func(p piece, place uint64) int {
				if p.from <= place {
					return -1
				}
				return 1
			})
			p := &list[n-1]
			if place >= p.to {
				t.Fatalf("%#x is in no piece", place)
			}
			if got := lookUp(data[p.shard], p, place); got != r {
				t.Fatalf("at %#x: row %#x, want %#x", place, got, r)
			}
		}
	}
	return len(list)
}

// TestCut looks up rows that lie close together, far apart, and both.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name string
		rows int
		step func() uint32
		want int // pieces at least
	}{
		{"one", 1, nil, 1},
		{"every byte", 1000, func() uint32 { return 1 }, 20},
		{"close", 200_000, func() uint32 { return 1 + r.Uint32N(20) }, 6},
		{"blocks", 5000, func() uint32 { return 64 }, 1},
		{"gaps", 1000, func() uint32 { return 1 + r.Uint32N(2*maxGap) }, 300},
		{"mixed", 20_000, func() uint32 { return 1 + r.Uint32N(1<<r.Uint32N(17)) }, 10},
	} {
		place := uint32(r.Uint32N(1000))
		rows := []Row{MakeRow(place, FromSP, 1, 0)}
		for len(rows) < tt.rows {
			place += tt.step()
			rows = append(rows, MakeRow(place, Kind(len(rows)%7), int16(len(rows)), int8(-len(rows))))
		}
		if n := compare(t, rows); n < tt.want {
			t.Errorf("%s: %d pieces, want at least %d", tt.name, n, tt.want)
		}
	}
}

// TestCutReal does it with the program that runs this test, or the C library.
func TestCutReal(t *testing.T) {
	for _, name := range []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/bin/sh"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		f, err := exe.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := Read(f, nil)
		if err != nil || len(rows) == 0 {
			continue
		}
		if n := compare(t, rows); n > 8 {
			t.Errorf("%s has %d pieces", name, n)
		}
		return
	}
	t.Skip("there is no library with unwind tables that this test knows of")
}
