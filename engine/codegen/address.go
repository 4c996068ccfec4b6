package codegen

import (
	"fmt"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// lazy reports whether v is an address made where it is used.
func (s *selector) lazy(v *ir.Value) bool {
	switch v.Op {
	case ir.OpAlloca, ir.OpString, ir.OpGlobal:
		return true
	case ir.OpAdd:
		return s.types[v.ID] == ir.Ptr && v.Args[1].Op == ir.OpConst && fits32(v.Args[1].Imm)
	}
	return false
}

// address puts the address v + off into the register dst.
func (s *selector) address(dst mach.Reg, v *ir.Value, off int64) {
	base, off := s.resolve(v, off)
	switch base.Op {
	case ir.OpAlloca:
		start, at := s.mem(base, off)
		s.point(dst, start, at)
	case ir.OpString:
		s.mapValue(dst, mapRodata, s.g.str(int(base.Imm))+off)
	case ir.OpGlobal:
		s.mapValue(dst, mapGlobals, int64(s.g.ir.Vars[base.Imm].Offset)+off)
	default:
		s.point(dst, s.heldBy(base), off)
	}
}

// resolve follows additions of constants from v + off to the value they begin
// at.
func (s *selector) resolve(v *ir.Value, off int64) (*ir.Value, int64) {
	for v.Op == ir.OpAdd && s.lazy(v) {
		off += v.Args[1].Imm
		v = v.Args[0]
	}
	return v, off
}

// mem returns a base register and an offset for an access to v + off.
func (s *selector) mem(v *ir.Value, off int64) (mach.Reg, int64) {
	base, off := s.resolve(v, off)
	if base.Op == ir.OpAlloca {
		p := s.allocas[base]
		if p.onStack {
			return mach.RFP, off + int64(p.off)
		}
		return s.work, off + int64(p.off)
	}
	if s.lazy(base) {
		r := s.newReg()
		s.address(r, base, off)
		return r, 0
	}
	return s.heldBy(base), off
}

// heldBy returns the register that holds the start of an address, which was computed
// before.
func (s *selector) heldBy(v *ir.Value) mach.Reg {
	r, ok := s.made(v)
	if !ok {
		panic(fmt.Sprintf("nothing holds v%d, an address", v.ID))
	}
	return r
}
