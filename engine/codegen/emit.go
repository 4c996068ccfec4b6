package codegen

import (
	"fmt"
	"math"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
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
func (s *selector) emit(i mach.Inst) {
	i.At = s.at
	s.emitted++
	s.m.Append(s.cur, i)
}

func (s *selector) newReg() mach.Reg { return s.m.NewReg() }

// mov copies src to dst.
func (s *selector) mov(dst, src mach.Reg) {
	s.emit(mach.Inst{Op: asm.Mov.Op(asm.RegSource), Dst: dst, Src: src})
}

// movImm sets dst to n, by the shortest instruction.
func (s *selector) movImm(dst mach.Reg, n int64) {
	switch {
	case fits32(n):
		s.emit(mach.Inst{Op: asm.Mov.Op(asm.ImmSource), Dst: dst, Src: mach.None, Imm: n})
	case n == int64(uint32(n)):
		s.emit(mach.Inst{Op: asm.Mov.Op32(asm.ImmSource), Dst: dst, Src: mach.None, Imm: int64(int32(n))})
	default:
		s.emit(mach.Inst{Op: asm.LoadImmOp(asm.DWord), Dst: dst, Src: mach.Reg(asm.R0), Imm: n})
	}
}

// mapPtr sets dst to the map of that name.
func (s *selector) mapPtr(dst mach.Reg, name string) {
	s.emit(mach.Inst{Op: asm.LoadImmOp(asm.DWord), Dst: dst, Src: mach.Reg(asm.PseudoMapFD), Ref: name})
}

// mapValue sets dst to the address of byte off of the only value of a map.
func (s *selector) mapValue(dst mach.Reg, name string, off int64) {
	s.emit(mach.Inst{Op: asm.LoadImmOp(asm.DWord), Dst: dst, Src: mach.Reg(asm.PseudoMapValue), Ref: name, Imm: off << 32})
}

// alu does dst = dst op src.
func (s *selector) alu(op asm.ALUOp, dst, src mach.Reg) {
	s.emit(mach.Inst{Op: op.Op(asm.RegSource), Dst: dst, Src: src})
}

// aluImm does dst = dst op n, where n fits 32 bits.
func (s *selector) aluImm(op asm.ALUOp, dst mach.Reg, n int64) {
	s.emit(mach.Inst{Op: op.Op(asm.ImmSource), Dst: dst, Src: mach.None, Imm: n})
}

// point sets dst to the address base + off. Package mach must know where the stack is pointed to.
func (s *selector) point(dst, base mach.Reg, off int64) {
	s.mov(dst, base)
	if off != 0 {
		s.emit(mach.Inst{Op: asm.Add.Op(asm.ImmSource), Dst: dst, Src: mach.None, Imm: off, Stack: base == mach.RFP})
	}
}

// load sets dst to size bytes at base + off.
func (s *selector) load(size int, dst, base mach.Reg, off int64) {
	base, off = s.reach(base, off)
	s.emit(mach.Inst{Op: asm.LoadMemOp(asmSize(size)), Dst: dst, Src: base, Off: int16(off)})
}

// store puts size bytes of src at base + off.
func (s *selector) store(size int, base mach.Reg, off int64, src mach.Reg) {
	base, off = s.reach(base, off)
	s.emit(mach.Inst{Op: asm.StoreMemOp(asmSize(size)), Dst: base, Src: src, Off: int16(off)})
}

// storeImm puts size bytes of n at base + off; n fits 32 bits.
func (s *selector) storeImm(size int, base mach.Reg, off, n int64) {
	base, off = s.reach(base, off)
	s.emit(mach.Inst{Op: asm.StoreImmOp(asmSize(size)), Dst: base, Src: mach.None, Off: int16(off), Imm: n})
}

// reach makes an offset fit an instruction.
func (s *selector) reach(base mach.Reg, off int64) (mach.Reg, int64) {
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
	s.emit(mach.Inst{Op: asm.Call.Op(asm.ImmSource), Dst: mach.R0, Src: mach.R0, Imm: int64(fn), Args: int8(n)})
}

// jump ends the current block.
func (s *selector) jump(to *mach.Block) {
	s.cur.Kind, s.cur.Succs[0], s.cur.At = mach.Jump, to, s.at
}

// branch ends the current block by a test.
func (s *selector) branch(t mach.Test, yes, no *mach.Block) {
	s.cur.Kind, s.cur.Test, s.cur.Succs, s.cur.At = mach.Branch, t, [2]*mach.Block{yes, no}, s.at
}

// leaveIf goes to to if t holds, and continues in a new block.
func (s *selector) leaveIf(t mach.Test, to *mach.Block) {
	next := s.m.NewBlock(s.cur.Cold)
	s.branch(t, to, next)
	s.cur = next
}

// testImm compares x with n.
func testImm(op asm.JumpOp, x mach.Reg, n int64) mach.Test {
	return mach.Test{Op: op, X: x, Y: mach.None, Imm: n}
}

// exitBlock returns the block that leaves a program without a result.
func (s *selector) exitBlock() *mach.Block {
	if s.exit == nil {
		s.exit = s.m.NewBlock(false)
		s.exit.Kind = mach.Exit
		s.exit.Insts = []mach.Inst{{Op: asm.Mov.Op(asm.ImmSource), Dst: mach.R0, Src: mach.None}}
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
