package symbol

import "dscope.dev/engine/trace"

// An Inliner is a Kernel that also knows, by its debug information, which functions
// were put into its code instead of being called there.
type Inliner interface {
	Kernel

	// Inlined names the functions that were put into the code at an address,
	// innermost first.
	Inlined(addr uint64) []string
}

// A place is an address of the kernel, or the call before it.
type place struct {
	addr uint64
	back bool
}

// KernelFrames appends to list the frames of an address of the kernel: first those of
// functions that were inlined there, innermost first, then that of the function that
// has the code. Back is set where the address is one to return to: what is active is
// then what holds the call before it. Each address is looked up once.
func (t *Table) KernelFrames(list []trace.Frame, addr uint64, back bool) []trace.Frame {
	f := t.Kernel(addr)
	inliner, ok := t.kernel.(Inliner)
	if !ok || t.NoInline || f.Symbol == "" {
		return append(list, f)
	}
	p := place{addr, back || t.returns[addr]}
	names, known := t.inlined[p]
	if !known {
		at := addr
		if p.back {
			at--
		}
		names = inliner.Inlined(at)
		if t.inlined == nil || len(t.inlined) >= maxKernelFrames {
			t.inlined = make(map[place][]string)
		}
		t.inlined[p] = names
	}
	for _, name := range names {
		list = append(list, trace.Frame{Addr: addr, Module: f.Module, Symbol: name, Inlined: true})
	}
	return append(list, f)
}

// Trim drops from the inner end of a kernel stack what is the tracer's own: the
// program that took the stack and the way the kernel came to it. What is left then
// begins with an address to return to, which KernelFrames knows from here.
func (t *Table) Trim(addrs []uint64) []uint64 {
	for i, a := range addrs {
		if isTracer(t.Kernel(a).Symbol) {
			continue
		}
		if i > 0 && !t.returns[a] {
			if t.returns == nil || len(t.returns) >= maxKernelFrames {
				t.returns = make(map[uint64]bool)
			}
			t.returns[a] = true
		}
		return addrs[i:]
	}
	return nil
}
