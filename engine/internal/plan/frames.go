package plan

import (
	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// From Linux 6.19 on a trampoline that also waits for the return of its function is
// jumped to and not called, so that the function has no frame on the stack. One
// trampoline serves the entry and the return of a function: a script that wants
// stacks at the entry, and hooks the return too, would not see where it is.

// keepFrames takes such entries off their trampoline, if there is another hook.
func (m *Machine) keepFrames(units []*codegen.Unit, p *ir.Program) {
	if !m.Facts.AtLeast(6, 19) {
		return
	}
	returns := map[probes.Hook]bool{}
	for _, u := range units {
		if u.Tramp && u.Hook.Return {
			returns[u.Hook] = true
		}
	}
	for i, u := range units {
		back := u.Hook
		back.Return = true
		if !u.Tramp || u.Hook.Return || !returns[back] || !stacks(p, i) {
			continue
		}
		f := m.Trials.Functions()
		if f.Multi != nil && f.Single != nil {
			continue
		}
		u.Tramp, u.Multi = false, f.Multi == nil
		u.Why = "a trampoline that waits for the return too would leave the function out of the stack"
		go m.Kernel.Symbols()
	}
}

// stacks reports whether the program of a unit reads the stack of the kernel.
func stacks(p *ir.Program, unit int) bool {
	for _, f := range p.Funcs {
		if f.Unit != unit {
			continue
		}
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				switch v.Op {
				case ir.OpStack, ir.OpStackID:
					if v.Imm != 1 { // of the process
						return true
					}
				case ir.OpBuiltin:
					if v.Aux == ir.Sym("caller") || v.Aux == ir.Sym("stackdepth") {
						return true
					}
				}
			}
		}
	}
	return false
}
