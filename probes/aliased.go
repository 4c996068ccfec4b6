package probes

import (
	"cmp"
	"context"
	"slices"
)

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

// alias notes with the probes that the family has found how they were asked for, if that
// matters.
func (f *family) alias(found []Entry, pat Pattern) {
	if f.traits.SitesAs == nil {
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
	if f.traits.Delegates == nil {
		return a
	}
	other, ok := f.traits.Delegates(pat)
	if !ok || other.Provider == f.Name() {
		return a
	}
	found, refused, err := r.match(ctx, other, nil)
	if len(found) > 0 {
		a.found = slices.Concat(found, a.found)
		slices.SortStableFunc(a.found, byNumber)
	}
	if a.refused == nil {
		a.refused = refused
	}
	a.err = err
	return a
}

func byNumber(a, b Entry) int { return cmp.Compare(a.ID, b.ID) }
