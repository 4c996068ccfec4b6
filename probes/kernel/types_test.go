package kernel_test

import (
	"errors"
	"sync"
	"testing"
	"testing/fstest"

	"dscope.dev/dlang/types"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

const recorded = "linux-6.18-amd64"

func mustType(t testing.TB, k *kernel.Kernel, kind, name string) types.Type {
	t.Helper()
	typ, err := k.Type(kind, "", name)
	if err != nil {
		t.Fatalf("%s %s: %v", kind, name, err)
	}
	return typ
}

func TestMembers(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	task := mustType(t, k, "struct", "task_struct").(*types.Struct)
	if task.Size() != 128 || task.Align() != 16 || task.Union {
		t.Errorf("task_struct: %d bytes aligned to %d", task.Size(), task.Align())
	}
	tests := []struct {
		name, typ  string
		off, width int // in bits
	}{
		{"thread_info", "struct thread_info", 0, 0},
		{"pid", "pid_t", 192, 0},
		{"comm", "char [16]", 224, 0},
		{"in_exec", "unsigned int", 352, 1},
		{"mode", "unsigned int", 353, 3},
		{"parent", "struct task_struct *", 384, 0},
		{"utime", "unsigned long", 448, 0},
		{"stime", "unsigned long", 448, 0},
		{"hook", "int (*)(struct task_struct *, ...)", 512, 0},
		{"state", "enum task_state", 576, 0},
		{"mm", "struct mm_struct *", 640, 0},
		{"wide", "unsigned __int128", 768, 0},
	}
	for _, tt := range tests {
		f, ok := task.Member(tt.name)
		if !ok {
			t.Errorf("%s: no such member", tt.name)
			continue
		}
		if f.Type.String() != tt.typ || f.Off != tt.off || f.Bits != tt.width {
			t.Errorf("%s: %s at %d, %d bits wide; want %s at %d, %d", tt.name, f.Type, f.Off, f.Bits, tt.typ, tt.off, tt.width)
		}
	}
	parent, _ := task.Member("parent")
	if types.Elem(parent.Type) != types.Type(task) {
		t.Error("the parent of a task is of another type than the task")
	}
	if comm, _ := task.Member("comm"); !types.IsCharArray(comm.Type) {
		t.Error("comm is no array of characters")
	}
	if wide, _ := task.Member("wide"); wide.Type.Size() != 16 {
		t.Errorf("wide has %d bytes, want 16", wide.Type.Size())
	}
}

func TestForwardDeclarations(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	task := mustType(t, k, "struct", "task_struct").(*types.Struct)
	mm, _ := task.Member("mm")
	if s := types.Elem(mm.Type).(*types.Struct); !s.Complete() || s.Size() != 8 {
		t.Error("a forward declaration was not completed by its definition")
	}
	signal, _ := task.Member("signal")
	if s := types.Elem(signal.Type).(*types.Struct); s.Complete() {
		t.Error("a struct that is never defined is complete")
	}
}

func TestOtherTypes(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	if p := mustType(t, k, "struct", "packed"); p.Size() != 5 || p.Align() != 1 {
		t.Errorf("packed: %d bytes aligned to %d, want 5 and 1", p.Size(), p.Align())
	}
	if u := mustType(t, k, "union", "bpf_attr").(*types.Struct); !u.Union {
		t.Error("bpf_attr is no union")
	}
	if p := mustType(t, k, "typedef", "pid_t"); types.Resolve(p) != types.Type(types.IntType) {
		t.Errorf("pid_t is %s, want int", types.Resolve(p))
	}
	for _, miss := range [][2]string{{"struct", "pid_t"}, {"union", "task_struct"}, {"typedef", "none"}} {
		if _, err := k.Type(miss[0], "", miss[1]); !errors.Is(err, kernel.ErrNoType) {
			t.Errorf("%s %s: got %v, want ErrNoType", miss[0], miss[1], err)
		}
	}
	f, names, err := k.FuncProto("", "ksys_read")
	if err != nil || f.String() != "long (unsigned int, char *, unsigned long)" || names[2] != "count" {
		t.Errorf("ksys_read: %v %v, %v", f, names, err)
	}
}

func TestEnumerators(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	tests := []struct {
		name  string
		value int64
		typ   string // "" if there is none
	}{
		{"TASK_RUNNING", 0, "enum task_state"},
		{"TASK_LOST", -1, "enum task_state"},
		{"LIMIT_HUGE", 1 << 40, "enum limits"},
		{"TASK_RUN", 0, ""},
		{"task_struct", 0, ""}, // a string of BTF, but no enumerator
		{"", 0, ""},
	}
	for _, tt := range tests {
		for range 2 { // the second answer comes from the cache
			v, typ, ok := k.Enumerator(tt.name)
			if v != tt.value || ok != (tt.typ != "") || ok && typ.String() != tt.typ {
				t.Errorf("%q: got %d, %v, %v", tt.name, v, typ, ok)
			}
		}
	}
}

func TestWithoutBTF(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	delete(files.Sys, "kernel/btf/vmlinux")
	k := files.Open(t)
	_, err := k.Type("struct", "", "task_struct")
	var missing *kernel.Missing
	if !errors.As(err, &missing) || missing.Remedy != "use a kernel built with CONFIG_DEBUG_INFO_BTF=y" {
		t.Errorf("type: got %v", err)
	}
	if _, err := k.Tracepoints(); !errors.As(err, &missing) {
		t.Errorf("tracepoints: got %v", err)
	}
	if _, _, ok := k.Enumerator("TASK_RUNNING"); ok {
		t.Error("an enumerator was found in no types")
	}
	if _, _, err := k.Compat(); !errors.As(err, &missing) {
		t.Errorf("compat: got %v", err)
	}
	for _, damage := range []string{"", "short", "\x9f\xeb\x01\x00\xff\xff\xff\xff" + string(make([]byte, 32))} {
		files.Sys["kernel/btf/vmlinux"] = &fstest.MapFile{Data: []byte(damage)}
		if _, err := files.Open(t).Type("struct", "", "task_struct"); !errors.As(err, &missing) {
			t.Errorf("%q: got %v", damage, err)
		}
		if _, err := files.Open(t).Tracepoints(); err == nil {
			t.Errorf("%q: tracepoints were found", damage)
		}
	}
}

func TestManyAskAtOnce(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			task := mustType(t, k, "struct", "task_struct").(*types.Struct)
			for _, f := range task.Fields() {
				if f.Type.Align() < 1 {
					t.Errorf("%s is not aligned", f.Name)
				}
			}
			k.Enumerator("TASK_LOST")
			if _, err := k.Params("sched_switch"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestCTypes(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	tests := []struct{ text, want string }{
		{"unsigned int", "unsigned int"},
		{"unsigned", "unsigned int"},
		{"const char *", "char *"},
		{"const char *const *", "char **"},
		{"struct task_struct __user *", "struct task_struct *"},
		{"union bpf_attr *", "union bpf_attr *"},
		{"enum task_state", "enum task_state"},
		{"const enum unheard_of", "enum unheard_of"},
		{"struct unheard_of *", "struct unheard_of *"},
		{"void *", "void *"},
		{"size_t", "size_t"},
		{"pid_t *", "pid_t *"},
	}
	for _, tt := range tests {
		typ, err := k.CType(tt.text)
		if err != nil || typ.String() != tt.want {
			t.Errorf("%s: got %v, %v", tt.text, typ, err)
		}
	}
	if _, err := k.CType("unheard_of_t"); !errors.Is(err, kernel.ErrNoType) {
		t.Errorf("got %v, want ErrNoType", err)
	}
	if s := k.Struct("task_struct"); s != k.Struct("task_struct") || s.Size() != 128 || k.Struct("unheard_of").Complete() {
		t.Error("a struct that was named was not found when asked for")
	}
	typ, _ := k.CType("struct task_struct *")
	if s := types.Elem(typ).(*types.Struct); s.Size() != 128 {
		t.Errorf("a struct that was promised has %d bytes, want 128", s.Size())
	}
}
