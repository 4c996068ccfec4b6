package grow

import (
	"slices"
	"testing"

	"dscope.dev/engine/internal/plan"
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

// An opening for modules is about no process.
func TestModuleConcerns(t *testing.T) {
	g := Growth{Run: Run{Plan: &plan.Plan{Openings: plan.Openings{{Modules: true}}}}}
	if where, ok := g.concerns(0, 1); ok {
		t.Errorf("it is about process %d too", where)
	}
}

// A module that was loaded and removed at once is told of if the script speaks of it.
func TestModuleTooShort(t *testing.T) {
	list := plan.Openings{
		{Modules: true, Pattern: probes.Pattern{Provider: "fbt", Module: "du*"}},
		{Modules: true, Pattern: probes.Pattern{Provider: "fbt", Function: "open*"}},
		{PIDs: []int{0}, Pattern: probes.Pattern{Provider: "pid*", Module: "tun"}},
	}
	if got := tooShort(list, []string{"dub", "dummy", "tun"}, []string{"dub", "ext4"}); !slices.Equal(got, []string{"dummy"}) {
		t.Errorf("got %q", got)
	}
}
