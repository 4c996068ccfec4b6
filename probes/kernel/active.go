package kernel

import "github.com/cilium/ebpf/btf"

// ProgramsActive returns the BTF id of the variable of each CPU that is not 0 while a
// kprobe program is under way there, or a system call works on a map; 0 if the kernel's
// types do not tell it.
func (k *Kernel) ProgramsActive() uint32 {
	spec, err := k.vmlinux()
	if err != nil {
		return 0
	}
	var v *btf.Var
	if spec.TypeByName("bpf_prog_active", &v) != nil {
		return 0
	}
	id, err := spec.TypeID(v)
	if err != nil {
		return 0
	}
	return uint32(id)
}
