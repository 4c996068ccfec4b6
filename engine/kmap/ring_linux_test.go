package kmap

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// writer returns a program that writes a record of size bytes, all of whose words
// are its argument, or thinks better of it.
func writer(t *testing.T, ring *ebpf.Map, size int, discard bool) *ebpf.Program {
	t.Helper()
	finish := asm.FnRingbufSubmit
	if discard {
		finish = asm.FnRingbufDiscard
	}
	ins := asm.Instructions{
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord),
		asm.LoadMapPtr(asm.R1, ring.FD()),
		asm.Mov.Imm(asm.R2, int32(size)),
		asm.Mov.Imm(asm.R3, 0),
		asm.FnRingbufReserve.Call(),
		asm.JEq.Imm(asm.R0, 0, "full"),
	}
	for off := 0; off+8 <= size; off += 8 {
		ins = append(ins, asm.StoreMem(asm.R0, int16(off), asm.R6, asm.DWord))
	}
	ins = append(ins,
		asm.Mov.Reg(asm.R1, asm.R0),
		asm.Mov.Imm(asm.R2, 1), // BPF_RB_NO_WAKEUP
		finish.Call(),
		asm.Mov.Imm(asm.R0, 1),
		asm.Return(),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("full"),
		asm.Return(),
	)
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "Dual MIT/GPL", Instructions: ins})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// write runs a program of writer and reports whether there was room.
func write(t *testing.T, p *ebpf.Program, word uint64) bool {
	t.Helper()
	code, err := p.Run(&ebpf.RunOptions{Context: []uint64{word}})
	if err != nil {
		t.Fatal(err)
	}
	return code == 1
}

// mapped counts the pieces of this process's memory that are of maps.
func mapped(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "bpf")
}

// TestRing reads records of three sizes, among others that are discarded, several
// times round the buffer.
func TestRing(t *testing.T) {
	buf := made(t, &ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: uint32(os.Getpagesize())})
	before := mapped(t)
	r, err := OpenRing(buf)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := r.Next(); ok || err != nil || r.Waiting() != 0 || r.data != nil {
		t.Fatalf("an empty buffer: %v, %v, %d bytes, mapped %d", ok, err, r.Waiting(), len(r.data))
	}
	sizes := []int{8, 24, 400}
	var writers []*ebpf.Program
	for _, n := range sizes {
		writers = append(writers, writer(t, buf, n, false))
	}
	unwanted := writer(t, buf, 16, true)
	wrote, read := uint64(0), uint64(0)
	for read < 500 {
		for write(t, writers[wrote%3], wrote) { // until it is full
			wrote++
			write(t, unwanted, 1<<60)
		}
		for r.Waiting() > 0 {
			rec, ok, err := r.Next()
			if err != nil {
				t.Fatal(err)
			} else if !ok {
				break // what was left had been discarded
			}
			word := binary.NativeEndian.AppendUint64(nil, read)
			if want := bytes.Repeat(word, sizes[read%3]/8); !bytes.Equal(rec, want) {
				t.Fatalf("record %d: got %x, want %x", read, rec, want)
			}
			read++
		}
		if r.Free(); r.freed != r.at {
			t.Fatalf("%d bytes are not freed", r.at-r.freed)
		}
	}
	if wrote != read || r.Waiting() != 0 {
		t.Errorf("%d records were written, %d read; %d bytes are left", wrote, read, r.Waiting())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if after := mapped(t); after != before {
		t.Errorf("%d mappings before, %d after", before, after)
	}
}
