package probes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/probes"
)

// A modular fake has more probes than it lists, of the module late.
type modular struct{ fake }

func (m *modular) Traits() probes.Traits { return probes.Traits{Loaded: m.loaded} }

func (m *modular) loaded(_ context.Context, pat probes.Pattern, module string) (list []probes.Probe, err error) {
	for _, name := range []string{"entry", "bad", "return"} {
		if p := (probes.Probe{Provider: m.name, Module: module, Function: "open", Name: name}); pat.Matches(p) {
			list = append(list, p)
		}
	}
	return list, nil
}

// What comes with a module has numbers of its own behind all others, the same each
// time; what is wrong with one spoils no other.
func TestLoaded(t *testing.T) {
	r := probes.NewRegistry(&modular{fake{name: "fbt", list: []string{"vmlinux:read:entry"}}}, &fake{name: "other"},
		&endless{fake{name: "clock"}})
	for _, tt := range []struct {
		pat  probes.Pattern
		want string
	}{
		{probes.Pattern{Provider: "fbt", Name: "return"}, "600001 fbt:late:open:return"},
		{probes.Pattern{Provider: "fbt", Module: "late"}, "600002 fbt:late:open:entry, 600001 fbt:late:open:return, it is bad"},
		{probes.Pattern{Provider: "fbt", Name: "return"}, "600001 fbt:late:open:return"},
		{probes.Pattern{Provider: "other"}, ""},
		{probes.Pattern{Provider: "fbt", Module: "early"}, ""},
	} {
		sites, err := r.Loaded(context.Background(), tt.pat, "late", false)
		var got []string
		for _, s := range sites {
			got = append(got, fmt.Sprint(s.ID, " ", s.Probe))
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%v: %q, want %q", tt.pat, got, tt.want)
		}
	}
}

// settled says that no module is waited for.
var settled = probes.Traits{Settled: "tracepoints"}

// Of a provider that is named it is told that it does not wait for modules.
func TestUnawaited(t *testing.T) {
	joined, _ := probes.Join(&fake{name: "joined", traits: settled}, []probes.Provider{&fake{name: "joined"}})
	r := probes.NewRegistry(&modular{fake{name: "fbt"}}, &fake{name: "sdt", traits: settled}, joined, &fake{name: "other"})
	for _, tt := range []struct{ provider, want string }{
		{"sdt", "tracepoints"},
		{"joined", "tracepoints"},
		{"fbt", ""},
		{"other", ""},
		{"s*", ""}, // as good as every provider
		{"", ""},
	} {
		if got := r.Unawaited(probes.Pattern{Provider: tt.provider, Module: "late"}); got != tt.want {
			t.Errorf("Unawaited(%s:late::) = %q, want %q", tt.provider, got, tt.want)
		}
	}
}

// What names a function or a module outright, and was found, is complete.
func TestAwaits(t *testing.T) {
	r := probes.NewRegistry(&modular{fake{name: "fbt"}}, &fake{name: "other"})
	for _, tt := range []struct {
		pat         probes.Pattern
		found, want bool
	}{
		{probes.Pattern{Provider: "fbt", Module: "late"}, false, true},
		{probes.Pattern{Provider: "fbt", Module: "late"}, true, false},
		{probes.Pattern{Provider: "fbt", Function: "open"}, false, true},
		{probes.Pattern{Provider: "fbt", Function: "open"}, true, false},
		{probes.Pattern{Provider: "fbt", Function: "op*"}, true, true},
		{probes.Pattern{Provider: "fbt", Module: "l*", Function: "op*"}, true, true},
		{probes.Pattern{Provider: "f*"}, true, true},
		{probes.Pattern{Provider: "other"}, false, false},
		{probes.Pattern{Provider: "other", Module: "late"}, false, false},
	} {
		if got := r.Awaits(tt.pat, tt.found); got != tt.want {
			t.Errorf("Awaits(%v, %t) = %t", tt.pat, tt.found, got)
		}
	}
}
