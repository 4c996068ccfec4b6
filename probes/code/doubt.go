package code

import (
	"fmt"
	"strings"
)

// seldom are the opcodes of one byte that the kernel is known to refuse to execute
// out of place, as uprobes do: what privileged code alone may do, and what is no
// instruction. Those of vector instructions it looks up in the same table
// (arch/x86/kernel/uprobes.c up to Linux 6.18), which refuses some that are harmless.
const seldom = "\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x62\x6c\x6d\x6e\x6f\x82\x9a\xc4\xc5\xcc\xcd\xce" +
	"\xd4\xd5\xd6\xe4\xe5\xe6\xe7\xea\xec\xed\xee\xef\xf1\xf4\xfa\xfb"

// taken are the opcodes of one byte that change the program counter, for which the
// kernel acts itself or mends it afterwards: jumps, calls, returns, NOP and POPF.
const taken = "\x70\x71\x72\x73\x74\x75\x76\x77\x78\x79\x7a\x7b\x7c\x7d\x7e\x7f\x90\x9a\x9d\xc2\xc3\xca\xcb\xe8\xe9\xea\xeb\xff"

// Harmful reports whether to probe the instruction that code begins with would
// derail the process. For the opcode of a vector instruction the kernel looks where
// those of one byte are (branch_setup_xol_ops and what is around it, in
// arch/x86/kernel/uprobes.c up to Linux 6.18): VPBROADCASTB it takes for a jump, and
// jumps; VCMPPS for a return.
func Harmful(arch string, code []byte) bool {
	if arch != "amd64" || len(code) < 5 {
		return false
	}
	switch code[0] {
	case 0xc5:
		return strings.IndexByte(taken, code[2]) >= 0
	case 0xc4:
		return strings.IndexByte(taken, code[3]) >= 0
	case 0x62:
		return strings.IndexByte(taken, code[4]) >= 0
	}
	return false
}

// Doubt returns "" if the kernel can usually probe the instruction that code begins
// with, and else a word that is the same for instructions that it treats alike.
// Whether it can only the kernel knows.
func Doubt(arch string, code []byte) string {
	if arch != "amd64" {
		return ""
	}
	for len(code) > 0 && strings.IndexByte(prefixes, code[0]) >= 0 {
		if strings.IndexByte("\xf0\x2e\x36\x3e\x26", code[0]) >= 0 {
			return fmt.Sprintf("prefix %02x", code[0])
		}
		code = code[1:]
	}
	if len(code) > 0 && code[0]&0xf0 == 0x40 {
		code = code[1:]
	}
	if len(code) < 5 {
		return ""
	}
	op, kind := code[0], "opcode"
	switch op {
	case 0xc5:
		op, kind = code[2], "vector"
	case 0xc4:
		op, kind = code[3], "vector"
	case 0x62:
		op, kind = code[4], "vector"
	}
	if strings.IndexByte(seldom, op) < 0 {
		return ""
	}
	return fmt.Sprintf("%s %02x", kind, op)
}
