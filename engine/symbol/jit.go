package symbol

import (
	"bufio"
	"cmp"
	binenc "encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dscope.dev/probes/binary"
	"dscope.dev/probes/resolver"
	"dscope.dev/probes/space"
)

// A jitMap is what a runtime says of the code that it generates, in the file
// /tmp/perf-PID.map that runtimes write for perf:
//
//	7f1a2c001000 1a0 LazyCompile:*fib app.js:3
type jitMap struct {
	syms []jitSymbol // ascending
	size int64       // of the file when it was read
	next time.Time   // when it is worth while to read it again
	held int         // bytes of syms
}

type jitSymbol struct {
	addr, size uint64
	name       string
}

// jitBytes is about what a symbol takes but for its name.
const jitBytes = 48

// Limits on perf-PID.map, which its process writes as it likes.
const (
	maxJitFile    = 64 << 20
	maxJitSymbols = 1 << 20
	maxName       = 1 << 12   // bytes of a name
	maxJitHeld    = 256 << 20 // bytes of the maps of all processes
	jitShare      = 20        // times as long as a map takes to read it is left alone
)

// jitSymbol names an address in code that p has generated. The map is read
// again when it has grown and the address is not in it.
func (p *process) jitSymbol(t *Table, addr uint64) (name string, offset uint64, ok bool) {
	if p.jit != nil {
		if name, offset, ok = p.jit.lookup(addr); ok || time.Now().Before(p.jit.next) {
			return name, offset, ok
		}
	}
	p.readJit(t)
	return p.jit.lookup(addr)
}

// readJit reads the map of p, which exists afterwards even if it is empty.
func (p *process) readJit(t *Table) {
	if p.jit == nil {
		p.jit = &jitMap{}
	}
	began := time.Now()
	defer func() { p.jit.next = time.Now().Add(max(freshFor, jitShare*time.Since(began))) }()
	root := binary.Root{Dir: t.procPath(p.pid, "root")}
	f, err := root.OpenPlain(fmt.Sprintf("/tmp/perf-%d.map", t.innerPID(p.pid)))
	if err != nil {
		return
	}
	defer f.Close()
	if f.Info.Size() == p.jit.size || !t.mayTell(p.pid, f.Info) {
		return
	}
	p.jit.size = f.Info.Size()
	t.jitHeld -= p.jit.held
	p.jit.syms, p.jit.held = nil, 0
	syms, err := perfMap.Ask(resolver.File{File: f.File, Stamp: space.StampOf(f.Info), Name: f.Name()}, nothing{})
	if err != nil {
		syms = nil
	}
	t.keepJit(p.jit, syms)
}

// perfMap asks for what a map says.
var perfMap = resolver.New("perf map", 2*maxJitFile, func(r *resolver.Room, _ nothing) (jitSymbols, error) {
	return parseJit(io.LimitReader(r.File, maxJitFile)), nil
})

// jitSymbols are those of one map, ascending. They travel one after the other: address and size in
// eight bytes each, the length of the name in two, the name.
type jitSymbols []jitSymbol

const jitHead = 8 + 8 + 2

// MarshalBinary returns them as bytes.
func (list jitSymbols) MarshalBinary() (b []byte, err error) {
	o := binenc.LittleEndian
	for _, s := range list {
		b = append(o.AppendUint16(o.AppendUint64(o.AppendUint64(b, s.addr), s.size), uint16(len(s.name))), s.name...)
	}
	return b, nil
}

// UnmarshalBinary is the reverse, or fails.
func (list *jitSymbols) UnmarshalBinary(b []byte) error {
	o := binenc.LittleEndian
	for last := uint64(0); len(b) > 0; {
		if len(b) < jitHead || len(b)-jitHead < int(o.Uint16(b[16:])) || len(*list) > 0 && o.Uint64(b) <= last || len(*list) >= maxJitSymbols {
			return errors.New("what a map says makes no sense")
		}
		end := jitHead + int(o.Uint16(b[16:]))
		last = o.Uint64(b)
		*list = append(*list, jitSymbol{last, o.Uint64(b[8:]), string(b[jitHead:end])})
		b = b[end:]
	}
	return nil
}

// keepJit keeps what a process says of its code. When all of them say too much, what
// the others said is forgotten until they are asked again.
func (t *Table) keepJit(j *jitMap, syms []jitSymbol) {
	for i := range syms {
		j.held += jitBytes + len(syms[i].name)
	}
	if t.jitHeld += j.held; t.jitHeld > maxJitHeld {
		for _, p := range t.procs {
			if p.jit != nil && p.jit != j {
				p.jit.syms, p.jit.held, p.jit.size = nil, 0, 0
			}
		}
		t.jitHeld = j.held
	}
	j.syms = syms
}

// mayTell reports whether a file is the process's own or root's, and not one
// that another user has put in its place.
func (t *Table) mayTell(pid uint32, file os.FileInfo) bool {
	by, ok := owner(file)
	if !ok || by == 0 {
		return ok
	}
	info, err := os.Stat(t.procPath(pid, ""))
	if err != nil {
		return false
	}
	whose, ok := owner(info)
	return ok && whose == by
}

// innerPID returns the number by which a process knows itself, which differs
// from ours in a container.
func (t *Table) innerPID(pid uint32) uint32 {
	f, err := os.Open(t.procPath(pid, "status"))
	if err != nil {
		return pid
	}
	defer f.Close()
	for lines := bufio.NewScanner(io.LimitReader(f, 1<<16)); lines.Scan(); {
		if list, ok := strings.CutPrefix(lines.Text(), "NSpid:"); ok {
			numbers := strings.Fields(list)
			if len(numbers) == 0 {
				break
			}
			if n, err := strconv.ParseUint(numbers[len(numbers)-1], 10, 32); err == nil {
				return uint32(n)
			}
		}
	}
	return pid
}

// parseJit reads a map, leaving out lines that make no sense. Of two functions
// at one address the later line counts.
func parseJit(r io.Reader) []jitSymbol {
	var syms []jitSymbol
	lines := bufio.NewScanner(r)
	for lines.Scan() && len(syms) < maxJitSymbols {
		from, rest, _ := strings.Cut(lines.Text(), " ")
		length, name, _ := strings.Cut(rest, " ")
		addr, err1 := strconv.ParseUint(strings.TrimPrefix(from, "0x"), 16, 64)
		size, err2 := strconv.ParseUint(strings.TrimPrefix(length, "0x"), 16, 64)
		if err1 != nil || err2 != nil || name == "" {
			continue
		}
		syms = append(syms, jitSymbol{addr, size, strings.Clone(name[:min(len(name), maxName)])}) // without the rest of a long line
	}
	slices.Reverse(syms)
	slices.SortStableFunc(syms, func(a, b jitSymbol) int { return cmp.Compare(a.addr, b.addr) })
	return slices.CompactFunc(syms, func(a, b jitSymbol) bool { return a.addr == b.addr })
}

func (j *jitMap) lookup(addr uint64) (name string, offset uint64, ok bool) {
	i, exact := slices.BinarySearchFunc(j.syms, addr, func(s jitSymbol, a uint64) int { return cmp.Compare(s.addr, a) })
	if !exact {
		i--
	}
	if i < 0 || addr-j.syms[i].addr >= max(j.syms[i].size, 1) {
		return "", 0, false
	}
	return j.syms[i].name, addr - j.syms[i].addr, true
}
