package unwind

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"dscope.dev/engine/python"
	"dscope.dev/engine/symbol"
)

// Python calls each of its functions through a copy of a few instructions that it makes while it runs,
// if it is asked to tell perf of them (-X perf). They have no table, but are known
// (Python/asm_trampoline.S of CPython), and lie alone in what is mapped for them.
var trampolines = []struct {
	code []byte
	row  Row
}{
	{[]byte{0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3}, MakeRow(0, FromSP, 2, 0)}, // sub $8,%rsp; call *%rcx; …
	{[]byte{0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3}, MakeRow(0, FromSP, 2, -2)},                  // push %rbp; mov %rsp,%rbp; call *%rcx; …
}

// endbr64 begins functions that may be called by address, where the processor checks that.
var endbr64 = []byte{0xf3, 0x0f, 0x1e, 0xfa}

// maxHanging is of how many processes memory may have been waited for in vain, before no more
// is read of any.
const maxHanging = 8

// trampoline returns where the rows are for code that a Python process has generated, none if it is
// of another kind.
func (t *Tables) trampoline(pid uint32, c *symbol.Code) []piece {
	s := t.seen[pid]
	if s == nil || s.hangs || t.hanging >= maxHanging {
		return nil
	}
	b, err := python.Ask("/proc/"+strconv.Itoa(int(pid))+"/mem", func(mem io.ReaderAt) (b [16]byte, err error) {
		_, err = mem.ReadAt(b[:], int64(c.Start))
		return b, err
	})
	if errors.Is(err, python.ErrHangs) {
		s.hangs = true
		t.hanging++
	}
	if err != nil {
		return nil
	}
	code := bytes.TrimPrefix(b[:], endbr64)
	for _, k := range trampolines {
		if !bytes.HasPrefix(code, k.code) {
			continue
		}
		if t.generated[k.row] == nil {
			t.generated[k.row], _ = t.store([]Row{k.row})
		}
		return t.generated[k.row]
	}
	return nil
}
