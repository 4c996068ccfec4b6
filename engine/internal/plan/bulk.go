package plan

import (
	"slices"

	"dscope.dev/dlang/check"
	"dscope.dev/probes"
)

// Scripts that trace functions often trace all of them: fbt:::entry. To gather
// tens of thousands of units, compare and merge them would take longer than all the
// rest of compiling. So what one description covers and no other does becomes
// a unit at once.

// BulkFrom is the number of functions of one description from which on it is worth
// the trouble.
const BulkFrom = 256

// bulks are the units that are made so.
type bulks struct {
	units []*Unit
	made  map[bulkKey]bool
	owner map[uint32]int // the number of the description that covers a function; -1 if several do
	only  int            // if not 0: the one description that covers functions; there is no owner then
}

// owns reports whether a description, and no other, covers the function of s.
func (b *bulks) owns(description int, s *probes.Site) bool {
	if b.only != 0 {
		return b.only == description && s.Hook.Kind == probes.Function && s.Derived == nil
	}
	owner, ok := b.owner[s.ID]
	return ok && owner == description
}

// A bulkKey tells the units of one description apart: entry from return, and
// the providers, as for all units.
type bulkKey struct {
	description int
	returns     bool
	provider    string
}

func keyOf(description int, s *probes.Site) bulkKey {
	return bulkKey{description, s.Hook.Return, s.Probe.Provider}
}

// NewBulks finds the functions of which one description covers many.
func NewBulks(p *check.Program) *bulks {
	b := &bulks{}
	large, sets, last := false, 0, 0
	eachSet(p, func(n int, _ *check.Clause, sites []*probes.Site) {
		large = large || len(sites) >= BulkFrom
		if slices.ContainsFunc(sites, func(s *probes.Site) bool { return s.Hook.Kind == probes.Function }) {
			sets, last = sets+1, n
		}
	})
	if !large {
		return b
	}
	b.made = map[bulkKey]bool{}
	if sets == 1 {
		b.only = last
		eachSet(p, b.gather)
		return b
	}
	b.owner = map[uint32]int{}
	eachSet(p, func(n int, _ *check.Clause, sites []*probes.Site) {
		for _, s := range sites {
			if s.Hook.Kind != probes.Function || s.Derived != nil {
				continue
			}
			if _, twice := b.owner[s.ID]; twice {
				b.owner[s.ID] = -1
				continue
			}
			b.owner[s.ID] = n
		}
	})
	eachSet(p, b.gather)
	return b
}

// gather makes the units of one description.
func (b *bulks) gather(n int, c *check.Clause, sites []*probes.Site) {
	count := map[bulkKey]int{}
	for _, s := range sites {
		if b.owns(n, s) {
			count[keyOf(n, s)]++
		}
	}
	units, keyed := map[bulkKey]*Unit{}, map[bulkKey][]probes.Site{}
	for _, s := range sites {
		k := keyOf(n, s)
		if !b.owns(n, s) || count[k] < BulkFrom {
			continue
		}
		u := units[k]
		if u == nil {
			u = &Unit{Clauses: []unitClause{{Clause: c}},
				Hooks: make([]probes.Hook, 0, count[k]), Sites: make([]*probes.Site, 0, count[k])}
			units[k], keyed[k], b.made[k] = u, make([]probes.Site, count[k]), true
			b.units = append(b.units, u)
		}
		i := len(u.Sites)
		site := &keyed[k][i]
		*site = *s
		site.Key = uint32(i + 1) // the cookie; 0 would be none
		u.Hooks, u.Sites = append(u.Hooks, s.Hook), append(u.Sites, site)
	}
}

// has reports whether a site of a description is in one of the units.
func (b *bulks) has(description int, s *probes.Site) bool {
	return b.made != nil && b.owns(description, s) && b.made[keyOf(description, s)]
}

// eachSet calls f with the sites of each description, which are numbered from 1.
func eachSet(p *check.Program, f func(n int, c *check.Clause, sites []*probes.Site)) {
	n := 0
	for _, c := range p.Clauses {
		for _, set := range c.Probes {
			n++
			sites := SitesOf(&set)
			f(n, c, sites)
		}
	}
}
