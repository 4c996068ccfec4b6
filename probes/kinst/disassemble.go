package kinst

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"

	"dscope.dev/probes"
)

// An Instruction is one instruction of a function.
type Instruction struct {
	Offset uint64 // bytes from the start of the function
	Text   string // as the GNU assembler has it

	flow flow
}

// Disassemble cuts the code of a function that lies at addr into its instructions.
// What is there to fill up, which is never executed, is left out. If something in
// it is no instruction that is known, or hidden, what comes before is returned
// with an error.
func Disassemble(arch string, addr uint64, code []byte) ([]Instruction, error) {
	switch arch {
	case "amd64":
		return disassembleX86(addr, code)
	case "arm64":
		return disassembleARM(addr, code)
	}
	return nil, fmt.Errorf("dscope disassembles amd64 and arm64, not %s", arch)
}

// breakpoint is int3. Compilers and the kernel put it behind jumps and returns,
// to stop what runs ahead; anywhere else somebody has put it over an instruction.
const breakpoint = 0xcc

func disassembleX86(addr uint64, code []byte) ([]Instruction, error) {
	var list []Instruction
	end := 0             // of list, without what fills up
	beyond := false      // whether the instruction before never goes on to the next
	reaches := uint64(0) // the furthest place in the function to which a jump leads
	for off := 0; off < len(code); {
		rest := code[off:]
		if rest[0] == breakpoint {
			if len(list) > 0 && list[len(list)-1].flow.calls && len(bytes.Trim(rest, "\xcc")) == 0 {
				break // behind a call that never returns
			}
			if !beyond {
				return list, fmt.Errorf("at +%d there is a breakpoint, of another tracer, which hides the instruction", off)
			}
			off++
			continue
		}
		size, text, flow, err := decodeX86(addr+uint64(off), rest)
		if err != nil {
			return list, fmt.Errorf("at +%d: %w (% x)", off, err, rest[:min(len(rest), 8)])
		}
		list = append(list, Instruction{uint64(off), text, flow})
		if flow.target > addr && flow.target < addr+uint64(len(code)) {
			reaches = max(reaches, flow.target-addr)
		}
		if !(beyond && flow.fills && reaches < uint64(off)) {
			beyond = flow.ends
			end = len(list)
		}
		off += size
	}
	return list[:end], nil
}

// A flow is where an instruction leads. A call leads to the next one.
type flow struct {
	ends   bool             // never to the next instruction
	fills  bool             // it does nothing
	jump   probes.Condition // on which it leads to the target
	calls  bool             // it calls another function
	traps  bool             // it is where the kernel complains, and may end
	target uint64           // where it may jump to; 0 if nowhere that it tells
}

func decodeX86(pc uint64, code []byte) (size int, text string, f flow, err error) {
	in, err := x86asm.Decode(code, 64)
	if err != nil || prefixes(code[:in.Len]) == in.Len { // of what it does not know it returns the prefix
		n := lengthX86(code)
		if n == 0 {
			return 0, "", f, errors.New("no instruction that dscope knows")
		}
		return n, fmt.Sprintf(".byte % x", code[:n]), f, nil
	}
	switch in.Op {
	case x86asm.RET, x86asm.JMP, x86asm.UD2, x86asm.LRET, x86asm.IRETQ:
		f.ends = true
	case x86asm.NOP:
		f.fills = true
	}
	switch in.Op {
	case x86asm.CALL:
		f.calls = true
	case x86asm.UD2:
		f.traps = true
	}
	if rel, ok := in.Args[0].(x86asm.Rel); ok && in.Op != x86asm.CALL {
		f.target = pc + uint64(in.Len) + uint64(int64(rel))
		f.jump = condition(code[:in.Len])
	}
	return in.Len, x86asm.GNUSyntax(in, pc, nil), f, nil
}

// condition returns that on which an instruction jumps, 0 if it is none of the usual
// ones.
func condition(code []byte) probes.Condition {
	for len(code) > 0 && prefixes(code[:1]) == 1 { // such as that which says whether it is likely
		code = code[1:]
	}
	switch {
	case len(code) == 2 && code[0]&0xf0 == 0x70:
		return probes.Condition(code[0]&0xf) + 1
	case len(code) == 6 && code[0] == 0x0f && code[1]&0xf0 == 0x80:
		return probes.Condition(code[1]&0xf) + 1
	}
	return 0
}

func disassembleARM(addr uint64, code []byte) ([]Instruction, error) {
	const size = 4
	var list []Instruction
	for off := 0; off+size <= len(code); off += size {
		word := binary.LittleEndian.Uint32(code[off:])
		if word == 0 { // udf #0 fills up between functions
			break
		}
		item := Instruction{Offset: uint64(off), Text: fmt.Sprintf(".inst %#08x", word)}
		if in, err := arm64asm.Decode(code[off:]); err == nil {
			item.Text, item.flow = arm64asm.GNUSyntax(in), flowARM(addr+uint64(off), in)
		}
		list = append(list, item)
	}
	return list, nil
}

func flowARM(pc uint64, in arm64asm.Inst) (f flow) {
	switch in.Op {
	case arm64asm.RET, arm64asm.BR, arm64asm.ERET:
		f.ends = true
	case arm64asm.B:
		_, conditional := in.Args[0].(arm64asm.Cond)
		f.ends = !conditional
	case arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
	default:
		return f
	}
	for _, a := range in.Args {
		if rel, ok := a.(arm64asm.PCRel); ok {
			f.target = pc + uint64(int64(rel))
		}
	}
	return f
}
