package probes

const (
	// endlessWeight is how many names are as much work as to ask an endless family: it
	// looks at the processes there are, or tries the kernel.
	endlessWeight = 1 << 12

	namedWeight  = 1 << 4 // to find a function that is named outright: see index
	failedWeight = 4      // times all names, to find which part of a description fails
)

// Weight returns how many names are compared with pat to find what it covers, or that it
// covers nothing, as far as the families have been listed.
func (r *Registry) Weight(pat Pattern, found bool) (names int) {
	for _, f := range r.families {
		switch {
		case !f.covers(pat.Provider) || !f.traits.mayMatch(pat):
		case f.traits.Endless:
			names += endlessWeight
		case found && isName(pat.Function):
			names += namedWeight
		default:
			f.mu.Lock()
			names += len(f.entries)
			f.mu.Unlock()
		}
	}
	if !found {
		names *= failedWeight
	}
	return names
}
