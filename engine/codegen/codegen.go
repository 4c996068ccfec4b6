// Package codegen turns the intermediate form of a script, the sites of its
// probes and the features of the kernel into eBPF programs and maps. It is the
// only place that knows instructions, helpers and registers.
//
// A function becomes a program in three steps. Selection (select, emit, address, alu,
// bitwise, cond, verifier, loop, memory, facts, front, keys, table, vars, prologue, early, foreign) chooses instructions over
// any number of registers and knows all that is said about operations in package ir. Package mach makes
// of that what the machine can run. The maps that the instructions have named are then
// described (maps).
//
// The hook decides the kind of program:
//
//	Test         raw tracepoint program, run by the kernel's test-run call
//	ERROR        no program: a subprogram of all others, called where a fault is
//	Tracepoint   tp_btf program, bound to its tracepoint
//	  shared     raw tracepoint program; the key of the site is the attach cookie
//	  sys_enter, sys_exit  tp_btf program; the key is the number of the call; see dispatch.go
//	Timer        perf event program, as of a Counter
//	Function     fentry or fexit program, bound to its function; or a kprobe program
//	             for one function or many, the key being the attach cookie
//	Instruction  kprobe program, likewise
//	User         kprobe program, which is the kind for saved registers; the key of
//	             the site is the attach cookie
//
// Aggregations are kept twice, as generation 0 and 1. Programs use the one that
// the control map names, so that the engine can turn them to the other, wait
// until none is left inside, and read and empty the quiet one. Keys are numbered, see table.go;
// those that come first in a generation lie before the tables, see front.go.
//
// The verifier follows paths, and remembers what each learned of the values on
// it. Code is written so that it need not follow many: see verifier.go for what which kernel
// wants, and linkage.go for subroutines.
//
// Most programs are not reentered: the kernel does not start a tracing program on
// a CPU on which it is running already, and counts the firing as missed. Working
// memory that does not fit the stack is therefore one piece for each function
// and CPU. Programs at places of processes can be; see claim.go, and ownstack.go of mach.
//
// The object depends on its input alone: same input, same bytes.
package codegen

import (
	"fmt"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/machine"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// license lets the kernel's GPL-only helpers be called; dscope itself is MIT.
const license = "Dual MIT/GPL"

// Generate makes the object of a lowered script. The error is an *Error if it
// has a place.
func Generate(p *ir.Program, units []*Unit, f Features) (o *Object, err error) {
	var g *generator
	defer func() {
		if why := recover(); why != nil {
			err = mishap(diag.Mishap("the code generator", g.place(), why))
		}
	}()
	g, err = newGenerator(p, units, f)
	if err != nil {
		return nil, err
	}
	progs, names, err := g.programs()
	if err != nil {
		return nil, err
	}
	maps, found, err := g.maps()
	if err != nil {
		return nil, err
	}
	entries := g.dispatchers(progs, maps, names)
	return &Object{
		Spec:  &ebpf.CollectionSpec{Maps: maps, Programs: progs},
		Units: units, IR: p, Progs: names, Entries: entries, Maps: found, Buf: g.f.BufSize, script: g.script, spills: g.spills,
	}, nil
}

func mishap(d *diag.Diagnostic) error { return &Error{At: d.At, Msg: d.Msg, Mishap: d} }

// place returns the place of the script that instructions are being selected for.
func (g *generator) place() token.Span {
	if g == nil || g.selecting == nil {
		return token.Span{}
	}
	return g.selecting.at
}

// A generator holds what the programs of an object share.
type generator struct {
	ir      *ir.Program
	units   []*Unit
	f       Features
	arch    *machine.Machine
	script  *script
	subs    map[string]*ir.Func
	errorFn *ir.Func // the clauses of ERROR; nil if the script has none
	stops   bool     // whether the script can end itself

	selecting *selector // the function at hand
	room      room

	need      need
	rodata    []byte
	consts    map[string]int64 // offsets in rodata by content
	fronts    []Front          // by index of ir.Aggs
	frontSize int              // of all
	tables    [][]Table        // by index of ir.Aggs
	keySize   int              // bytes of the keys of all tables
	cellSize  int              // bytes of the cells of all of them on a CPU in a generation
	works     []int            // sizes of the pieces of working memory
	budget    int              // bytes of stack for working memory
	spills    int              // registers kept on the stack
}

// need says which maps the programs name.
type need struct {
	control, rings, drops bool
	chill, busy           bool
	group                 bool
	handover              bool
	zeros                 int
	stacks                []StackMaps
	unwind                bool
}

func newGenerator(p *ir.Program, units []*Unit, f Features) (*generator, error) {
	a := machine.Of(f.Arch)
	if a == nil {
		return nil, fmt.Errorf("generate code for %q: dscope knows amd64 and arm64", f.Arch)
	}
	f.BufSize = orDefault(f.BufSize, defaultBufSize)
	f.AggSize = orDefault(f.AggSize, defaultAggSize)
	f.DynVarSize = orDefault(f.DynVarSize, defaultDynVarSize)
	f.CPUs = max(f.CPUs, 1)
	g := &generator{ir: p, units: units, f: f, arch: a, script: &script{},
		subs: map[string]*ir.Func{}, consts: map[string]int64{}}
	g.frontSize = g.layFronts()
	g.layTables()
	for _, fn := range p.Funcs {
		g.stops = g.stops || hasOp(fn, ir.OpStop)
		switch {
		case fn.Unit < 0:
			g.subs[fn.Name] = fn
		case fn.Unit >= len(units):
			return nil, fmt.Errorf("internal error: %s has unit %d of %d", fn.Name, fn.Unit, len(units))
		case units[fn.Unit].Shared && units[fn.Unit].Hook.Select == probes.BySyscall:
			return nil, fmt.Errorf("internal error: the system calls of %s share a raw tracepoint program", fn.Name)
		case isError(units[fn.Unit]):
			g.errorFn = fn
			g.subs[errorName] = fn
		}
	}
	return g, nil
}

func orDefault(n, usual int) int {
	if n <= 0 {
		return usual
	}
	return n
}

// isError reports whether u holds the clauses of ERROR.
func isError(u *Unit) bool {
	return u.Hook.Kind == probes.Test && strings.EqualFold(u.Hook.Target, "error")
}

// The limits of one program, beside those that the verifier finds itself.
const (
	maxMaps  = 64      // MAX_USED_MAPS of include/linux/bpf.h
	maxInsns = 1 << 15 // what a jump can cross

	// maxSelected is how many instructions are selected: more than four times as many as
	// a program may have never become few enough, and each costs work.
	maxSelected = 4 * maxInsns
)

// fits complains about a program that is too large for the kernel.
func fits(fn *ir.Func, p *ebpf.ProgramSpec) error {
	maps := map[string]bool{}
	for i := range p.Instructions {
		if in := &p.Instructions[i]; in.IsLoadFromMap() {
			maps[in.Reference()] = true
		}
	}
	if len(maps) > maxMaps {
		return &Error{At: fn.Place(), Unit: fn.Unit, Times: float64(len(maps)) / maxMaps, Msg: fmt.Sprintf(
			"the clauses of one hook use %d kernel tables (two for each aggregation with keys); the kernel allows a program %d", len(maps), maxMaps)}
	}
	if n := size(p.Instructions); n > maxInsns {
		return &Error{At: fn.Place(), Unit: fn.Unit, Times: float64(n) / maxInsns, Msg: fmt.Sprintf(
			"the clauses of one hook take %d instructions; the most is %d", n, maxInsns)}
	}
	return nil
}

// spec puts the functions of a program together.
func (g *generator) spec(fn *ir.Func, funcs []*mach.Func) *ebpf.ProgramSpec {
	spec := &ebpf.ProgramSpec{Name: fn.Name, License: license}
	u := g.units[fn.Unit]
	switch {
	case u.Hook.Kind == probes.Timer || u.Hook.Kind == probes.Counter:
		spec.Type = ebpf.PerfEvent
	case u.Hook.Kind == probes.User:
		spec.Type = ebpf.Kprobe
		if u.Multi {
			spec.AttachType = ebpf.AttachTraceUprobeMulti
		}
		funcs[0].OwnStack()
	case u.Hook.Kind == probes.Function, u.Hook.Kind == probes.Instruction:
		functionSpec(spec, u)
	case u.Hook.Kind == probes.Tracepoint && !u.Shared && !u.opaque():
		spec.Type, spec.AttachType, spec.AttachTo = ebpf.Tracing, ebpf.AttachTraceRawTp, u.Hook.Target
	default:
		spec.Type = ebpf.RawTracepoint
	}
	bodies := map[string]asm.Instructions{}
	for _, m := range funcs {
		bodies[m.Name] = m.Code
	}
	callbacks := calledBack(bodies)
	for _, m := range funcs {
		m.Code[0] = btf.WithFuncMetadata(m.Code[0].WithSymbol(m.Name), g.linkage(m, callbacks))
	}
	called := calledFrom(funcs[0].Name, bodies)
	offset := asm.RawInstructionOffset(0)
	for _, m := range funcs {
		body := bodies[m.Name]
		if !called[m.Name] {
			continue
		}
		if offset += m.Place(body, offset); spec.Instructions == nil {
			spec.Instructions = body // most programs have one function
		} else {
			spec.Instructions = append(spec.Instructions, body...)
		}
	}
	return spec
}

// calledFrom returns the functions that a program needs. Some of what was
// generated is not called any more: calls have gone with code that is never
// reached, and the kernel takes a function that nobody calls for a mistake.
func calledFrom(name string, bodies map[string]asm.Instructions) map[string]bool {
	called := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if called[name] {
			return
		}
		called[name] = true
		for i := range bodies[name] {
			if in := &bodies[name][i]; in.IsFunctionReference() {
				visit(in.Reference())
			}
		}
	}
	visit(name)
	return called
}

// constant puts bytes into the read-only data and returns their offset.
func (g *generator) constant(b []byte, align int) int64 {
	if off, ok := g.consts[string(b)]; ok && off%int64(align) == 0 {
		return off
	}
	for len(g.rodata)%align != 0 {
		g.rodata = append(g.rodata, 0)
	}
	off := int64(len(g.rodata))
	g.rodata = append(g.rodata, b...)
	g.consts[string(b)] = off
	return off
}

// str returns the offset of a string of the program, padded so that it can be
// copied by words.
func (g *generator) str(i int) int64 {
	b := append([]byte(g.ir.Strings[i]), 0)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return g.constant(b, 8)
}

// workFor hands out n pieces of working memory and returns the index of the first.
func (g *generator) workFor(size, n int) int {
	for range n {
		g.works = append(g.works, size)
	}
	return len(g.works) - n
}

// stack returns how many bytes of stack working memory may take.
func (g *generator) stack(sub bool) int {
	if sub {
		return g.budget / 4
	}
	return g.budget
}

// faultRecord returns the record of a fault in a unit.
func (g *generator) faultRecord(unit int) (int, bool) {
	for i, r := range g.ir.Records {
		if r.Clause == -1 && r.Unit == unit {
			return i, true
		}
	}
	return 0, false
}

func (g *generator) useControl()     { g.need.control = true }
func (g *generator) useRings()       { g.need.rings = true }
func (g *generator) useDrops()       { g.need.drops = true }
func (g *generator) needZeros(n int) { g.need.zeros = max(g.need.zeros, n) }

func (g *generator) useStack(s StackMaps) {
	for _, t := range g.need.stacks {
		if s == t {
			return
		}
	}
	g.need.stacks = append(g.need.stacks, s)
}
