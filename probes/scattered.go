package probes

import "fmt"

// A Scattered provider has probes that lie at several places under one name: the
// compiler copied the code that they are in. One enabled probe then is several
// hooks, and its arguments lie elsewhere at each.
type Scattered interface {
	Provider

	// Sites does what Site does, for each place of the probe.
	Sites(p Probe) ([]*Site, error)
}

// A ScatteredBarer is a Scattered provider that can leave the typed arguments out.
type ScatteredBarer interface {
	Scattered

	// BareSites is Sites without the typed arguments.
	BareSites(p Probe) ([]*Site, error)
}

// bare has a provider work out sites without typed arguments, if it can.
func bare(p Provider, pr Probe) (list []*Site, ok bool, err error) {
	switch b := p.(type) {
	case ScatteredBarer:
		list, err = b.BareSites(pr)
		return list, true, err
	case Barer:
		s, err := b.Bare(pr)
		return []*Site{s}, true, err
	}
	return nil, false, nil
}

// Sites makes a probe ready for the compiler, at each of its places; most have
// one. Sites are shared: callers must not change them.
func (r *Registry) Sites(e Entry) ([]*Site, error) {
	r.mu.Lock()
	list := r.sites[e.key()]
	r.mu.Unlock()
	if list != nil {
		return list, nil
	}
	made, err := r.make(e)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", e.Probe, err)
	}
	for _, m := range made {
		site := *m
		site.ID = e.ID
		list = append(list, &site)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.sites[e.key()]; other != nil {
		return other, nil
	}
	r.sites[e.key()] = list
	return list, nil
}

// make has the provider of a probe work out its sites.
func (r *Registry) make(e Entry) ([]*Site, error) {
	for _, f := range r.families {
		if !f.owns(e) {
			continue
		}
		if s, ok := f.Provider.(Aliased); ok && e.As != nil {
			return s.SitesAs(e.Probe, *e.As)
		}
		if s, ok := f.Provider.(Scattered); ok {
			return s.Sites(e.Probe)
		}
		s, err := f.Site(e.Probe)
		return []*Site{s}, err
	}
	return nil, fmt.Errorf("there is no provider %s", e.Provider)
}

// forget lets the places of probes be worked out anew that have been looked for
// again: a process executes other files by now, or is another process.
func (r *Registry) forget(f *family, entries []Entry) {
	if _, ok := f.Provider.(Varied); !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range entries {
		delete(r.sites, siteKey{id: e.ID})
	}
}

// First returns the first of the sites of a probe, for providers that know them all.
func First(list []*Site, err error) (*Site, error) {
	if err != nil {
		return nil, err
	}
	return list[0], nil
}
