package engine

import (
	"slices"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/options"
	"dscope.dev/probes"
)

// A module that goes and comes back has come anew.
func TestModuleWatch(t *testing.T) {
	w := moduleWatch{seen: []string{"ext4", "nic"}}
	for _, tt := range []struct{ live, want []string }{
		{[]string{"ext4", "nic"}, nil},
		{[]string{"dummy", "ext4", "nic", "tun"}, []string{"dummy", "tun"}},
		{[]string{"dummy", "ext4", "nic", "tun"}, nil},
		{[]string{"ext4", "nic", "tun"}, nil},
		{[]string{"dummy", "ext4", "nic", "tun"}, []string{"dummy"}},
	} {
		if got := w.update(tt.live); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q have come, want %q", tt.live, got, tt.want)
		}
	}
}

// Modules are waited for with -Z alone, and each clause has programs, for entry and for
// return, that hold its maps until then.
func TestModuleOpenings(t *testing.T) {
	script := func() *check.Program {
		p := program([][]*probes.Site{nil, nil}, [][]*probes.Site{nil})
		for _, c := range p.Clauses {
			for i := range c.Probes {
				c.Probes[i].Open = &opening{pat: probes.Pattern{Provider: "fbt", Module: "late"}, modules: true}
			}
		}
		return p
	}
	if list := findOpenings(script(), &options.Options{}); len(list) > 0 {
		t.Errorf("%d openings without -Z", len(list))
	}
	p := script()
	list := findOpenings(p, &options.Options{ZeroProbes: true, FollowFork: true})
	if len(list) != 3 || !list.awaitsModules() {
		t.Fatalf("%d openings", len(list))
	}
	units := group(p, list.patterns, newBulks(p), func() bool { return true }, func() bool { return true })
	if len(units) != 4 {
		t.Errorf("%d units for 2 clauses", len(units))
	}
	for _, u := range units {
		if !isPattern(u.hooks[0]) || len(u.sites) != 2 || !withinHelpers(u.hooks[0]) {
			t.Errorf("unit of %v with %d sites", u.hooks[0], len(u.sites))
		}
	}
	f := follower{s: &Session{c: &Compiled{openings: list}}}
	if where, ok := f.concerns(0, 1); ok {
		t.Errorf("it is about process %d too", where)
	}
}

// What a module brought while the functions were listed is not added a second time.
func TestOpeningHas(t *testing.T) {
	site := func(function string) *probes.Site {
		return &probes.Site{Probe: probes.Probe{Provider: "fbt", Module: "late", Function: function, Name: "entry"}}
	}
	o := &opening{sites: []*probes.Site{site("a"), site("b")}}
	if !o.has(site("b")) || o.has(site("c")) {
		t.Error("what is there from the start is taken for another")
	}
}

// A module that was loaded and removed at once is told of if the script speaks of it.
func TestModuleTooShort(t *testing.T) {
	list := openings{
		{modules: true, pat: probes.Pattern{Provider: "fbt", Module: "du*"}},
		{modules: true, pat: probes.Pattern{Provider: "fbt", Function: "open*"}},
		{pids: []int{0}, pat: probes.Pattern{Provider: "pid*", Module: "tun"}},
	}
	if got := tooShort(list, []string{"dub", "dummy", "tun"}, []string{"dub", "ext4"}); !slices.Equal(got, []string{"dummy"}) {
		t.Errorf("got %q", got)
	}
}
