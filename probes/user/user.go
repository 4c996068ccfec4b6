// Package user publishes the functions and instructions of processes: the
// provider pid. Its probes are
//
//	pid1234:module:function:entry    the function is called
//	pid1234:module:function:return   it returns
//	pid1234:module:function:1f       the instruction 0x1f bytes behind its beginning
//	pid1234:a.out:-:4011f0           an address of the executable
//
// where 1234 is a process. A module is a file that the process executes: a
// library by the last part of its path, with or without what follows .so and
// with or without that (libc.so.6, libc.so, libc), the executable by its name or
// as a.out. A function is found by every name that the file has for it, mangled or
// as its source spells it; static and hidden ones too, as far as the file or its
// separate debug information names them. Of several names of one address the
// probe bears the one that people mean: global before weak before local, with few
// underscores in front.
//
// pid*, and every other glob that begins with pid, covers the processes that
// run. Of pid* itself the probes fire in every process that maps the file, also
// in those that start later, and bear the provider's name pid*; a module must be
// named, for else this would be everything that the machine executes.
//
// A module that a process maps later, by loading a library or by executing another
// program, is looked at then, if the description names none that the process has already.
//
// A name that is a glob, or empty, covers entry, return, and every other
// instruction of the function. What instructions there are is found by reading
// them from the beginning on.
//
// A return is caught by the kernel, which puts an address of its own in the place
// of the caller's. Functions that look at that would fail then: in programs that
// unwind their stack (C++, Rust) or move it (Go) the instructions that return are
// probed themselves; a function that ends by jumping to another one then returns
// where that does.
//
// Where a file has debug information, or that is found in a file of its own, the
// arguments of entry and return are typed. A function that is named outright, in a
// module that is, is entered also where it was put into others instead of being
// called; and
//
//	pid1234:a.out:file.c:123         line 123 of file.c is executed
//
// is a line of its source, once for each function and copy that it became part of.
//
// Processes are read through /proc and never stopped. Nothing that their files
// say is trusted: root reads here what anybody may write.
package user

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"dscope.dev/probes"
	"dscope.dev/probes/saved"
	"dscope.dev/probes/space"
)

// Name is what the family is called as a whole; its providers are pid1234.
const Name = "pid"

// every is the provider whose probes fire in all processes.
const every = "pid*"

// A Provider publishes the probes of processes.
type Provider struct {
	proc      string       // where the process file system lies
	available func() error // nil, or why processes cannot be probed here

	mu        sync.Mutex
	found     map[probes.Probe]*place
	objects   map[space.Stamp]*object
	functions int // of all objects
}

// New returns the provider of this machine's processes.
func New() *Provider { return newAt("/proc") }

func newAt(proc string) *Provider {
	return &Provider{proc: proc, available: sync.OnceValue(available), found: map[probes.Probe]*place{}, objects: map[space.Stamp]*object{}}
}

// Name returns pid.
func (*Provider) Name() string { return Name }

// Help says what the family is for.
func (*Provider) Help() string {
	return "functions and instructions of processes: pid1234:libc:malloc:entry, return, or an offset in hexadecimal digits"
}

// Available returns nil, or why processes cannot be probed here.
func (p *Provider) Available() error { return p.available() }

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{Covers: p.Covers, MayMatch: p.MayMatch, Suggest: p.Suggest,
		Sites: p.Sites, Bare: p.BareSites, Grows: p.Grows, Arrived: p.Arrived}
}

// Covers reports whether a provider's name can be one of ours. A glob is if it
// begins as they do, or ends in the number of a process.
func (*Provider) Covers(name string) bool {
	_, ok := parseName(name)
	return ok
}

// MayMatch rules out descriptions that name no process.
func (p *Provider) MayMatch(pat probes.Pattern) bool { return p.Covers(pat.Provider) }

// Suggest knows what other tracers call such probes.
func (*Provider) Suggest(part probes.Part, pat probes.Pattern) string {
	switch pat.Provider {
	case "uprobe", "u", "ur", "uretprobe", "usdt", "process":
		if part == probes.ProviderPart {
			return Name + "$target"
		}
	}
	return ""
}

// Match yields the probes that pat covers, in the order of their addresses.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		places, err := p.match(ctx, pat)
		if err != nil {
			yield(probes.Probe{}, err)
			return
		}
		for _, pl := range places {
			if !yield(pl.probe, nil) {
				return
			}
		}
	}
}

// match finds what pat covers and keeps it for Sites.
func (p *Provider) match(ctx context.Context, pat probes.Pattern) ([]*place, error) {
	name, ok := parseName(pat.Provider)
	if !ok {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q := &query{p: p, pat: pat, seen: map[probes.Probe]*place{}}
	var err error
	if q.kind, err = parseProbeName(pat.Name); err != nil {
		return nil, err
	}
	if err := q.run(ctx, name); err != nil {
		return nil, err
	}
	if len(q.places) == 0 {
		return nil, q.nothing()
	}
	if len(p.found) > mostFound {
		clear(p.found) // those that a script asked for are sites by now
	}
	for _, pl := range q.places {
		p.found[pl.probe] = pl
	}
	return q.places, nil
}

// mostFound is how many probes are remembered between the question for them and the
// question where they lie.
const mostFound = 4 * mostPlaces

// Site returns the first place of a probe.
func (p *Provider) Site(pr probes.Probe) (*probes.Site, error) {
	return probes.First(p.Sites(pr))
}

// Sites returns all places of a probe: several functions of a file can have one
// name, a function can return from several places, and copies of it can have been
// put into others.
func (p *Provider) Sites(pr probes.Probe) ([]*probes.Site, error) { return p.sites(pr, true) }

// BareSites does what Sites does, without the types of arguments, which lie in the
// debug information.
func (p *Provider) BareSites(pr probes.Probe) ([]*probes.Site, error) { return p.sites(pr, false) }

func (p *Provider) sites(pr probes.Probe, typed bool) ([]*probes.Site, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pl := p.found[pr]
	if pl == nil {
		return nil, errors.New("nothing is known of it")
	}
	return pl.sites(typed), nil
}

// sites makes the spots of a place ready for the compiler.
func (pl *place) sites(typed bool) (list []*probes.Site) {
	for i := range pl.spots {
		s := pl.spots[i].site(pl.probe)
		if typed && (pl.probe.Name == "entry" || pl.probe.Name == "return") {
			pl.spots[i].describe(s, pl.scattered())
		}
		list = append(list, s)
	}
	return list
}

// scattered reports whether copies of a function are among the places of its
// entry: its arguments lie elsewhere at each.
func (pl *place) scattered() bool {
	return slices.ContainsFunc(pl.spots, func(s spot) bool { return s.copied != nil })
}

// site returns what is known of a spot without the debug information.
func (s *spot) site(pr probes.Probe) *probes.Site {
	site := &probes.Site{Probe: pr, Hook: s.hook, Raw: callArgs}
	if s.back {
		site.Raw = 2
	}
	s.place(site)
	return site
}

// callArgs is how many words of a call can be asked for: arg0 to arg9.
const callArgs = saved.CallArgs

// glob reports whether text is a pattern rather than a name, and returns the
// name without backslashes if it is none.
func glob(text string) (name string, isGlob bool) {
	if !strings.ContainsAny(text, `*?[\`) {
		return text, false
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '?', '[':
			return text, true
		case '\\':
			if i+1 < len(text) {
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String(), false
}
