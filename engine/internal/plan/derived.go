package plan

import (
	"dscope.dev/dlang/check"
	"dscope.dev/probes"
)

// A probe that is made of another one has a unit of its own: a program at the
// hook of the other, with the condition and the arguments of its derivation. Those
// that come to the same program share it (share.go). What
// it needs to have been noted by earlier firings of other hooks is noted by units
// without a probe, one for each State, which are attached before all others.

// Derivations returns what the checker must know of those of sites that are made
// of others, and counts the rest.
func Derivations(sites []*probes.Site) (list []check.Derivation, own int) {
	for _, s := range sites {
		if s.Derived == nil {
			own++
			continue
		}
		d := s.Derived
		x := check.Derivation{ID: d, Name: s.Probe.String(), Hook: CheckArgs(d.On.Args), When: d.When,
			Values: d.Values, Types: d.Types, Then: d.Then}
		for _, st := range d.State {
			x.State = append(x.State, check.Derivation{ID: st, Name: s.Probe.String(), Hook: CheckArgs(st.On.Args),
				When: st.When, Then: st.Do})
		}
		list = append(list, x)
	}
	return list, own
}

// CheckArgs returns arguments as the checker takes them.
func CheckArgs(args []probes.Arg) []check.Arg {
	var list []check.Arg
	for _, a := range args {
		list = append(list, check.Arg{Name: a.Name, Type: a.Type, Slot: a.Slot, User: a.User, Why: a.Why, As: a.As})
	}
	return list
}

// gone reports whether s is made of what this machine has not.
func gone(p *check.Program, s *probes.Site) bool {
	if s.Derived == nil {
		return false
	}
	d := p.Derived[s.Derived]
	return d == nil || d.Err != nil
}

// stateUnits knows which states have their unit.
type stateUnits map[*probes.State]bool

// add appends the units of those states that have none yet.
func (b stateUnits) add(units []*Unit, p *check.Program, provider string, states []*probes.State) []*Unit {
	for _, st := range states {
		d := p.Derived[st]
		if b[st] || d.Then == nil {
			continue
		}
		b[st] = true
		site := *st.On
		site.ID = 0
		units = append(units, &Unit{
			Hooks:   []probes.Hook{site.Hook},
			Sites:   []*probes.Site{&site},
			Clauses: []unitClause{{Clause: d.Then}},
			derived: &check.Derived{When: d.When},
			made:    spelled(provider, st.On, append([]string{st.When}, st.Do...)),
		})
	}
	return units
}

// finish adds to u what its derivation does at the end of a firing.
func (u *Unit) finish() {
	if u.derived != nil && u.derived.Then != nil {
		u.Clauses = append(u.Clauses, unitClause{Clause: u.derived.Then})
	}
}
