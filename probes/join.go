package probes

import (
	"context"
	"iter"
	"slices"
)

// A joined provider has the probes of two of one name: those that the kernel has, and
// those that are made of others.
type joined struct {
	Provider
	made Scattered
}

// Join makes one provider of p and of that in list which has its name, and returns the
// list without that one.
func Join(p Provider, list []Provider) (Provider, []Provider) {
	i := slices.IndexFunc(list, func(q Provider) bool { return q.Name() == p.Name() })
	if i < 0 {
		return p, list
	}
	made, ok := list[i].(Scattered)
	if !ok {
		return p, list
	}
	return &joined{p, made}, slices.Delete(slices.Clone(list), i, i+1)
}

// MayMatch rules out what neither may have.
func (j *joined) MayMatch(pat Pattern) bool {
	return mayMatch(j.Provider, pat) || mayMatch(j.made, pat)
}

func mayMatch(p Provider, pat Pattern) bool {
	s, ok := p.(Sieve)
	return !ok || s.MayMatch(pat)
}

// Match yields the probes of the first, then those of the other.
func (j *joined) Match(ctx context.Context, pat Pattern) iter.Seq2[Probe, error] {
	return func(yield func(Probe, error) bool) {
		for _, p := range []Provider{j.Provider, j.made} {
			for q, err := range p.Match(ctx, pat) {
				if !yield(q, err) {
					return
				}
			}
		}
	}
}

// Suggest asks the first, which has the names that people know.
func (j *joined) Suggest(part Part, pat Pattern) string {
	if s, ok := j.Provider.(Suggester); ok {
		return s.Suggest(part, pat)
	}
	return ""
}

// Settled says it of the first; what is made of others comes and goes with them.
func (j *joined) Settled() string {
	if s, ok := j.Provider.(Settled); ok {
		return s.Settled()
	}
	return ""
}

// Site returns the first place at which p fires.
func (j *joined) Site(p Probe) (*Site, error) { return First(j.Sites(p)) }

// Sites asks the one that has p.
func (j *joined) Sites(p Probe) ([]*Site, error) {
	sites, err := j.made.Sites(p)
	if !IsNoMatch(err) {
		return sites, err
	}
	s, err := j.Provider.Site(p)
	return []*Site{s}, err
}

// Declared asks the one that declares probes.
func (j *joined) Declared(p Probe) *Site {
	if d, ok := j.made.(Declarer); ok {
		return d.Declared(p)
	}
	return nil
}
