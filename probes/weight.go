package probes

// endlessWeight is how many names are as much work as to ask an endless family: it
// looks at the processes there are, or tries the kernel.
const endlessWeight = 1 << 12

// Weight returns how many names are compared with pat to find what it covers, as far
// as the families have been listed.
func (r *Registry) Weight(pat Pattern) (names int) {
	for _, f := range r.families {
		if !f.covers(pat.Provider) || !f.traits.mayMatch(pat) {
			continue
		}
		if f.traits.Endless {
			names += endlessWeight
			continue
		}
		f.mu.Lock()
		names += len(f.entries)
		f.mu.Unlock()
	}
	return names
}
