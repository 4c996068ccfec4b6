package plan

import (
	"testing"

	"dscope.dev/dlang/linux"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestLinuxKeeps asks this kernel for each member that D's functions read.
func TestLinuxKeeps(t *testing.T) {
	k := kerneltest.Live(t)
	types := linux.Kernel{Task: k.Struct("task_struct"), Struct: k.Struct}
	if !types.PlainLocks() {
		t.Log("the locks of this kernel are those of real time")
	}
	for _, m := range linux.Members() {
		f, ok := types.Field(m)
		switch {
		case m == linux.MutexOwner && !types.PlainLocks():
		case !ok:
			t.Errorf("this kernel does not tell where %s", m)
		case m.Size() > 0 && f.Type.Size() < m.Size() && m != linux.PIDNumbers: // an array of any length
			t.Errorf("%s in %d bytes, of which %d are read", m, f.Type.Size(), m.Size())
		}
	}
}
