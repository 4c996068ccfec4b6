package kernel_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"dscope.dev/dlang/types"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestLiveTypes looks into what a script is likely to look into.
func TestLiveTypes(t *testing.T) {
	k := kerneltest.Live(t)
	for name, members := range map[string][]string{
		"task_struct": {"pid", "tgid", "comm", "parent", "real_parent", "mm", "cred", "thread_info", "stack"},
		"sk_buff":     {"len", "data", "head", "dev", "protocol"},
		"file":        {"f_path", "f_flags", "f_op"},
		"request":     {"q", "__sector", "__data_len"},
	} {
		s, ok := mustType(t, k, "struct", name).(*types.Struct)
		if !ok || !s.Complete() {
			t.Errorf("struct %s has no members", name)
			continue
		}
		for _, m := range members {
			f, ok := s.Member(m)
			if !ok {
				t.Errorf("struct %s has no member %s", name, m)
			} else if end := f.Off/8 + f.Type.Size(); end > s.Size() {
				t.Errorf("%s.%s ends at %d of %d bytes", name, m, end, s.Size())
			}
		}
	}
	if off, mask, err := k.Compat(); err != nil || off == 0 || mask == 0 {
		t.Errorf("compat: %d, %x, %v", off, mask, err)
	}
}

// TestLiveWalk converts every type that can be reached from a task, and holds
// that no member lies outside of its struct.
func TestLiveWalk(t *testing.T) {
	k := kerneltest.Live(t)
	seen := map[types.Type]bool{}
	queue := []types.Type{mustType(t, k, "struct", "task_struct")}
	visit := func(t types.Type) {
		if !seen[t] {
			seen[t] = true
			queue = append(queue, t)
		}
	}
	for len(queue) > 0 {
		typ := queue[0]
		queue = queue[1:]
		switch typ := typ.(type) {
		case *types.Struct:
			for _, f := range typ.Fields() {
				size := f.Type.Size() * 8
				if f.Bits > 0 {
					size = f.Bits
				}
				if f.Off+size > typ.Size()*8 {
					t.Errorf("%s.%s: %d bits at %d of %d bytes", typ, f.Name, size, f.Off, typ.Size())
				}
				if f.Bits == 0 && typ.Align() > 1 && f.Off/8%f.Type.Align() != 0 && types.IsScalar(f.Type) {
					t.Errorf("%s.%s: at %d, but aligned to %d", typ, f.Name, f.Off/8, f.Type.Align())
				}
				visit(f.Type)
			}
		case *types.Pointer:
			visit(typ.Elem)
		case *types.Array:
			visit(typ.Elem)
		case *types.Typedef:
			visit(typ.Under)
		case *types.Func:
			visit(typ.Result)
			for _, p := range typ.Params {
				visit(p)
			}
		case *types.Invalid:
			t.Error("a type of the kernel was not understood")
		}
	}
	if len(seen) < 1000 {
		t.Errorf("only %d types were reached", len(seen))
	}
}

// TestLiveSymbols compares with a plain reading of the same file.
func TestLiveSymbols(t *testing.T) {
	k := kerneltest.Live(t)
	s, err := k.Symbols()
	if err != nil {
		t.Skipf("needs the kernel's addresses: %v", err)
	}
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, found, programs := 0, 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		if strings.HasSuffix(lines.Text(), "[bpf]") {
			programs++
		}
		if n%997 != 0 {
			continue
		}
		word := strings.Fields(lines.Text())
		addr, err := strconv.ParseUint(word[0], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		_, name, off, ok := s.Lookup(addr)
		if !ok {
			continue // data of a kernel that tells only functions
		}
		found++
		if off != 0 {
			t.Errorf("%x: got %s+%d, want %s", addr, name, off, word[2])
		}
		if _, err := k.Symbol("", word[2]); err != nil {
			t.Error(err)
		}
	}
	if come := n/100 + programs; n-s.Len() > come || s.Len()-n > come { // modules and programs come and go
		t.Errorf("%d symbols, want %d", s.Len(), n)
	}
	if found < n/997/2 {
		t.Errorf("only %d of %d addresses were found", found, n/997)
	}
}

// TestLiveMount holds that reading tracefs leaves no mount behind.
func TestLiveMount(t *testing.T) {
	mounts := func() string {
		data, err := os.ReadFile("/proc/self/mounts")
		if err != nil {
			t.Skipf("needs Linux: %v", err)
		}
		return string(data)
	}
	before := mounts()
	k := kerneltest.Live(t)
	if during := mounts(); during != before {
		t.Errorf("mounts while tracefs is read:\n%s\nbefore:\n%s", during, before)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if after := mounts(); after != before {
		t.Errorf("mounts after Close:\n%s\nbefore:\n%s", after, before)
	}
}

func BenchmarkTaskStructWarm(b *testing.B) {
	k := kerneltest.Live(b)
	mustType(b, k, "struct", "task_struct").(*types.Struct).Fields()
	for b.Loop() {
		s, err := k.Type("struct", "", "task_struct")
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := s.(*types.Struct).Member("comm"); !ok {
			b.Fatal("no comm")
		}
	}
}

func BenchmarkSymbols(b *testing.B) {
	kerneltest.Live(b)
	for b.Loop() {
		if _, err := kernel.Open().Symbols(); err != nil {
			b.Skip(err)
		}
	}
}
