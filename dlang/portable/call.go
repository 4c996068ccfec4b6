package portable

import (
	"strings"

	"dscope.dev/dlang/ast"
)

// ofIllumos are the subroutines that illumos and FreeBSD have, and Oracle's DTrace
// has not.
var ofIllumos = map[string]bool{"getf": true, "json": true, "strtoll": true, "tolower": true, "toupper": true}

// ofOracle are those that only Oracle's DTrace has.
var ofOracle = map[string]bool{"d_path": true, "link_ntop": true}

// call warns about subroutines that not every DTrace has.
func (f *finder) call(n *ast.Call) {
	name := n.Fn.Text
	switch {
	case name == "fi_pathname":
		f.found(n.Fn, 0, "DTrace has no fi_pathname()").Suggest("fds[fd].fi_pathname")
	case strings.HasPrefix(name, "inode_"), name == "addr_kind":
		f.found(n.Fn, 0, "DTrace has no %s()", name)
	case ofIllumos[name]:
		f.found(n.Fn, 0, "Oracle's DTrace has no %s(); illumos and FreeBSD have it", name)
	case ofOracle[name]:
		f.found(n.Fn, 0, "only Oracle's DTrace has %s()", name)
	case name == "lltostr" && len(n.Args) > 1:
		f.found(n.Args[1], 0, "the base of lltostr() is unknown to Oracle's DTrace; illumos and FreeBSD know it")
	}
}
