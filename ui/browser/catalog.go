package browser

import (
	"cmp"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
)

// A Catalog is all probes of a machine, in order and ready for searching. It
// takes some milliseconds to build and is built off the screen's goroutine.
type Catalog struct {
	probes    []trace.Probe
	index     *index
	providers []trace.ProviderInfo // every family, by name
	parts     map[string]span      // where the probes of a family lie
	families  map[string]bool      // those that are told of, which are of no process

	process *trace.ProcessInfo // whose probes they are; nil if they are the machine's
	read    map[string]bool    // of its files, by path: whether their functions are here
}

// A span is the probes [from, to).
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// NewCatalog builds a catalog of probes and of the families that they are of;
// a family without probes is listed with the reason.
func NewCatalog(probes []trace.Probe, infos []trace.ProviderInfo) *Catalog {
	if !slices.IsSortedFunc(probes, compareProbes) {
		probes = slices.Clone(probes)
		slices.SortFunc(probes, compareProbes)
	}
	c := &Catalog{probes: probes, index: newIndex(probes), providers: slices.Clone(infos), parts: map[string]span{}, families: map[string]bool{}}
	for _, i := range infos {
		c.families[i.Name] = true
	}
	for _, s := range groups(probes, span{0, len(probes)}, providerLevel) {
		name := probes[s.from].Provider
		c.parts[name] = s
		if !slices.ContainsFunc(infos, func(i trace.ProviderInfo) bool { return i.Name == name }) {
			c.providers = append(c.providers, trace.ProviderInfo{Name: name})
		}
	}
	slices.SortStableFunc(c.providers, func(a, b trace.ProviderInfo) int {
		return cmp.Or(cmp.Compare(standing(a), standing(b)), strings.Compare(a.Name, b.Name))
	})
	return c
}

// standing puts families that this machine lacks behind the others.
func standing(p trace.ProviderInfo) int {
	if p.Unavailable != "" {
		return 1
	}
	return 0
}

// Len returns how many probes there are.
func (c *Catalog) Len() int { return len(c.probes) }

func compareProbes(a, b trace.Probe) int {
	return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Module, b.Module),
		strings.Compare(a.Function, b.Function), strings.Compare(a.Name, b.Name))
}

// A level is one part of a probe's name.
type level uint8

const (
	providerLevel level = iota
	moduleLevel
	functionLevel
	nameLevel
)

func part(p *trace.Probe, l level) string {
	switch l {
	case providerLevel:
		return p.Provider
	case moduleLevel:
		return p.Module
	case functionLevel:
		return p.Function
	}
	return p.Name
}

// groups splits s where the part of the name at level l changes.
func groups(probes []trace.Probe, s span, l level) []span {
	var out []span
	for from := s.from; from < s.to; {
		name := part(&probes[from], l)
		to := from + 1
		for to < s.to && part(&probes[to], l) == name {
			to++
		}
		out = append(out, span{from, to})
		from = to
	}
	return out
}

// A row is one line of the tree or of a search result.
type row struct {
	span          // the probes below it
	level  level  // the last part of the name that all of them share
	depth  int    // indentation
	label  string // the parts of the name that this line adds
	open   bool
	leaf   bool   // one probe
	reason string // why a family has nothing; "" if it has
	files  bool   // the files of a process are below it
	file   int    // the file of the process that it is, counted from 1; 0 if it is none
}

// roots returns the lines of the families.
func (c *Catalog) roots() []row {
	var out []row
	for _, p := range c.providers {
		s := c.parts[p.Name]
		out = append(out, row{span: s, label: p.Name, reason: p.Unavailable, files: c.process != nil && p.Name == functionsOf(c.process)})
	}
	return out
}

// children returns the lines below r. Parts of a name that say nothing are
// passed over, and a branch with a single probe is that probe.
func (c *Catalog) children(r row) []row {
	if r.files {
		return c.files(r)
	}
	l := r.level + 1
	for l < nameLevel {
		g := groups(c.probes, r.span, l)
		if len(g) != 1 || part(&c.probes[g[0].from], l) != "" {
			break
		}
		l++
	}
	var out []row
	for _, s := range groups(c.probes, r.span, l) {
		child := row{span: s, level: l, depth: r.depth + 1, label: part(&c.probes[s.from], l)}
		if s.len() == 1 {
			child.leaf, child.level = true, nameLevel
			child.label = tail(&c.probes[s.from], l)
		}
		if child.label == "" {
			child.label = "(none)"
		}
		out = append(out, child)
	}
	return out
}

// tail returns the parts of a name from level l on, as far as they say anything.
func tail(p *trace.Probe, l level) string {
	var parts []string
	for ; l <= nameLevel; l++ {
		if s := part(p, l); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ":")
}
