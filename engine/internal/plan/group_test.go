package plan

import (
	"errors"
	"fmt"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/probes"
)

func tracepointSite(id uint32, name string) *probes.Site {
	return &probes.Site{ID: id, Probe: probes.Probe{Provider: "sdt", Name: name},
		Hook: probes.Hook{Kind: probes.Tracepoint, Target: name}}
}

// Program is a script of one clause for each list of descriptions.
func program(clauses ...[][]*probes.Site) *check.Program {
	p := &check.Program{}
	for i, sets := range clauses {
		c := &check.Clause{Index: i}
		for _, sites := range sets {
			c.Probes = append(c.Probes, check.ProbeSet{Sites: Sites(sites), Count: len(sites)})
		}
		p.Clauses = append(p.Clauses, c)
	}
	return p
}

// grouped gathers all sites of a script.
func grouped(p *check.Program, cookies, tramp func() bool) []*Unit {
	return Group(p, enabled, NewBulks(p), cookies, tramp)
}

// TestServed takes hooks away: a glob that still has one serves, a description
// that has none does not.
func TestServed(t *testing.T) {
	a, b := tracepointSite(1, "a"), tracepointSite(2, "b")
	p := program([][]*probes.Site{{a, b}}, [][]*probes.Site{{b}, {}})
	gone := errors.New("gone")
	for _, tt := range []struct {
		missing []*probes.Site
		want    error
	}{
		{nil, nil},
		{[]*probes.Site{a}, nil},
		{[]*probes.Site{b}, gone}, // the second clause has no other
		{[]*probes.Site{a, b}, gone},
	} {
		missing := map[probes.Hook]error{}
		for _, s := range tt.missing {
			missing[s.Hook] = gone
		}
		if got := Served(p, missing); got != tt.want {
			t.Errorf("%d missing: %v, want %v", len(missing), got, tt.want)
		}
	}
}

// TestShare merges many tracepoints with the same clauses into one unit, in
// which the n-th hook is that of the n-th site. A tracepoint that has two sites
// stays alone, because its cookie could not tell them apart.
func TestShare(t *testing.T) {
	var sites []*probes.Site
	for i := range 2 * shareFrom {
		sites = append(sites, tracepointSite(uint32(i+1), string(rune('a'+i))))
	}
	twin := *sites[3]
	twin.ID, twin.Probe.Module, twin.Key = 1000, "other", 1
	sites = append(sites, &twin)
	units := grouped(program([][]*probes.Site{sites}), func() bool { return true }, nil)
	if len(units) != 2 {
		t.Fatalf("%d units, want 2", len(units))
	}
	for _, u := range units {
		if len(u.Hooks) == 1 && len(u.Sites) == 2 {
			continue
		}
		if len(u.Hooks) != 2*shareFrom-1 || len(u.Sites) != len(u.Hooks) {
			t.Fatalf("%d hooks and %d sites", len(u.Hooks), len(u.Sites))
		}
		for i, h := range u.Hooks {
			if s := u.Sites[i]; s.Hook != h || s.Key != uint32(i+1) {
				t.Errorf("site %d is %s with key %d, hook %s", i, s.Probe, s.Key, h.Target)
			}
		}
	}
	if units := grouped(program([][]*probes.Site{sites}), func() bool { return false }, nil); len(units) != 2*shareFrom {
		t.Errorf("without cookies: %d units, want %d", len(units), 2*shareFrom)
	}
}

// TestShareFunctions gives a few functions a trampoline each, but for those whose
// types nobody knows, and many functions one program.
func TestShareFunctions(t *testing.T) {
	functions := func(typed, untyped int) (sites []*probes.Site) {
		for i := range typed + untyped {
			s := &probes.Site{ID: uint32(i + 1), Probe: probes.Probe{Provider: "fbt"},
				Hook: probes.Hook{Kind: probes.Function, Target: fmt.Sprint("f", i)}}
			if i < typed {
				s.Words = 1
			}
			sites = append(sites, s)
		}
		return sites
	}
	for _, tt := range []struct {
		typed, untyped int
		tramp          bool
		units          int
	}{
		{3, 0, true, 3},
		{3, 2, true, 4}, // the two share
		{3, 2, false, 1},
		{shareFrom, 1, true, 1},
	} {
		never := func() bool { return false }
		units := grouped(program([][]*probes.Site{functions(tt.typed, tt.untyped)}), never, func() bool { return tt.tramp })
		if len(units) != tt.units {
			t.Errorf("%d typed and %d untyped, trampolines %v: %d units, want %d", tt.typed, tt.untyped, tt.tramp, len(units), tt.units)
		}
	}
	entry := functions(1, 0)[0]
	back := *entry
	back.ID, back.Hook.Return = 2, true
	if units := grouped(program([][]*probes.Site{{entry, &back}}), nil, func() bool { return false }); len(units) != 2 {
		t.Errorf("entry and return: %d units, want 2", len(units))
	}
}

// TestBulk makes one unit of what one description alone covers, and leaves to the
// others what another covers too.
func TestBulk(t *testing.T) {
	var all []*probes.Site
	for i := range 2 * BulkFrom {
		s := &probes.Site{ID: uint32(i + 1), Probe: probes.Probe{Provider: "fbt"}, Words: 1,
			Hook: probes.Hook{Kind: probes.Function, Target: fmt.Sprint("f", i/2), Return: i%2 == 1}}
		all = append(all, s)
	}
	all = append(all, tracepointSite(10_000, "a"))
	always := func() bool { return true }
	units := grouped(program([][]*probes.Site{all}, [][]*probes.Site{all[:3]}), always, always)
	sizes, seen := map[int]int{}, map[probes.Hook]int{}
	for _, u := range units {
		sizes[len(u.Hooks)]++
		for i, h := range u.Hooks {
			seen[h]++
			if len(u.Hooks) > 1 && (u.Sites[i].Hook != h || u.Sites[i].Key != uint32(i+1)) {
				t.Errorf("hook %d is %s, its site %s with key %d", i, h.Target, u.Sites[i].Hook.Target, u.Sites[i].Key)
			}
		}
		if len(u.Hooks) == 1 && u.Hooks[0].Kind == probes.Function && len(u.Clauses) != 2 {
			t.Errorf("%s has %d clauses", u.Hooks[0].Target, len(u.Clauses))
		}
	}
	if len(seen) != len(all) || sizes[1] != 4 {
		t.Errorf("%d of %d hooks, units by size: %v", len(seen), len(all), sizes)
	}
}
