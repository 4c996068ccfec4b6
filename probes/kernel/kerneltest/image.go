package kerneltest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"
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
	if _, err := exec.LookPath("gcc"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no compiler:", err)
	}
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
	k.run(t, out)
	return out
}

// run makes the kernel the one that a file has.
func (k *Kernel) run(t testing.TB, name string) {
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
		fmt.Fprintf(&list, "%x %c %s\n", s.Value+Slide, kind, s.Name)
		fmt.Fprintln(&traced, s.Name)
	}
	k.Proc["kallsyms"] = &fstest.MapFile{Data: list.Bytes()}
	k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: traced.Bytes()}
	text := f.Section(".text")
	k.Proc["kcore"] = &fstest.MapFile{Data: core(t, text.Addr+Slide, section(t, f, ".text"))}
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

// core is what /proc/kcore has of some code.
func core(t testing.TB, addr uint64, code []byte) []byte {
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
	return b.Bytes()
}
