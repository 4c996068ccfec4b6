package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"testing"
)

// A testSymbol is a symbol of a binary that a test makes.
type testSymbol struct {
	name       string
	addr, size uint64
	info       byte
}

func info(bind elf.SymBind, kind elf.SymType) byte { return elf.ST_INFO(bind, kind) }

var function = info(elf.STB_GLOBAL, elf.STT_FUNC)

// makeELF makes a small binary: one segment of 0x1000 bytes at offset 0x1000
// that wants to lie at 0x401000, one section of code, and symbols.
func makeELF(syms ...testSymbol) []byte {
	strs, table := []byte{0}, make([]byte, 24)
	for _, s := range syms {
		sym := elf.Sym64{Name: uint32(len(strs)), Info: s.info, Shndx: 1, Value: s.addr, Size: s.size}
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, sym)
		table = append(table, b.Bytes()...)
		strs = append(append(strs, s.name...), 0)
	}
	const sections, at = 4, 0x2000
	head := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: 64, Shoff: at, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64, Shnum: sections, Shstrndx: 3,
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	strsAt := uint64(at + 64*sections)
	tableAt := strsAt + uint64(len(strs))
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, head)
	binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_LOAD), Off: 0x1000, Vaddr: 0x401000, Filesz: 0x1000, Memsz: 0x1000})
	b.Write(make([]byte, at-b.Len()))
	binary.Write(&b, binary.LittleEndian, []elf.Section64{
		{},
		{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: 0x401000, Off: 0x1000, Size: 0x1000},
		{Type: uint32(elf.SHT_SYMTAB), Off: tableAt, Size: uint64(len(table)), Link: 3, Entsize: 24},
		{Type: uint32(elf.SHT_STRTAB), Off: strsAt, Size: uint64(len(strs))},
	})
	b.Write(strs)
	b.Write(table)
	return b.Bytes()
}

func mustRead(t *testing.T, data []byte) *elfBinary {
	t.Helper()
	b, err := readELF(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLookup(t *testing.T) {
	b := mustRead(t, makeELF(
		testSymbol{"main", 0x401100, 0x80, function},
		testSymbol{"inner", 0x401120, 0x10, function},
		testSymbol{"_start", 0x401000, 0, info(elf.STB_GLOBAL, elf.STT_NOTYPE)}, // assembly has no sizes
		testSymbol{"last", 0x401400, 0, function},
		testSymbol{"table", 0x401140, 8, info(elf.STB_GLOBAL, elf.STT_OBJECT)},
		testSymbol{"$x", 0x401130, 0, info(elf.STB_LOCAL, elf.STT_NOTYPE)},
		testSymbol{"_ZN3foo3barEi", 0x401200, 0x10, function},
		testSymbol{"_ZN4core3fmt5write17h0123456789abcdefE", 0x401210, 0x10, function},
		testSymbol{"memcpy@@GLIBC_2.14", 0x401220, 0x10, function},
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
		if name, off, ok := b.lookup(tt.addr - 0x400000); ok {
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
		{[]testSymbol{{"__libc_malloc", 0x401000, 9, function}, {"malloc", 0x401000, 9, function}}, "malloc"},
		{[]testSymbol{{"local", 0x401000, 9, info(elf.STB_LOCAL, elf.STT_FUNC)}, {"global", 0x401000, 9, function}}, "global"},
		{[]testSymbol{{"weak", 0x401000, 9, info(elf.STB_WEAK, elf.STT_FUNC)}, {"strong", 0x401000, 9, function}}, "strong"},
		{[]testSymbol{{"label", 0x401000, 0, function}, {"function", 0x401000, 9, function}}, "function"},
		{[]testSymbol{{"b", 0x401000, 9, function}, {"a", 0x401000, 9, function}}, "a"},
	} {
		b := mustRead(t, makeELF(tt.names...))
		if name, _, _ := b.lookup(0x1000); name != tt.want {
			t.Errorf("%v is called %q, want %q", tt.names, name, tt.want)
		}
	}
}

func TestBadELF(t *testing.T) {
	good := makeELF(testSymbol{"main", 0x401000, 1, function})
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
		if _, err := readELF(bytes.NewReader(data), int64(len(data))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzELF reads anything as a binary: the result is an error or a table in
// order that every address can be looked up in.
func FuzzELF(f *testing.F) {
	f.Add(makeELF(testSymbol{"main", 0x401100, 0x80, function}, testSymbol{"_ZN3foo3barEi", 0x401200, 0x10, function}))
	f.Add(makeELF())
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := readELF(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for i, s := range b.syms {
			if i > 0 && s.addr <= b.syms[i-1].addr {
				t.Fatalf("symbol %d at %#x comes after %#x", i, s.addr, b.syms[i-1].addr)
			}
			b.name(i)
		}
		for _, s := range b.segs {
			b.lookup(s.off)
			b.lookup(s.off + s.size/2)
		}
		b.lookup(0)
		b.lookup(1<<64 - 1)
	})
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
		funcs, err := goFuncs(data, 0x401000)
		if err == nil && len(funcs) > len(data) {
			t.Errorf("%d functions from %d bytes", len(funcs), len(data))
		}
	})
}
