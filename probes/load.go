package probes

import (
	"context"
	"errors"
	"strings"
)

// Awaits reports whether pat may come to cover more when a module of the kernel is
// loaded. What is found of it already says whether anything is left to wait for: a
// function or module that is named outright is there or is not.
func (r *Registry) Awaits(pat Pattern, found bool) bool {
	if found && (isName(pat.Module) || isName(pat.Function)) {
		return false
	}
	for _, f := range r.families {
		if f.traits.Loaded != nil && f.awaits(pat) {
			return true
		}
	}
	return false
}

// Unawaited returns what pat would cover of a module of the kernel that is loaded while a
// script runs, and is not waited for; "" if there is no such thing, or if the provider is
// not named outright.
func (r *Registry) Unawaited(pat Pattern) string {
	for _, f := range r.families {
		if f.traits.Settled != "" && isName(pat.Provider) && f.awaits(pat) {
			return f.traits.Settled
		}
	}
	return ""
}

// isName reports whether a part of a pattern covers one name alone.
func isName(part string) bool { return part != "" && !strings.ContainsAny(part, `*?[\`) }

// awaits reports whether probes of the family may come that pat covers.
func (f *family) awaits(pat Pattern) bool {
	return f.covers(pat.Provider) && f.traits.mayMatch(pat) && f.Available() == nil
}

// Loaded returns the sites that pat covers in a module of the kernel which has been
// loaded since the probes were listed, and numbers them. If bare, they may lack the types
// of their arguments. What is wrong with some of them does not spoil the others.
func (r *Registry) Loaded(ctx context.Context, pat Pattern, module string, bare bool) ([]*Site, error) {
	var list []*Site
	var errs []error
	for _, f := range r.families {
		if f.traits.Loaded == nil || !f.awaits(pat) {
			continue
		}
		found, err := f.traits.Loaded(ctx, pat, module)
		errs = append(errs, err)
		for _, p := range found {
			sites, err := f.ready(p, bare)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			for _, s := range sites {
				s.ID = r.late(p)
			}
			list = append(list, sites...)
		}
	}
	return list, errors.Join(errs...)
}

// ready returns the sites of a probe of the family.
func (f *family) ready(p Probe, bare bool) ([]*Site, error) {
	if bare && f.traits.Bare != nil {
		return f.traits.Bare(p)
	}
	return f.traits.sites(f.Provider, p)
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
		if f.traits.Endless {
			id += uint32(f.block())
		}
	}
	r.came[p] = id
	return id
}
