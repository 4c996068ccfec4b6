package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// shareFrom is the number of tracepoints with the same clauses from which on
// they share one raw program instead of having one with BTF each. Loading one
// more program costs about a millisecond, a shared one a few ns a firing.
const shareFrom = 8

// A Unit is a program in the making: a hook, its sites, and the clauses that
// the sites fire.
type Unit struct {
	Hooks   []probes.Hook // one, unless the unit is shared
	Special string
	Sites   []*probes.Site
	Clauses []unitClause
	has     map[uint32]bool // ids of sites, once there are several
	begun   int             // the number of the description that was last gathered
	derived *check.Derived  // how its sites are made of their hooks; nil if these are the sites' own
	divided bool            // one of those that a unit was divided into
	made    string          // what the clauses read of the only site, spelled: see spell
}

// A unitClause is a clause and the keys of the sites that fire it.
type unitClause struct {
	Clause *check.Clause
	keys   []uint32
}

// unitKey tells units apart. A tracepoint has several names, one for each
// provider that shows it; each of them fires by itself.
type unitKey struct {
	hook     probes.Hook
	provider string
	derived  *probes.Derivation // a probe that is made of a hook has a unit of its own
	id       uint32             // of places of processes, of which several probes may be one
	jump     probes.Condition   // on which the site fires
	operands string             // of instructions, at which several functions may be entered that were inlined
}

// A choice says which sites of a description of a clause are to be gathered.
type choice func(c *check.Clause, i int) []*probes.Site

// enabled chooses all that was found when the script was checked.
func enabled(c *check.Clause, i int) []*probes.Site {
	return SitesOf(&c.Probes[i])
}

// Group gathers the chosen sites into units: one for each hook, and one for all
// tracepoints that fire the same clauses if these are many. Those that are in bulk units
// are left out.
func Group(p *check.Program, chosen choice, many *bulks, cookies, tramp func() bool) []*Unit {
	var units, states []*Unit
	before := stateUnits{}
	byKey := map[unitKey]*Unit{}
	unitOf := func(s *probes.Site) *Unit {
		k := unitKey{hook: s.Hook, derived: s.Derived}
		if s.Hook.Select == probes.Sole {
			k.provider = s.Probe.Provider
		}
		if s.Hook.Kind == probes.User && !IsPattern(s.Hook) {
			k.id = s.ID
		}
		if k.jump = s.Jump; s.Hook.Kind == probes.Instruction && s.Operands != nil {
			k.operands = fmt.Sprint(s.Operands)
		}
		u := byKey[k]
		if u == nil {
			u = &Unit{Hooks: []probes.Hook{s.Hook}, Special: special(s)}
			if s.Derived != nil {
				u.derived = p.Derived[s.Derived]
				states = before.add(states, p, s.Probe.Provider, s.Derived.State)
			}
			byKey[k] = u
			units = append(units, u)
		}
		return u
	}
	described := 0
	for _, c := range p.Clauses {
		for i := range c.Probes {
			described++ // a clause with two descriptions fires twice
			for _, s := range chosen(c, i) {
				if gone(p, s) || many.has(described, s) {
					continue
				}
				u := unitOf(s)
				u.addSite(s)
				if u.begun != described {
					u.begun = described
					u.Clauses = append(u.Clauses, unitClause{Clause: c})
				}
				last := &u.Clauses[len(u.Clauses)-1]
				last.keys = append(last.keys, s.Key)
			}
		}
	}
	for _, u := range units {
		u.settle()
		u.spell(p)
		u.finish()
	}
	states, units = mergeAll(states, units, cookies, tramp)
	return append(append(states, many.units...), units...)
}

// special returns BEGIN, END or ERROR if that is what s is.
func special(s *probes.Site) string {
	if s.Hook.Kind == probes.Test {
		return s.Probe.Name
	}
	return ""
}

func (u *Unit) addSite(s *probes.Site) {
	switch {
	case len(u.Sites) == 0 || len(u.Sites) == 1 && u.Sites[0].ID == s.ID:
		u.Sites = append(u.Sites[:0], s)
		return
	case len(u.Sites) == 1:
		u.has = map[uint32]bool{u.Sites[0].ID: true}
	}
	if !u.has[s.ID] {
		u.has[s.ID] = true
		u.Sites = append(u.Sites, s)
	}
}

// settle sorts the sites and forgets key sets that hold every site.
func (u *Unit) settle() {
	u.has = nil
	slices.SortFunc(u.Sites, func(a, b *probes.Site) int { return cmp.Compare(a.Key, b.Key) })
	for i := range u.Clauses {
		c := &u.Clauses[i]
		slices.Sort(c.keys)
		c.keys = slices.Compact(c.keys)
		if len(c.keys) == len(u.Sites) {
			c.keys = nil
		}
	}
}

// Served returns nil, or why a description of p comes to nothing if some of its
// hooks are missing.
func Served(p *check.Program, missing map[probes.Hook]error) error {
	for _, c := range p.Clauses {
		for _, set := range c.Probes {
			sites := SitesOf(&set)
			there := func(s *probes.Site) bool { return !gone(p, s) && missing[s.Hook] == nil }
			if len(sites) > 0 && !slices.ContainsFunc(sites, there) && !mayReturn(&set, missing[sites[0].Hook]) {
				return missing[sites[0].Hook]
			}
		}
	}
	return nil
}

// mayReturn reports whether a description that comes to nothing, because the process has
// ended in which it was found, may come to cover others.
func mayReturn(set *check.ProbeSet, err error) bool {
	return set.Open != nil && errors.Is(err, syscall.ESRCH)
}

// Lowering returns u as lower wants it.
func (u *Unit) Lowering(name string) lower.Unit {
	l := lower.Unit{Name: name, Special: u.Special, Derived: u.derived, Progeny: u.progeny(), Open: IsPattern(u.Hooks[0])}
	if h := u.Hooks[0]; h.Kind == probes.Timer {
		l.Timer, l.Clock = true, !h.PerCPU
	}
	if len(u.Sites) > 0 {
		l.Jump = uint8(u.Sites[0].Jump)
		for _, pid := range u.Sites[0].Except {
			l.Except = append(l.Except, int64(pid))
		}
	}
	for _, s := range u.Sites {
		l.Sites = append(l.Sites, lower.Site{Key: s.Key, ID: s.ID, Provider: s.Probe.Provider,
			Module: s.Probe.Module, Function: s.Probe.Function, Name: s.Probe.Name, Operands: operands(s.Operands)})
	}
	for _, c := range u.Clauses {
		l.Clauses = append(l.Clauses, lower.UnitClause{Clause: c.Clause, Keys: ir.KeySet(c.keys)})
	}
	return l
}

// alone reports whether the programs of this kind cannot run in the middle of
// one another on a CPU: test runs are made by the engine one at a time, and programs of
// system calls run only where a thread enters or leaves the kernel. From 7.0 on the kernel
// may take the CPU from the thread meanwhile.
func (u *Unit) alone(preempted bool) bool {
	h := u.Hooks[0]
	return h.Select == probes.BySyscall && !preempted || h.Kind == probes.Test
}

// generating returns u as codegen wants it.
func (u *Unit) generating() *codegen.Unit {
	return &codegen.Unit{Hook: u.Hooks[0], Sites: u.Sites, Part: u.divided, Shared: len(u.Hooks) > 1, Hooks: u.Hooks}
}
