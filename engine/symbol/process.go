package symbol

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/trace"
)

// A process is what is known of the address space of one process.
type process struct {
	pid  uint32
	maps []mapping          // ascending
	read time.Time          // when they were read last
	bins map[fileKey]*image // what was found since then
	jit  *jitMap
}

// A mapping is a part of an address space that is backed by one file, or none.
type mapping struct {
	start, end uint64
	offset     uint64 // in the file
	inode      uint64 // 0 if there is no file
	dev        string // major:minor of the file, as the kernel writes it
	exec       bool
	path       string
}

// freshFor is how long mappings are taken as they are. Programs map libraries
// and execute others, but not all the time.
const freshFor = time.Second

// process returns what is known of a process, read again if it may be stale.
// What was known of a process that has gone stays known.
func (t *Table) process(pid uint32) *process {
	p := t.procs[pid]
	if p == nil {
		if len(t.procs) >= maxProcesses {
			clear(t.procs)
		}
		p = &process{pid: pid}
		t.procs[pid] = p
	}
	if now := time.Now(); now.Sub(p.read) >= freshFor {
		t.refresh(p, now)
	}
	return p
}

// refresh reads the mappings of p.
func (t *Table) refresh(p *process, now time.Time) {
	p.read = now
	f, err := os.Open(t.procPath(p.pid, "maps"))
	if err == nil {
		defer f.Close()
		if maps := parseMaps(io.LimitReader(f, maxMaps)); len(maps) > 0 {
			p.maps, p.bins = merge(maps, p.maps), make(map[fileKey]*image)
		}
	}
	t.recall(p)
}

// maxMapped is how many mappings of a process are kept, with those that it had before.
const maxMapped = 1 << 17

// merge adds to maps those of others that lie where there is nothing yet, the first
// before those after it. Both may be in any order; the result is ascending.
func merge(maps, others []mapping) []mapping {
	inOrder := func(a, b mapping) int { return cmp.Compare(a.start, b.start) }
	slices.SortStableFunc(maps, inOrder)
	for _, m := range others {
		i, _ := slices.BinarySearchFunc(maps, m, inOrder)
		if i > 0 && maps[i-1].end > m.start || i < len(maps) && maps[i].start < m.end || len(maps) >= maxMapped {
			continue
		}
		maps = slices.Insert(maps, i, m)
	}
	return maps
}

// recall gives a process what was heard of it while nobody looked: what it has had
// before, or all if it has gone. Until it executed a program of its own it had what its
// parent has.
func (t *Table) recall(p *process) {
	maps, parent := t.Watch.known(p.pid)
	before := len(p.maps)
	p.maps = merge(p.maps, maps)
	if parent != 0 && parent != p.pid {
		q := t.procs[parent]
		if q == nil {
			q = &process{pid: parent}
			t.procs[parent] = q
			t.refresh(q, p.read)
		}
		p.maps = merge(p.maps, q.maps)
	}
	if len(p.maps) != before {
		p.bins = make(map[fileKey]*image)
	}
}

func (t *Table) procPath(pid uint32, name string) string {
	return t.proc + "/" + strconv.FormatUint(uint64(pid), 10) + "/" + name
}

// maxMaps is how many bytes of /proc/PID/maps are read: a process may have
// 65,530 mappings, unless the system is told otherwise.
const maxMaps = 16 << 20

// parseMaps reads lines of the form
//
//	7f28543fa000-7f2854550000 r-xp 00026000 fe:00 326269   /usr/lib/libc.so.6
//
// and leaves out those that have another.
func parseMaps(r io.Reader) []mapping {
	var maps []mapping
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if m, ok := parseMapping(lines.Text()); ok {
			maps = append(maps, m)
		}
	}
	slices.SortStableFunc(maps, func(a, b mapping) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	return maps
}

func parseMapping(line string) (m mapping, ok bool) {
	var field [5]string
	for i := range field {
		field[i], line, _ = strings.Cut(line, " ")
	}
	from, to, _ := strings.Cut(field[0], "-")
	var errs [4]error
	m.start, errs[0] = strconv.ParseUint(from, 16, 64)
	m.end, errs[1] = strconv.ParseUint(to, 16, 64)
	m.offset, errs[2] = strconv.ParseUint(field[2], 16, 64)
	m.inode, errs[3] = strconv.ParseUint(field[4], 10, 64)
	for _, err := range errs {
		if err != nil {
			return mapping{}, false
		}
	}
	m.exec = strings.Contains(field[1], "x")
	m.dev = field[3]
	m.path = strings.TrimLeft(line, " ")
	return m, m.start < m.end
}

// module is the name of what is mapped: the last part of its path.
func (m *mapping) module() string {
	if m.path == "" || strings.HasPrefix(m.path, "[anon") {
		return ""
	}
	return path.Base(strings.TrimSuffix(m.path, " (deleted)"))
}

// find returns the mapping that addr lies in.
func (p *process) find(addr uint64) *mapping {
	i, ok := slices.BinarySearchFunc(p.maps, addr, func(m mapping, a uint64) int {
		switch {
		case m.end <= a:
			return -1
		case m.start > a:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &p.maps[i]
}

// frame names an address of p.
func (p *process) frame(t *Table, addr uint64) trace.Frame {
	f := trace.Frame{Addr: addr}
	m := p.find(addr)
	if m == nil {
		return f
	}
	f.Module = m.module()
	if t.NoResolve {
		f.Offset, f.Raw = addr-m.start, true
		return f
	}
	if b := t.binary(p, *m); b != nil && b.Symbols != nil {
		if name, off, ok := b.Lookup(addr - m.start + m.offset); ok {
			f.Symbol, f.Offset = name, off
			return f
		}
	}
	if f.Module == "" || m.inode == 0 || strings.HasPrefix(m.path, "/memfd:") {
		if name, off, ok := p.jitSymbol(t, addr); ok {
			f.Module, f.Symbol, f.Offset = "jit", name, off
		}
	}
	return f
}
