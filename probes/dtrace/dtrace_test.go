package dtrace_test

import (
	"context"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/dtrace"
)

func TestSites(t *testing.T) {
	p := dtrace.New()
	wants := []struct {
		name string
		hook probes.Hook
		raw  int
	}{
		{"BEGIN", probes.Hook{Kind: probes.Test, Target: "begin"}, 0},
		{"END", probes.Hook{Kind: probes.Test, Target: "end"}, 0},
		{"ERROR", probes.Hook{Kind: probes.Test, Target: "error"}, 6},
	}
	i := 0
	for q, err := range p.Match(context.Background(), probes.Pattern{}) {
		if err != nil || i == len(wants) {
			t.Fatal(q, err)
		}
		s, err := p.Site(q)
		if w := wants[i]; err != nil || q.Name != w.name || s.Hook != w.hook || s.Raw != w.raw || s.Help == "" {
			t.Errorf("got %+v, %v; want %+v", s, err, w)
		}
		i++
	}
	if i != len(wants) {
		t.Errorf("%d probes", i)
	}
	if _, err := p.Site(probes.Probe{Provider: "dtrace", Name: "begin"}); !probes.IsNoMatch(err) {
		t.Errorf("got %v, want a NoMatch", err)
	}
}
