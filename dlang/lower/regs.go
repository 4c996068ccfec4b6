package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/machine"
)

// The registers of a process are those that it had when it entered the kernel,
// which struct pt_regs holds. On x86 those of segments are no part of it: the
// last of uregs[] come from the thread's own struct.

// register lowers uregs[n] and regs[n].
func (f *fn) register(x *ast.Index, b *check.Builtin) *ir.Value {
	n := f.prog.Consts[x.Args[0]]
	if b.Name == "regs" {
		return f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: n, Aux: ir.Sym("reg")})
	}
	f.fault(f.Op(ir.OpEq, f.taskWord(x, linux.TaskMemory), f.Const(0)), faultIllop, f.Const(n)) // a thread of the kernel has none
	m := machine.Of(f.target.ABI)
	if n < int64(m.Regs) {
		return f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: n, Aux: ir.Sym("ureg")})
	}
	name := m.Thread[n-int64(m.Regs)]
	field, ok := f.target.ThreadField(name)
	if !ok {
		return f.untold(x, "struct task_struct keeps thread.%s: it has no BTF", name)
	}
	return f.rvalue(place{space: taskSpace, base: f.Op(ir.OpTask), off: int64(field.Off / 8), typ: field.Type})
}
