package probes

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// An Entry is a probe with its number.
type Entry struct {
	ID uint32
	Probe

	// As is the description by which the probe was meant, if that does not cover
	// its name: see Traits.SitesAs. It is nil for most.
	As *Pattern
}

// The probes of endless families are numbered after firstEndless, each family
// in a block of its own. That leaves room for every function of a kernel, and
// the number of tick-1s does not depend on counting them.
const (
	firstEndless = 500_000
	endlessBlock = 100_000
	variedBlock  = 2_000_000
)

// block returns how many numbers an endless family has. Those of many names come
// last, and each of their probes is asked for by somebody.
func (f *family) block() int {
	if f.traits.varied() {
		return variedBlock
	}
	return endlessBlock
}

// A Registry numbers the probes of all providers and finds them.
//
// Numbers are the same each time on the same kernel. The probes of families
// that can be listed are numbered from 1, family by family in the order of
// the providers; so the number of a probe needs the lists of the families
// before its own, and of no other. Probes of endless families are numbered
// from 500,001, those of a second such family from 600,001: first the usual
// ones, then what is asked for, in that order.
//
// Nothing is listed before somebody asks. A Registry may be used by several
// goroutines.
type Registry struct {
	families []*family

	mu    sync.Mutex
	sites map[siteKey][]*Site
	came  map[Probe]uint32 // numbers of what came later: see Loaded
}

// A family is one provider and what was numbered of it.
type family struct {
	Provider
	traits Traits

	mu      sync.Mutex
	listed  bool
	err     error // why it could not be listed
	first   uint32
	entries []Entry          // grows if the family is endless
	ids     map[Probe]uint32 // of endless families
	named   int              // searches in others for a function that was named outright
	index   *index           // of others; nil before it pays
}

// NewRegistry returns a registry of the providers, in the order of listing.
func NewRegistry(providers ...Provider) *Registry {
	r := &Registry{sites: map[siteKey][]*Site{}, came: map[Probe]uint32{}}
	for _, p := range providers {
		f := &family{Provider: p, traits: p.Traits()}
		f.traits.Endless = f.traits.Endless || f.traits.varied()
		r.families = append(r.families, f)
	}
	return r
}

// A Family is what the registry tells of a provider.
type Family struct {
	Name    string
	Help    string
	Err     error // why it is unavailable, with the remedy; nil if it is not
	Endless bool
	Varied  bool // its providers are called after what they are of, such as a process
}

// Providers lists the families, those that are unavailable too. It begins with the last
// ones, which try the kernel: whoever asks for probes too asks the first ones first.
func (r *Registry) Providers() []Family {
	list := make([]Family, len(r.families))
	for i, f := range slices.Backward(r.families) {
		list[i] = Family{f.Name(), f.Help(), f.Available(), f.traits.Endless, f.traits.varied()}
	}
	return list
}

// list returns the i-th family with its usual probes numbered.
func (r *Registry) list(ctx context.Context, i int) (*family, error) {
	f := r.families[i]
	if f.traits.Endless {
		first := uint32(firstEndless + 1)
		for _, before := range r.families[:i] {
			if before.traits.Endless {
				first += uint32(before.block())
			}
		}
		return f, f.number(ctx, first)
	}
	first := uint32(1)
	for _, before := range r.families[:i] {
		if before.traits.Endless {
			continue
		}
		if err := before.number(ctx, first); err != nil {
			return nil, err
		}
		first += uint32(len(before.entries)) // which change no more
	}
	return f, f.number(ctx, first)
}

// number lists the family once. An unavailable family is empty.
func (f *family) number(ctx context.Context, first uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listed {
		return f.err
	}
	if f.Available() != nil {
		f.listed, f.first = true, first
		return nil
	}
	if f.traits.varied() { // numbered as they are asked for
		f.listed, f.first, f.ids = true, first, map[Probe]uint32{}
		return nil
	}
	var entries []Entry
	if f.traits.Count != nil {
		entries = make([]Entry, 0, f.traits.Count())
	}
	for p, err := range f.Match(ctx, Pattern{}) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err() // not the family's fault: ask again
			}
			f.listed, f.first = true, first
			f.err = fmt.Errorf("list the probes of %s: %w", f.Name(), err)
			return f.err
		}
		entries = append(entries, Entry{ID: first + uint32(len(entries)), Probe: p})
	}
	f.listed, f.first, f.entries = true, first, entries
	if f.traits.Endless {
		f.ids = make(map[Probe]uint32, len(entries))
		for _, e := range entries {
			f.ids[e.Probe] = e.ID
		}
	}
	return nil
}

// Closed is the error of a provider that was named and cannot be used here, or not by who
// asks.
type Closed struct {
	Provider string
	Err      error // why
}

func (e *Closed) Error() string {
	return "provider " + e.Provider + " is unavailable: " + e.Err.Error()
}

// Unwrap returns why the provider cannot be used.
func (e *Closed) Unwrap() error { return e.Err }

// Shut marks the error for package check.
func (e *Closed) Shut() {}

// Match returns the probes that pat covers, in the order of their numbers. If
// there are none the error is a *NoMatch, or a *Closed if the provider that was
// named is one. A pattern that names no provider also means what the processes carry that
// are followed. What is returned may be the registry's own: callers must not change it.
func (r *Registry) Match(ctx context.Context, pat Pattern, followed ...int) ([]Entry, error) {
	found, refused, err := r.match(ctx, pat, followed)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		if refused != nil {
			return nil, refused
		}
		return nil, r.noMatch(ctx, pat, followed)
	}
	return found, nil
}

// Covers reports whether there are probes that pat covers.
func (r *Registry) Covers(ctx context.Context, pat Pattern) bool {
	found, _, err := r.match(ctx, pat, nil)
	return err == nil && len(found) > 0
}

// covers reports whether the part of a description that names the provider can
// mean the family.
func (f *family) covers(name string) bool {
	if f.traits.varied() {
		return name == "" || f.traits.Covers(name)
	}
	return Glob(name, f.Name())
}

// owns reports whether e is one of the probes that were numbered.
func (f *family) owns(e Entry) bool {
	got, ok := f.at(e.ID)
	return ok && got.Probe == e.Probe
}

// ask has an endless family spell out pat, and numbers what is new. An error
// says what is wrong with the name.
func (f *family) ask(ctx context.Context, pat Pattern, followed []int) ([]Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.Match(ctx, pat)
	if f.traits.follows(pat, followed) {
		asked = f.traits.Within(ctx, pat, followed)
	}
	var found []Entry
	for p, err := range asked {
		if err != nil {
			return nil, err
		}
		id, err := f.name(p)
		if err != nil {
			return found, err
		}
		found = append(found, Entry{ID: id, Probe: p})
	}
	slices.SortFunc(found, byNumber)
	f.alias(found, pat)
	return found, nil
}

// name returns the number of a probe of an endless family, a new one if it has none. The
// caller holds the lock.
func (f *family) name(p Probe) (uint32, error) {
	if id, known := f.ids[p]; known {
		return id, nil
	}
	if len(f.entries) == f.block() {
		return 0, fmt.Errorf("%s: %d probes have been named already, which is the limit", f.Name(), f.block())
	}
	id := f.first + uint32(len(f.entries))
	f.ids[p] = id
	f.entries = append(f.entries, Entry{ID: id, Probe: p})
	return id, nil
}

// ByID finds the probe with a number.
func (r *Registry) ByID(ctx context.Context, id uint32) (Entry, error) {
	for i, f := range r.families {
		if f.traits.Endless != (id > firstEndless) {
			continue
		}
		listed, err := r.list(ctx, i)
		if err != nil {
			return Entry{}, err
		}
		if e, ok := listed.at(id); ok {
			return e, nil
		}
	}
	return Entry{}, &NoMatch{ID: id}
}

func (f *family) at(id uint32) (Entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id < f.first || id >= f.first+uint32(len(f.entries)) {
		return Entry{}, false
	}
	return f.entries[id-f.first], true
}

// Lookup finds the probe that is called exactly p.
func (r *Registry) Lookup(ctx context.Context, p Probe) (Entry, error) {
	pat := Pattern{quote(p.Provider), quote(p.Module), quote(p.Function), quote(p.Name)}
	found, err := r.Match(ctx, pat)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range found {
		if e.Probe == p {
			return e, nil
		}
	}
	return Entry{}, r.noMatch(ctx, pat, nil)
}
