package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// Bit-fields that lie in a unit of their type are read and written as that unit.
// Packed ones, which cross it, take up to nine bytes.

// bitField reads a bit-field.
func (f *fn) bitField(p place) *ir.Value {
	if p.packed {
		return f.packedBits(p)
	}
	return f.bitsOf(f.raw(p), p)
}

// bitsOf cuts the bits of p out of the word that they lie in.
func (f *fn) bitsOf(w *ir.Value, p place) *ir.Value {
	op := ir.OpShrL
	if types.IsSigned(p.typ) {
		op = ir.OpShrA
	}
	up := f.Op(ir.OpShl, w, f.Const(int64(64-p.shift-p.bits)))
	return f.Op(op, up, f.Const(int64(64-p.bits)))
}

// span is how many bytes a packed bit-field lies in.
func (p place) span() int { return (p.shift + p.bits + 7) / 8 }

// packedBits reads a bit-field by the bytes that it lies in.
func (f *fn) packedBits(p place) *ir.Value {
	buf := f.packedBytes(p)
	low := f.Load(buf, 0, 8)
	if p.span() <= 8 {
		return f.bitsOf(low, p)
	}
	high := f.Op(ir.OpShl, f.Load(buf, 8, 8), f.Const(int64(64-p.shift)))
	q := p
	q.shift = 0
	return f.bitsOf(f.Op(ir.OpOr, f.Op(ir.OpShrL, low, f.Const(int64(p.shift))), high), q)
}

// packedBytes copies the bytes of a bit-field to memory of the statement.
func (f *fn) packedBytes(p place) *ir.Value {
	buf := f.Alloca(16)
	f.zero(buf, 0, 16)
	f.copyObject(buf, 0, p, p.span())
	return buf
}

// setBitField writes a bit-field and leaves its neighbours as they are.
func (f *fn) setBitField(p place, w *ir.Value, x ast.Expr) {
	if p.packed {
		f.setPacked(p, w, x)
		return
	}
	now := f.mixed(f.raw(p), w, p.shift, p.bits)
	p.bits = 0
	f.assignPlace(p, now, x)
}

// mixed is was with the low bits of w in it, shifted.
func (f *fn) mixed(was, w *ir.Value, shift, bits int) *ir.Value {
	mask := int64(1)<<bits - 1
	if bits == 64 {
		mask = -1
	}
	kept := f.Op(ir.OpAnd, was, f.Const(^(mask << shift)))
	return f.Op(ir.OpOr, kept, f.Op(ir.OpShl, f.Op(ir.OpAnd, w, f.Const(mask)), f.Const(int64(shift))))
}

func (f *fn) setPacked(p place, w *ir.Value, x ast.Expr) {
	buf := f.packedBytes(p)
	low := min(p.bits, 64-p.shift)
	f.Store(buf, 0, 8, f.mixed(f.Load(buf, 0, 8), w, p.shift, low))
	if p.span() > 8 {
		rest := f.Op(ir.OpShrL, w, f.Const(int64(low)))
		f.Store(buf, 8, 8, f.mixed(f.Load(buf, 8, 8), rest, 0, p.bits-low))
	}
	f.putObject(p, place{space: scriptSpace, base: buf, typ: p.typ}, p.span(), x)
}
