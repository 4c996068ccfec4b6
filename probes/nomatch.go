package probes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/near"
)

// A Part is one of the four parts of a probe description.
type Part uint8

// The parts, in the order in which they are written.
const (
	ProviderPart Part = iota
	ModulePart
	FunctionPart
	NamePart
)

// String returns the part as it reads in a message.
func (p Part) String() string {
	return [...]string{"provider", "module", "function", "name"}[p]
}

// Of returns the part of a probe.
func (p Part) Of(q *Probe) string {
	switch p {
	case ProviderPart:
		return q.Provider
	case ModulePart:
		return q.Module
	case FunctionPart:
		return q.Function
	}
	return q.Name
}

// pick returns the part of a pattern.
func (p Part) pick(pat Pattern) string { return p.Of((*Probe)(&pat)) }

// A NoMatch says that a description covers no probe. Part, Nearest and Why are known once
// Hint has been asked.
type NoMatch struct {
	Pattern Pattern
	ID      uint32   // the number that was asked for; then Pattern is empty
	Part    Part     // the first part at which nothing is left
	Nearest []string // what that part could be instead, nearest first; may be empty
	Why     string   // why there is no such probe, if the provider knows; else ""

	look func(*NoMatch) // finds Part, Nearest and Why; nil if they are known
}

// Error says it as dtrace(1) does.
func (n *NoMatch) Error() string {
	if n.ID != 0 {
		return fmt.Sprintf("probe identifier %d does not match any probes", n.ID)
	}
	return "probe description " + n.Pattern.String() + " does not match any probes"
}

// Hint says why there is none, or which part fails and what is nearest to it; it may be
// empty. To find out may take longer than the question did that failed: whoever takes no
// match for no mistake does not ask.
func (n *NoMatch) Hint() string {
	if n.look != nil {
		n.look(n)
		n.look = nil
	}
	if n.ID != 0 {
		return ""
	}
	if n.Why != "" {
		return n.Why
	}
	s := fmt.Sprintf("no %s is called %s", n.Part, n.Part.pick(n.Pattern))
	if n.Part > ProviderPart && n.Pattern.Provider != "" {
		s += " there"
	}
	if len(n.Nearest) > 0 {
		s += "; there is " + strings.Join(n.Nearest, ", ")
	}
	return s
}

// Correct returns the part that fails as it was written, and what it could be instead.
func (n *NoMatch) Correct() (part string, instead []string) {
	n.Hint()
	return n.Part.pick(n.Pattern), n.Nearest
}

// maxNearest is how many names are suggested.
const maxNearest = 3

// noMatch says that nothing is called pat.
func (r *Registry) noMatch(ctx context.Context, pat Pattern, followed []int) error {
	return &NoMatch{Pattern: pat, look: func(n *NoMatch) { r.fails(ctx, n, followed) }}
}

// fails works out which part of a pattern fails: it leaves parts away from the
// right until something matches.
func (r *Registry) fails(ctx context.Context, n *NoMatch, followed []int) {
	pat := n.Pattern
	n.Why = r.explain(pat)
	parts := []Pattern{
		{},
		{Provider: pat.Provider},
		{Provider: pat.Provider, Module: pat.Module},
		{Provider: pat.Provider, Module: pat.Module, Function: pat.Function},
	}
	for i := len(parts) - 1; i >= 0; i-- {
		n.Part = Part(i)
		if n.Part.pick(pat) == "" {
			continue // what is left away fails nothing
		}
		if n.Part == ProviderPart && r.provides(pat.Provider) {
			n.Part = firstPart(pat) // of a family that lists nothing by itself
			return
		}
		rest, _, err := r.match(ctx, parts[i], followed)
		if err != nil {
			return
		}
		if len(rest) > 0 {
			n.Nearest = r.nearest(n.Part, pat, rest)
			return
		}
	}
}

// explain asks the families that pat may mean why it covers nothing.
func (r *Registry) explain(pat Pattern) string {
	for _, f := range r.families {
		if f.traits.Explain == nil || !f.covers(pat.Provider) || f.Available() != nil {
			continue
		}
		if why := f.traits.Explain(pat); why != "" {
			return why
		}
	}
	return ""
}

// provides reports whether the name of a provider, which is not "", means a family that
// lists nothing before it is asked for one function.
func (r *Registry) provides(name string) bool {
	return slices.ContainsFunc(r.families, func(f *family) bool { return f.traits.Endless && f.covers(name) && f.Available() == nil })
}

// firstPart returns the first part of a pattern, behind the provider, that says anything.
func firstPart(pat Pattern) Part {
	for p := ModulePart; p < NamePart; p++ {
		if p.pick(pat) != "" {
			return p
		}
	}
	return NamePart
}

// A candidate is a name that may have been meant.
type candidate struct {
	name string
	dist int
}

// nearest returns the names among the entries that are most like what pat asks
// for. One that a provider suggests goes first.
func (r *Registry) nearest(part Part, pat Pattern, entries []Entry) []string {
	want := part.pick(pat)
	limit := slips(want)
	seen := map[string]bool{"": true}
	var list []candidate
	add := func(name string, dist int) {
		if !seen[name] && dist <= limit {
			seen[name] = true
			list = append(list, candidate{name, dist})
		}
	}
	for _, f := range r.families {
		if f.traits.Suggest != nil && (part == ProviderPart || f.covers(pat.Provider)) {
			add(f.traits.Suggest(part, pat), 0)
		}
	}
	if part == ProviderPart {
		for _, f := range r.families { // also those that have nothing here
			if !f.traits.varied() {
				add(f.Name(), near.Distance(want, f.Name(), limit))
			}
		}
	}
	checked := "" // neighbours often share a part
	for i := range entries {
		if name := part.Of(&entries[i].Probe); name != checked {
			checked = name
			add(name, near.Distance(want, name, limit))
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range list[:min(len(list), maxNearest)] {
		names = append(names, c.name)
	}
	return names
}

// quote makes a pattern of a name that covers just that name.
func quote(name string) string {
	if !strings.ContainsAny(name, `*?[\`) {
		return name
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}

// IsNoMatch reports whether err says that a description covers no probe.
func IsNoMatch(err error) bool {
	var n *NoMatch
	return errors.As(err, &n)
}
