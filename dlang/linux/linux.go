// Package linux knows what D's functions ask of Linux: the members of its structures that they
// read, and what some of its words mean. Where a member lies is told by the types of the kernel
// that is traced; a name that has changed has a second one here. Whoever reads memory of the
// kernel on its own account asks here. Processors are known by package machine.
package linux

import (
	"strings"

	"dscope.dev/dlang/types"
)

// A Kernel is the types of the kernel that is traced.
type Kernel struct {
	Task   *types.Struct                  // struct task_struct; nil if its layout is not known
	Struct func(tag string) *types.Struct // finds another struct; nil if none is known
}

// find returns a struct, nil if it is not known.
func (k Kernel) find(tag string) *types.Struct {
	switch {
	case tag == "task_struct":
		return k.Task
	case k.Struct != nil:
		return k.Struct(tag)
	}
	return nil
}

// Field returns a member as a field of its struct: with its type, and its offset in bits from
// where the struct begins. ok is false if the kernel does not tell.
func (k Kernel) Field(m Member) (f types.Field, ok bool) {
	row := &members[m]
	if f, ok = k.field(row.of, row.name); !ok && row.older != "" {
		f, ok = k.field(row.of, row.older)
	}
	return f, ok
}

// field finds a member, or one of a member: d_name.name.
func (k Kernel) field(of, path string) (f types.Field, ok bool) {
	s, off := k.find(of), 0
	for name := range strings.SplitSeq(path, ".") {
		if s == nil {
			return f, false
		}
		if f, ok = s.Member(name); !ok {
			return f, false
		}
		off += f.Off
		s, _ = types.Resolve(f.Type).(*types.Struct)
	}
	f.Off = off
	return f, true
}

// ThreadField returns a member of task_struct.thread, which is the processor's own, as a field
// of task_struct.
func (k Kernel) ThreadField(name string) (f types.Field, ok bool) {
	return k.field("task_struct", "thread."+name)
}

// Offset returns where a member lies in its struct, in bytes.
func (k Kernel) Offset(m Member) (off int64, ok bool) {
	f, ok := k.Field(m)
	return int64(f.Off / 8), ok
}

// HasOlder reports whether the kernel has the member by its older name.
func (k Kernel) HasOlder(m Member) bool {
	_, ok := k.field(members[m].of, members[m].older)
	return ok
}

// PlainLocks reports whether locks are words as MutexFlags and WriterMask say. With
// PREEMPT_RT they all are something else, and a mutex has no owner of its own.
func (k Kernel) PlainLocks() bool {
	s := k.find("mutex")
	if s == nil || !s.Complete() {
		return true
	}
	_, ok := k.Field(MutexOwner)
	return ok
}
