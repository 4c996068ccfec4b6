// Package symbol turns addresses into names: of the kernel, and of processes
// by what their address space holds, as it is when the drain asks.
//
// A kernel address is looked up in the kernel's own symbols, which are read
// when the first one is asked for, and where the debug information of vmlinux or a
// module is found, in that too, for what was inlined. An address of a process is looked up in the
// process's mappings, and there in the symbol table of the binary that is
// mapped: the full one and the dynamic one together, found at the right
// distance however the binary was loaded; a Go program that was stripped names
// its functions by its runtime's table. Code that a runtime generates is looked
// up in the map that such runtimes leave for perf (perf-PID.map). What stands for a function of Python
// in a stack (package python) is looked up in the memory of its process (script.go).
// Names of C++ and Rust are demangled. What a binary was stripped of is looked for
// where debug information lies; with it, a stack shows the functions that were
// inlined as frames of their own, marked [inlined]. Binaries are read once, however many
// processes map them; mappings are read again when they may have changed, and
// kept when the process has gone, so that what was seen while it lived can be
// named to the end of the run.
//
// Root reads here what anybody may write. Files are opened only if they are
// the very ones that are mapped, and read through limits by who has no privileges
// (package resolver); a binary that makes no sense has no symbols: that is never an
// error of the run.
//
// Names are as DTrace prints them: module`symbol+0x12, where the module of a
// kernel address is vmlinux or the kernel module, and that of a process's the
// last part of the binary's path.
package symbol

import (
	"errors"
	"maps"
	"strings"
	"sync/atomic"

	"dscope.dev/engine/trace"
	"dscope.dev/probes/resolver"
	"dscope.dev/probes/space"
)

// A Kernel knows the symbols of the kernel. *kernel.Symbols satisfies it.
type Kernel interface {
	// Lookup returns the module and symbol that addr lies in, and how far.
	Lookup(addr uint64) (module, name string, offset uint64, ok bool)
}

// A Table names addresses. It is used by one goroutine at a time.
type Table struct {
	proc string // where the process file system lies
	// NoResolve leaves addresses of processes as places within what is mapped
	// there, and looks for no symbols.
	NoResolve bool
	// NoInline leaves out the frames of inlined functions.
	NoInline bool
	// Watch tells of processes that have gone before they were looked at. It may be nil.
	Watch *Watch

	load     func() Kernel // nil once called
	kernel   Kernel
	known    map[uint64]trace.Frame // kernel addresses that were asked for
	inlined  map[place][]string     // what was put there
	returns  map[uint64]bool        // kernel addresses that stacks begin with and that are returned to
	procs    map[uint32]*process
	binaries map[space.Stamp]*image // nil where there are no symbols
	latest   map[space.FileID]*image
	held     int             // bytes of binaries
	jitHeld  int             // bytes of what processes say of code that they generate
	scripts  int             // bytes of functions of scripts
	hanging  int             // processes whose memory could not be read in time
	unread   map[string]bool // interpreters of Python whose functions are not understood
	opened   []*inlines
	own      *image // the vdso; nil until asked for
	closed   bool
}

// inUse is how many tables there are that have not been closed. What resolvers keep of files
// serves them all: of two runs that take each other's places, too.
var inUse atomic.Int32

// Close gives back the files that t holds and stops its Watch. What is known of
// addresses stays known.
func (t *Table) Close() error {
	errs := []error{t.Watch.Close()}
	for _, in := range t.opened {
		errs = append(errs, in.close())
	}
	t.opened = nil
	if !t.closed && inUse.Add(-1) == 0 {
		resolver.Forget()
	}
	t.closed = true
	return errors.Join(errs...)
}

// What a Table keeps at most; when more is needed it begins anew.
const (
	maxKernelFrames = 1 << 16
	maxProcesses    = 1 << 12
	maxBinaries     = 1 << 10
	maxHeld         = 512 << 20 // bytes of symbol tables
)

// New returns a table. Load gives the kernel's symbols when they are first
// needed; it may be nil, or return nil if they cannot be had.
func New(load func() Kernel) *Table { return NewAt("/proc", load) }

// NewAt is New with a process file system elsewhere.
func NewAt(proc string, load func() Kernel) *Table {
	inUse.Add(1)
	return &Table{
		proc: proc, load: load,
		known:    make(map[uint64]trace.Frame),
		procs:    make(map[uint32]*process),
		binaries: make(map[space.Stamp]*image),
		latest:   make(map[space.FileID]*image),
	}
}

// Kernel names an address of the kernel.
func (t *Table) Kernel(addr uint64) trace.Frame {
	if f, ok := t.known[addr]; ok {
		return f
	}
	f := trace.Frame{Addr: addr}
	if t.load != nil {
		t.kernel, t.load = t.load(), nil
	}
	if t.kernel != nil {
		if module, name, offset, ok := t.kernel.Lookup(addr); ok {
			f.Module, f.Symbol, f.Offset = module, name, offset
		}
	}
	if len(t.known) >= maxKernelFrames {
		clear(t.known)
	}
	t.known[addr] = f
	return f
}

// Anew has the kernel's symbols got again when the next one is needed: a module has been
// loaded, perhaps to where another one was.
func (t *Table) Anew(load func() Kernel) {
	t.load = load
	maps.DeleteFunc(t.known, func(_ uint64, f trace.Frame) bool { return f.Module != "vmlinux" })
}

// User names an address of a process.
func (t *Table) User(pid uint32, addr uint64) trace.Frame {
	return t.process(pid).frame(t, addr)
}

// Look reads the mappings of a process, so that it is known which files its addresses
// are in after it has gone. Nothing else is read.
func (t *Table) Look(pid uint32) { t.process(pid) }

// Remember reads the mappings of a process and the binaries that it executes,
// so that its addresses can be named after it has gone.
func (t *Table) Remember(pid uint32) {
	p := t.process(pid)
	for _, m := range p.maps {
		if m.Exec {
			t.binary(p, m)
		}
	}
}

// tracerPrefixes begin the names of functions between a probe and the program
// that serves it, on kernels from 6.1 on.
var tracerPrefixes = []string{
	"bpf_prog_", "bpf_trace_run", "__bpf_trace_", "bpf_trampoline_", "__bpf_prog_",
	"__traceiter_", "bpf_get_stack", "___bpf_prog_run", "__bpf_prog_run",
	"perf_trace_run_bpf_submit", "trace_call_bpf", "perf_call_bpf_",
	"kprobe_multi_link_prog_run", "fprobe_handler", "arch_rethook_",
}

func isTracer(name string) bool {
	for _, p := range tracerPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
