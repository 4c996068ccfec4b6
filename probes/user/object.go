package user

import (
	"debug/elf"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/code"
)

// An object is what is known of a file that processes execute.
type object struct {
	path    string // by which we open it
	root    binary.Root
	file    *binary.File // its headers; what is not read yet is read from the open file
	debug   *binary.Debug
	noDebug error // why there is no debug information; nil if nobody has asked

	segs    []binary.Segment
	machine elf.Machine
	funcs   []*function            // ascending by address
	byName  map[string][]*function // by every name
	unwinds bool                   // whether it must not find foreign addresses on its stack
	golang  bool
	goText  [2]uint64 // where code from Go begins and ends; zeros if that is not known
}

// A function is a function of an object.
type function struct {
	names []string // the usual one first
	addr  uint64
	off   uint64 // in the file
	size  uint64 // in bytes; 0 if not known
	label bool   // a place in assembly, or a part of a function that was moved away from it
	indir bool   // what is there only returns the address of the function proper
}

// shown is the name of the function in its probes.
func (f *function) shown() string { return binary.Demangle(f.names[0]) }

// looksBack reports whether a function is known to look at what it returns to:
// it keeps the address, or goes there by other ways than a return.
func (f *function) looksBack() bool {
	for _, n := range f.names {
		n = strings.TrimLeft(n, "_")
		switch n {
		case "setjmp", "sigsetjmp", "getcontext", "swapcontext", "makecontext", "start_context", "vfork", "start", "dl_start_user",
			"restore_rt", "restore", "fentry", "mcount":
			return true
		}
		if strings.HasPrefix(n, "dl_runtime_") || strings.HasPrefix(n, "dl_tlsdesc_") {
			return true // with more on the stack than the address of the caller
		}
	}
	return false
}

// What is remembered: files, and the functions of all of them.
const (
	maxKept      = 1 << 8
	maxFunctions = 4 << 20 // each takes some 250 bytes
)

// object returns what is known of a mapped file, reading it if it is new.
func (p *Provider) object(m *mapped) (*object, error) {
	if m.silent != nil {
		return nil, m.silent
	}
	if o := p.objects[m.found.Stamp]; o != nil {
		return o, nil
	}
	o := &object{path: m.found.Path, root: m.root, byName: map[string][]*function{}}
	var err error
	if o.file, err = m.open(); err != nil {
		return nil, err
	}
	o.segs, o.machine = o.file.Segments(), o.file.Machine()
	syms, err := o.root.Symbols(o.file)
	if err != nil {
		o.file.Close()
		return nil, err
	}
	o.gather(syms)
	if o.golang = o.file.HasGo(); o.golang {
		o.findGoText()
	}
	o.unwinds = o.golang || o.file.HasSection(".gcc_except_table") && !isC(m.name)
	if p.functions += len(o.funcs); len(p.objects) >= maxKept || p.functions > maxFunctions {
		clear(p.objects) // their files are closed when nobody holds them any more
		p.functions = len(o.funcs)
	}
	p.objects[m.found.Stamp] = o
	return o, nil
}

// isC reports whether a library is that of C, which can be unwound for the sake of
// threads that are cancelled, but not by those who call it.
func isC(name string) bool {
	return strings.HasPrefix(name, "libc.so") || strings.HasPrefix(name, "libpthread") || strings.HasPrefix(name, "ld-linux")
}

// open opens the file, if it still is the one that was mapped.
func (m *mapped) open() (*binary.File, error) {
	f, err := m.found.Open()
	if err != nil {
		return nil, bare(err)
	}
	b, err := binary.FromFile(f.File)
	if err != nil {
		f.Close()
		return nil, err
	}
	b.Name(m.path)
	return b, nil
}

// gather takes the functions of a symbol table, of each address one.
func (o *object) gather(syms *binary.Symbols) {
	seen := map[string]bool{} // names of the function at hand, of which there may be very many
	for i := range syms.Len() {
		s := syms.At(i)
		name, _, _ := strings.Cut(s.Name, "@")
		if s.Offset == 0 || name == "" || !o.executes(s.Offset) {
			continue
		}
		last := len(o.funcs) - 1
		if last < 0 || o.funcs[last].addr != s.Addr {
			o.funcs = append(o.funcs, &function{addr: s.Addr, off: s.Offset, label: true})
			last++
			if len(seen) > 1 { // most functions have one name
				seen = map[string]bool{}
			}
			clear(seen)
		}
		f := o.funcs[last]
		if !seen[name] {
			seen[name] = true
			f.names = append(f.names, name)
		}
		f.size = max(f.size, s.Size)
		f.indir = f.indir || s.IFunc
		f.label = f.label && (s.Label || strings.Contains(name, ".cold"))
	}
	o.index()
}

// index finds functions by name. What the compiler made of a function by giving it
// fewer parameters or a part of its body is found by the function's name too, if
// nothing else bears that.
func (o *object) index() {
	for _, f := range o.funcs {
		for _, n := range f.names {
			o.byName[n] = append(o.byName[n], f)
		}
	}
	clones := map[string][]*function{}
	for _, f := range o.funcs {
		if name, _, ok := strings.Cut(f.names[0], "."); ok && name != "" && !f.label && o.byName[name] == nil {
			clones[name] = append(clones[name], f)
		}
	}
	maps.Copy(o.byName, clones)
}

// executes reports whether what lies at an offset of the file is executed.
func (o *object) executes(off uint64) bool {
	return slices.ContainsFunc(o.segs, func(s binary.Segment) bool { return s.Exec && off >= s.Off && off-s.Off < s.Size })
}

// offset returns where in the file an address lies that is executed.
func (o *object) offset(addr uint64) (uint64, bool) {
	for _, s := range o.segs {
		if s.Exec && addr >= s.Addr && addr-s.Addr < s.Size {
			return addr - s.Addr + s.Off, true
		}
	}
	return 0, false
}

// functions yields the functions that a pattern covers by any of their names, in
// the order of their addresses.
func (o *object) functions(pattern string) iter.Seq[*function] {
	name, isGlob := glob(pattern)
	if list := o.byName[name]; name != "" && !isGlob && len(list) > 0 {
		return slices.Values(list)
	}
	return func(yield func(*function) bool) {
		for _, f := range o.funcs {
			if !f.indir && f.covered(pattern) && !yield(f) {
				return
			}
		}
	}
}

// covered reports whether a pattern covers a name of f, or what its source calls
// it, with or without its parameters.
func (f *function) covered(pattern string) bool {
	if pattern == "" {
		return true
	}
	for _, n := range f.names {
		if probes.Glob(pattern, n) {
			return true
		}
		if binary.Mangled(n) && (probes.Glob(pattern, binary.Demangle(n)) || probes.Glob(pattern, binary.BareName(n))) {
			return true
		}
	}
	return false
}

// like returns the names that a pattern may have meant.
func (o *object) like() []string { return slices.Collect(maps.Keys(o.byName)) }

// maxCode is how long a function may be, in bytes.
const maxCode = 1 << 20

// arches are the machines whose instructions can be told apart.
var arches = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}

// instructions lists the instructions of a function, as far as they make sense.
func (o *object) instructions(fn *function) []code.Instruction {
	if fn.size == 0 || fn.size > maxCode {
		return nil
	}
	text := make([]byte, fn.size)
	if _, err := o.file.ReadAt(text, int64(fn.off)); err != nil {
		return nil
	}
	return code.Instructions(arches[o.machine], text)
}

// begins returns how far into a function its entry is probed. A function of Go
// begins anew each time that it has had a larger stack made.
func (o *object) begins(fn *function) uint64 {
	if !o.golang || fn.size == 0 || fn.size > maxCode {
		return 0
	}
	text := make([]byte, min(fn.size, 128))
	if _, err := o.file.ReadAt(text, int64(fn.off)); err != nil {
		return 0
	}
	return code.AfterStackCheck(arches[o.machine], text)
}

// debugInfo returns the debug information of the object.
func (o *object) debugInfo() (*binary.Debug, error) {
	if o.debug == nil && o.noDebug == nil {
		if o.debug, o.noDebug = o.root.DebugOf(o.file); o.noDebug != nil {
			o.noDebug = fmt.Errorf("%s: %w", o.path, o.noDebug)
		}
	}
	return o.debug, o.noDebug
}
