package probes

import (
	"cmp"
	"context"
	"slices"
)

// An Aliased provider has probes that are also meant by descriptions that do not
// cover their names: kinst::inlined:entry are the places where the function was put
// into others, kinst:vmlinux:vfs_read:52 and the like. What such a probe means, and
// which arguments it has, depends on how it was asked for.
type Aliased interface {
	Scattered

	// SitesAs does what Sites does, for a probe that was asked for by a description.
	SitesAs(p Probe, as Pattern) ([]*Site, error)
}

// A Delegator is a provider that leaves part of what is asked of it to others.
type Delegator interface {
	Provider

	// Delegates returns what else a description means, of another provider.
	Delegates(pat Pattern) (Pattern, bool)
}

// A siteKey tells apart what sites are kept of.
type siteKey struct {
	id uint32
	as Pattern
}

func (e Entry) key() siteKey {
	if e.As == nil {
		return siteKey{id: e.ID}
	}
	return siteKey{e.ID, *e.As}
}

// alias notes with the probes that an Aliased family has found how they were asked
// for.
func (f *family) alias(found []Entry, pat Pattern) {
	if _, ok := f.Provider.(Aliased); !ok {
		return
	}
	for i := range found {
		if !pat.Matches(found[i].Probe) {
			found[i].As = &pat
		}
	}
}

// delegate adds to the answer of a family what it leaves to others.
func (r *Registry) delegate(ctx context.Context, f *family, pat Pattern, a answer) answer {
	d, ok := f.Provider.(Delegator)
	if !ok {
		return a
	}
	other, ok := d.Delegates(pat)
	if !ok || other.Provider == f.Name() {
		return a
	}
	found, refused, err := r.match(ctx, other)
	if len(found) > 0 {
		a.found = append(found, a.found...)
		slices.SortStableFunc(a.found, byNumber)
	}
	if a.refused == nil {
		a.refused = refused
	}
	a.err = err
	return a
}

func byNumber(a, b Entry) int { return cmp.Compare(a.ID, b.ID) }
