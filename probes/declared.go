package probes

// A Declarer is a provider that knows the arguments of its probes, and what they
// mean, on a kernel that cannot give them too.
type Declarer interface {
	Provider

	// Declared returns a site without a hook, or nil if nothing is known.
	Declared(p Probe) *Site
}

// Declared returns what is known of a probe that cannot be had: a site without a
// hook, which may be empty.
func (r *Registry) Declared(e Entry) *Site {
	for _, f := range r.families {
		if d, ok := f.Provider.(Declarer); ok && f.owns(e) {
			if s := d.Declared(e.Probe); s != nil {
				return s
			}
		}
	}
	return &Site{Probe: e.Probe}
}
