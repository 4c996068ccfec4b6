package trial

import (
	"errors"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes/kernel"
)

// interruptCount finds the kernel's count of interrupts, if programs can read it. For
// one of the CPU they need the kernel to tell where its data lies (CONFIG_KALLSYMS_ALL).
func interruptCount(k *kernel.Kernel) kernel.InterruptCount {
	count, ok := k.InterruptCount()
	if !ok || count.Var == 0 {
		return count
	}
	if !readable(count.Var) {
		return kernel.InterruptCount{}
	}
	return count
}

// activeVar finds the kernel's mark of programs that are under way, if programs can read it.
func activeVar(k *kernel.Kernel) uint32 {
	id := k.ProgramsActive()
	if id == 0 || !readable(id) {
		return 0
	}
	return id
}

// readable reports whether programs can read a variable of the CPU.
func readable(id uint32) bool {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type:    ebpf.RawTracepoint,
		License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			codegen.LoadVar(asm.R1, id),
			asm.FnThisCpuPtr.Call(),
			asm.Mov.Imm(asm.R0, 0),
			asm.Return(),
		},
	})
	if err != nil {
		return false
	}
	return p.Close() == nil
}

// SharesBusy returns nil, or what the kernel says against looking for the map by which
// the programs of all runs on the machine keep out of one another's way.
func SharesBusy() error {
	_, err := ebpf.MapGetNextID(0)
	if errors.Is(err, os.ErrNotExist) { // there is no map at all
		return nil
	}
	return err
}
