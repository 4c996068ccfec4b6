package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// The registers of a process are those that it had when it entered the kernel,
// which struct pt_regs holds. On x86 those of segments are no part of it: the
// last four of uregs[] come from the thread's own struct.

// threadRegs names the members of task_struct.thread behind struct pt_regs, from
// register 21 on; ES is read as DS is, as Linux keeps one of them.
var threadRegs = []string{"ds", "ds", "fsbase", "gsbase", "trap_nr"}

// firstThreadReg is the number of R_DS.
const firstThreadReg = 21

// register lowers uregs[n] and regs[n].
func (f *fn) register(x *ast.Index, b *check.Builtin) *ir.Value {
	n := f.prog.Consts[x.Args[0]]
	if b.Name == "regs" {
		return f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: n, Aux: ir.Sym("reg")})
	}
	f.fault(f.Op(ir.OpEq, f.taskWord(x, "mm"), f.Const(0)), faultIllop, f.Const(n)) // a thread of the kernel has none
	if f.target.ABI == "arm64" || n < firstThreadReg {
		return f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: n, Aux: ir.Sym("ureg")})
	}
	return f.threadReg(x, threadRegs[n-firstThreadReg])
}

// threadReg reads a member of task_struct.thread.
func (f *fn) threadReg(x ast.Expr, name string) *ir.Value {
	if f.target.Task == nil {
		return f.untold(x, "task_struct keeps %s: it has no BTF", name)
	}
	thread, ok := f.target.Task.Member("thread")
	if s, isStruct := types.Resolve(thread.Type).(*types.Struct); ok && isStruct {
		if m, ok := s.Member(name); ok {
			return f.rvalue(place{space: taskSpace, base: f.Op(ir.OpTask), off: int64(thread.Off+m.Off) / 8, typ: m.Type})
		}
	}
	return f.untold(x, "task_struct keeps thread.%s", name)
}
