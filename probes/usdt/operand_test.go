package usdt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dscope.dev/probes"
)

// spell writes an operand in one line, whatever the machine.
func spell(o probes.Operand) string {
	if o.Kind == probes.Refused {
		return o.Why
	}
	var terms []string
	add := func(r probes.Register, shift uint8) {
		if r.Size == 0 {
			return
		}
		t := fmt.Sprintf("r%d", r.Word)
		if r.Size != 8 {
			t += fmt.Sprintf(".%d", r.Size)
		}
		if r.High {
			t += "h"
		}
		if r.Signed {
			t += "s"
		}
		if shift != 0 {
			t += fmt.Sprintf("<<%d", shift)
		}
		terms = append(terms, t)
	}
	add(o.Base, 0)
	add(o.Index, o.Shift)
	if o.PC {
		terms = append(terms, "pc")
	}
	if o.Disp != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(o.Disp))
	}
	sum := strings.Join(terms, "+")
	if o.Kind == probes.Memory {
		sum = "[" + sum + "]"
	}
	sign := "u"
	if o.Signed {
		sign = "s"
	}
	return fmt.Sprintf("%s%d %s", sign, 8*int(o.Size), sum)
}

func TestOperands(t *testing.T) {
	symbols := map[string]uint64{"counter": 0x5000, "table.1": 0x6000, "__x": 0x10}
	symbol := func(name string) (uint64, bool) { v, ok := symbols[name]; return v, ok }
	for _, tt := range []struct {
		arch, text string
		want       string
	}{
		{"amd64", "-4@%eax", "s32 r10.4"},
		{"amd64", "8@%rdi", "u64 r14"},
		{"amd64", "2@%r9w", "u16 r8.2"},
		{"amd64", "-4@%r15d", "s32 r0.4"},
		{"amd64", "1@%r10b", "u8 r7.1"},
		{"amd64", "1@%ah", "u8 r10.1h"},
		{"amd64", "1@%sil", "u8 r13.1"},
		{"amd64", "-1@%bl", "s8 r5.1"},
		{"amd64", "-2@%bp", "s16 r4.2"},
		{"amd64", "8@%rsp", "u64 r19"},
		{"amd64", "-8@%rbx", "s64 r5"},
		{"amd64", "-4@$-5", "s32 -5"},
		{"amd64", "8@$0xffffffffffffffff", "u64 -1"},
		{"amd64", "8@$counter", "u64 pc+16384"},
		{"amd64", "8@$counter+8", "u64 pc+16392"},
		{"amd64", "8@-8(%rbp)", "u64 [r4+-8]"},
		{"amd64", "8@(%rax)", "u64 [r10]"},
		{"amd64", "8@16(%rax,%rbx,4)", "u64 [r10+r5<<2+16]"},
		{"amd64", "8@(%rax,%rbx)", "u64 [r10+r5]"},
		{"amd64", "-4@(,%rcx,8)", "s32 [r11<<3]"},
		{"amd64", "-4@4(%eax)", "s32 [r10.4+4]"},
		{"amd64", "4@counter+8(%rip)", "u32 [pc+16392]"},
		{"amd64", "4@counter-8(%rip)", "u32 [pc+16376]"},
		{"amd64", "4@8+counter(%rip)", "u32 [pc+16392]"},
		{"amd64", "4@table.1(,%rax,4)", "u32 [r10<<2+pc+20480]"},
		{"amd64", "4@counter", "u32 [pc+16384]"},
		{"amd64", "%eax", "s32 r10.4"},
		{"amd64", "-8(%rbp)", "s64 [r4+-8]"},
		{"amd64", "$7", "s64 7"},
		{"amd64", "8f@%xmm0", "8f@%xmm0 lies in a register for floating-point numbers and vectors, which the kernel does not hand to programs"},
		{"amd64", "8@%xmm1", "8@%xmm1 lies in a register for floating-point numbers and vectors, which the kernel does not hand to programs"},
		{"amd64", "8@%st(1)", "8@%st(1) lies in a register for floating-point numbers and vectors, which the kernel does not hand to programs"},
		{"amd64", "16@%rax", "16@%rax has a size of 16 bytes; it can be 1, 2, 4 or 8"},
		{"amd64", "4@%fs:-4", "4@%fs:-4 lies in memory of the thread's own, of which the file does not tell where it is"},
		{"amd64", "4@counter@tpoff(%rax)", "4@counter@tpoff(%rax) lies in memory of the thread's own, of which the file does not tell where it is"},
		{"amd64", "4@gone(%rip)", "4@gone(%rip) lies at gone, and the file has no symbol gone"},
		{"amd64", "-4@$table.1-counter+4", "s32 4100"},
		{"amd64", "8@table.1-counter(%rax)", "u64 [r10+4096]"},
		{"amd64", "8@$counter+table.1", "8@$counter+table.1 is no operand that is understood"},
		{"amd64", "8@$-counter", "8@$-counter is no operand that is understood"},
		{"amd64", "4@8(%rip)", "4@8(%rip) is no operand that is understood"},
		{"amd64", "4@counter@GOTPCREL(%rip)", "4@counter@GOTPCREL(%rip) is no operand that is understood"},
		{"amd64", "8@(%rax,%rbx,3)", "8@(%rax,%rbx,3) is no operand that is understood"},
		{"amd64", "8@(%rax", "8@(%rax is no operand that is understood"},
		{"amd64", "8@()", "8@() is no operand that is understood"},
		{"amd64", "8@%cr3", "8@%cr3 is no operand that is understood"},
		{"amd64", "8@", "8@ names no operand"},

		{"arm64", "-4@w0", "s32 r0.4"},
		{"arm64", "8@x30", "u64 r30"},
		{"arm64", "8@sp", "u64 r31"},
		{"arm64", "8@xzr", "u64 0"},
		{"arm64", "-4@5", "s32 5"},
		{"arm64", "-4@#-5", "s32 -5"},
		{"arm64", "8@[sp]", "u64 [r31]"},
		{"arm64", "8@[sp, 16]", "u64 [r31+16]"},
		{"arm64", "-4@[x29, #-20]", "s32 [r29+-20]"},
		{"arm64", "8@[x0, x1]", "u64 [r0+r1]"},
		{"arm64", "8@[x0, x1, lsl 3]", "u64 [r0+r1<<3]"},
		{"arm64", "8@[x0,x1,lsl #3]", "u64 [r0+r1<<3]"},
		{"arm64", "8@[x0, w1, uxtw 2]", "u64 [r0+r1.4<<2]"},
		{"arm64", "8@[x0, w1, sxtw]", "u64 [r0+r1.4s]"},
		{"arm64", "8@[x0, x1, sxtx 1]", "u64 [r0+r1<<1]"},
		{"arm64", "8@[x0, xzr, lsl 3]", "u64 [r0]"},
		{"arm64", "4@[x0, #:lo12:__x]", "u32 [r0+16]"},
		{"arm64", "8@counter", "u64 pc+16384"},
		{"arm64", "w3", "s32 r3.4"},
		{"arm64", "8@d0", "8@d0 lies in a register for floating-point numbers and vectors, which the kernel does not hand to programs"},
		{"arm64", "8@[x0, 8]!", "8@[x0, 8]! is no operand that is understood"},
		{"arm64", "8@[x0, w1]", "8@[x0, w1] is no operand that is understood"},
		{"arm64", "8@[w0]", "8@[w0] is no operand that is understood"},
		{"arm64", "8@[x0, x1, lsl 9]", "8@[x0, x1, lsl 9] is no operand that is understood"},
		{"arm64", "8@x31", "8@x31 lies at x31, and the file has no symbol x31"},
	} {
		p := place{arch: tt.arch, pc: 0x1000, symbol: symbol}
		list := p.parseArgs(tt.text)
		if len(list) != 1 || spell(list[0]) != tt.want {
			t.Errorf("%s %s: got %d, %s; want %s", tt.arch, tt.text, len(list), spell(list[0]), tt.want)
		}
		if typeOf(list[0]) == nil {
			t.Errorf("%s %s has no type", tt.arch, tt.text)
		}
	}
}

// TestFixed holds that a program which is not moved has plain addresses.
func TestFixed(t *testing.T) {
	p := place{arch: "amd64", pc: 0x1000, fixed: true, symbol: func(string) (uint64, bool) { return 0x5000, true }}
	for text, want := range map[string]string{"4@counter+8(%rip)": "u32 [20488]", "4@counter(,%rax,4)": "u32 [r10<<2+20480]", "8@$counter": "u64 20480"} {
		if got := spell(p.parseArgs(text)[0]); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                   nil,
		"  ":                                 nil,
		"-4@%eax 8@-8(%rbp)":                 {"-4@%eax", "8@-8(%rbp)"},
		"8@[sp, 16] -4@w0":                   {"8@[sp, 16]", "-4@w0"},
		"8@[x0, w1, uxtw 2]\t4@(%rax, %rbx)": {"8@[x0, w1, uxtw 2]", "4@(%rax, %rbx)"},
		"8@[sp":                              {"8@[sp"},
		"8@sp] 4@w1":                         {"8@sp]", "4@w1"},
	} {
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := len(place{arch: "amd64"}.parseArgs(strings.Repeat("4@$1 ", 1000))); got != maxArgs {
		t.Errorf("a note of 1000 arguments has %d", got)
	}
}

// FuzzOperands holds that each argument is either an operand that can be worked out
// or says why it is none.
func FuzzOperands(f *testing.F) {
	for _, text := range []string{"-4@%eax 8@-8(%rbp) 8@16(%rax,%rbx,4) -4@$-5 4@counter+8(%rip)", "8f@%xmm0 4@%fs:4",
		"-4@w0 8@[sp, 16] 8@[x0, x1, lsl 3] 8@[x0, w1, sxtw 2] 4@[x0, #:lo12:counter]"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, arm bool) {
		p := place{arch: "amd64", pc: 0x1000, symbol: func(name string) (uint64, bool) { return 0x5000, name == "counter" }}
		words := uint8(21)
		if arm {
			p.arch, words = "arm64", 34
		}
		for _, o := range p.parseArgs(text) {
			if typeOf(o) == nil {
				t.Errorf("%q: no type: %+v", text, o)
			}
			if (o.Kind == probes.Refused) != (o.Why != "") {
				t.Errorf("%q: %+v", text, o)
			}
			if o.Kind == probes.InSlot || o.Base.Word >= words || o.Index.Word >= words || o.Shift > 4 {
				t.Errorf("%q: %+v", text, o)
			}
		}
	})
}
