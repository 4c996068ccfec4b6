package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dscope.dev/dlang/types"
)

// seeds returns small programs and object files as compilers make them, none where
// there is no compiler.
func seeds(f *testing.F) [][]byte {
	var list [][]byte
	if _, err := exec.LookPath("gcc"); err != nil {
		return nil
	}
	dir := f.TempDir()
	src := filepath.Join(dir, "seed.c")
	const small = "struct s{int a:3;struct s*n;};static inline int in(struct s*p){return p->a;}int out(struct s*p){return in(p)+1;}"
	if err := os.WriteFile(src, []byte(small), 0o644); err != nil {
		f.Fatal(err)
	}
	for _, flags := range [][]string{{"-gdwarf-5"}, {"-gdwarf-4"}, {"-gdwarf-2"}, {"-g", "-fdebug-types-section"}, {"-g", "-gz"}} {
		for _, link := range []string{"-c", "-shared"} {
			out := filepath.Join(dir, "seed.o")
			args := append([]string{"-O2", "-nostdlib", link, "-o", out, src}, flags...)
			if exec.Command("gcc", args...).Run() != nil {
				continue
			}
			if b, err := os.ReadFile(out); err == nil {
				list = append(list, b)
			}
		}
	}
	return list
}

// FuzzELF reads anything as a binary: the result is an error or a file whose
// symbols are in order and which answers every question.
func FuzzELF(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Add(makeELF(sym("main", 0x401100, 0x80, function), sym("_ZN3foo3barEi", 0x401200, 0x10, function)))
	f.Add(makeELF())
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := New(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		file.BuildID()
		file.SymbolAddress("main")
		file.Extent(".text")
		file.debugLink()
		file.Mini()
		Root{Dir: "/nowhere"}.Debug(file)
		syms, err := file.Symbols()
		if err == nil {
			checkSymbols(t, syms)
		}
		for _, s := range file.loaded() {
			if off, ok := file.Offset(s.Addr); ok {
				file.Address(off)
			}
			file.Place(s.Addr + s.Size/2)
		}
		if d, err := NewDebug(file); err == nil {
			questions(d)
		}
	})
}

// checkSymbols asks a table everything.
func checkSymbols(t *testing.T, s *Symbols) {
	last := uint64(0)
	for i := range s.Len() {
		fn := s.At(i)
		if fn.Addr < last {
			t.Fatalf("symbol %d at %#x comes after %#x", i, fn.Addr, last)
		}
		last = fn.Addr
		s.Shown(i)
		s.Find(fn.Addr)
		s.Lookup(fn.Offset + 1)
	}
	s.Lookup(0)
	s.Lookup(1<<64 - 1)
}

// questions asks debug information everything.
func questions(d *Debug) {
	names := []string{"in", "out", "main"}
	d.mu.Lock()
	if ix, err := d.names(); err == nil {
		for _, n := range ix.funcs[:min(len(ix.funcs), 50)] {
			if e, _, err := d.entry(n.at); err == nil {
				names = append(names, e.text(attrName), e.text(attrLinkageName))
			}
		}
		for _, n := range ix.types[:min(len(ix.types), 50)] {
			look(d, d.typeOf(n.at, 0))
		}
	}
	pcs := []uint64{0, 1 << 12, 1<<64 - 1}
	for _, r := range d.unitsByPC() {
		pcs = append(pcs, r.Low, r.High-1)
	}
	d.mu.Unlock()
	for _, name := range names {
		funcs, _ := d.Functions(name)
		for _, f := range funcs {
			f.Params()
			pcs = append(pcs, f.Entry)
		}
		copies, _ := d.Copies(name)
		for _, c := range copies {
			c.Params()
			pcs = append(pcs, c.Entry, c.Ranges[0].Low)
		}
	}
	for _, pc := range pcs[:min(len(pcs), 200)] {
		d.FuncAt(pc)
		d.Chain(pc)
		d.Line(pc)
	}
	d.Lines("seed.c", 1)
	for _, kind := range []string{"struct", "union", "enum", ""} {
		d.Type(kind, "s")
	}
}

// look is called with the lock held and gives types to whom asks later.
func look(d *Debug, t types.Type) {
	d.mu.Unlock()
	defer d.mu.Lock()
	seen := 0
	var walk func(t types.Type, depth int)
	walk = func(t types.Type, depth int) {
		if seen++; seen > 200 || depth > 8 {
			return
		}
		_, _, _ = t.Size(), t.Align(), t.String()
		switch t := t.(type) {
		case *types.Struct:
			for _, f := range t.Fields() {
				walk(f.Type, depth+1)
			}
		case *types.Pointer:
			walk(t.Elem, depth+1)
		case *types.Array:
			walk(t.Elem, depth+1)
		case *types.Typedef:
			walk(t.Under, depth+1)
		}
	}
	walk(t, 0)
}

// FuzzNotes reads anything as notes.
func FuzzNotes(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00abcd"), uint64(4))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x03\x00\x00\x00"), uint64(8))
	f.Fuzz(func(t *testing.T, data []byte, align uint64) {
		file := &File{elf: &elf.File{FileHeader: elf.FileHeader{ByteOrder: binary.LittleEndian}}}
		n := 0
		file.notes("", data, align, func(Note) bool { n++; return true })
		if n > len(data)/12 {
			t.Errorf("%d notes in %d bytes", n, len(data))
		}
	})
}

// FuzzDWARF reads anything as the sections of debug information.
func FuzzDWARF(f *testing.F) {
	for _, b := range seeds(f) {
		file, err := New(bytes.NewReader(b), int64(len(b)))
		if err != nil || file.base != nil {
			continue
		}
		var parts [5][]byte
		for i, name := range dwarfParts {
			_, parts[i], _ = file.Section(name)
		}
		if parts[3] == nil {
			_, parts[3], _ = file.Section(".debug_ranges")
			_, parts[4], _ = file.Section(".debug_loc")
		}
		f.Add(parts[0], parts[1], parts[2], parts[3], parts[4])
	}
	f.Fuzz(func(t *testing.T, info, abbrev, line, ranges, locs []byte) {
		e := &elf.File{FileHeader: elf.FileHeader{ByteOrder: binary.LittleEndian, Class: elf.ELFCLASS64, Machine: elf.EM_X86_64}}
		d := &dwarfFile{f: &File{elf: e}, order: binary.LittleEndian, info: info, tables: map[uint64]*abbrevs{}, types: map[uint64]ref{}}
		d.sections = map[string][]byte{
			".debug_abbrev": abbrev, ".debug_line": line, ".debug_ranges": ranges, ".debug_rnglists": ranges,
			".debug_loc": locs, ".debug_loclists": locs, ".debug_str": ranges, ".debug_addr": locs, ".debug_str_offsets": ranges, ".debug_line_str": line,
		}
		if d.readUnits(bytes.NewReader(info), uint64(len(info))) == nil {
			questions(&Debug{f: d.f, main: d})
			delete(d.sections, ".debug_str_offsets") // then names are sought without an index
			sought := &Debug{f: d.f, main: d}
			for _, name := range []string{"inner", "middle", "a"} {
				sought.Copies(name)
			}
		}
	})
}

var dwarfParts = [5]string{".debug_info", ".debug_abbrev", ".debug_line", ".debug_rnglists", ".debug_loclists"}
