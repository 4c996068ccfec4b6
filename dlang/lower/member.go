package lower

import (
	"maps"
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
)

// taskWord reads a member of the current task_struct.
func (f *fn) taskWord(x ast.Node, m linux.Member) *ir.Value {
	off, ok := f.offsetOf(x, m)
	if !ok {
		return f.Const(0)
	}
	field, _ := f.target.Field(m)
	return f.rvalue(place{space: taskSpace, base: f.Op(ir.OpTask), off: off, typ: field.Type})
}

// offsetOf returns where a struct of the kernel has a member, in bytes, or complains.
func (f *fn) offsetOf(x ast.Node, m linux.Member) (int64, bool) {
	off, ok := f.target.Offset(m)
	if !ok {
		f.untold(x, "%s: it has no BTF", m)
	}
	return off, ok
}

// follow reads a member of a struct of the kernel that lies at an address, or
// leaves the clause.
func (f *fn) follow(x ast.Node, addr *ir.Value, m linux.Member) *ir.Value {
	off, ok := f.offsetOf(x, m)
	if !ok {
		return f.Const(0)
	}
	buf := f.Alloca(8)
	f.read(kernelSpace, buf, 0, f.offset(addr, off), m.Size())
	return f.Load(buf, 0, m.Size())
}

// tellRuntime tells subroutines of the runtime where members lie that they read, by the words
// that they have for them, or complains.
func (f *fn) tellRuntime(x ast.Node, words map[string]linux.Member) bool {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		off, ok := f.offsetOf(x, words[word])
		if !ok {
			return false
		}
		f.offsets[word] = int(off)
	}
	return true
}
