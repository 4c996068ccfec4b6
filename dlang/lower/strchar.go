package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Strings without their first characters: s + n, which is a string too. What
// would begin outside of the memory that a string can take is a fault, as if NULL
// were address 0.

// rest describes s + n: the string without its first n characters.
func (f *fn) rest(x *ast.Binary) str {
	s, n := x.X, x.Y
	if !types.IsString(f.typeOf(s)) {
		s, n = n, s
	}
	p, off, by := f.within(s, n)
	return str{kind: readStr, from: scriptSpace, ptr: f.by(p, by), off: off, size: f.strSize()}
}

// isTail reports whether x is s + n.
func (l *lowerer) isTail(x *ast.Binary) bool {
	return x.Op == token.Plus && types.IsString(l.typeOf(x))
}

// within finds character i of the string s: at p + off, moved by by if that is
// known only at the firing. All bytes behind the end of s are zero.
func (f *fn) within(s, i ast.Expr) (p *ir.Value, off int64, by *ir.Value) {
	text := f.before(s, i)
	at := f.word(i)
	if text.null != nil || text.none {
		f.fault(f.nullness(text), faultBadAddr, at)
		text.null, text.none = nil, false
	}
	size := f.strSize() + 8
	buf := f.Alloca(size)
	f.putStr(text, buf, 0, size, true)
	if n, ok := f.prog.Consts[i]; ok && 0 <= n && n < int64(size) {
		return buf, n, nil
	}
	f.fault(f.Op(ir.OpEq, f.Op(ir.OpLtU, at, f.Const(int64(size))), f.Const(0)), faultBadAddr, at)
	return buf, 0, f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(size)}, at)
}
