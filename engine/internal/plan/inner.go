package plan

import (
	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// inner tells the code generator which frames the kernel puts between a
// tracepoint and the program that serves it, beyond those that are always there.
func (m *Machine) inner(units []*codegen.Unit, p *ir.Program) {
	wanted := uses(p, "caller") || uses(p, "stackdepth")
	for _, u := range units {
		if u.Hook.Kind != probes.Tracepoint {
			continue
		}
		// Since 6.13 the tracepoints of system calls may fault, and what calls
		// their programs can no longer leave its frame before it does.
		if u.Hook.Select == probes.BySyscall && m.Facts.AtLeast(6, 13) {
			u.Skip = 1
		}
		if wanted && !u.Shared {
			u.Inner = append(m.extent("__bpf_trace_"+u.Hook.Target), m.extent("__traceiter_"+u.Hook.Target)...)
		}
	}
}

// extent returns the addresses of a kernel function, or nothing if the kernel
// does not tell them.
func (m *Machine) extent(name string) []codegen.Range {
	syms, err := m.Kernel.Symbols()
	if err != nil {
		return nil
	}
	sym, ok := syms.Find("", name)
	if !ok {
		return nil
	}
	const step, most = 16, 4096 // functions are aligned to 16 bytes
	end := sym.Addr + step
	for ; end < sym.Addr+most; end += step {
		if _, at, _, ok := syms.Lookup(end); !ok || at != name {
			break
		}
	}
	return []codegen.Range{{From: sym.Addr, To: end}}
}
