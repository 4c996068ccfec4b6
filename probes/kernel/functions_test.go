package kernel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

// filter is what a kernel tells of its functions: one that is there twice, one
// that the compiler made, one of a module, one that is gone, and some that are not
// safe.
const filter = `vfs_read
rcu_read_unlock_strict
ksys_read
show
show
ksys_read.part.0
migrate_disable
__ftrace_invalid_address___64
nic_poll [nic]
show [nic]
rcu_nic [nic]
default_idle_call
notifier_call_chain
`

// withFunctions returns the recorded kernel with a list of functions.
func withFunctions(t testing.TB) *kerneltest.Kernel {
	k := kerneltest.Read(t, recorded)
	k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte(filter)}
	k.Sys["kernel/debug/kprobes/blacklist"] = &fstest.MapFile{Data: []byte(
		"0xffffffff810b0000-0xffffffff810b0010\tnotifier_call_chain\n0xffffffffc0000000-0xffffffffc0000010\tother [nic]\n")}
	return k
}

func TestFunctions(t *testing.T) {
	f, err := withFunctions(t).Open(t).Functions()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, one := range f.List {
		fmt.Fprintln(&b, one.Module, one.Name, one.Copies)
	}
	const want = `vmlinux ksys_read 1
vmlinux ksys_read.part.0 1
vmlinux show 2
vmlinux vfs_read 1
nic nic_poll 1
nic rcu_nic 1
nic show 1
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	for _, s := range f.Spared {
		fmt.Fprintf(&b, "%s: %s\n", s.Name, s.Why)
	}
	const spared = `default_idle_call: it runs where the CPU idles and RCU does not watch
migrate_disable: every firing calls it
notifier_call_chain: the kernel allows no kprobe in it
rcu_read_unlock_strict: every firing calls it, or it runs where RCU does not watch
`
	if b.String() != spared {
		t.Errorf("left out: got\n%swant\n%s", b.String(), spared)
	}
	if one, ok := f.Find("nic", "show"); !ok || one.Copies != 1 {
		t.Errorf("nic`show: %v, %v", one, ok)
	}
	if _, ok := f.Find("nic", "vfs_read"); ok {
		t.Error("nic`vfs_read is there")
	}
}

// A kernel without the function tracer still has symbols.
func TestFunctionsBySymbol(t *testing.T) {
	k := kerneltest.Read(t, recorded)
	k.Proc["kallsyms"] = &fstest.MapFile{Data: []byte("ffffffff81000000 T ksys_read\nffffffff81000010 t untyped\nffffffff81000020 D do_int80_emulation\n")}
	f, err := k.Open(t).Functions()
	if err != nil {
		t.Fatal(err)
	}
	if len(f.List) != 1 || f.List[0].Name != "ksys_read" {
		t.Errorf("got %v, want ksys_read alone", f.List)
	}
}

// What forbids both ways is told.
func TestFunctionsMissing(t *testing.T) {
	k := kerneltest.Read(t, recorded)
	k.Refuse = &kernel.Missing{What: "tracefs", Why: "it is forbidden", Err: fs.ErrPermission}
	delete(k.Proc, "kallsyms")
	_, err := k.Open(t).Functions()
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "no tracefs: it is forbidden") {
		t.Errorf("got %v", err)
	}
}

func TestLocate(t *testing.T) {
	s, err := kernel.ReadSymbols(strings.NewReader(`ffffffff81000000 T vfs_read
ffffffff81000010 t show
ffffffff81000020 t show
ffffffff81000020 t show
ffffffff81000030 d vfs_write
ffffffffc0000000 t show	[nic]
`))
	if err != nil {
		t.Fatal(err)
	}
	got := s.Locate([]kernel.Function{{Module: "nic", Name: "show"}, {Module: "vmlinux", Name: "show"},
		{Module: "vmlinux", Name: "vfs_write"}, {Module: "gone", Name: "show"}, {Module: "vmlinux", Name: "vfs_read"}, {Module: "vmlinux", Name: "vfs_read"}})
	want := "[[ffffffffc0000000] [ffffffff81000010 ffffffff81000020] [] [] [ffffffff81000000] [ffffffff81000000]]"
	if shown := fmt.Sprintf("%x", got); shown != want {
		t.Errorf("got %s, want %s", shown, want)
	}
}

// FuzzFunctions lists what any text says.
func FuzzFunctions(f *testing.F) {
	f.Add(filter)
	f.Add("a [\n [b]\n\x00 \n")
	f.Fuzz(func(t *testing.T, text string) {
		k := kerneltest.Read(t, recorded)
		k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte(text)}
		list, err := k.Open(t).Functions()
		if err != nil {
			return
		}
		for _, one := range list.List {
			if found, ok := list.Find(one.Module, one.Name); !ok || found != one {
				t.Fatalf("%v is listed and not found", one)
			}
		}
	})
}

// TestLocateTraceable takes of two functions by one name the one that can be
// traced, if the kernel tells which.
func TestLocateTraceable(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	files.Proc["kallsyms"] = &fstest.MapFile{Data: []byte("ffffffff81000000 t show\nffffffff81000100 t show\nffffffff81000200 t twice\nffffffff81000300 t twice\n")}
	files.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte("show\ntwice\ntwice\n")}
	list := []kernel.Function{{Module: "vmlinux", Name: "show"}, {Module: "vmlinux", Name: "twice"}}
	for _, tt := range []struct {
		addrs string
		want  string
	}{
		{"", "[ffffffff81000000 ffffffff81000100] true [ffffffff81000200 ffffffff81000300] false"},
		{"ffffffff81000104 show\nffffffff81000204 twice\n", "[ffffffff81000100] false [ffffffff81000200 ffffffff81000300] false"},
	} {
		delete(files.Tracing, "available_filter_functions_addrs")
		if tt.addrs != "" {
			files.Tracing["available_filter_functions_addrs"] = &fstest.MapFile{Data: []byte(tt.addrs)}
		}
		got, err := files.Open(t).Locate(list)
		if err != nil {
			t.Fatal(err)
		}
		if shown := fmt.Sprintf("%x %v %x %v", got[0].Addrs, got[0].Doubtful, got[1].Addrs, got[1].Doubtful); shown != tt.want {
			t.Errorf("with %q: %s, want %s", tt.addrs, shown, tt.want)
		}
	}
}
