package kernel_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

func TestLookup(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	s, err := k.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		addr uint64
		want string // "" if it belongs to no symbol
	}{
		{0xffffffff81000000, "vmlinux`_stext+0"}, // the first of two
		{0xffffffff816b96a0, "vmlinux`ksys_read+0"},
		{0xffffffff816b96af, "vmlinux`ksys_read+15"},
		{0xffffffff816b9791, "vmlinux`__x64_sys_read+1"},
		{0xffffffff83a00011, "vmlinux`start_kernel+1"},
		{0xffffffffc0204105, "nic`nic_open+5"},
		{0xffffffff83900000, ""}, // between the texts
		{0xffffffff83b00000, ""}, // after them
		{0xffffffff80ffffff, ""}, // before all
		{0x401000, ""},           // of a process
		{0, ""},
	}
	for _, tt := range tests {
		got := ""
		if module, name, off, ok := s.Lookup(tt.addr); ok {
			got = fmt.Sprintf("%s`%s+%d", module, name, off)
		}
		if got != tt.want {
			t.Errorf("%x: got %q, want %q", tt.addr, got, tt.want)
		}
	}
}

func TestSymbol(t *testing.T) {
	k := kerneltest.Read(t, recorded).Open(t)
	tests := []struct {
		module, name string
		addr         uint64 // 0 if there is none
		typ          string // "" if the kernel tells none
	}{
		{"", "ksys_read", 0xffffffff816b96a0, "long (unsigned int, char *, unsigned long)"},
		{"vmlinux", "ksys_read", 0xffffffff816b96a0, "long (unsigned int, char *, unsigned long)"},
		{"", "vfs_read", 0xffffffff816b89f0, ""},
		{"", "shared", 0xffffffff816b9900, ""}, // the global one of two
		{"", "nic_open", 0xffffffffc0204100, ""},
		{"nic", "nic_open", 0xffffffffc0204100, ""},
		{"vmlinux", "nic_open", 0, ""},
		{"", "ksys", 0, ""},
		{"", "", 0, ""},
	}
	for _, tt := range tests {
		sym, err := k.Symbol(tt.module, tt.name)
		if (tt.addr == 0) != errors.Is(err, kernel.ErrNoSymbol) || sym.Addr != tt.addr {
			t.Errorf("%s`%s: got %+v, %v", tt.module, tt.name, sym, err)
			continue
		}
		if typ := fmt.Sprint(sym.Type); tt.typ != "" && typ != tt.typ || tt.typ == "" && sym.Type != nil {
			t.Errorf("%s`%s: got type %v, want %q", tt.module, tt.name, typ, tt.typ)
		}
	}
}

func TestSymbolsOutOfOrder(t *testing.T) {
	s, err := kernel.ReadSymbols(strings.NewReader("ffffffffc0000010 t late\t[m]\nffffffff81000000 T early"))
	if err != nil || s.Len() != 2 {
		t.Fatal(s, err)
	}
	if _, name, _, _ := s.Lookup(0xffffffff81000005); name != "early" {
		t.Errorf("got %q, want early", name)
	}
	if module, name, off, _ := s.Lookup(0xffffffffc0000011); module != "m" || name != "late" || off != 1 {
		t.Errorf("got %s`%s+%d, want m`late+1", module, name, off)
	}
}

func TestNoSymbols(t *testing.T) {
	files := kerneltest.Read(t, recorded)
	var missing *kernel.Missing
	files.Proc["kallsyms"] = &fstest.MapFile{Data: []byte("0000000000000000 T _text\n0000000000000000 T start\n")}
	if _, err := files.Open(t).Symbols(); !errors.As(err, &missing) || missing.What != "kernel addresses" {
		t.Errorf("hidden: got %v", err)
	}
	delete(files.Proc, "kallsyms")
	if _, err := files.Open(t).Symbol("", "x"); !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: got %v", err)
	}
	files.Proc["kallsyms"] = &fstest.MapFile{Data: []byte("ffffffff81000000 T _text\nnonsense\n")}
	if _, err := files.Open(t).Symbols(); err == nil || !strings.Contains(err.Error(), "line 2 is not a symbol") {
		t.Errorf("damaged: got %v", err)
	}
	if _, err := kernel.ReadSymbols(strings.NewReader(strings.Repeat("f", 1<<20))); err == nil {
		t.Error("a line without end was read")
	}
	if _, err := kernel.ReadSymbols(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

// FuzzReadSymbols holds that what was read is found again, however the reader
// cuts it.
func FuzzReadSymbols(f *testing.F) {
	f.Add("ffffffff81000000 T _text\nffffffff81000010 t a\t[m]\n")
	f.Add("ffffffff81000000 T _text\n0 A x")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := kernel.ReadSymbols(strings.NewReader(text))
		cut, cutErr := kernel.ReadSymbols(iotest.OneByteReader(strings.NewReader(text)))
		if (err == nil) != (cutErr == nil) {
			t.Fatalf("whole: %v; in pieces: %v", err, cutErr)
		}
		if err != nil {
			return
		}
		if s.Len() != cut.Len() {
			t.Fatalf("%d symbols, in pieces %d", s.Len(), cut.Len())
		}
		for addr := range uint64(64) {
			addr += 0xffffffff81000000
			m1, n1, o1, ok1 := s.Lookup(addr)
			m2, n2, o2, ok2 := cut.Lookup(addr)
			if m1 != m2 || n1 != n2 || o1 != o2 || ok1 != ok2 {
				t.Errorf("%x: %s`%s+%d %v, in pieces %s`%s+%d %v", addr, m1, n1, o1, ok1, m2, n2, o2, ok2)
			}
		}
	})
}
