package probes

import "fmt"

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
		if e.As != nil {
			return f.traits.SitesAs(e.Probe, *e.As)
		}
		return f.traits.sites(f.Provider, e.Probe)
	}
	return nil, fmt.Errorf("there is no provider %s", e.Provider)
}

// Bare is Sites, but may leave the typed arguments out.
func (r *Registry) Bare(e Entry) ([]*Site, error) {
	r.mu.Lock()
	list := r.sites[e.key()]
	r.mu.Unlock()
	if list != nil {
		return list, nil
	}
	for _, f := range r.families {
		if !f.owns(e) {
			continue
		}
		if f.traits.Bare == nil {
			break
		}
		list, err := f.traits.Bare(e.Probe)
		if err != nil {
			return nil, fmt.Errorf("probe %s: %w", e.Probe, err)
		}
		for _, s := range list {
			s.ID = e.ID
		}
		return list, nil
	}
	return r.Sites(e)
}

// Site makes a probe ready for the compiler, at the first of its places. Sites are
// shared: callers must not change them.
func (r *Registry) Site(e Entry) (*Site, error) {
	list, err := r.Sites(e)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Declared returns what is known of a probe that cannot be had: a site without a
// hook, which may be empty.
func (r *Registry) Declared(e Entry) *Site {
	for _, f := range r.families {
		if f.traits.Declared != nil && f.owns(e) {
			if s := f.traits.Declared(e.Probe); s != nil {
				return s
			}
		}
	}
	return &Site{Probe: e.Probe}
}

// forget lets the places of probes be worked out anew that have been looked for
// again: a process executes other files by now, or is another process.
func (r *Registry) forget(f *family, entries []Entry) {
	if !f.traits.varied() {
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
