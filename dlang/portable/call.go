package portable

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
)

// call warns about subroutines that not every DTrace has.
func (f *finder) call(n *ast.Call) {
	name := n.Fn.Text
	switch fn := function.Find(name); {
	case fn.ID == function.FiPathname:
		f.found(n.Fn, 0, "DTrace has no fi_pathname()").Suggest("fds[fd].fi_pathname")
	case fn.Home == function.Nowhere:
		f.found(n.Fn, 0, "DTrace has no %s()", name)
	case fn.Home == function.Illumos:
		f.found(n.Fn, 0, "Oracle's DTrace has no %s(); illumos and FreeBSD have it", name)
	case fn.Home == function.Oracle:
		f.found(n.Fn, 0, "only Oracle's DTrace has %s()", name)
	case fn.ID == function.Lltostr && len(n.Args) > 1:
		f.found(n.Args[1], 0, "the base of lltostr() is unknown to Oracle's DTrace; illumos and FreeBSD know it")
	}
}
