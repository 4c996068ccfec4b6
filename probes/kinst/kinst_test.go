package kinst_test

import (
	"context"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/kinst"
)

// function is code with what kernels have in it: endbr64, the nop that is patched,
// a jump over a call, clac, a return with a breakpoint behind it, another block, and
// what fills up to the next function.
const function = "f30f1efa 0f1f440000 55 4889e5 85ff 7403 0f01ca 31c0 5d c3 cc ebfa cc 0f1f00 90"

const listing = `0 .byte f3 0f 1e fa
4 nopl (%rax,%rax)
9 push %rbp
10 mov %rsp,%rbp
13 test %edi,%edi
15 je 0xffffffff81000014
17 .byte 0f 01 ca
20 xor %eax,%eax
22 pop %rbp
23 retq
25 jmp 0xffffffff81000015
`

func code(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const base uint64 = 0xffffffff81000000

func TestDisassemble(t *testing.T) {
	list, err := kinst.Disassemble("amd64", base, code(t, function))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, in := range list {
		fmt.Fprintln(&b, in.Offset, in.Text)
	}
	if b.String() != listing {
		t.Errorf("got\n%swant\n%s", b.String(), listing)
	}
}

// TestNoReturn takes what fills up behind a call that never returns for just that.
func TestNoReturn(t *testing.T) {
	list, err := kinst.Disassemble("amd64", base, code(t, "55 e8 00000000 cccccc"))
	if err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestHidden stops at a breakpoint of somebody else, and at what is no instruction.
func TestHidden(t *testing.T) {
	for text, want := range map[string]string{
		"55 4889e5 cc89e5 c3": "+4 there is a breakpoint",
		"55 06 c3":            "+1: no instruction",
	} {
		list, err := kinst.Disassemble("amd64", base, code(t, text))
		if err == nil || !strings.Contains(err.Error(), want) || len(list) == 0 {
			t.Errorf("%s: %d instructions, %v", text, len(list), err)
		}
	}
}

func TestDisassembleARM(t *testing.T) {
	list, err := kinst.Disassemble("arm64", base, code(t, "3f2303d5 fd7bbfa9 fd030091 c0035fd6 00000000"))
	if err != nil || len(list) != 4 || list[3].Offset != 12 || list[3].Text != "ret" {
		t.Errorf("got %v, %v", list, err)
	}
}

// withCode returns a kernel that has one function in memory.
func withCode(t testing.TB) *kerneltest.Kernel {
	k := kerneltest.Read(t, "linux-6.18-amd64")
	body := code(t, function)
	k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte("vfs_read\nmigrate_disable\ngone\n")}
	k.Proc["kallsyms"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%x T vfs_read\n%x T next\n%x T migrate_disable\n%x t twice\n%x t twice\n",
		base, base+uint64(len(body)), base+100, base+200, base+300)}
	k.Hold(t, base, body)
	return k
}

func can() error { return nil }

func match(p probes.Provider, pat probes.Pattern) (string, error) {
	var b strings.Builder
	for q, err := range p.Match(context.Background(), pat) {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintln(&b, q)
	}
	return b.String(), nil
}

func TestMatch(t *testing.T) {
	p := kinst.New(withCode(t).Open(t), can)
	for _, tt := range []struct {
		pat  probes.Pattern
		want string // the probes
		err  string
	}{
		{probes.Pattern{Provider: "kinst", Function: "vfs_read", Name: "9"}, "kinst:vmlinux:vfs_read:9\n", ""},
		{probes.Pattern{Provider: "kinst", Function: "vfs_read", Name: "2?"}, "kinst:vmlinux:vfs_read:20\nkinst:vmlinux:vfs_read:22\nkinst:vmlinux:vfs_read:23\nkinst:vmlinux:vfs_read:25\n", ""},
		{probes.Pattern{Provider: "kinst", Function: "vfs_read", Name: "11"}, "", "the nearest are at 10 and 13"},
		{probes.Pattern{Provider: "kinst", Function: "vfs_read", Name: "99"}, "", "the last one is at 25"},
		{probes.Pattern{Provider: "kinst", Function: "vfs_read", Name: "0x9"}, "", "decimal"},
		{probes.Pattern{Provider: "kinst", Function: "vfs_read", Name: "09"}, "", "as 9"},
		{probes.Pattern{Provider: "kinst", Function: "migrate_disable"}, "", "every firing calls it"},
		{probes.Pattern{Provider: "kinst", Function: "gone"}, "", "no such symbol"},
		{probes.Pattern{Provider: "kinst", Function: "nosuch"}, "", ""},
		{probes.Pattern{Function: "vfs_read"}, "", ""},
		{probes.Pattern{Provider: "kinst"}, "", "name one function"},
		{probes.Pattern{Provider: "kinst", Function: "vfs_*"}, "", "name one function"},
	} {
		got, err := match(p, tt.pat)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %q, %v; want %q, %s", tt.pat, got, err, tt.want, tt.err)
		}
	}
	all, err := match(p, probes.Pattern{Provider: "kinst", Function: "vfs_read"})
	if n := strings.Count(all, "\n"); err != nil || n != strings.Count(listing, "\n") {
		t.Errorf("all: %d, %v", n, err)
	}
}

func TestSite(t *testing.T) {
	p := kinst.New(withCode(t).Open(t), can)
	s, err := p.Site(probes.Probe{Provider: "kinst", Module: "vmlinux", Function: "vfs_read", Name: "10"})
	if err != nil {
		t.Fatal(err)
	}
	want := probes.Hook{Kind: probes.Instruction, Module: "vmlinux", Target: "vfs_read", Offset: 10}
	if s.Hook != want || s.Help != "mov %rsp,%rbp" {
		t.Errorf("got %+v, %q", s.Hook, s.Help)
	}
}

// TestMissing says why the code cannot be read.
func TestMissing(t *testing.T) {
	files := withCode(t)
	delete(files.Proc, "kcore")
	_, err := match(kinst.New(files.Open(t), can), probes.Pattern{Provider: "kinst", Function: "vfs_read"})
	var missing *kernel.Missing
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "CONFIG_PROC_KCORE") {
		t.Errorf("got %v", err)
	}
}

// TestObjdump compares the boundaries with those of objdump, over the functions of
// the C library, which have every kind of instruction that processors offer.
func TestObjdump(t *testing.T) {
	tool, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("needs objdump")
	}
	const library = "/lib/x86_64-linux-gnu/libc.so.6"
	f, err := elf.Open(library)
	if err != nil {
		t.Skipf("needs a C library: %v", err)
	}
	defer f.Close()
	text := f.Section(".text")
	all, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	syms, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ *([0-9a-f]+):\t`)
	checked := 0
	for i, s := range syms {
		if i%20 != 0 || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || s.Value < text.Addr || s.Value+s.Size > text.Addr+text.Size {
			continue
		}
		list, err := kinst.Disassemble("amd64", s.Value, all[s.Value-text.Addr:][:s.Size])
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		out, err := exec.Command(tool, "-dw", "--no-show-raw-insn", fmt.Sprintf("--start-address=%#x", s.Value),
			fmt.Sprintf("--stop-address=%#x", s.Value+s.Size), library).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, m := range line.FindAllStringSubmatch(string(out), -1) {
			want[m[1]] = true
		}
		for _, in := range list {
			if !want[fmt.Sprintf("%x", s.Value+in.Offset)] {
				t.Errorf("%s+%d: objdump has no instruction there: %s", s.Name, in.Offset, in.Text)
				break
			}
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("compared %d functions", checked)
	}
}

// FuzzDisassemble cuts any bytes: in order, without gaps that are no filling.
func FuzzDisassemble(f *testing.F) {
	f.Add([]byte("\xf3\x0f\x1e\xfa\x55\xc3\xcc"), true)
	f.Add([]byte("\x62\xf1\x7c\x48\x10\x04\x24"), true)
	f.Fuzz(func(t *testing.T, b []byte, x86 bool) {
		arch := "arm64"
		if x86 {
			arch = "amd64"
		}
		list, _ := kinst.Disassemble(arch, base, b)
		last := -1
		for _, in := range list {
			if int(in.Offset) <= last || int(in.Offset) >= len(b) {
				t.Fatalf("%v in %x", list, b)
			}
			last = int(in.Offset)
		}
	})
}
