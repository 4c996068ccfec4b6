package symbol

import (
	"bytes"
	"os"

	"dscope.dev/engine/python"
	"dscope.dev/probes/binary"
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
	f, err := openBinary(found, m.Path)
	if err != nil {
		return nil
	}
	root := binary.Root{Dir: t.procPath(p.pid, "root")}
	if _, err := os.Stat(root.Dir); err != nil {
		root = binary.Root{}
	}
	syms, err := root.Symbols(f)
	if err != nil {
		f.Close()
		return nil
	}
	py := python.Of(f) // before f may be closed
	return &image{syms, t.newInlines(f, root), py}
}

// bytes returns about how much memory b takes.
func (b *image) bytes() int {
	if b == nil {
		return 0
	}
	return b.Bytes()
}

// openBinary opens a file that is known to a process by a name.
func openBinary(found space.Found, name string) (*binary.File, error) {
	file, err := found.Open()
	if err != nil {
		return nil, err
	}
	f, err := binary.FromFile(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	f.Name(name)
	return f, nil
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
