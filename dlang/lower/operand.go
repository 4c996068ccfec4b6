package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/machine"
	"dscope.dev/dlang/types"
)

// An Operand says how a raw argument is worked out from the saved registers: what
// the compiler of the traced program wrote down about it. Its value is Base +
// Index<<Shift + Disp, or what lies in the process's memory, or the kernel's, at that
// address.
type Operand struct {
	Memory      bool
	Kernel      bool // whether Memory is the kernel's
	Size        int  // bytes of the value: 1, 2, 4 or 8
	Signed      bool
	Base, Index Register
	Shift       int64
	PC          bool // whether the address of the probed instruction is added
	Disp        int64
	Try         bool   // whether memory that cannot be read counts as 0
	Float       bool   // whether it is a floating-point number, which only a typed argument gives
	Refused     string // why it cannot be had; else ""
}

// A Register is a part of a word of struct pt_regs. Size 0 is none.
type Register struct {
	Word   int64
	Size   int // bytes that count: 1, 2, 4 or 8
	High   bool
	Signed bool
}

// mostRaw is the number of the last raw argument that a script can name. Operands
// behind it are those of typed arguments.
const mostRaw = 9

// rawArg lowers arg0, arg1, …; where they lie the hook says, unless each site
// says it itself. Sites share a unit only if they say the same.
func (f *fn) rawArg(x ast.Node, n int) *ir.Value {
	if len(f.unit.Sites) == 0 || f.unit.Sites[0].Operands == nil {
		return f.Emit(ir.Value{Op: ir.OpArg, Imm: int64(n)})
	}
	list := f.unit.Sites[0].Operands
	if n >= len(list) {
		return f.Const(0)
	}
	o := list[n]
	if _, named := x.(*ast.Index); o.Float && !named {
		return f.errorf(x, "arg%d of %s is a floating-point number, which D cannot compute with: printf(\"%%f\", args[%d]) prints it", n, f.unit.Sites[0].describe(), n)
	}
	if o.Refused != "" {
		if n > mostRaw {
			return f.errorf(x, "an argument of %s: %s", f.unit.Sites[0].describe(), o.Refused)
		}
		return f.errorf(x, "arg%d of %s: %s", n, f.unit.Sites[0].describe(), o.Refused)
	}
	return f.operand(o)
}

// describe returns the site's probe as scripts write it.
func (s Site) describe() string {
	return s.Provider + ":" + s.Module + ":" + s.Function + ":" + s.Name
}

// operand works out the value of an operand.
func (f *fn) operand(o Operand) *ir.Value {
	sum := f.savedRegister(o.Base)
	if o.Index.Size != 0 {
		index := f.savedRegister(o.Index)
		if o.Shift != 0 {
			index = f.Op(ir.OpShl, index, f.Const(o.Shift))
		}
		sum = f.Op(ir.OpAdd, sum, index)
	}
	if o.PC {
		sum = f.Op(ir.OpAdd, sum, f.savedRegister(Register{Word: int64(machine.Of(f.target.ABI).PC), Size: 8}))
	}
	t := &types.Int{Bytes: o.Size, Signed: o.Signed}
	if o.Memory && o.Try {
		buf := f.Alloca(8) // which the kernel clears where it cannot read
		f.Emit(ir.Value{Op: ir.OpReadU, Size: o.Size}, buf, f.Op(ir.OpAdd, sum, f.Const(o.Disp)))
		return f.extend(f.Load(buf, 0, o.Size), t)
	}
	if o.Memory {
		of := userSpace
		if o.Kernel {
			of = kernelSpace
		}
		return f.rvalue(place{space: of, base: sum, off: o.Disp, typ: t})
	}
	if o.Disp != 0 {
		sum = f.Op(ir.OpAdd, sum, f.Const(o.Disp))
	}
	return f.extend(sum, t)
}

// savedRegister returns a register of the process as it was when the probe fired.
func (f *fn) savedRegister(r Register) *ir.Value {
	if r.Size == 0 {
		return f.Const(0)
	}
	w := f.Emit(ir.Value{Op: ir.OpBuiltin, Imm: r.Word, Aux: ir.Sym("reg")})
	if r.High {
		w = f.Op(ir.OpShrL, w, f.Const(8))
	}
	return f.extend(w, &types.Int{Bytes: r.Size, Signed: r.Signed})
}
