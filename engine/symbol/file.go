package symbol

import (
	"bytes"
	"os"

	"dscope.dev/engine/python"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/resolver"
	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// An image is what is known of one executable or library.
type image struct {
	*binary.Symbols
	inlines *inlines            // nil if inlined functions are not looked for
	python  *python.Interpreter // nil if there is none in it
}

// binary returns what is known of the file that m maps, or nil if it has no names.
func (t *Table) binary(p *process, m space.Mapping) *image {
	if m.Path == "[vdso]" {
		return t.vdso()
	}
	if m.File.Inode == 0 {
		return nil
	}
	key := m.File
	b, ok := p.bins[key]
	if !ok {
		b = t.find(p, m, key)
		if p.bins == nil {
			p.bins = make(map[space.FileID]*image)
		}
		p.bins[key] = b
	}
	return b
}

// find returns what is known of the file that m maps, reading it if it is new
// or has changed. If the file cannot be reached any more, what another process
// mapped of it serves.
func (t *Table) find(p *process, m space.Mapping, key space.FileID) *image {
	found, err := t.space(p.pid).Find(&m)
	if err != nil {
		return t.latest[key]
	}
	b, ok := t.binaries[found.Stamp]
	if !ok {
		b = t.read(p, m, found) // nil if it is no binary that makes sense: then it has no names
		t.held += b.bytes()
		if len(t.binaries) >= maxBinaries || t.held > maxHeld {
			clear(t.binaries)
			clear(t.latest)
			t.held = b.bytes()
		}
		t.binaries[found.Stamp] = b
	}
	t.latest[key] = b
	return b
}

// read reads the names of a file. Files of debug information are looked for as the
// process itself would find them, and, if that has none, here.
func (t *Table) read(p *process, m space.Mapping, found space.Found) *image {
	file, err := found.Open()
	if err != nil {
		return nil
	}
	f := resolver.File{File: file.File, Stamp: found.Stamp, Name: m.Path, Root: t.procPath(p.pid, "root")}
	if _, err := scout.Look(f.Root, scout.Device{}); err != nil {
		f.Root = ""
	}
	a, err := namesOf.Ask(f, nothing{})
	if err != nil || a.Symbols == nil {
		file.Close()
		return nil
	}
	return &image{a.Symbols, t.newInlines(f), python.Believe(a.Python)}
}

// namesOf asks for the names that a file has.
var namesOf = resolver.New("names", 512<<20, func(r *resolver.Room, _ nothing) (a names, err error) {
	f, err := r.Binary()
	if err != nil {
		return a, err
	}
	if a.Symbols, err = r.Root().Symbols(f); err != nil {
		return a, err
	}
	a.Python = python.Of(f)
	return a, nil
})

type (
	nothing struct{}

	names struct {
		Symbols *binary.Symbols
		Python  *python.Interpreter
	}
)

// bytes returns about how much memory b takes.
func (b *image) bytes() int {
	if b == nil {
		return 0
	}
	return b.Bytes()
}

// maxVDSO is more than any kernel's vdso takes.
const maxVDSO = 1 << 20

// vdso returns the symbols of the code that the kernel maps into every
// process: our own serves for all.
func (t *Table) vdso() *image {
	if t.own != nil {
		return t.own
	}
	t.own = &image{}
	if data := readVDSO(); data != nil {
		if f, err := binary.New(bytes.NewReader(data), int64(len(data))); err == nil {
			if syms, err := f.Symbols(); err == nil {
				t.own.Symbols = syms
			}
		}
	}
	return t.own
}

// readVDSO returns our own vdso, or nil if we have none.
func readVDSO() []byte {
	maps, _ := space.Process{Proc: "/proc", PID: os.Getpid()}.Maps()
	for _, m := range maps {
		if m.Path != "[vdso]" || m.End-m.Start > maxVDSO {
			continue
		}
		mem, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil
		}
		defer mem.Close()
		data := make([]byte, m.End-m.Start)
		if _, err := mem.ReadAt(data, int64(m.Start)); err != nil {
			return nil
		}
		return data
	}
	return nil
}
