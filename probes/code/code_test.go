package code

import (
	"bufio"
	"bytes"
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestAMD64(t *testing.T) {
	for _, tt := range []struct {
		name    string
		code    []byte
		at      []uint64
		returns []uint64
	}{
		{"endbr64; push %rbp; mov %rsp,%rbp; test %edi,%edi; je +1; ret; pop %rbp; ret",
			[]byte{0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0x85, 0xff, 0x74, 0x01, 0xc3, 0x5d, 0xc3},
			[]uint64{0, 4, 5, 8, 10, 12, 13, 14}, []uint64{12, 14}},
		{"rep ret; ret $8; nop", []byte{0xf3, 0xc3, 0xc2, 8, 0, 0x90}, []uint64{0, 2, 5}, []uint64{0, 2}},
		{"movabs; mov $imm32; test $imm8; test $imm32; not; vzeroupper; vmovups %zmm0,(%rdi); vpermq $1,%ymm0,%ymm0",
			[]byte{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xb8, 1, 2, 3, 4, 0xf6, 0xc1, 1, 0xf7, 0xc1, 1, 2, 3, 4, 0xf7, 0xd1, 0xc5, 0xf8, 0x77,
				0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07, 0xc4, 0xe3, 0xfd, 0x00, 0xc0, 0x01},
			[]uint64{0, 10, 15, 18, 24, 26, 29, 35}, nil},
		{"nop; what 64-bit code has not", []byte{0x90, 0x06, 0x90}, []uint64{0}, nil},
		{"nop; an instruction that is cut off", []byte{0x90, 0xe8, 1, 2}, []uint64{0}, nil},
		{"nothing but prefixes", bytes.Repeat([]byte{0x66}, 20), nil, nil},
	} {
		var at, returns []uint64
		for _, in := range Instructions("amd64", tt.code) {
			at = append(at, in.At)
			if in.Returns {
				returns = append(returns, in.At)
			}
		}
		if !slices.Equal(at, tt.at) || !slices.Equal(returns, tt.returns) {
			t.Errorf("%s: at %v, returns %v; want %v, %v", tt.name, at, returns, tt.at, tt.returns)
		}
	}
}

func TestARM64(t *testing.T) {
	// nop; ret; retaa; ret x3; and half of one
	code := []byte{0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6, 0xff, 0x0b, 0x5f, 0xd6, 0x60, 0x00, 0x5f, 0xd6, 0xc0, 0x03}
	var returns []uint64
	list := Instructions("arm64", code)
	for _, in := range list {
		if in.Returns {
			returns = append(returns, in.At)
		}
	}
	if len(list) != 4 || !slices.Equal(returns, []uint64{4, 8, 12}) {
		t.Errorf("%v", list)
	}
	if Instructions("riscv64", code) != nil {
		t.Error("another machine's code was read")
	}
}

func TestAfterStackCheck(t *testing.T) {
	for _, tt := range []struct {
		arch string
		code []byte
		want uint64
	}{
		{"amd64", []byte{0x49, 0x3b, 0x66, 0x10, 0x76, 0x20, 0x55, 0x48, 0x89, 0xe5}, 6},                                         // cmp 16(%r14),%rsp; jbe; push
		{"amd64", []byte{0x4c, 0x8d, 0xa4, 0x24, 0, 0xf0, 0xff, 0xff, 0x4d, 0x3b, 0x66, 0x10, 0x0f, 0x86, 1, 2, 3, 4, 0x55}, 18}, // lea; cmp; jbe far
		{"amd64", []byte{0x8b, 0x07, 0xc3}, 0}, // none
		{"arm64", []byte{0x90, 0x0b, 0x40, 0xf9, 0xff, 0x63, 0x30, 0xeb, 0x09, 0x02, 0x00, 0x54, 0xfd, 0x7b, 0xbf, 0xa9}, 12}, // ldr; cmp; b.ls; stp
		{"amd64", nil, 0},
	} {
		if got := AfterStackCheck(tt.arch, tt.code); got != tt.want {
			t.Errorf("%s % x: %d, want %d", tt.arch, tt.code, got, tt.want)
		}
	}
}

func TestHarmful(t *testing.T) {
	for code, want := range map[string]bool{
		"\x62\xe2\x7d\x28\x7a\xc6": true,  // vpbroadcastb %esi,%ymm16
		"\xc5\xf8\xc2\xc1\x00":     true,  // vcmpeqps
		"\xc4\xe1\x79\x7e\xc0":     true,  // vmovd %xmm0,%eax
		"\xc5\xf9\xef\xc0\x90":     false, // vpxor: refused, not derailed
		"\x74\x05\x90\x90\x90":     false, // a jump proper
		"\xf3\x0f\x1e\xfa\x55":     false,
		"\x62":                     false,
	} {
		if got := Harmful("amd64", []byte(code)); got != want {
			t.Errorf("% x: %t", code, got)
		}
	}
}

func TestDoubt(t *testing.T) {
	for _, tt := range []struct {
		code string
		want string
	}{
		{"\xf3\x0f\x1e\xfa\x55\x48", ""},
		{"\x55\x48\x89\xe5\xc3\x90", ""},
		{"\xf0\x0f\xba\xaf\x08\x03\x00", "prefix f0"},
		{"\xc5\xf9\x6e\xc6\x48\x89", "vector 6e"},
		{"\xc5\xf8\x77\xc3\x90\x90", ""},
		{"\x62\xf1\x7d\x48\xef\xc0", "vector ef"},
		{"\xcc\x90\x90\x90\x90", "opcode cc"},
		{"\x66\x6e\x90\x90\x90\x90", "opcode 6e"},
		{"\xc5", ""},
		{"", ""},
	} {
		if got := Doubt("amd64", []byte(tt.code)); got != tt.want {
			t.Errorf("% x: %q, want %q", tt.code, got, tt.want)
		}
	}
}

// TestAgainstObjdump measures a whole library and compares with binutils.
func TestAgainstObjdump(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a library's worth of assembly")
	}
	dump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("needs objdump")
	}
	found, _ := filepath.Glob("/usr/lib/x86_64-linux-gnu/libc.so.6")
	if len(found) == 0 {
		t.Skip("there is no C library of x86-64 here")
	}
	f, err := elf.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(dump, "-d", "-z", "-w", "-j", ".text", "--no-show-raw-insn", found[0]).Output()
	if err != nil {
		t.Fatal(err)
	}
	var at uint64
	known := map[uint64]Instruction{}
	wrong, compared := 0, 0
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		place, what, ok := strings.Cut(strings.TrimSpace(lines.Text()), ":\t")
		addr, err := strconv.ParseUint(place, 16, 64)
		if !ok || err != nil || strings.Contains(what, "(bad)") {
			continue
		}
		if at = addr - text.Addr; at >= uint64(len(code)) {
			continue
		}
		n, returns := measure(code[at:])
		known[at] = Instruction{at, n, returns}
		compared++
		if op := strings.Fields(what); returns != slices.Contains(op, "ret") && returns != slices.Contains(op, "retq") && wrong < 10 {
			wrong++
			t.Errorf("%#x %s: returns %t", addr, what, returns)
		}
	}
	for at, in := range known {
		if in.Size == 0 {
			t.Errorf("%#x is no instruction: % x", at+text.Addr, code[at:min(at+15, uint64(len(code)))])
		} else if _, ok := known[at+uint64(in.Size)]; !ok && at+uint64(in.Size) < uint64(len(code)) {
			t.Errorf("%#x takes %d bytes: % x", at+text.Addr, in.Size, code[at:min(at+15, uint64(len(code)))])
		} else {
			continue
		}
		if wrong++; wrong > 10 {
			break
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d instructions compared", compared)
	}
}

func FuzzInstructions(f *testing.F) {
	f.Add([]byte{0xf3, 0x0f, 0x1e, 0xfa, 0xc3})
	f.Add([]byte{0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07})
	f.Fuzz(func(t *testing.T, code []byte) {
		for _, arch := range []string{"amd64", "arm64"} {
			at := uint64(0)
			for _, in := range Instructions(arch, code) {
				if in.At != at || in.Size <= 0 || in.Size > most || in.At+uint64(in.Size) > uint64(len(code)) {
					t.Fatalf("%s: %+v at %d of %d", arch, in, at, len(code))
				}
				at += uint64(in.Size)
			}
		}
	})
}
