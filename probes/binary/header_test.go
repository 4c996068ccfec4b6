package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"
)

// A sparse is a file of which only the beginning was written.
type sparse struct {
	data []byte
	size int64
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= s.size {
		return 0, io.EOF
	}
	clear(p)
	if off < int64(len(s.data)) {
		copy(p, s.data[off:])
	}
	if left := s.size - off; left < int64(len(p)) {
		return int(left), io.EOF
	}
	return len(p), nil
}

const (
	sectionsAt = 1 << 12
	hugeFile   = 1 << 37
)

// header makes the beginning of a file with sections.
func header(h elf.Header64, sections ...elf.Section64) []byte {
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	h.Version, h.Ehsize, h.Phentsize, h.Shentsize, h.Machine = 1, 64, 56, 64, uint16(elf.EM_X86_64)
	if len(sections) > 0 {
		h.Shoff = sectionsAt
	}
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, h)
	b.Write(make([]byte, sectionsAt-b.Len()))
	for _, s := range sections {
		binary.Write(&b, binary.LittleEndian, s)
	}
	return b.Bytes()
}

// TestHostileHeaders reads files that claim more than there is, or than makes sense: they
// are refused, and cost next to nothing.
func TestHostileHeaders(t *testing.T) {
	names := func(size uint64) elf.Section64 {
		return elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 1 << 20, Size: size}
	}
	packed := names(100)
	packed.Flags = uint64(elf.SHF_COMPRESSED)
	for _, tt := range []struct {
		name, want string
		data       []byte
	}{
		{"sections beyond the header", "1073741823 sections are too many", header(elf.Header64{}, elf.Section64{Size: 1<<30 - 1})},
		{"more sections than can be counted", "sections are too many", header(elf.Header64{}, elf.Section64{Size: 1<<64 - 1})},
		{"sections beyond the file", "beyond the end", header(elf.Header64{Shnum: 10, Shoff: hugeFile - 64})},
		{"sections nowhere", "beyond the end", header(elf.Header64{Shnum: 10, Shoff: 1<<64 - 1})},
		{"segments", "65535 segments are too many", header(elf.Header64{Phnum: 0xffff, Phoff: 64})},
		{"segments beyond the file", "beyond the end", header(elf.Header64{Phnum: 10, Phoff: 1 << 62})},
		{"a huge table of names", "would take 32 GiB", header(elf.Header64{Shnum: 2, Shstrndx: 1}, elf.Section64{}, names(1<<35))},
		{"names beyond the file", "beyond the end", header(elf.Header64{Shnum: 2, Shstrndx: 1}, elf.Section64{}, names(1<<50))},
		{"names that are packed", "no table of names", header(elf.Header64{Shnum: 2, Shstrndx: 1}, elf.Section64{}, packed)},
		{"another kind of names", "no table of names", header(elf.Header64{Shnum: 2, Shstrndx: 1}, elf.Section64{}, elf.Section64{Size: 1 << 30})},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := New(sparse{tt.data, hugeFile}, hugeFile)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", tt.name, n)
		}
	}
}

// TestLongNamesOfSections reads a file whose sections share one name without an end.
func TestLongNamesOfSections(t *testing.T) {
	const many = 60000
	sections := make([]elf.Section64, many)
	sections[1] = elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 1 << 30, Size: 1 << 20}
	data := header(elf.Header64{Shnum: many, Shstrndx: 1}, sections...)
	names := append(bytes.Repeat([]byte("x"), 1<<20-1), 0)
	r := patched{sparse{data, hugeFile}, names, 1 << 30}
	if _, err := New(r, hugeFile); err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Error(err)
	}
}

// A patched is a file with something at a place.
type patched struct {
	sparse
	what []byte
	at   int64
}

func (p patched) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.sparse.ReadAt(b, off)
	if off >= p.at && off < p.at+int64(len(p.what)) {
		copy(b, p.what[off-p.at:])
	}
	return n, err
}

// TestHostileSymbols reads tables of more symbols than are read, and of names that
// together are too long.
func TestHostileSymbols(t *testing.T) {
	for _, tt := range []struct {
		name         string
		symbols, str uint64
	}{
		{"symbols", 1 << 30, 100},
		{"names", 1 << 20, 1 << 33},
	} {
		file := header(elf.Header64{Shnum: 3},
			elf.Section64{},
			elf.Section64{Type: uint32(elf.SHT_SYMTAB), Off: 1 << 20, Size: 24 * tt.symbols, Link: 2},
			elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 1 << 20, Size: tt.str})
		f, err := New(sparse{file, hugeFile}, hugeFile)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if _, err := f.Symbols(); err == nil {
			t.Errorf("%s: they were read", tt.name)
		}
		if f.budget.Taken() > 1<<20 {
			t.Errorf("%s: %d bytes are still taken", tt.name, f.budget.Taken())
		}
	}
}

// TestTooManyFunctions reads one function more than is read of a file.
func TestTooManyFunctions(t *testing.T) {
	table := make([]byte, 24*(maxSymbols+1))
	for i := 0; i < len(table); i += 24 {
		binary.LittleEndian.PutUint32(table[i:], 1)
		table[i+4], table[i+6] = function, 1
		binary.LittleEndian.PutUint64(table[i+8:], uint64(i))
		binary.LittleEndian.PutUint64(table[i+16:], 24)
	}
	file := header(elf.Header64{Shnum: 4},
		elf.Section64{}, elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_EXECINSTR | elf.SHF_ALLOC), Size: uint64(len(table))},
		elf.Section64{Type: uint32(elf.SHT_SYMTAB), Off: 1 << 30, Size: uint64(len(table)), Link: 3},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 100, Size: 100})
	f, err := New(patched{sparse{file, hugeFile}, table, 1 << 30}, hugeFile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Symbols(); err == nil || !strings.Contains(err.Error(), "more than 2097152 functions") {
		t.Error(err)
	}
}
