package kernel

import "github.com/cilium/ebpf/btf"

// An InterruptCount says where the kernel counts how deep it is in interrupts
// (preempt_count of include/linux/preempt.h): for the CPU on x86-64, for the thread
// elsewhere.
type InterruptCount struct {
	Var    uint32 // BTF id of the variable of the CPU; 0 if the task has it
	Offset int    // bytes, in that variable or in task_struct
}

// InterruptCount finds that. It reports whether the kernel's types tell it.
func (k *Kernel) InterruptCount() (InterruptCount, bool) {
	spec, err := k.vmlinux()
	if err != nil {
		return InterruptCount{}, false
	}
	if k.roots.Arch == "arm64" {
		var task, info *btf.Struct
		if spec.TypeByName("task_struct", &task) != nil || spec.TypeByName("thread_info", &info) != nil {
			return InterruptCount{}, false
		}
		inner, ok1 := memberOffset(task.Members, "thread_info")
		count, ok2 := memberOffset(info.Members, "preempt_count")
		return InterruptCount{Offset: inner + count}, ok1 && ok2
	}
	// From 6.2 to 6.14 it is a member of what all CPUs need most.
	for _, name := range []string{"__preempt_count", "pcpu_hot"} {
		var v *btf.Var
		if spec.TypeByName(name, &v) != nil {
			continue
		}
		id, err := spec.TypeID(v)
		if err != nil {
			continue
		}
		count, ok := 0, true
		if hot, isStruct := btf.UnderlyingType(v.Type).(*btf.Struct); isStruct {
			count, ok = memberOffset(hot.Members, "preempt_count")
		}
		if ok {
			return InterruptCount{Var: uint32(id), Offset: count}, true
		}
	}
	return InterruptCount{}, false
}
