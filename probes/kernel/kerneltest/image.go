package kerneltest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	"dscope.dev/probes/binary/binarytest"
)

// Base is where a compiled kernel is linked to run, and Slide how far from there it
// runs.
const (
	Base  = 0xffffffff81000000
	Slide = 0x1e400000
)

// Compile makes the kernel one that was made of sources in C: its code is in memory,
// its symbols are listed, and its file, with debug information, lies where
// distributions put it. It returns the path of the file.
func (k *Kernel) Compile(t testing.TB, sources ...string) string {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the compiler here makes no code of x86")
	}
	binarytest.NeedCompiler(t)
	k.Files = t.TempDir()
	release := string(bytes.TrimSpace(k.Proc["sys/kernel/osrelease"].Data))
	out := filepath.Join(k.Files, "usr/lib/debug/boot/vmlinux-"+release)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"-O2", "-g", "-ffreestanding", "-fno-pic", "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
		"-mcmodel=kernel", "-nostdlib", "-static", "-Wl,--build-id", "-Wl,-e,_stext", fmt.Sprintf("-Wl,-Ttext=%#x", uint64(Base)), "-o", out}
	for i, source := range sources {
		src := filepath.Join(k.Files, fmt.Sprintf("part%d.c", i))
		if err := os.WriteFile(src, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, src)
	}
	if msg, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	k.Run(t, out, Slide)
	return out
}

// moduleBase is where the code of a compiled module runs.
const moduleBase = 0xffffffffc0500000

// CompileModule loads a module that is made of a source in C. Its file lies where
// distributions put debug information.
func (k *Kernel) CompileModule(t testing.TB, name, source string) {
	t.Helper()
	release := string(bytes.TrimSpace(k.Proc["sys/kernel/osrelease"].Data))
	lib := filepath.Join(k.Files, "lib/modules", release)
	out := filepath.Join(k.Files, "usr/lib/debug/lib/modules", release, "kernel/net/"+name+".ko")
	src := filepath.Join(k.Files, name+".c")
	for _, dir := range []string{lib, filepath.Dir(out)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{src: source, filepath.Join(lib, "modules.dep"): "kernel/fs/other.ko:\nkernel/net/" + name + ".ko.xz: kernel/fs/other.ko.xz\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("gcc", "-O2", "-g", "-ffreestanding", "-fno-pic", "-mcmodel=kernel", "-nostdlib", "-r", "-Wl,--build-id", "-o", out, src)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	k.Sys["module/"+name+"/notes/.note.gnu.build-id"] = &fstest.MapFile{Data: section(t, f, ".note.gnu.build-id")}
	k.Sys["module/"+name+"/sections/.text"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%#x\n", uint64(moduleBase))}
	k.Sys["module/"+name+"/sections/.gone"] = &fstest.MapFile{Data: []byte("0x0000000000000000\n")}
	k.Proc["modules"] = &fstest.MapFile{Data: fmt.Appendf(nil, "%s 16384 0 - Live %#x\n", name, uint64(moduleBase))}
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	list := bytes.NewBuffer(k.Proc["kallsyms"].Data)
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			fmt.Fprintf(list, "%x t %s\t[%s]\n", s.Value+moduleBase, s.Name, name)
		}
	}
	k.Proc["kallsyms"] = &fstest.MapFile{Data: list.Bytes()}
}

// Run makes the kernel the one that a file has, which runs as far from where it was
// linked.
func (k *Kernel) Run(t testing.TB, name string, slide uint64) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	k.Sys["kernel/notes"] = &fstest.MapFile{Data: section(t, f, ".note.gnu.build-id")}
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var list, traced bytes.Buffer
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		kind := 't'
		if elf.ST_BIND(s.Info) == elf.STB_GLOBAL {
			kind = 'T'
		}
		fmt.Fprintf(&list, "%x %c %s\n", s.Value+slide, kind, s.Name)
		fmt.Fprintln(&traced, s.Name)
	}
	k.Proc["kallsyms"] = &fstest.MapFile{Data: list.Bytes()}
	k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: traced.Bytes()}
	text := f.Section(".text")
	k.Hold(t, text.Addr+slide, section(t, f, ".text"))
}

func section(t testing.TB, f *elf.File, name string) []byte {
	t.Helper()
	s := f.Section(name)
	if s == nil {
		t.Fatalf("the compiler made no section %s", name)
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Hold puts code into the kernel's memory: it is what /proc/kcore has.
func (k *Kernel) Hold(t testing.TB, addr uint64, code []byte) {
	t.Helper()
	var b bytes.Buffer
	head := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	prog := elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 120, Vaddr: addr, Filesz: uint64(len(code)), Memsz: uint64(len(code))}
	for _, v := range []any{head, prog, code} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	k.Proc["kcore"] = &fstest.MapFile{Data: b.Bytes()}
}
