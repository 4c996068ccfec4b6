package codegen

import (
	"fmt"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// A subroutine of the runtime is a global function for the verifier: it is verified
// once, by itself, for every argument of the types that its BTF tells, and what
// calls it goes on with a number of which nothing is known. A static one would be
// followed at each call, on each way that leads there, and all that follows the call
// once for each way out of it: a loop with some dozen calls was too much. What is paid
// is a test of each pointer, since whoever calls a global function may give it NULL,
// and that what is pointed to can be written: maps of constants are not closed
// to programs.
//
// Static are the program itself; the clauses of ERROR, which use the context; and what the
// kernel calls back.

// linkage returns the BTF of a function.
func (g *generator) linkage(m *mach.Func, callbacks map[string]bool) *btf.Func {
	fn := &btf.Func{Name: m.Name, Type: &btf.FuncProto{Return: &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}}}
	sub := g.subs[m.Name]
	if sub == nil || sub.Unit >= 0 || callbacks[m.Name] {
		return fn
	}
	fn.Linkage = btf.GlobalFunc
	word := &btf.Int{Name: "long", Size: 8, Encoding: btf.Signed}
	proto := &btf.FuncProto{Return: word}
	for i, p := range sub.Params {
		var t btf.Type = word
		if p.Size > 0 {
			t = &btf.Pointer{Target: memory(p.Size)}
		}
		proto.Params = append(proto.Params, btf.FuncParam{Name: fmt.Sprintf("p%d", i), Type: t})
	}
	fn.Type = proto
	return fn
}

// memory is a type of so many bytes. It is a struct of a name of its own, because the
// verifier takes pointers to some simple types for the context of a program.
func memory(size int) *btf.Struct {
	char := &btf.Int{Name: "char", Size: 1, Encoding: btf.Char}
	index := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
	return &btf.Struct{Name: fmt.Sprintf("dscope_memory_%d", size), Size: uint32(size),
		Members: []btf.Member{{Name: "bytes", Type: &btf.Array{Index: index, Type: char, Nelems: uint32(size)}}}}
}

// calledBack returns the functions that the kernel is given to call.
func calledBack(bodies map[string]asm.Instructions) map[string]bool {
	given := map[string]bool{}
	for _, ins := range bodies {
		for i := range ins {
			if in := &ins[i]; in.IsLoadOfFunctionPointer() {
				given[in.Reference()] = true
			}
		}
	}
	return given
}

// notNull leaves a subroutine to which somebody gave no memory: nobody does, but the
// verifier cannot know.
func (s *selector) notNull(v *ir.Value) {
	if v.Size > 0 {
		s.leaveIf(testImm(asm.JEq, s.regs[v.ID], 0), s.exitBlock())
	}
}
