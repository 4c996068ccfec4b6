package lower

import (
	"slices"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/token"
)

// A Seal keeps a script to what its asker may see of the machine. Who asks is told by name,
// and at the place, what he may not do (engine/rights) before a script gets here. The seal
// does not depend on that: it is put where operations are made, so that no expression
// leads round it, whatever the checker has made of it.
//
//   - Memory of the kernel reads as a bad address, except by code of our own.
//   - Of the kernel's numbers none can be had: no stack, no register of its own.
//   - With OwnOnly, a firing ends at once unless ptrace(2) would let the asker look into the
//     process, and what fires by a clock tells nothing of the process that it interrupts.
type Seal struct {
	OwnOnly     bool
	User, Group int64 // of the asker, with OwnOnly
}

// credentials are what ptrace(2) compares: all must be the user, or the group. Who has changed
// one of them, or has been changed by a file that is set-user-ID, has secrets of another.
var credentials = [...]struct {
	is    linux.Member
	group bool
}{
	{linux.CredUID, false}, {linux.CredEUID, false}, {linux.CredSUID, false},
	{linux.CredGID, true}, {linux.CredEGID, true}, {linux.CredSGID, true},
}

// onlyOwner ends the firing unless it is in a process into which the asker may look.
func (f *fn) onlyOwner(x ast.Node) {
	f.ours("the process", func() {
		outside := f.ColdBlock()
		f.credited(x, outside)
		mm := f.taskWord(x, linux.TaskMemory) // a thread of the kernel has none
		f.only(mm, outside)
		if flags, ok := f.offsetOf(x, linux.MemoryFlags); ok {
			buf := f.Alloca(8)
			bad := f.Emit(ir.Value{Op: ir.OpReadK, Size: 8}, buf, f.offset(mm, flags))
			f.only(f.Op(ir.OpEq, bad, f.Const(0)), outside)
			dump := f.Op(ir.OpAnd, f.Load(buf, 0, 8), f.Const(linux.DumpMask))
			f.only(f.Op(ir.OpEq, dump, f.Const(linux.DumpUser)), outside)
		}
		inside := f.Cur
		f.Go(outside)
		f.Return()
		f.Go(inside)
	})
}

// credited goes on only if the credentials of the process are those of the asker, and no
// more.
func (f *fn) credited(x ast.Node, outside *ir.Block) {
	permitted, ok := f.offsetOf(x, linux.CredPermitted)
	from := permitted
	at := map[linux.Member]int64{}
	for _, c := range credentials {
		off, known := f.offsetOf(x, c.is)
		at[c.is], ok = off, ok && known
		from = min(from, off)
	}
	if !ok {
		return // which has been complained of
	}
	size := int(permitted-from) + 8
	buf := f.Alloca(round8(size))
	bad := f.Emit(ir.Value{Op: ir.OpReadK, Size: size}, buf, f.offset(f.taskWord(x, linux.TaskCred), from))
	f.only(f.Op(ir.OpEq, bad, f.Const(0)), outside)
	mine := f.Op(ir.OpEq, f.Load(buf, permitted-from, 8), f.Const(0))
	for _, c := range credentials {
		want := f.target.Seal.User
		if c.group {
			want = f.target.Seal.Group
		}
		mine = f.Op(ir.OpAnd, mine, f.Op(ir.OpEq, f.Load(buf, at[c.is]-from, 4), f.Const(want)))
	}
	f.only(mine, outside)
}

// only goes on if c is not 0, and otherwise elsewhere.
func (f *fn) only(c *ir.Value, elsewhere *ir.Block) {
	on := f.Block()
	f.Branch(c, on, elsewhere)
	f.Go(on)
}

// ours makes code of our own, which the seal does not concern but for what fires by a clock.
func (f *fn) ours(what string, do func()) {
	if s := f.target.Seal; s != nil && s.OwnOnly && f.unit.Clock {
		f.refuse(what)
	}
	f.unsealed++
	do()
	f.unsealed--
}

// Emit appends a value, if the seal lets it.
func (f *fn) Emit(v ir.Value, args ...*ir.Value) *ir.Value {
	if f.target.Seal != nil && f.unsealed == 0 {
		if what := f.sealed(v); what != "" {
			f.refuse(what)
			return f.Const(0)
		}
		if readsKernel(v.Op) && args[1].Type() != ir.Ptr {
			args = slices.Clone(args)
			args[1] = f.Const(0) // no kernel has memory there
		}
	}
	return f.Builder.Emit(v, args...)
}

// Op appends a value that has arguments only.
func (f *fn) Op(op ir.Op, args ...*ir.Value) *ir.Value { return f.Emit(ir.Value{Op: op}, args...) }

func readsKernel(op ir.Op) bool {
	return op == ir.OpReadK || op == ir.OpReadKN || op == ir.OpReadStrK
}

// kernelSubs are the subroutines of the runtime that read memory of the kernel.
var kernelSubs = []ir.Sym{"dpath", "nspid", "nsprogeny", "progenyof"}

// kernelFacts are what a firing knows of the kernel.
var kernelFacts = []ir.Sym{"caller", "stackdepth", "reg"}

// processFacts are what it knows of the memory of the process.
var processFacts = []ir.Sym{"ureg", "ucaller", "ustackdepth"}

// clockFacts are what it may know that fires by a clock: nothing of a process.
var clockFacts = []ir.Sym{"timestamp", "walltimestamp", "cpu", "id", "rand", "stopped"}

// sealed says what of the machine the script would see by an operation; "" if it may.
func (f *fn) sealed(v ir.Value) string {
	seal := f.target.Seal
	nowhere := seal.OwnOnly && (f.unit.Clock || f.unit.Special != "") // in no process of the asker's
	clock := seal.OwnOnly && f.unit.Clock
	switch v.Op {
	case ir.OpBuiltin:
		name := v.Aux.(ir.Sym)
		if slices.Contains(kernelFacts, name) {
			return string(name)
		}
		if nowhere && slices.Contains(processFacts, name) || clock && !slices.Contains(clockFacts, name) {
			return string(name)
		}
	case ir.OpStack, ir.OpStackID:
		if v.Imm == 0 {
			return "the stack of the kernel"
		}
		if nowhere {
			return "the stack of a process"
		}
	case ir.OpReadU, ir.OpReadUN, ir.OpReadStrU:
		if nowhere {
			return "memory of a process"
		}
	case ir.OpWriteU, ir.OpWriteUN, ir.OpSignal:
		if nowhere {
			return "what is done to a process"
		}
	case ir.OpTask, ir.OpTaskLoad:
		if clock {
			return "the process"
		}
	case ir.OpChill:
		return "chill()"
	case ir.OpArg:
		if f.unit.Timer && (v.Imm == 0 || clock) { // where the kernel was interrupted
			return "what the clock interrupted"
		}
	case ir.OpCall:
		if name := v.Aux.(ir.Sym); slices.Contains(kernelSubs, name) {
			return "memory of the kernel"
		}
	}
	return ""
}

// refuse complains about what is being lowered, once for each place.
func (f *fn) refuse(what string) {
	at := f.At
	if f.refused[at] {
		return
	}
	f.refused[at] = true
	f.list.Add(at, diag.Denied, "%s is not for you to see here", what).
		Suggest("dscope doctor says what you may trace")
}

// sealedTask complains about curthread, by which a script says what of a task_struct it
// wants. What we read of one for the script (its pid) is the process's own.
func (f *fn) sealedTask(x ast.Expr) bool {
	if f.target.Seal == nil {
		return false
	}
	f.At = x.Span()
	f.refuse("curthread")
	return true
}

// refusals are the places that have been complained of.
type refusals map[token.Span]bool
