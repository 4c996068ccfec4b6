package codegen

import (
	"fmt"
	"math"

	"github.com/cilium/ebpf/asm"
)

// fail records the first thing that cannot be generated.
func (s *selector) fail(format string, args ...any) {
	if s.failed == nil {
		s.failed = &Error{At: s.at, Msg: fmt.Sprintf(format, args...)}
	}
}

// tooLarge records that the program is so many times as large as one may be.
func (s *selector) tooLarge(times float64, format string, args ...any) {
	if s.failed == nil {
		s.failed = &Error{At: s.fn.Place(), Unit: s.fn.Unit, Times: times, Msg: fmt.Sprintf(format, args...)}
	}
}

// emit appends i to the current block.
func (s *selector) emit(i inst) {
	i.at = s.at
	s.emitted++
	s.cur.insts = append(s.cur.insts, i)
}

func (s *selector) newReg() reg { return s.m.newReg() }

// mov copies src to dst.
func (s *selector) mov(dst, src reg) {
	s.emit(inst{op: asm.Mov.Op(asm.RegSource), dst: dst, src: src})
}

// movImm sets dst to n, by the shortest instruction.
func (s *selector) movImm(dst reg, n int64) {
	switch {
	case fits32(n):
		s.emit(inst{op: asm.Mov.Op(asm.ImmSource), dst: dst, src: none, imm: n})
	case n == int64(uint32(n)):
		s.emit(inst{op: asm.Mov.Op32(asm.ImmSource), dst: dst, src: none, imm: int64(int32(n))})
	default:
		s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: dst, src: reg(asm.R0), imm: n})
	}
}

// mapPtr sets dst to the map of that name.
func (s *selector) mapPtr(dst reg, name string) {
	s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: dst, src: reg(asm.PseudoMapFD), ref: name})
}

// mapValue sets dst to the address of byte off of the only value of a map.
func (s *selector) mapValue(dst reg, name string, off int64) {
	s.emit(inst{op: asm.LoadImmOp(asm.DWord), dst: dst, src: reg(asm.PseudoMapValue), ref: name, imm: off << 32})
}

// alu does dst = dst op src.
func (s *selector) alu(op asm.ALUOp, dst, src reg) {
	s.emit(inst{op: op.Op(asm.RegSource), dst: dst, src: src})
}

// aluImm does dst = dst op n, where n fits 32 bits.
func (s *selector) aluImm(op asm.ALUOp, dst reg, n int64) {
	s.emit(inst{op: op.Op(asm.ImmSource), dst: dst, src: none, imm: n})
}

// load sets dst to size bytes at base + off.
func (s *selector) load(size int, dst, base reg, off int64) {
	base, off = s.reach(base, off)
	s.emit(inst{op: asm.LoadMemOp(asmSize(size)), dst: dst, src: base, off: int16(off)})
}

// store puts size bytes of src at base + off.
func (s *selector) store(size int, base reg, off int64, src reg) {
	base, off = s.reach(base, off)
	s.emit(inst{op: asm.StoreMemOp(asmSize(size)), dst: base, src: src, off: int16(off)})
}

// storeImm puts size bytes of n at base + off; n fits 32 bits.
func (s *selector) storeImm(size int, base reg, off, n int64) {
	base, off = s.reach(base, off)
	s.emit(inst{op: asm.StoreImmOp(asmSize(size)), dst: base, src: none, off: int16(off), imm: n})
}

// reach makes an offset fit an instruction.
func (s *selector) reach(base reg, off int64) (reg, int64) {
	if off >= math.MinInt16 && off <= math.MaxInt16-8 {
		return base, off
	}
	t := s.newReg()
	s.mov(t, base)
	s.aluImm(asm.Add, t, off)
	return t, 0
}

// call calls a helper that takes its arguments in R1 to Rn and answers in R0.
func (s *selector) call(fn asm.BuiltinFunc, n int) {
	s.emit(inst{op: asm.Call.Op(asm.ImmSource), dst: r0, src: r0, imm: int64(fn), args: int8(n)})
}

// jump ends the current block.
func (s *selector) jump(to *block) {
	s.cur.kind, s.cur.succs[0], s.cur.at = termJump, to, s.at
}

// branch ends the current block by a test.
func (s *selector) branch(t test, yes, no *block) {
	s.cur.kind, s.cur.test, s.cur.succs, s.cur.at = termBranch, t, [2]*block{yes, no}, s.at
}

// leaveIf goes to to if t holds, and continues in a new block.
func (s *selector) leaveIf(t test, to *block) {
	next := s.m.newBlock(s.cur.cold)
	s.branch(t, to, next)
	s.cur = next
}

// testImm compares x with n.
func testImm(op asm.JumpOp, x reg, n int64) test { return test{op: op, x: x, y: none, imm: n} }

// exitBlock returns the block that leaves a program without a result.
func (s *selector) exitBlock() *block {
	if s.exit == nil {
		s.exit = s.m.newBlock(false)
		s.exit.kind = termExit
		s.exit.insts = []inst{{op: asm.Mov.Op(asm.ImmSource), dst: r0, src: none}}
	}
	return s.exit
}

func fits32(n int64) bool { return n == int64(int32(n)) }

func asmSize(n int) asm.Size {
	switch n {
	case 1:
		return asm.Byte
	case 2:
		return asm.Half
	case 4:
		return asm.Word
	case 8:
		return asm.DWord
	}
	panic(fmt.Sprintf("codegen: no load of %d bytes", n))
}
