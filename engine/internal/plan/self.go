package plan

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// Before 6.4 the kernel allocates a thread's variables when they are assigned to for the
// first time, as it allocates anything else. A program that is called while the allocator
// holds a lock would wait for that lock for ever.

// allocates returns an error if a script would assign to variables of a thread where that is
// so.
func (m *Machine) allocates(units []*codegen.Unit, p *ir.Program) error {
	if m.Facts.AtLeast(6, 4) {
		return nil
	}
	if h, found := makesSelf(units, p); found {
		return fmt.Errorf("enable %s: this kernel allocates self-> variables on the spot, which may wait for ever there (use Linux 6.4, or an array: x[tid] for self->x)", h.Way())
	}
	return nil
}

// makesSelf returns a hook that may fire within the allocator and whose program may make a
// thread's variables.
func makesSelf(units []*codegen.Unit, p *ir.Program) (probes.Hook, bool) {
	inSubs := slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return (f.Unit < 0 || units[f.Unit].Hook.Kind == probes.Test && strings.EqualFold(units[f.Unit].Hook.Target, "error")) && makes(f)
	})
	for _, f := range p.Funcs {
		if f.Unit < 0 || !makes(f) && !(inSubs && calls(f)) {
			continue
		}
		if i := slices.IndexFunc(hooksOf(units[f.Unit]), withinAllocator); i >= 0 {
			return hooksOf(units[f.Unit])[i], true
		}
	}
	return probes.Hook{}, false
}

// makes reports whether a function may make the variables of a thread.
func makes(f *ir.Func) bool {
	return hasValue(f, func(v *ir.Value) bool { return v.Op == ir.OpSelf && v.Imm == 1 })
}

// calls reports whether a function calls others.
func calls(f *ir.Func) bool {
	return hasValue(f, func(v *ir.Value) bool { return v.Op == ir.OpCall || v.Op == ir.OpFault })
}

func hasValue(f *ir.Func, is func(*ir.Value) bool) bool {
	return slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Vals, is) })
}

// withinAllocator reports whether a hook may fire while the allocator holds a lock: as it
// takes or gives back any, and in its own functions.
func withinAllocator(h probes.Hook) bool {
	contains := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(h.Target, p) })
	}
	switch h.Kind {
	case probes.Tracepoint:
		return h.Target == "contention_end" || contains("zone_locked", "extfrag", "pcpu_drain")
	case probes.Instruction:
		return contains("_lock", "_unlock") || contains(allocator...)
	case probes.Function:
		return contains("_unlock") || h.Return && contains("spin_lock", "spin_trylock", "read_lock", "write_lock", "read_trylock", "write_trylock") || contains(allocator...)
	}
	return false
}

// allocator are parts of the names of the functions of the kernel's allocator.
var allocator = []string{"slab", "rmqueue", "freelist", "free_list", "get_partial", "unfreeze_partials", "cpu_partial", "kmalloc", "kmem_cache", "kfree",
	"alloc_page", "free_page", "free_pcppages", "free_one_page", "freepages", "zone_page_state", "kswapd", "obj_stock", "obj_cgroup", "memcg_stock", "lock_slowpath", "pv_"}
