package kmap

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// made returns a map, or skips the test if none may be made.
func made(t *testing.T, spec *ebpf.MapSpec) *ebpf.Map {
	t.Helper()
	m, err := ebpf.NewMap(spec)
	if errors.Is(err, os.ErrPermission) && os.Getenv("CI") == "" {
		t.Skipf("maps need root or CAP_BPF: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestLarge reads hashes that are far larger than the buffers: every key comes once, with the
// cells of every CPU.
func TestLarge(t *testing.T) {
	t.Run("narrow", func(t *testing.T) { testLarge(t, 5000, 2) })
	t.Run("wide", func(t *testing.T) { testLarge(t, 300, 4000) })
}

func testLarge(t *testing.T, keys, words int) {
	m := made(t, &ebpf.MapSpec{Type: ebpf.PerCPUHash, KeySize: 8, ValueSize: uint32(8 * words), MaxEntries: uint32(keys)})
	cpus := ebpf.MustPossibleCPU()
	table := New(m, words, cpus)
	for round := range 3 { // the buffers are used again
		cells := make([][]uint64, cpus)
		for i := range uint64(keys) {
			for cpu := range cells {
				cells[cpu] = make([]uint64, words)
				cells[cpu][0], cells[cpu][words-1] = i, uint64(cpu+round)
			}
			if err := m.Put(i, cells); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[uint64]int{}
		err := table.Peek(func(key []byte, got []uint64) {
			i := binary.LittleEndian.Uint64(key)
			seen[i]++
			for cpu := range cpus {
				if got[words*cpu] != i || got[words*cpu+words-1] != uint64(cpu+round) {
					t.Fatalf("key %d, CPU %d: %d … %d", i, cpu, got[words*cpu], got[words*cpu+words-1])
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range seen {
			if n != 1 {
				t.Errorf("key %d came %d times", i, n)
			}
		}
		if len(seen) != keys {
			t.Errorf("%d keys came, want %d", len(seen), keys)
		}
	}
	if need := 8 * table.capacity * words * cpus; need > mostBytes {
		t.Errorf("the buffers have grown to %d bytes", need)
	}
}

// TestPeek reads all entries of a hash, as often as it likes.
func TestPeek(t *testing.T) {
	const keys, words = 1000, 64
	m := made(t, &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 8, ValueSize: 8 * words, MaxEntries: keys})
	for i := range uint64(keys) {
		if err := m.Put(i, append(make([]uint64, words-1), i)); err != nil {
			t.Fatal(err)
		}
	}
	table := New(m, words, 1)
	for range 2 {
		seen := map[uint64]bool{}
		err := table.Peek(func(key []byte, got []uint64) {
			i := binary.LittleEndian.Uint64(key)
			if seen[i] || got[words-1] != i {
				t.Fatalf("key %d: %d, seen %t", i, got[words-1], seen[i])
			}
			seen[i] = true
		})
		if err != nil || len(seen) != keys {
			t.Errorf("%d keys, want %d: %v", len(seen), keys, err)
		}
	}
}

// TestTakeAt reads an element of an array and leaves zeros there, and nothing
// else is touched.
func TestTakeAt(t *testing.T) {
	m := made(t, &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: 2})
	cpus := ebpf.MustPossibleCPU()
	for i := range uint32(2) {
		cells := make([]uint64, cpus)
		for cpu := range cells {
			cells[cpu] = uint64(10*i) + uint64(cpu) + 1
		}
		if err := m.Put(i, cells); err != nil {
			t.Fatal(err)
		}
	}
	table := New(m, 1, cpus)
	for round, want := range []uint64{11, 0} {
		got, err := table.TakeAt(1)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != cpus || got[0] != want {
			t.Errorf("round %d: %v, want %d first", round, got, want)
		}
	}
	if got, err := table.At(0); err != nil || got[0] != 1 {
		t.Errorf("the other element is %v, %v", got, err)
	}
}

// TestShared writes words that the kernel then sees.
func TestShared(t *testing.T) {
	m := made(t, &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 16, MaxEntries: 1, Flags: 1 << 10}) // BPF_F_MMAPABLE
	s, err := Share(m)
	if err != nil {
		t.Fatal(err)
	}
	s.Store32(4, 7)
	s.Store64(8, 1<<40)
	var got [2]uint64
	if err := m.Lookup(uint32(0), unsafe.Slice((*byte)(unsafe.Pointer(&got)), 16)); err != nil {
		t.Fatal(err)
	}
	if got != [2]uint64{7 << 32, 1 << 40} {
		t.Errorf("the kernel sees %#x", got)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	var none *Shared
	none.Store32(0, 1) // of a script that shares nothing
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestDelete takes keys out of a hash, some of which it does not have.
func TestDelete(t *testing.T) {
	m := made(t, &ebpf.MapSpec{Type: ebpf.Hash, KeySize: 16, ValueSize: 4, MaxEntries: 64})
	keys := []uint64{1, 1}
	for i := uint64(0); i < 40; i++ {
		if i%3 != 1 && i < 30 {
			keys = append(keys, i, 7)
		}
		if err := m.Put([]uint64{i, 7}, uint32(i)); err != nil {
			t.Fatal(err)
		}
	}
	keys = append(keys, 0, 7, 99, 99) // one that has gone, and one that never was
	if err := Delete(m, keys); err != nil {
		t.Fatal(err)
	}
	var key [2]uint64
	var n uint32
	left := 0
	for it := m.Iterate(); it.Next(&key, &n); left++ {
		if n%3 != 1 && n < 30 {
			t.Errorf("key %v is left", key)
		}
	}
	if left != 20 {
		t.Errorf("%d keys are left, want 20", left)
	}
	if err := Delete(m, nil); err != nil {
		t.Error(err)
	}
}

// TestWords reads and writes the elements of an array where the kernel has them.
func TestWords(t *testing.T) {
	m := made(t, &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 8 * 700, MaxEntries: 3, Flags: unix.BPF_F_MMAPABLE})
	w, err := ShareWords(m)
	if err != nil {
		t.Fatal(err)
	}
	w.At(2)[699] = 5
	cells := make([]uint64, 700)
	if err := m.Lookup(uint32(2), cells); err != nil || cells[699] != 5 {
		t.Error(err, cells[699])
	}
	cells[0] = 6
	if err := m.Put(uint32(1), cells); err != nil || w.At(1)[0] != 6 || len(w.At(1)) != 700 {
		t.Error(err, w.At(1)[0])
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := ShareWords(made(t, &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1})); err == nil {
		t.Error("an array that cannot be mapped was")
	}
}
