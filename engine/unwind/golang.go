package unwind

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	exe "dscope.dev/probes/binary"
)

// Go has no .eh_frame. Its runtime unwinds by a table of its own, which stays in the
// program when the symbols are stripped: .gopclntab, of which only this is read,
//
//	header   magic, quantum, numbers of functions and files, where the parts begin
//	functab  for each function: where it begins, where its _func lies
//	_func    name, …, pcsp
//	pcsp     by place: how far the stack pointer is below where the function found it
//
// all of Go 1.18 and later. The return address lies there, the caller's frame pointer
// just below it once the function has pushed it.

// The header, from runtime/symtab.go.
const (
	goMagic118  = 0xfffffff0
	goMagic120  = 0xfffffff1
	goHeader    = 8 + 8*8
	goFuncCount = 8
	goText      = 24
	goNames     = 32
	goPCTab     = 56
	goFuncTab   = 64
	goNameField = 4  // of _func
	goPCSPField = 16 // of _func
)

// A goTable is a .gopclntab.
type goTable struct {
	data []byte
	text uint64 // what places of functions count from
}

// golang appends the rows of the functions of a Go program. Without its table there
// are none.
func (t *table) golang(f *exe.File) error {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if !f.HasSection(name) {
			continue
		}
		_, data, err := f.Section(name)
		if err != nil {
			return err
		}
		g := goTable{data: data}
		if len(data) < goHeader || g.u32(0) != goMagic118 && g.u32(0) != goMagic120 || data[7] != 8 {
			return errors.New("read the unwind table: not of a Go that is known")
		}
		// The header tells where the text begins, unless that is settled when the program is loaded.
		if g.text = g.u64(goText); g.text == 0 {
			var ok bool
			if g.text, ok = f.SymbolAddress("runtime.text"); !ok {
				if g.text, _, err = f.Section(".text"); err != nil {
					return err
				}
			}
		}
		return t.goFunctions(&g)
	}
	return nil
}

func (t *table) goFunctions(g *goTable) error {
	tab, names, values := g.u64(goFuncTab), g.u64(goNames), g.u64(goPCTab)
	count := g.u64(goFuncCount)
	if count > uint64(len(g.data)/8) {
		return errShort
	}
	for i := range count {
		from, fn, to := g.u32(tab+8*i), uint64(g.u32(tab+8*i+4)), g.u32(tab+8*i+8)
		if from >= to {
			continue
		}
		name := g.name(names + uint64(g.u32(tab+fn+goNameField)))
		sp := g.after(values + uint64(g.u32(tab+fn+goPCSPField)))
		if err := t.goFunction(span{g.text + uint64(from), g.text + uint64(to)}, goSort(name), sp); err != nil {
			return err
		}
	}
	return nil
}

// A sort says what is special about leaving a function.
type sort uint8

const (
	plain   sort = iota
	outmost      // nobody has called it
	handler      // a handler of signals returns to it
	switches
)

// goSort tells the functions of Go's runtime that are special: where stacks begin, what
// handlers of signals return to, and what goes over to another stack, on which only the
// frame pointer leads back.
func goSort(name string) sort {
	switch strings.TrimSuffix(name, ".abi0") {
	case "runtime.goexit", "runtime.mstart", "runtime.rt0_go", "runtime.mcall", "runtime.morestack", "runtime.morestack_noctxt", "runtime.gogo":
		return outmost
	case "runtime.sigreturn__sigaction":
		return handler
	case "runtime.systemstack", "runtime.asmcgocall", "runtime.asmcgocall_no_g", "runtime.cgocallback":
		return switches
	}
	return plain
}

// goFunction appends the rows of a function whose distances of the stack pointer begin
// at sp: pairs of a change of the value, which has a sign in its lowest bit, and of the
// place up to which it holds, until a change of 0.
func (t *table) goFunction(at span, what sort, sp []byte) error {
	switch what {
	case outmost:
		return t.add(at.from, End, 0, 0)
	case handler:
		return t.add(at.from, Signal, 0, 0)
	}
	r := reader{b: sp}
	value, place := int64(-1), at.from
	for place < at.to {
		change := r.uleb()
		if change == 0 && place != at.from {
			break
		}
		value += int64(change>>1) ^ -int64(change&1)
		kind, frame, fp := FromSP, value/8+1, int64(0)
		if value >= 8 {
			fp = -2
			if what == switches {
				kind, frame = Switched, 2
			}
		}
		if value < 0 || value%8 != 0 || frame > 1<<15-1 {
			kind, frame, fp = Unknown, 0, 0
		}
		if err := t.add(place, kind, frame, fp); err != nil {
			return err
		}
		step := r.uleb()
		if r.err != nil || step == 0 || step > at.to-place {
			break
		}
		place += step
	}
	return t.add(at.to, Unknown, 0, 0)
}

func (g *goTable) after(off uint64) []byte {
	if off > uint64(len(g.data)) {
		return nil
	}
	return g.data[off:]
}

func (g *goTable) u32(off uint64) uint32 {
	if b := g.after(off); len(b) >= 4 {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (g *goTable) u64(off uint64) uint64 {
	if b := g.after(off); len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// name returns a name of which no more is looked at than the longest that is special has.
func (g *goTable) name(off uint64) string {
	b := g.after(off)
	b = b[:min(len(b), 64)]
	name, _, _ := bytes.Cut(b, []byte{0})
	return string(name)
}
