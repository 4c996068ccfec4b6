package user

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"dscope.dev/probes"
)

// An object is what is known of a file that processes execute.
type object struct {
	file    source
	funcs   []*function            // ascending by address
	byName  map[string][]*function // by every name
	unwinds bool                   // whether it must not find foreign addresses on its stack
}

// A function is a function of an object.
type function struct {
	names []string // the usual one first
	addr  uint64
	off   uint64 // in the file
	size  uint64 // in bytes; 0 if not known
	local bool
	label bool // a place in assembly, or a part of a function that was moved away from it
	indir bool // what is there only returns the address of the function proper
}

// shown is the name of the function in its probes.
func (f *function) shown() string { return demangled(f.names[0]) }

// looksBack reports whether a function is known to look at what it returns to:
// it keeps the address, or goes there by other ways than a return.
func (f *function) looksBack() bool {
	for _, n := range f.names {
		switch strings.TrimLeft(n, "_") {
		case "setjmp", "sigsetjmp", "getcontext", "swapcontext", "makecontext", "vfork", "start", "restore_rt",
			"restore", "dl_runtime_resolve", "tls_get_addr", "fentry", "mcount":
			return true
		}
	}
	return false
}

// object returns what is known of a mapped file, reading it if it is new.
func (p *Provider) object(m *mapped) (*object, error) {
	if o := p.objects[m.id]; o != nil {
		return o, nil
	}
	src, err := openSource(m.file, m.id)
	if err != nil {
		return nil, err
	}
	defer src.close()
	o := &object{byName: map[string][]*function{}}
	if o.file, o.funcs, err = src.read(); err != nil {
		return nil, err
	}
	o.unwinds = src.unwinds()
	o.index()
	if len(p.objects) >= maxKept {
		clear(p.objects)
	}
	p.objects[m.id] = o
	return o, nil
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

// maxKept is how many files are remembered.
const maxKept = 1 << 10

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
		if isMangled(n) && (probes.Glob(pattern, demangled(n)) || probes.Glob(pattern, bareName(n))) {
			return true
		}
	}
	return false
}

// like returns the names that a pattern may have meant.
func (o *object) like() []string { return slices.Collect(maps.Keys(o.byName)) }
