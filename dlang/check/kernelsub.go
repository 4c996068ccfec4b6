package check

import (
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// behind checks that the first argument points to what the subroutine reads.
func (c *checker) behind(p *pending) {
	want := p.fn.Behind
	if want == "" || len(p.args) == 0 || c.isZero(p.ast.Args[0]) {
		return
	}
	elem := types.Elem(p.args[0])
	if elem == nil || types.IsVoid(elem) || pointsTo(elem, want) {
		return
	}
	c.errorf(p.ast.Args[0], diag.ProtoArg, "argument 1 of %s() must point to %s, not to %s", p.fn.Name, want, elem).
		Suggest("(%s *)%s", want, c.text(p.ast.Args[0]))
}

// pointsTo reports whether t is what the word want says. An address of IPv4 may be
// any number of its size, or the struct that holds it. rwlock_t is what the kernel's
// header calls a struct that has no other name.
func pointsTo(t types.Type, want string) bool {
	s, isStruct := types.Resolve(t).(*types.Struct)
	switch want {
	case "ipaddr_t":
		return types.IsInteger(t) && t.Size() == 4 || isStruct && s.Tag == "in_addr"
	case "rwlock_t":
		return isStruct && (s.Tag == "" || s.Tag == "rwlock")
	}
	return isStruct && s.String() == want
}

// strict checks the second argument of inet_ntoa6().
func (c *checker) strict(p *pending) {
	if len(p.ast.Args) < 2 {
		return
	}
	if _, ok := c.prog.Consts[p.ast.Args[1]]; !ok {
		c.errorf(p.ast.Args[1], diag.ProtoArg, "argument 2 of inet_ntoa6() must be a constant").
			Suggest("inet_ntoa6(addr, 1) spells ::ffff:1.2.3.4 in full")
	}
}

// pointerTo is a pointer to a struct of the kernel, or to void where that is not
// known.
func (c *checker) pointerTo(tag string) types.Type {
	t, err := c.lookupType("struct", "", tag)
	if err != nil {
		return types.VoidPtr
	}
	return &types.Pointer{Elem: t}
}
