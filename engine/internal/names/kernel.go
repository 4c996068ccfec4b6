package names

import (
	"dscope.dev/engine/symbol"
	"dscope.dev/probes/kernel"
)

// inlining are the symbols of a kernel with what its debug information knows besides.
type inlining struct {
	*kernel.Symbols
	kernel *kernel.Kernel
}

// OfKernel gives the names of the kernel's addresses, or nil if the kernel
// hides them.
func OfKernel(k *kernel.Kernel) symbol.Kernel {
	s, err := k.Symbols()
	if err != nil {
		return nil
	}
	return inlining{s, k}
}

// openImage opens the debug information of vmlinux, if there is any, and reads what
// every question needs.
func openImage(k *kernel.Kernel) {
	if image, err := k.Image("vmlinux"); err == nil {
		image.Chain(0)
	}
}

// Inlined names the functions that were inlined at an address, none where there is no
// debug information. That is opened, once, when the first address is asked for.
func (i inlining) Inlined(addr uint64) (names []string) {
	module, _, _, ok := i.Lookup(addr)
	if !ok {
		return nil
	}
	image, err := i.kernel.Image(module)
	if err != nil {
		return nil
	}
	at, ok := image.Linked(addr)
	if !ok {
		return nil
	}
	for _, call := range image.Chain(at) {
		if call.Inlined && call.Func != "" {
			names = append(names, call.Func)
		}
	}
	return names
}
