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
	made       Provider
	has, makes Traits
}

// Join makes one provider of p and of that in list which has its name, and returns the
// list without that one.
func Join(p Provider, list []Provider) (Provider, []Provider) {
	i := slices.IndexFunc(list, func(q Provider) bool { return q.Name() == p.Name() })
	if i < 0 {
		return p, list
	}
	return &joined{p, list[i], p.Traits(), list[i].Traits()}, slices.Delete(slices.Clone(list), i, i+1)
}

// Traits are those of the first, which has the names that people know. What is made of
// others comes and goes with them, and is declared.
func (j *joined) Traits() Traits {
	return Traits{MayMatch: j.mayMatch, Count: j.has.Count, Sites: j.sites, Declared: j.makes.Declared,
		Suggest: j.has.Suggest, Explain: j.has.Explain, Settled: j.has.Settled}
}

// mayMatch rules out what neither may have.
func (j *joined) mayMatch(pat Pattern) bool { return j.has.mayMatch(pat) || j.makes.mayMatch(pat) }

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

// Site returns the first place at which p fires.
func (j *joined) Site(p Probe) (*Site, error) { return First(j.sites(p)) }

// sites asks the one that has p.
func (j *joined) sites(p Probe) ([]*Site, error) {
	sites, err := j.makes.sites(j.made, p)
	if !IsNoMatch(err) {
		return sites, err
	}
	return j.has.sites(j.Provider, p)
}
