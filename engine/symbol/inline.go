package symbol

import (
	"errors"
	"os"

	"dscope.dev/engine/python"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/resolver"
)

// Inlines finds the functions that were put into the code at an address of a
// binary instead of being called there. The debug information is looked for when the
// first address is asked for; many binaries of a run are never asked.
type inlines struct {
	file  resolver.File       // open until it is known that it cannot tell
	known map[uint64][]string // by address in the binary; innermost first
}

// maxInlines is of how many addresses of a binary the inlined functions are kept.
const maxInlines = 1 << 16

// maxOpen is of how many binaries the files stay open for their debug information.
const maxOpen = 128

// newInlines keeps f open for its debug information, until t is closed.
func (t *Table) newInlines(f resolver.File) *inlines {
	if t.NoInline || len(t.opened) >= maxOpen {
		f.Close()
		return nil
	}
	in := &inlines{file: f, known: make(map[uint64][]string)}
	t.opened = append(t.opened, in)
	return in
}

// inlinedAt asks for the functions that were put into the code at an address.
var inlinedAt = resolver.New("inlined functions", 1<<20, func(r *resolver.Room, addr uint64) (a inlined, err error) {
	d, err := resolver.Keep(r, func(file *os.File) (*debugInfo, error) { return openDebug(r, file) })
	if err != nil {
		return inlined{None: true}, nil // most binaries have none
	}
	for _, call := range d.Chain(addr) {
		if call.Inlined && call.Func != "" {
			a.Names = append(a.Names, call.Func)
		}
	}
	return a, nil
})

type inlined struct {
	Names []string // innermost first
	None  bool     // the file has no debug information
}

// A debugInfo is the debug information of an open file.
type debugInfo struct {
	*binary.Debug
	file *os.File
}

func openDebug(r *resolver.Room, file *os.File) (*debugInfo, error) {
	f, err := binary.New(file, r.Size())
	if err != nil {
		return nil, err
	}
	f.Name(r.Name)
	d, err := r.Root().DebugOf(f)
	if err != nil {
		return nil, err
	}
	return &debugInfo{d, file}, nil
}

// Close gives back all files.
func (d *debugInfo) Close() error { return errors.Join(d.Debug.Close(), d.file.Close()) }

// close gives back the file, after which nothing new is told.
func (in *inlines) close() error {
	if in.file.File == nil {
		return nil
	}
	err := in.file.Close()
	in.file.File = nil
	return err
}

// at returns the names of the functions that were put into the code at an address.
func (in *inlines) at(addr uint64) []string {
	if in == nil {
		return nil
	}
	if names, ok := in.known[addr]; ok || in.file.File == nil {
		return names
	}
	a, err := inlinedAt.Ask(in.file, addr)
	if err == nil && a.None && in.file.Root != "" { // the process may have gone, and its root with it
		in.file.Root = ""
		a, err = inlinedAt.Ask(in.file, addr)
	}
	if err != nil || a.None {
		in.close()
		return nil
	}
	if len(in.known) >= maxInlines {
		clear(in.known)
	}
	in.known[addr] = a.Names
	return a.Names
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
