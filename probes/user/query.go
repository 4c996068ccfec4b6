package user

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/code"
	"dscope.dev/probes/space"
)

// A place is a probe and where it lies.
type place struct {
	probe probes.Probe
	spots []spot
}

// mostPlaces is how many probes one description may cover. Each is a breakpoint
// that the kernel keeps account of.
const mostPlaces = 100_000

// A query looks for the probes of one description.
type query struct {
	p      *Provider
	pat    probes.Pattern
	kind   kind
	places []*place
	seen   map[probes.Probe]*place

	processes, modules, functions int      // that matched so far
	near                          []string // names of the part that failed first
	refused                       error    // why something that matched cannot be had
}

// run looks through the processes that a provider's name means.
func (q *query) run(ctx context.Context, name providerName) error {
	if name.pid > 0 {
		return q.process(name.pid)
	}
	if !name.all && name.glob == "" {
		return refuse("D_PROC_BADPID", "process 0 is the kernel's and cannot be traced", "name a process: pid$target with -p or -c")
	}
	if m, _ := glob(q.pat.Module); name.all && (m == "" || m == "*") {
		return refuse("D_PROC_LIB", "pid* is every process, and needs a module", "pid*:libc:malloc:entry")
	}
	seen := map[space.Stamp]bool{} // of pid*: a file counts once, whoever maps it
	pids, err := space.Processes(q.p.proc)
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !name.all && !probes.Glob(name.glob, Name+strconv.Itoa(pid)) {
			continue
		}
		maps, err := q.p.mapped(pid)
		if err != nil {
			continue // it has ended
		}
		if name.all {
			maps = slices.DeleteFunc(maps, func(m mapped) bool { return seen[m.found.Stamp] || !m.is(q.pat.Module) })
		}
		if err := q.files(pid, maps, name.all); err != nil {
			return err
		}
		for _, m := range maps {
			seen[m.found.Stamp] = true
		}
	}
	if m, ok := onDisk(q.pat.Module); ok && name.all && q.modules == 0 {
		return q.files(0, []mapped{m}, true)
	}
	return nil
}

// process looks through one process.
func (q *query) process(pid int) error {
	maps, err := q.p.mapped(pid)
	if err != nil {
		return refuse("D_PROC_GRAB", fmt.Sprintf("process %d: %v", pid, err), "")
	}
	return q.files(pid, maps, false)
}

// files looks through what a process executes.
func (q *query) files(pid int, maps []mapped, all bool) error {
	q.processes++
	provider, only := Name+strconv.Itoa(pid), pid
	if all {
		provider, only = every, 0
	}
	for i := range maps {
		m := &maps[i]
		q.near = append(q.near, m.name)
		if pid != 0 && !m.is(q.pat.Module) || q.pat.Function == "-" && !m.main {
			continue
		}
		q.modules++
		o, err := q.p.object(m)
		if err != nil {
			q.refused = fmt.Errorf("%s: %w", m.name, err)
			continue
		}
		f := finder{query: q, m: m, o: o, provider: provider, pid: only}
		if err := f.run(); err != nil {
			return err
		}
	}
	return nil
}

// nothing says why a query found no probe.
func (q *query) nothing() error {
	n := &probes.NoMatch{Pattern: q.pat, Part: probes.ModulePart}
	name, isGlob := glob(q.pat.Function)
	module, moduleGlob := glob(q.pat.Module)
	switch {
	case q.processes == 0:
		n.Part = probes.ProviderPart
	case q.modules == 0:
		n.Nearest = probes.Nearest(module, q.near)
	case q.refused != nil:
		return q.refused
	case q.functions == 0 && !isGlob && name != "" && !moduleGlob && module != "":
		hint := ""
		if list := probes.Nearest(name, q.near); len(list) > 0 {
			hint = "there is " + strings.Join(list, ", ")
		}
		return refuse("D_PROC_FUNC", fmt.Sprintf("there is no function %s in %s", name, module), hint)
	case q.functions == 0:
		n.Part = probes.FunctionPart
	default:
		n.Part = probes.NamePart
	}
	return n
}

// A finder looks for the probes of one file.
type finder struct {
	*query
	m        *mapped
	o        *object
	provider string
	pid      int
}

func (f *finder) run() error {
	if f.pat.Function == "-" {
		return f.absolute()
	}
	for fn := range f.o.functions(f.pat.Function) {
		if fn.indir {
			f.refused = refuse("D_PROC_FUNC", fmt.Sprintf("%s of %s only chooses, as a program starts, which of several functions is meant", fn.shown(), f.m.name),
				"name one of those, if the file knows their names: "+f.provider+":"+f.m.name+":__"+fn.names[0]+"_*:entry")
			continue
		}
		f.functions++
		if err := f.function(fn); err != nil {
			return err
		}
	}
	if f.kind.entry {
		if err := f.copies(); err != nil {
			return err
		}
	}
	if file, line, ok := f.sourceFile(); ok && f.functions == 0 {
		if err := f.lines(file, line); err != nil {
			return err
		}
	}
	if f.functions == 0 {
		f.near = f.o.like()
	}
	return nil
}

// absolute finds the probe at an address of the executable.
func (f *finder) absolute() error {
	off, ok := f.o.offset(f.kind.offset)
	if !ok {
		return refuse("D_PROC_OFF", fmt.Sprintf("%s executes nothing at %x", f.m.name, f.kind.offset), "")
	}
	f.functions++
	return f.add("-", strconv.FormatUint(f.kind.offset, 16), spot{hook: f.hook(off), addr: f.kind.offset})
}

// function finds the probes of a function.
func (f *finder) function(fn *function) error {
	if f.kind.entry {
		if err := f.add(fn.shown(), "entry", spot{hook: f.hook(fn.off + f.o.begins(fn)), addr: fn.addr, entry: true}); err != nil {
			return err
		}
	}
	if f.kind.back {
		if err := f.returns(fn); err != nil {
			return err
		}
	}
	switch {
	case f.kind.one:
		return f.offset(fn)
	case f.kind.glob != "":
		return f.offsets(fn)
	}
	return nil
}

// copies finds where a function that is named outright, in a module that is, was
// put into others instead of being called. Each copy is a place of its entry. All
// modules of a process are not searched: libraries have copies of much.
func (f *finder) copies() error {
	name, isGlob := glob(f.pat.Function)
	module, anyModule := glob(f.pat.Module)
	if isGlob || name == "" || anyModule || module == "" {
		return nil
	}
	d, err := f.o.debugInfo()
	if err != nil {
		return nil // which only matters where there is something to be found
	}
	list, err := d.Copies(name)
	if err != nil {
		return nil
	}
	for _, c := range list {
		off, ok := f.o.offset(c.Entry)
		if !ok {
			continue
		}
		f.functions++
		shown := c.Func.Full()
		if known := f.o.byName[name]; len(known) > 0 {
			shown = known[0].shown()
		}
		if err := f.add(shown, "entry", spot{hook: f.hook(off), addr: c.Entry, entry: true, copied: c}); err != nil {
			return err
		}
	}
	return nil
}

// returns finds where a function returns.
func (f *finder) returns(fn *function) error {
	if fn.label {
		return nil // nobody calls it, so it does not return
	}
	h := f.hook(fn.off)
	h.Return = true
	if !f.o.unwinds && !fn.looksBack() {
		return f.add(fn.shown(), "return", spot{hook: h, addr: fn.addr, back: true})
	}
	for _, in := range f.o.instructions(fn) {
		if !in.Returns {
			continue
		}
		h.Offset, h.AtEnd = fn.off+in.At, true
		if err := f.add(fn.shown(), "return", spot{hook: h, addr: fn.addr, back: true}); err != nil {
			return err
		}
	}
	return nil
}

// offset finds one instruction of a function.
func (f *finder) offset(fn *function) error {
	list := f.o.instructions(fn)
	if len(list) == 0 { // nothing is known of where instructions begin: the kernel will tell
		if f.kind.offset >= fn.size {
			return f.beyond(fn)
		}
	} else if !slices.ContainsFunc(list, func(in code.Instruction) bool { return in.At == f.kind.offset }) {
		return f.beyond(fn)
	}
	return f.add(fn.shown(), strconv.FormatUint(f.kind.offset, 16), f.at(fn, f.kind.offset))
}

// beyond says that there is no instruction at an offset.
func (f *finder) beyond(fn *function) error {
	hint := fmt.Sprintf("%s takes %#x bytes", fn.shown(), fn.size)
	if f.kind.offset < fn.size {
		hint = "list those that there are: dscope trace -l -n '" + f.provider + ":" + f.m.name + ":" + fn.names[0] + ":'"
	}
	return refuse("D_PROC_OFF", fmt.Sprintf("no instruction of %s begins at %x", fn.shown(), f.kind.offset), hint)
}

// offsets finds the instructions of a function that a glob covers. The first is
// the entry, if that is asked for too.
func (f *finder) offsets(fn *function) error {
	for _, in := range f.o.instructions(fn) {
		name := strconv.FormatUint(in.At, 16)
		if in.At == 0 && f.kind.entry || !probes.Glob(f.kind.glob, name) {
			continue
		}
		if err := f.add(fn.shown(), name, f.at(fn, in.At)); err != nil {
			return err
		}
	}
	return nil
}

// at returns the spot of an instruction.
func (f *finder) at(fn *function, offset uint64) spot {
	return spot{hook: f.hook(fn.off + offset), addr: fn.addr + offset}
}

func (f *finder) hook(off uint64) probes.Hook {
	return probes.Hook{Kind: probes.User, File: f.m.found.Path, Offset: off, PID: f.pid}
}

// add notes a spot. What bears the same name is one probe.
func (f *finder) add(function, name string, s spot) error {
	s.object = f.o
	pr := probes.Probe{Provider: f.provider, Module: f.m.name, Function: function, Name: name}
	if pl := f.seen[pr]; pl != nil {
		if !slices.ContainsFunc(pl.spots, func(o spot) bool { return o.hook == s.hook }) {
			pl.spots = append(pl.spots, s)
		}
		return nil
	}
	if len(f.places) == mostPlaces {
		return refuse("D_PROC_CREATEFAIL", fmt.Sprintf("%s covers more than %d probes", f.pat, mostPlaces),
			"name a module, a function, or entry")
	}
	pl := &place{probe: pr, spots: []spot{s}}
	f.seen[pr] = pl
	f.places = append(f.places, pl)
	return nil
}
