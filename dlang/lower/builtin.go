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
