package probes

import (
	"context"
	"errors"
	"strings"
)

// A Modular provider may have more probes while a script runs, because modules of the
// kernel are loaded.
type Modular interface {
	Provider

	// Loaded yields the probes that pat covers of a module which has been loaded since
	// the provider's probes were listed. The provider's kernel knows of it.
	Loaded(ctx context.Context, pat Pattern, module string) ([]Probe, error)
}

// Awaits reports whether pat may come to cover more when a module of the kernel is
// loaded. What is found of it already says whether anything is left to wait for: a
// function or module that is named outright is there or is not.
func (r *Registry) Awaits(pat Pattern, found bool) bool {
	if found && (isName(pat.Module) || isName(pat.Function)) {
		return false
	}
	for _, f := range r.families {
		if _, ok := f.Provider.(Modular); ok && f.awaits(pat) {
			return true
		}
	}
	return false
}

// A Settled provider has probes of modules of the kernel, but of those modules alone that
// are loaded when a script starts.
type Settled interface {
	Provider
	Settled() string // what it probes: "tracepoints"; "" if it waits after all
}

// Unawaited returns what pat would cover of a module of the kernel that is loaded while a
// script runs, and is not waited for; "" if there is no such thing, or if the provider is
// not named outright.
func (r *Registry) Unawaited(pat Pattern) string {
	for _, f := range r.families {
		if s, ok := f.Provider.(Settled); ok && isName(pat.Provider) && f.awaits(pat) {
			return s.Settled()
		}
	}
	return ""
}

// isName reports whether a part of a pattern covers one name alone.
func isName(part string) bool { return part != "" && !strings.ContainsAny(part, `*?[\`) }

// awaits reports whether probes of the family may come that pat covers.
func (f *family) awaits(pat Pattern) bool {
	sieve, ok := f.Provider.(Sieve)
	return f.covers(pat.Provider) && (!ok || sieve.MayMatch(pat)) && f.Available() == nil
}

// Loaded returns the sites that pat covers in a module of the kernel which has been
// loaded since the probes were listed, and numbers them. If bare, they may lack the types
// of their arguments. What is wrong with some of them does not spoil the others.
func (r *Registry) Loaded(ctx context.Context, pat Pattern, module string, bare bool) ([]*Site, error) {
	var list []*Site
	var errs []error
	for _, f := range r.families {
		m, ok := f.Provider.(Modular)
		if !ok || !f.awaits(pat) {
			continue
		}
		found, err := m.Loaded(ctx, pat, module)
		errs = append(errs, err)
		for _, p := range found {
			s, err := ready(f.Provider, p, bare)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			s.ID = r.late(p)
			list = append(list, s)
		}
	}
	return list, errors.Join(errs...)
}

// ready returns the site of a probe.
func ready(p Provider, probe Probe, bare bool) (*Site, error) {
	if b, ok := p.(Barer); ok && bare {
		return b.Bare(probe)
	}
	return p.Site(probe)
}

// late numbers a probe that came after its family was listed, behind all others.
func (r *Registry) late(p Probe) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, known := r.came[p]; known {
		return id
	}
	id := uint32(firstEndless + 1 + len(r.came))
	for _, f := range r.families {
		if f.endless {
			id += uint32(f.block())
		}
	}
	r.came[p] = id
	return id
}
