package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"testing"

	"dscope.dev/probes/binary/binarytest"
)

type testSymbol = binarytest.Symbol

func sym(name string, addr, size uint64, info byte) testSymbol {
	return testSymbol{Name: name, Addr: addr, Size: size, Info: info}
}

var (
	info     = binarytest.Info
	function = binarytest.Function
	makeELF  = binarytest.ELF
)

func mustRead(t *testing.T, data []byte) *Symbols {
	t.Helper()
	b, err := readSyms(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readSyms(data []byte) (*Symbols, error) {
	f, err := New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return f.Symbols()
}

func TestLookup(t *testing.T) {
	b := mustRead(t, makeELF(
		sym("main", 0x401100, 0x80, function),
		sym("inner", 0x401120, 0x10, function),
		sym("_start", 0x401000, 0, info(elf.STB_GLOBAL, elf.STT_NOTYPE)), // assembly has no sizes
		sym("last", 0x401400, 0, function),
		sym("table", 0x401140, 8, info(elf.STB_GLOBAL, elf.STT_OBJECT)),
		sym("$x", 0x401130, 0, info(elf.STB_LOCAL, elf.STT_NOTYPE)),
		sym("_ZN3foo3barEi", 0x401200, 0x10, function),
		sym("_ZN4core3fmt5write17h0123456789abcdefE", 0x401210, 0x10, function),
		sym("memcpy@@GLIBC_2.14", 0x401220, 0x10, function),
	))
	for _, tt := range []struct {
		addr uint64
		want string
	}{
		{0x401000, "_start+0"}, {0x401050, "_start+80"},
		{0x401100, "main+0"}, {0x40117f, "main+127"}, {0x401180, ""},
		{0x401120, "inner+0"}, {0x401128, "inner+8"}, {0x401140, "main+64"},
		{0x401205, "foo::bar(int)+5"}, {0x401211, "core::fmt::write+1"}, {0x401220, "memcpy+0"},
		{0x401230, ""}, {0x4014ff, "last+255"}, {0x402000, ""}, {0x400fff, ""},
	} {
		got := ""
		if name, off, ok := b.Lookup(tt.addr - 0x400000); ok {
			got = fmt.Sprintf("%s+%d", name, off)
		}
		if got != tt.want {
			t.Errorf("%#x is %q, want %q", tt.addr, got, tt.want)
		}
	}
}

func TestPreferredName(t *testing.T) {
	for _, tt := range []struct {
		names []testSymbol
		want  string
	}{
		{[]testSymbol{sym("__libc_malloc", 0x401000, 9, function), sym("malloc", 0x401000, 9, function)}, "malloc"},
		{[]testSymbol{sym("local", 0x401000, 9, info(elf.STB_LOCAL, elf.STT_FUNC)), sym("global", 0x401000, 9, function)}, "global"},
		{[]testSymbol{sym("weak", 0x401000, 9, info(elf.STB_WEAK, elf.STT_FUNC)), sym("strong", 0x401000, 9, function)}, "strong"},
		{[]testSymbol{sym("label", 0x401000, 0, function), sym("function", 0x401000, 9, function)}, "function"},
		{[]testSymbol{sym("b", 0x401000, 9, function), sym("a", 0x401000, 9, function)}, "a"},
	} {
		b := mustRead(t, makeELF(tt.names...))
		if name, _, _ := b.Lookup(0x1000); name != tt.want {
			t.Errorf("%v is called %q, want %q", tt.names, name, tt.want)
		}
	}
}

func TestBadELF(t *testing.T) {
	good := makeELF(sym("main", 0x401000, 1, function))
	const symtab, strtab = 0x2000 + 2*64, 0x2000 + 3*64
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"no magic":  func(b []byte) []byte { b[0] = 0; return b },
		"cut short": func(b []byte) []byte { return b[:100] },
		"huge table": func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[symtab+32:], 1<<40)
			return b
		},
		"huge strings": func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[strtab+32:], 1<<62)
			return b
		},
	} {
		data := spoil(bytes.Clone(good))
		if _, err := readSyms(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDemangle(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"main", "main"},
		{"_Z", "_Z"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)"},
		{"_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function"},
		{"_ZN5alloc3vec12Vec$LT$T$GT$4push17h7d2a3f0c9b8e1d6fE", "alloc::vec::Vec<T>::push"},
		{"read@GLIBC_2.2.5", "read"},
		{"runtime.mallocgc", "runtime.mallocgc"},
	} {
		if got := Demangle(tt.name); got != tt.want {
			t.Errorf("Demangle(%s) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzGo reads anything as the table of a Go program's functions.
func FuzzGo(f *testing.F) {
	head := func(magic uint32, funcs uint64) []byte {
		b := binary.LittleEndian.AppendUint32(nil, magic)
		b = append(b, 0, 0, 1, 8)
		b = binary.LittleEndian.AppendUint64(b, funcs)
		return append(b, make([]byte, 256)...)
	}
	f.Add(head(0xfffffff1, 2))
	f.Add(head(0xfffffff0, 1))
	f.Add(head(0xfffffffb, 1))
	f.Add(head(0xfffffff1, 1<<40))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := newGoTable(data, 0x401000)
		if err != nil {
			return
		}
		if table.count > uint64(len(data)) {
			t.Errorf("%d functions from %d bytes", table.count, len(data))
		}
		for i := range min(table.count, 1000) {
			table.function(i)
		}
	})
}
