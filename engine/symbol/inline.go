package symbol

import (
	"errors"

	"dscope.dev/engine/python"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/binary"
)

// Inlines finds the functions that were put into the code at an address of a
// binary instead of being called there. The debug information is opened when the
// first address is asked for; many binaries of a run are never asked.
type inlines struct {
	file  *binary.File // nil once it is known that it cannot tell
	root  binary.Root
	debug *binary.Debug
	table *Table
	known map[uint64][]string // by address in the binary; innermost first
}

// maxInlines is of how many addresses of a binary the inlined functions are kept.
const maxInlines = 1 << 16

// maxOpen is of how many binaries the files stay open for their debug information.
const maxOpen = 128

// newInlines keeps f open for its debug information, until t is closed.
func (t *Table) newInlines(f *binary.File, root binary.Root) *inlines {
	if t.NoInline || len(t.opened) >= maxOpen {
		f.Close()
		return nil
	}
	in := &inlines{table: t, file: f, root: root, known: make(map[uint64][]string)}
	t.opened = append(t.opened, in)
	return in
}

// maxDebug is how many bytes of debug information are held at most, and what has been
// worked out of it.
const maxDebug = 512 << 20

// shed closes debug information while there is too much of it, the longest open first,
// but for that which was asked just now.
func (t *Table) shed(but *inlines) {
	held := uint64(0)
	for _, in := range t.opened {
		held += in.held()
	}
	for _, in := range t.opened {
		if held > maxDebug && in != but {
			held -= in.held()
			in.close()
		}
	}
}

// held returns about how much memory the debug information takes.
func (in *inlines) held() uint64 {
	if in.file == nil || in.debug == nil {
		return 0
	}
	return in.debug.Held()
}

// close gives back the files, after which nothing new is told.
func (in *inlines) close() error {
	var errs []error
	if in.debug != nil {
		errs = append(errs, in.debug.Close())
	}
	if in.file != nil {
		errs = append(errs, in.file.Close())
	}
	in.file, in.debug = nil, nil
	return errors.Join(errs...)
}

// at returns the names of the functions that were put into the code at an address.
func (in *inlines) at(addr uint64) []string {
	if in == nil {
		return nil
	}
	if names, ok := in.known[addr]; ok || in.file == nil {
		return names
	}
	if in.debug == nil {
		d, err := in.root.DebugOf(in.file)
		if err != nil { // the process may have gone, and its root with it
			d, err = binary.Root{}.DebugOf(in.file)
		}
		if err != nil { // most binaries have none
			in.file.Close()
			in.file = nil
			return nil
		}
		in.debug = d
	}
	defer in.table.shed(in)
	var names []string
	for _, call := range in.debug.Chain(addr) {
		if call.Inlined && call.Func != "" {
			names = append(names, call.Func)
		}
	}
	if len(in.known) >= maxInlines {
		clear(in.known)
	}
	in.known[addr] = names
	return names
}

// Frames appends to list the frames of an address of a process: first those of
// functions that were inlined there, innermost first, then that of the function that
// has the code. Back is set where the address is one to return to: what is active is then
// what holds the call before it.
func (t *Table) Frames(list []trace.Frame, pid uint32, addr uint64, back bool) []trace.Frame {
	p := t.process(pid)
	if python.IsMark(addr) {
		if f, hidden := p.script(t, addr); !hidden {
			list = append(list, f)
		}
		return list
	}
	f, m := p.frame(t, addr), p.find(addr)
	if back && !t.NoResolve {
		f = p.before(t, addr)
	}
	if f.Script && len(list) > 0 && sameScript(&list[len(list)-1], &f) {
		return list
	}
	if m == nil || t.NoResolve || t.NoInline || f.Symbol == "" {
		return append(list, f)
	}
	if b := t.binary(p, *m); b != nil && b.inlines != nil {
		at, ok := b.Address(addr - m.Start + m.Offset)
		if back {
			at--
		}
		for _, name := range b.inlines.when(ok, at) {
			list = append(list, trace.Frame{Addr: addr, Module: f.Module, Symbol: name, Inlined: true})
		}
	}
	return append(list, f)
}

// before names an address to return to by the call before it, which may be the last
// instruction of its function.
func (p *process) before(t *Table, addr uint64) trace.Frame {
	f := p.frame(t, addr-1)
	f.Addr = addr
	if (f.Offset != 0 || f.Symbol != "") && !f.Script {
		f.Offset++
	}
	return f
}

// when is at, if the address is known.
func (in *inlines) when(ok bool, addr uint64) []string {
	if !ok {
		return nil
	}
	return in.at(addr)
}
