package unwind

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"dscope.dev/engine/python"
	exe "dscope.dev/probes/binary"
)

// Limits on .eh_frame, which whoever wrote the binary has filled.
const (
	maxRows    = 1 << 19 // of one file: a browser has about 400,000
	maxSaved   = 64      // remembered states
	maxProgram = 1 << 20 // bytes of one function's table
)

var errShort = errors.New("the unwind table ends too early")

// Read returns the rows of a file, ascending, none if it has no table. Those of the
// function by which py evaluates are marked; py may be nil.
func Read(f *exe.File, py *python.Interpreter) (rows []Row, err error) {
	if f.Machine() != elf.EM_X86_64 || !f.Is64() {
		return nil, fmt.Errorf("unwind tables of %v are not read", f.Machine())
	}
	defer func() {
		if p := recover(); p != nil { // it is hardened, but this runs as root
			rows, err = nil, fmt.Errorf("read the unwind table: %v", p)
		}
	}()
	t := table{place: f.Offset, cies: map[int]*cie{}}
	if err := t.golang(f); err != nil {
		return nil, err
	}
	if t.addr, t.data, err = f.Section(".eh_frame"); err != nil && len(t.rows) == 0 {
		return nil, err
	}
	t.stubs(f)
	t.evaluates(f, py)
	return t.read()
}

// A table is a .eh_frame that is being read.
type table struct {
	data  []byte
	addr  uint64
	place func(addr uint64) (off uint64, ok bool)
	cies  map[int]*cie
	plt   []span
	funcs []fun
	rows  []Row

	eval     span   // where Python evaluates functions, none if this is no Python
	evalCode []byte // what is there
}

// A span is a part of the address space.
type span struct{ from, to uint64 }

// A cie is what the tables of several functions have in common.
type cie struct {
	codeAlign uint64
	dataAlign int64
	ra        uint64
	pointers  byte // how addresses are written
	augmented bool // tables say how long their augmentation is
	signal    bool // the functions are called by the kernel for signals
	program   []byte
}

// A fun is the table of one function.
type fun struct {
	span
	c       *cie
	program []byte
	rows    span // of the table, once they are made
}

// stubs notes where the procedure linkage tables are, whose frames are described by an
// expression that nothing else has.
func (t *table) stubs(f *exe.File) {
	for _, name := range []string{".plt", ".plt.sec", ".plt.got", ".iplt"} {
		if addr, data, err := f.Section(name); err == nil {
			t.plt = append(t.plt, span{addr, addr + uint64(len(data))})
		}
	}
}

// read reads all tables. One that makes no sense is left out; what it covers is
// unknown then.
func (t *table) read() ([]Row, error) {
	for off := 0; off+4 <= len(t.data); {
		length := uint64(binary.LittleEndian.Uint32(t.data[off:]))
		at := off + 4
		if length == 0 {
			off = at
			continue // the end of one object file's tables
		}
		if length == 0xffffffff {
			if at+8 > len(t.data) {
				break
			}
			length = binary.LittleEndian.Uint64(t.data[at:])
			at += 8
		}
		if length > uint64(len(t.data)-at) {
			break
		}
		end := at + int(length)
		t.entry(off, at, end)
		off = end
	}
	slices.SortFunc(t.funcs, func(a, b fun) int { return cmp.Compare(a.from, b.from) })
	last := uint64(0)
	for i := range t.funcs {
		f := &t.funcs[i]
		if f.from < last {
			continue // two tables for one place
		}
		begin := len(t.rows)
		if err := t.function(*f); err != nil {
			return nil, err
		}
		f.rows = span{uint64(begin), uint64(len(t.rows))}
		last = f.to
	}
	t.markPython()
	slices.SortStableFunc(t.rows, func(a, b Row) int { return cmp.Compare(a.Place(), b.Place()) })
	return t.compact(), nil
}

// compact drops rows that change nothing. Of two rows at one place the later holds,
// but one that says that a function has ended gives way to the beginning of another.
func (t *table) compact() []Row {
	var out []Row
	for _, r := range t.rows {
		if n := len(out); n > 0 && out[n-1].Place() == r.Place() {
			if r.Kind() == Unknown {
				continue
			}
			out = out[:n-1]
		}
		if n := len(out); n > 0 && out[n-1].same(r) {
			continue
		}
		out = append(out, r)
	}
	return out
}

// entry reads the table of a function; one of common things is read when it is first
// referred to.
func (t *table) entry(off, at, end int) {
	if at+4 > end || end-at > maxProgram || len(t.funcs) >= maxRows {
		return
	}
	id := binary.LittleEndian.Uint32(t.data[at:])
	if id == 0 {
		return
	}
	c := t.common(at - int(id))
	if c == nil {
		return
	}
	r := reader{b: t.data[:end], pos: at + 4, addr: t.addr}
	from := r.pointer(c.pointers)
	size := r.pointer(c.pointers & 0x0f)
	if c.augmented {
		r.skip(r.uleb())
	}
	if r.err != nil || size == 0 || from+size < from {
		return
	}
	t.funcs = append(t.funcs, fun{span: span{from, from + size}, c: c, program: r.b[r.pos:]})
}

// common reads what several tables have in common, nil if it makes no sense.
func (t *table) common(off int) *cie {
	if c, ok := t.cies[off]; ok {
		return c
	}
	c := t.readCommon(off)
	t.cies[off] = c
	return c
}

func (t *table) readCommon(off int) *cie {
	if off < 0 || off+8 > len(t.data) {
		return nil
	}
	length := uint64(binary.LittleEndian.Uint32(t.data[off:]))
	if length < 4 || length > uint64(len(t.data)-off-4) || length > maxProgram || binary.LittleEndian.Uint32(t.data[off+4:]) != 0 {
		return nil
	}
	r := reader{b: t.data[:off+4+int(length)], pos: off + 8, addr: t.addr}
	version := r.u8()
	augmentation := r.cstring()
	c := &cie{codeAlign: r.uleb(), dataAlign: r.sleb()}
	if version == 1 {
		c.ra = uint64(r.u8())
	} else {
		c.ra = r.uleb()
	}
	if len(augmentation) > 0 && augmentation[0] == 'z' {
		c.augmented = true
		size := r.uleb()
		if size > uint64(len(r.b)-r.pos) {
			return nil
		}
		end := r.pos + int(size)
		for _, a := range augmentation[1:] {
			switch a {
			case 'R':
				c.pointers = r.u8()
			case 'P':
				r.pointer(r.u8())
			case 'L':
				r.u8()
			case 'S':
				c.signal = true
			}
		}
		r.pos = end
	}
	if r.err != nil || version != 1 && version != 3 || c.ra != regRA {
		return nil
	}
	c.program = r.b[r.pos:]
	return c
}

// add appends a row at an address; an address that is not in the file has none.
func (t *table) add(addr uint64, kind Kind, frame, fp int64) error {
	off, ok := t.place(addr)
	if !ok || off > 1<<32-1 {
		return nil
	}
	if len(t.rows) >= 4*maxRows {
		return errors.New("read the unwind table: too many rows")
	}
	t.rows = append(t.rows, MakeRow(uint32(off), kind, int16(frame), int8(fp)))
	return nil
}
