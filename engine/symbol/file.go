package symbol

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"dscope.dev/probes/binary"
)

// A fileKey tells the files of a machine apart while they exist, a fileID also
// from what they were before they were written anew.
type (
	fileKey struct {
		dev   string
		inode uint64
	}
	fileID struct {
		fileKey
		mtime, size int64
	}
)

// An image is what is known of one executable or library.
type image struct {
	*binary.Symbols
	inlines *inlines // nil if inlined functions are not looked for
}

// binary returns what is known of the file that m maps, or nil if it has no names.
func (t *Table) binary(p *process, m mapping) *image {
	if m.path == "[vdso]" {
		return t.vdso()
	}
	if m.inode == 0 {
		return nil
	}
	key := fileKey{m.dev, m.inode}
	b, ok := p.bins[key]
	if !ok {
		b = t.find(p, m, key)
		if p.bins == nil {
			p.bins = make(map[fileKey]*image)
		}
		p.bins[key] = b
	}
	return b
}

// find returns what is known of the file that m maps, reading it if it is new
// or has changed. If the file cannot be reached any more, what another process
// mapped of it serves.
func (t *Table) find(p *process, m mapping, key fileKey) *image {
	f := t.open(p, m)
	if f == nil {
		return t.latest[key]
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return t.latest[key]
	}
	id := fileID{key, info.ModTime().UnixNano(), info.Size()}
	b, ok := t.binaries[id]
	if ok {
		f.Close()
	} else {
		b = t.read(p, m, f) // nil if it is no binary that makes sense: then it has no names
		t.held += b.bytes()
		if len(t.binaries) >= maxBinaries || t.held > maxHeld {
			clear(t.binaries)
			clear(t.latest)
			t.held = b.bytes()
		}
		t.binaries[id] = b
	}
	t.latest[key] = b
	return b
}

// read reads the names of a file, which then belongs to what is returned. Files of
// debug information are looked for as the process itself would find them, and, if
// that has none, here.
func (t *Table) read(p *process, m mapping, file *os.File) *image {
	f, err := binary.FromFile(file)
	if err != nil {
		file.Close()
		return nil
	}
	f.Name(strings.TrimSuffix(m.path, " (deleted)"))
	root := binary.Root{Dir: t.procPath(p.pid, "root")}
	if _, err := os.Stat(root.Dir); err != nil {
		root = binary.Root{}
	}
	syms, err := root.Symbols(f)
	if err != nil {
		f.Close()
		return nil
	}
	return &image{syms, t.newInlines(f, root)}
}

// bytes returns about how much memory b takes.
func (b *image) bytes() int {
	if b == nil {
		return 0
	}
	return b.Bytes()
}

// open opens the file that m maps: through the mapping itself where the kernel
// allows it, otherwise by its path, as the process sees it and then as we do.
// A path may lead to another file by now, so what is opened must be the same.
func (t *Table) open(p *process, m mapping) *os.File {
	path := strings.TrimSuffix(m.path, " (deleted)")
	root := binary.Root{Dir: t.procPath(p.pid, "root")}
	for _, open := range []func() (*os.File, error){
		func() (*os.File, error) {
			return binary.Root{}.OpenFile(t.procPath(p.pid, fmt.Sprintf("map_files/%x-%x", m.start, m.end)))
		},
		func() (*os.File, error) { return root.OpenFile(path) },
		func() (*os.File, error) { return binary.Root{}.OpenFile(path) },
	} {
		f, err := open()
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && inode(info) == m.inode {
			return f
		}
		f.Close()
	}
	return nil
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
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	for _, m := range parseMaps(io.LimitReader(f, maxMaps)) {
		if m.path != "[vdso]" || m.end-m.start > maxVDSO {
			continue
		}
		mem, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil
		}
		defer mem.Close()
		data := make([]byte, m.end-m.start)
		if _, err := mem.ReadAt(data, int64(m.start)); err != nil {
			return nil
		}
		return data
	}
	return nil
}
