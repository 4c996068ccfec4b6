package kernel

import "github.com/cilium/ebpf/btf"

// MapLocksGiveUp reports whether the locks within BPF maps notice that they would wait for
// ever, and fail: those of hashes and of free elements since 6.15, of record buffers since
// 6.16.
func (k *Kernel) MapLocksGiveUp() bool {
	spec, err := k.vmlinux()
	if err != nil {
		return false
	}
	for _, lock := range []struct{ owner, member string }{{"pcpu_freelist_head", "lock"}, {"bpf_ringbuf", "spinlock"}} {
		var s *btf.Struct
		if spec.TypeByName(lock.owner, &s) != nil {
			return false
		}
		gives := false
		for _, m := range s.Members {
			gives = gives || m.Name == lock.member && m.Type.TypeName() == "rqspinlock_t"
		}
		if !gives {
			return false
		}
	}
	return true
}

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
