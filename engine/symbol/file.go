package symbol

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
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

// binary returns the symbols of what m maps, or nil if it has none.
func (t *Table) binary(p *process, m mapping) *elfBinary {
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
			p.bins = make(map[fileKey]*elfBinary)
		}
		p.bins[key] = b
	}
	return b
}

// find returns the symbols of the file that m maps, reading them if it is new
// or has changed. If the file cannot be reached any more, what another process
// mapped of it serves.
func (t *Table) find(p *process, m mapping, key fileKey) *elfBinary {
	f := t.open(p, m)
	if f == nil {
		return t.latest[key]
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return t.latest[key]
	}
	id := fileID{key, info.ModTime().UnixNano(), info.Size()}
	b, ok := t.binaries[id]
	if !ok {
		b, _ = readELF(f, info.Size()) // nil if it is no binary that makes sense: then it has no names
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

// open opens the file that m maps: through the mapping itself where the kernel
// allows it, otherwise by its path, as the process sees it and then as we do.
// A path may lead to another file by now, so what is opened must be the same.
func (t *Table) open(p *process, m mapping) *os.File {
	path := strings.TrimSuffix(m.path, " (deleted)")
	for _, name := range []string{
		t.procPath(p.pid, fmt.Sprintf("map_files/%x-%x", m.start, m.end)),
		t.procPath(p.pid, "root") + path,
		path,
	} {
		f, err := os.OpenFile(name, openFlags, 0)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && inode(info) == m.inode {
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
func (t *Table) vdso() *elfBinary {
	if t.own != nil {
		return t.own
	}
	t.own = &elfBinary{}
	if data := readVDSO(); data != nil {
		if b, err := readELF(bytes.NewReader(data), int64(len(data))); err == nil {
			t.own = b
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
