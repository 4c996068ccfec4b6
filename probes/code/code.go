// Package code tells where instructions begin in the machine code of a function,
// and which of them return. That is all that a probe at an instruction needs to
// know, so the code is measured, not disassembled: prefixes, opcode map, operand
// bytes and immediate give the length of any instruction of x86-64, of extensions
// too that disassemblers do not know by name yet.
//
// Code is read from its beginning on, because on x86 that is the only way to tell
// an instruction from a part of one. Whatever is no instruction ends the reading:
// what lies behind it cannot be told.
package code

import "encoding/binary"

// An Instruction is one instruction of a function.
type Instruction struct {
	At      uint64 // bytes from the beginning of the function
	Size    int    // bytes
	Returns bool   // whether it goes back to the caller
}

// Instructions lists the instructions that code begins with, for GOARCH amd64 or
// arm64. It is nil for others.
func Instructions(arch string, code []byte) []Instruction {
	switch arch {
	case "amd64":
		return amd64(code)
	case "arm64":
		return arm64(code)
	}
	return nil
}

func amd64(code []byte) []Instruction {
	var list []Instruction
	for at := 0; at < len(code); {
		n, returns := measure(code[at:])
		if n == 0 {
			break
		}
		list = append(list, Instruction{uint64(at), n, returns})
		at += n
	}
	return list
}

// arm64 knows that all instructions take four bytes; those that return are RET,
// RETAA and RETAB.
func arm64(code []byte) []Instruction {
	var list []Instruction
	for at := 0; at+4 <= len(code); at += 4 {
		w := binary.LittleEndian.Uint32(code[at:])
		list = append(list, Instruction{uint64(at), 4, w&0xfffffc1f == 0xd65f0000 || w&^(1<<10) == 0xd65f0bff})
	}
	return list
}

// AfterStackCheck returns how far a function of Go goes before it is sure of its
// stack: it compares the stack pointer with the end of the stack and, where too
// little is left, has a larger one made and begins anew. Until then nothing is
// done; 0 if there is no such check.
func AfterStackCheck(arch string, code []byte) uint64 {
	const soon = 5 // instructions within which it comes
	list := Instructions(arch, code[:min(len(code), soon*most)])
	for _, in := range list[:min(len(list), soon)] {
		if b := code[in.At : in.At+uint64(in.Size)]; isUnlessAbove(arch, b) {
			return in.At + uint64(in.Size)
		}
	}
	return 0
}

// isUnlessAbove reports whether an instruction jumps if a comparison has found the
// first number not above the second: JBE of x86, B.LS of arm64.
func isUnlessAbove(arch string, b []byte) bool {
	if arch == "arm64" {
		w := binary.LittleEndian.Uint32(b)
		return w&0xff00001f == 0x54000009
	}
	return b[0] == 0x76 || len(b) > 1 && b[0] == 0x0f && b[1] == 0x86
}
