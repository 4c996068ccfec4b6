package kernel_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"dscope.dev/probes/kernel/kerneltest"
)

func TestFacts(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	f, err := k.Facts()
	if got, want := fmt.Sprint(f, err), "{amd64 6.18.44 6 18 [0 1 2 3] [0 1 3] 127} <nil>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, tt := range []struct {
		major, minor int
		want         bool
	}{{6, 18, true}, {6, 1, true}, {5, 19, true}, {6, 19, false}, {7, 0, false}} {
		if f.AtLeast(tt.major, tt.minor) != tt.want {
			t.Errorf("at least %d.%d: got %v", tt.major, tt.minor, !tt.want)
		}
	}
}

func TestOddFacts(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	for _, tt := range []struct{ file, text, want string }{
		{"release", "6.1.0-rc3+", "{amd64 6.1.0-rc3+ 6 1 [0 1 2 3] [0 1 3] 127} <nil>"},
		{"release", "7.0-arch", "{amd64 7.0-arch 7 0 [0 1 2 3] [0 1 3] 127} <nil>"},
		{"release", "plan9", `{amd64 plan9 0 0 [] [] 0} the kernel's release is not of the form 6.18: "plan9"`},
		{"possible", "0,2-3", "{amd64 6.18.44 6 18 [0 2 3] [0 1 3] 127} <nil>"},
		{"possible", "3-0", `{amd64 6.18.44 6 18 [] [] 0} /sys/devices/system/cpu/possible: no list of CPUs: "3-0"`},
		{"possible", "", `{amd64 6.18.44 6 18 [] [] 0} /sys/devices/system/cpu/possible: no list of CPUs: ""`},
		{"possible", "0-999999999", `{amd64 6.18.44 6 18 [] [] 0} /sys/devices/system/cpu/possible: no list of CPUs: "0-999999999"`},
	} {
		file := &fstest.MapFile{Data: []byte(tt.text + "\n")}
		changed := *files
		changed.Proc, changed.Sys = fstest.MapFS{}, fstest.MapFS{}
		for name, f := range files.Proc {
			changed.Proc[name] = f
		}
		for name, f := range files.Sys {
			changed.Sys[name] = f
		}
		if tt.file == "release" {
			changed.Proc["sys/kernel/osrelease"] = file
		} else {
			changed.Sys["devices/system/cpu/possible"] = file
		}
		if got := fmt.Sprint(changed.Open(t).Facts()); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestCompat(t *testing.T) {
	tests := []struct {
		arch    string
		without []string
		off     int
		mask    uint32
	}{
		{"amd64", nil, 16, 1 << 1},
		{"arm64", nil, 0, 1 << 22},
		{"amd64", []string{"do_int80_emulation"}, -1, 0},
		{"arm64", []string{"do_el0_svc_compat"}, -1, 0},
		{"amd64", []string{"do_int80_emulation", "ksys_read"}, 16, 1 << 1}, // it tells no functions: who knows
	}
	for _, tt := range tests {
		files := kerneltest.Read(t, recorded)
		files.Arch = tt.arch
		files.Sys["kernel/btf/vmlinux"] = &fstest.MapFile{Data: kerneltest.Types(t, tt.without...)}
		if off, mask, err := files.Open(t).Compat(); off != tt.off || mask != tt.mask || err != nil {
			t.Errorf("%s without %v: got %d, %#x, %v; want %d, %#x", tt.arch, tt.without, off, mask, err, tt.off, tt.mask)
		}
	}
}

func TestRawCookies(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	if !files.Open(t).RawCookies() {
		t.Error("they were overlooked")
	}
	files.Sys["kernel/btf/vmlinux"] = &fstest.MapFile{Data: kerneltest.Types(t, "bpf_attr")}
	if files.Open(t).RawCookies() {
		t.Error("they were found where there are none")
	}
}
