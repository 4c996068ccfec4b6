package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
)

// Probes that are made of several others may have to hand over addresses of different
// structures as one argument. The expression that computes it adds a number below 8 to
// say which, and the library's translators ask for that number. It is known here, so
// a translator costs nothing for what it does not meet; no address is looked at.

// addrKind lowers addr_kind(addr).
func (f *fn) addrKind(x *ast.Call) *ir.Value {
	const kinds = 8 // structures of the kernel lie at multiples of it
	at := f.word(x.Args[0])
	if at.Op == ir.OpAdd && at.Args[1].Op == ir.OpConst && 0 < at.Args[1].Imm && at.Args[1].Imm < kinds {
		return f.Const(at.Args[1].Imm)
	}
	return f.Const(0)
}
