package plan

import (
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/options"
	"dscope.dev/probes"
)

// Modules are waited for with -Z alone, and each clause has programs, for entry and for
// return, that hold its maps until then.
func TestModuleOpenings(t *testing.T) {
	script := func() *check.Program {
		p := program([][]*probes.Site{nil, nil}, [][]*probes.Site{nil})
		for _, c := range p.Clauses {
			for i := range c.Probes {
				c.Probes[i].Open = &Opening{Pattern: probes.Pattern{Provider: "fbt", Module: "late"}, Modules: true}
			}
		}
		return p
	}
	if list := FindOpenings(script(), &options.Options{}); len(list) > 0 {
		t.Errorf("%d openings without -Z", len(list))
	}
	p := script()
	list := FindOpenings(p, &options.Options{ZeroProbes: true, FollowFork: true})
	if len(list) != 3 || !list.AwaitsModules() {
		t.Fatalf("%d openings", len(list))
	}
	units := Group(p, list.Patterns, NewBulks(p), func() bool { return true }, func() bool { return true })
	if len(units) != 4 {
		t.Errorf("%d units for 2 clauses", len(units))
	}
	for _, u := range units {
		if !IsPattern(u.Hooks[0]) || len(u.Sites) != 2 || !WithinHelpers(u.Hooks[0]) {
			t.Errorf("unit of %v with %d sites", u.Hooks[0], len(u.Sites))
		}
	}
}

// What a module brought while the functions were listed is not added a second time.
func TestOpeningHas(t *testing.T) {
	site := func(function string) *probes.Site {
		return &probes.Site{Probe: probes.Probe{Provider: "fbt", Module: "late", Function: function, Name: "entry"}}
	}
	o := &Opening{Sites: []*probes.Site{site("a"), site("b")}}
	if !o.Has(site("b")) || o.Has(site("c")) {
		t.Error("what is there from the start is taken for another")
	}
}
