package lower

import "dscope.dev/dlang/ast"

// fillChars lowers the assignment of a string to a member that is an array of
// characters, which translators do.
func (f *fn) fillChars(x *ast.Assign) str {
	s := f.settled(x.Y, x.X)
	p := f.place(x.X)
	if p.space != scriptSpace || p.cell != nil || p.moved != nil {
		f.errorf(x, "only variables can be filled with characters")
		return f.constant("")
	}
	size := f.typeOf(x.X).Size()
	f.putStr(s, p.base, p.off, size, true)
	return str{kind: memStr, ptr: p.base, off: p.off, size: size}
}
