package unwind

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"strings"
	"testing"

	exe "dscope.dev/probes/binary"
	"dscope.dev/probes/binary/binarytest"
)

// build compiles a library and returns its bytes.
func build(t testing.TB, source string, flags ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(binarytest.Compile(t, "lib.s", source, append(flags, "-shared", "-nostdlib")...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rowsOf shows the rows of a library, with places counted from its code.
func rowsOf(t *testing.T, b []byte) string {
	t.Helper()
	f, err := exe.New(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Machine() != elf.EM_X86_64 {
		t.Skip("the tables of x86-64 are read")
	}
	rows, err := Read(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	addr, _, err := f.Section(".text")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := f.Offset(addr)
	var s strings.Builder
	for _, r := range rows {
		if uint64(r.Place()) >= text {
			fmt.Fprintf(&s, "%d:%d,%d,%d ", uint64(r.Place())-text, r.Kind(), r.Frame(), r.FP())
		}
	}
	return strings.TrimSpace(s.String())
}

func TestRows(t *testing.T) {
	for name, tt := range map[string]struct{ source, want string }{
		"pushes": {`.globl f
f:	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	sub $64, %rsp
	.cfi_adjust_cfa_offset 64
	nop
	add $64, %rsp
	.cfi_adjust_cfa_offset -64
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
`, "0:0,1,0 1:0,2,0 5:0,10,0 10:0,2,0 11:0,1,0 12:3,0,0"},
		"frame pointer": {`f:	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register 6
	nop
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.cfi_restore_state
	nop
	.cfi_endproc
`, "0:0,1,0 1:0,2,-2 4:1,2,-2 6:0,1,-2 7:1,2,-2 8:3,0,0"},
		"no caller": {`f:	.cfi_startproc
	.cfi_undefined 16
	nop
	.cfi_endproc
`, "0:2,0,0 1:3,0,0"},
		"signal": {`f:	.cfi_startproc
	.cfi_signal_frame
	nop
	.cfi_endproc
`, "0:5,0,0 1:3,0,0"},
		"aligned anew": {`f:	.cfi_startproc
	nop
	.cfi_escape 0xf, 3, 0x76, 0x78, 6
	.cfi_escape 0x10, 6, 2, 0x76, 0
	nop
	.cfi_endproc
`, "0:0,1,0 1:6,-1,0 2:3,0,0"},
		"not understood": {`f:	.cfi_startproc
	.cfi_def_cfa 10, 0
	nop
	.cfi_endproc
g:	.cfi_startproc
	nop
	.cfi_endproc
`, "0:3,0,0 1:0,1,0 2:3,0,0"},
	} {
		if got := rowsOf(t, build(t, tt.source+"\t.skip 64, 0x90\n")); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}

func TestMakeRow(t *testing.T) {
	r := MakeRow(1<<31+5, Realigned, -300, -128)
	if r.Place() != 1<<31+5 || r.Kind() != Realigned || r.Frame() != -300 || r.FP() != -128 {
		t.Errorf("%#x: %d %d %d %d", uint64(r), r.Place(), r.Kind(), r.Frame(), r.FP())
	}
}

// FuzzFrame reads anything as an unwind table: rows come in order.
func FuzzFrame(f *testing.F) {
	for _, source := range []string{"f: .cfi_startproc\npush %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6,-16\nret\n.cfi_endproc\n"} {
		b := build(f, source)
		if file, err := exe.New(bytes.NewReader(b), int64(len(b))); err == nil {
			if addr, data, err := file.Section(".eh_frame"); err == nil {
				f.Add(data, addr)
			}
		}
	}
	f.Add([]byte{}, uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, addr uint64) {
		tab := table{data: data, addr: addr, place: func(a uint64) (uint64, bool) { return a, true }, cies: map[int]*cie{}}
		rows, err := tab.read()
		if err != nil {
			return
		}
		for i := 1; i < len(rows); i++ {
			if rows[i].Place() <= rows[i-1].Place() {
				t.Fatalf("row %d at %#x comes after %#x", i, rows[i].Place(), rows[i-1].Place())
			}
		}
	})
}

// BenchmarkRead reads the table of the C library.
func BenchmarkRead(b *testing.B) {
	f, err := exe.Open("/lib/x86_64-linux-gnu/libc.so.6")
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	for b.Loop() {
		rows, err := Read(f, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(rows)), "rows")
	}
}
