package linux

import (
	"testing"

	"dscope.dev/dlang/types"
)

// structOf returns a struct whose members lie at offsets in bytes, one of them within another.
func structOf(tag string, fields ...types.Field) *types.Struct {
	s := types.NewStruct(false, tag, nil)
	s.SetFields(fields, 256, 8)
	return s
}

// TestOffset finds members, members of members, and members by the name that they had.
func TestOffset(t *testing.T) {
	at := func(name string, bytes int, typ types.Type) types.Field {
		return types.Field{Name: name, Type: typ, Off: 8 * bytes}
	}
	qstr := structOf("qstr", at("name", 8, types.VoidPtr))
	known := map[string]*types.Struct{
		"dentry": structOf("dentry", at("d_parent", 16, types.VoidPtr), at("d_name", 32, qstr), at("d_u", 176, types.VoidPtr)),
		"mutex":  structOf("mutex", at("owner", 0, types.Long)),
	}
	k := Kernel{Task: structOf("task_struct", at("pid", 24, types.IntType)), Struct: func(tag string) *types.Struct { return known[tag] }}
	for _, tt := range []struct {
		kernel Kernel
		m      Member
		off    int64
		ok     bool
	}{
		{k, TaskPID, 24, true},
		{k, TaskTGID, 0, false},
		{k, DentryParent, 16, true},
		{k, DentryName, 40, true},
		{k, DentryAlias, 176, true},
		{k, InodeFS, 0, false},
		{Kernel{}, TaskPID, 0, false},
		{Kernel{}, DentryParent, 0, false},
	} {
		if off, ok := tt.kernel.Offset(tt.m); off != tt.off || ok != tt.ok {
			t.Errorf("%s at %d (%t), want %d (%t)", tt.m, off, ok, tt.off, tt.ok)
		}
	}
	if !k.HasOlder(DentryAlias) || k.HasOlder(MountNext) {
		t.Error("the kernel has the older name of d_alias, and no mounts")
	}
	known["dentry"] = structOf("dentry", at("d_alias", 8, types.VoidPtr), at("d_u", 176, types.VoidPtr))
	if off, _ := k.Offset(DentryAlias); off != 8 {
		t.Errorf("d_alias is at %d, want 8: the newer name comes first", off)
	}
	if !k.PlainLocks() || !(Kernel{}).PlainLocks() {
		t.Error("locks are plain, and where nothing is known taken for such")
	}
	known["mutex"] = structOf("mutex", at("rtmutex", 0, types.Long))
	if k.PlainLocks() {
		t.Error("locks of real time are taken for plain ones")
	}
}

// TestMembers asks that each member has a row, and one only.
func TestMembers(t *testing.T) {
	seen := map[row]Member{}
	for _, m := range Members() {
		r := members[m]
		if r.of == "" || r.name == "" {
			t.Errorf("member %d has no row", m)
		}
		r.size = 0
		if other, twice := seen[r]; twice {
			t.Errorf("members %d and %d are the same", other, m)
		}
		seen[r] = m
	}
}
