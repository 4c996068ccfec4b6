package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// builtin lowers a built-in variable of a scalar type.
func (f *fn) builtin(x ast.Expr, b *check.Builtin) *ir.Value {
	switch b.Name {
	case "arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9":
		return f.arg(x, int(b.Name[3]-'0'))
	case "pid":
		return f.processID(x)
	case "tid":
		return f.threadID(x)
	case "ppid":
		return f.parent(x)
	case "curthread":
		if f.sealedTask(x) {
			return f.Const(0)
		}
		return f.Op(ir.OpAdd, f.Op(ir.OpTask), f.Const(0))
	case "caller", "stackdepth":
		if f.ownStack() {
			return f.Const(0)
		}
	case "epid":
		return f.Const(int64(f.clause.First) + 1) // as a fault names it
	case "ipl", "pset": // Linux has none
		return f.Const(0)
	case "id":
		if len(f.unit.Sites) == 1 {
			return f.Const(int64(f.unit.Sites[0].ID))
		}
	}
	if w := f.clocks[b.Name]; w != nil {
		return w
	}
	for _, known := range ir.Builtins() {
		if string(known.Name) == b.Name {
			v := ir.Value{Op: ir.OpBuiltin, Aux: known.Name}
			if b.Name == "walltimestamp" { // each time anew, other than timestamp
				f.calls++
				v.Imm = f.calls
			}
			w := f.Emit(v)
			return f.convert(w, &types.Int{Bytes: known.Bytes, Signed: known.Sign}, b.Type)
		}
	}
	return f.errorf(x, "%s is not supported yet", b.Name)
}

// taskWord reads a member of the current task_struct.
func (f *fn) taskWord(x ast.Node, name string) *ir.Value {
	if _, ok := f.taskMember(x, name); !ok {
		return f.Const(0)
	}
	m, _ := f.target.Task.Member(name)
	return f.rvalue(place{space: taskSpace, base: f.Op(ir.OpTask), off: int64(m.Off / 8), typ: m.Type})
}

// taskMember returns the offset of a member of task_struct, or complains.
func (f *fn) taskMember(x ast.Node, name string) (int64, bool) {
	off, ok := f.target.member(name)
	if !ok {
		f.untold(x, "task_struct keeps %s: it has no BTF", name)
	}
	return off, ok
}

// member returns the offset of a member of task_struct in bytes.
func (t Target) member(name string) (int64, bool) {
	if t.Task == nil {
		return 0, false
	}
	m, ok := t.Task.Member(name)
	return int64(m.Off / 8), ok
}
