package probes

import (
	"context"
	"iter"
)

// Traits are what sets a provider apart from most. Those that are left out, nil, "" or false,
// it does not have.
type Traits struct {
	// Endless says that there are more probes than can be listed, such as profile-N.
	Endless bool

	// Covers makes the provider a family of many names, such as pid1234: it reports whether
	// a name, which may be a glob, can be one of them, and Name is what the family is called
	// as a whole. Such a provider is endless, and nothing of it is numbered before it is
	// asked for.
	Covers func(name string) bool

	// Within does what Match does, in some processes alone, for a pattern that names no
	// provider: of a family of many names it then means those of processes that are followed.
	Within func(ctx context.Context, pat Pattern, pids []int) iter.Seq2[Probe, error]

	// MayMatch tells at once, without listing anything, that there is no probe for a
	// pattern.
	MayMatch func(Pattern) bool

	// Count returns about how many probes there are, where they are many.
	Count func() int

	// Sites does what Site does for each place of a probe, where the compiler copied the
	// code that probes are in: one enabled probe then is several hooks, and its arguments
	// lie elsewhere at each.
	Sites func(p Probe) ([]*Site, error)

	// Bare is Sites without the typed arguments, where to work them out for all probes
	// takes long.
	Bare func(p Probe) ([]*Site, error)

	// SitesAs does what Sites does, for a probe that was asked for by a description that
	// does not cover its name: kinst::inlined:entry are the places where the function was
	// put into others, kinst:vmlinux:vfs_read:52 and the like. What such a probe means, and
	// which arguments it has, depends on how it was asked for.
	SitesAs func(p Probe, as Pattern) ([]*Site, error)

	// Declared returns a site without a hook: the arguments of a probe and what they mean,
	// also on a kernel that cannot give the probe. It returns nil if nothing is known.
	Declared func(p Probe) *Site

	// Delegates returns what else a description means, of another provider.
	Delegates func(pat Pattern) (Pattern, bool)

	// Suggest returns what the provider calls what pat means and is called otherwise
	// elsewhere, or "".
	Suggest func(part Part, pat Pattern) string

	// Explain says why pat, which names a probe, covers nothing, or "".
	Explain func(pat Pattern) string

	// Loaded returns the probes that pat covers of a module of the kernel which has been
	// loaded since the provider's probes were listed. The provider's kernel knows of it.
	Loaded func(ctx context.Context, pat Pattern, module string) ([]Probe, error)

	// Settled is what the provider has of those modules alone that are loaded when a script
	// starts: "tracepoints".
	Settled string

	// Grows returns the processes in which pat may come to cover more while a script runs,
	// as programs are started and libraries are loaded: 0 for every one, none if it may not.
	Grows func(pat Pattern) []int

	// Arrived returns the sites that pat covers in a file of a process, of a provider that
	// grows.
	Arrived func(pat Pattern, a Arrival) ([]*Site, error)
}

// varied reports whether a provider is a family of many names.
func (t *Traits) varied() bool { return t.Covers != nil }

// follows reports whether a pattern means processes that are followed.
func (t *Traits) follows(pat Pattern, followed []int) bool {
	return t.Within != nil && len(followed) > 0 && pat.Provider == "" && pat != Pattern{}
}

// mayMatch reports whether there may be a probe for a pattern.
func (t *Traits) mayMatch(pat Pattern) bool { return t.MayMatch == nil || t.MayMatch(pat) }

// sites returns every place of a probe of p, whose traits t are.
func (t *Traits) sites(p Provider, probe Probe) ([]*Site, error) {
	if t.Sites != nil {
		return t.Sites(probe)
	}
	s, err := p.Site(probe)
	return []*Site{s}, err
}
