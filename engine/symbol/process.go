package symbol

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dscope.dev/engine/python"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/space"
)

// A process is what is known of the address space of one process.
type process struct {
	pid  uint32
	maps []space.Mapping         // ascending
	read time.Time               // when they were read last
	exec int                     // how many programs it had executed then
	sure bool                    // whether they were there to be read then
	bins map[space.FileID]*image // what was found since then
	jit  *jitMap

	scripts *scripts // nil until asked for
}

// freshFor is how long mappings are taken as they are, unless the process is heard to
// have executed a program. Programs map libraries, but not all the time.
const freshFor = time.Second

// process returns what is known of a process, read again if it may be stale.
// What was known of a process that has gone stays known.
func (t *Table) process(pid uint32) *process {
	p := t.procs[pid]
	if p == nil {
		if len(t.procs) >= maxProcesses {
			clear(t.procs)
			t.jitHeld, t.scripts = 0, 0
		}
		p = &process{pid: pid}
		t.procs[pid] = p
	}
	if now := time.Now(); now.Sub(p.read) >= freshFor || p.exec != t.Watch.executed(pid) {
		t.refresh(p, now)
	}
	return p
}

// refresh reads the mappings of p.
func (t *Table) refresh(p *process, now time.Time) {
	p.read, p.sure = now, false
	if maps, err := t.space(p.pid).Maps(); err == nil && len(maps) > 0 {
		p.sure = anyCode(maps)
		p.maps, p.bins = merge(maps, p.maps), make(map[space.FileID]*image)
	}
	t.recall(p)
	p.exec = t.Watch.executed(p.pid)
}

// maxMapped is how many mappings of a process are kept, with those that it had before.
const maxMapped = 1 << 17

// merge adds to maps those of others that lie where there is nothing yet, the first
// before those after it. Both may be in any order; the result is ascending.
func merge(maps, others []space.Mapping) []space.Mapping {
	inOrder := func(a, b space.Mapping) int { return cmp.Compare(a.Start, b.Start) }
	slices.SortStableFunc(maps, inOrder)
	for _, m := range others {
		i, _ := slices.BinarySearchFunc(maps, m, inOrder)
		if i > 0 && maps[i-1].End > m.Start || i < len(maps) && maps[i].Start < m.End || len(maps) >= maxMapped {
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
		p.bins = make(map[space.FileID]*image)
	}
}

func (t *Table) procPath(pid uint32, name string) string {
	return t.proc + "/" + strconv.FormatUint(uint64(pid), 10) + "/" + name
}

// space returns where the address space of a process is told of.
func (t *Table) space(pid uint32) space.Process { return space.Process{Proc: t.proc, PID: int(pid)} }

// find returns the mapping that addr lies in.
func (p *process) find(addr uint64) *space.Mapping {
	i, ok := slices.BinarySearchFunc(p.maps, addr, func(m space.Mapping, a uint64) int {
		switch {
		case m.End <= a:
			return -1
		case m.Start > a:
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
	if python.IsMark(addr) {
		f, _ := p.script(t, addr)
		return f
	}
	f := trace.Frame{Addr: addr}
	m := p.find(addr)
	if m == nil {
		return f
	}
	f.Module = m.Name()
	place := addr - m.Start + m.Offset
	if t.NoResolve {
		f.Offset, f.Raw = addr-m.Start, true
		return f
	}
	if b := t.binary(p, *m); b != nil && b.Symbols != nil {
		if name, off, ok := b.Lookup(place); ok {
			f.Symbol, f.Offset = name, off
			t.noteUnread(b, &f)
			return f
		}
	}
	if f.Module == "" || m.File.Inode == 0 || strings.HasPrefix(m.Path, "/memfd:") {
		if name, off, ok := p.jitSymbol(t, addr); ok {
			f.Module, f.Symbol, f.Offset = "jit", name, off
			return trampoline(f)
		}
	}
	if m.File.Inode != 0 { // where the file was loaded differs from process to process, the place in it does not
		f.Offset = place
	}
	return f
}
