package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDefault holds that no key of the map as it comes means two things.
func TestDefault(t *testing.T) {
	for _, err := range Default().Check() {
		t.Error(err)
	}
	for _, c := range Default().contexts {
		for _, with := range c.with {
			if Default().context(with) == nil {
				t.Errorf("[%s] holds with [%s], which there is not", c.name, with)
			}
		}
		for _, r := range c.rows {
			if len(r.Keys) == 0 {
				t.Errorf("[%s] has no key for %s", c.name, r.Action)
			}
		}
	}
}

func TestLookUp(t *testing.T) {
	m := Default()
	for _, tt := range []struct{ got, want string }{
		{m.Action("live", "h"), "live.heat"},
		{m.Action("live", "z"), "live.freeze"},
		{m.Action("probes", "h"), "probes.collapse"},
		{m.Action("script", "ctrl+c"), "edit.copy"},
		{m.Action("live", "X"), ""},
		{m.Action("nowhere", "h"), ""},
		{m.Key("run.start"), "ctrl+r"},
		{m.Key("find.previous"), "shift+f3"},
		{m.Key("help.open"), "f1"},
		{m.KeyIn("calm", "help.open"), "?"},
		{m.Key("no.such"), "no.such"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestRebind(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // errors, by their beginnings
		keys       []string // action in context: first key
	}{
		{"nothing", "\n# a word\n", nil, []string{"always run.start ctrl+r"}},
		{"another key", "run.start  f8  # not a hint", []string{"f8 for go.complaint in [script]: it asks for run.start in [always] already"}, nil},
		{"two that change places", "run.start  f8\ngo.complaint  alt+e", nil, []string{"always run.start f8", "script go.complaint alt+e"}},
		{"in every context that has it", "help.open  f1", nil, []string{"always help.open f1", "calm help.open f1"}},
		{"in one context", "[palette]\nlist.up  ctrl+b", nil, []string{"palette list.up ctrl+b", "probes.search list.up up"}},
		{"none", "theme.next  none", nil, []string{"always theme.next theme.next"}},
		{"the key minus", "pane.enlarge  - f11", []string{"- for pane.enlarge in [always]: it is text here"}, nil},
		{"text", "[always]\nrun.start  r", []string{"r for run.start in [always]: it is text here", "r for probes.again in [probes]: it asks", "r for live.reverse in [live]: it asks"}, nil},
		{"twice in a pane", "live.sort  h", []string{"h for live.sort in [live]: it asks for live.heat in [live] already"}, nil},
		{"twice in a row", "live.sort  X X", []string{"X for live.sort in [live]: it is said twice"}, nil},
		{"gives way", "live.sort  (h)", nil, []string{"live live.sort h"}},
		{"no key", "run.stop  ctrl+nothing", []string{"ctrl+nothing for run.stop in [always]: no key is called so"}, nil},
		{"no action", "run.away  x", []string{"line 1: no action is called run.away here"}, nil},
		{"no action in this context", "[live]\nrun.stop  x", []string{"line 2: no action is called run.stop here"}, nil},
		{"no context", "[attic]\n", []string{"line 1: no keys hold in [attic]"}, nil},
	} {
		m, errs := Default().Rebind(tt.text)
		if len(errs) != len(tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, errs, tt.want)
			continue
		}
		for i, err := range errs {
			if !strings.HasPrefix(err.Error(), tt.want[i]) {
				t.Errorf("%s: %q, want %q", tt.name, err, tt.want[i])
			}
		}
		for _, want := range tt.keys {
			f := strings.Fields(want)
			if got := m.KeyIn(f[0], f[1]); got != f[2] {
				t.Errorf("%s: %s in [%s] has %s, want %s", tt.name, f[1], f[0], got, f[2])
			}
		}
	}
	if Default().Key("run.start") != "ctrl+r" {
		t.Error("the map as it comes has changed")
	}
}

// TestErrorNames holds that an error tells the action and the key apart from its words.
func TestErrorNames(t *testing.T) {
	_, errs := Default().Rebind("live.sort  h")
	var e *Error
	if len(errs) != 1 || !errors.As(errs[0], &e) || e.Action != "live.sort" || e.Key != "h" || e.Context != "live" {
		t.Errorf("%v", errs)
	}
}

// TestEveryActionCanBeMoved gives every action a key of its own in turn, and finds it there.
func TestEveryActionCanBeMoved(t *testing.T) {
	for _, name := range Default().Contexts() {
		for _, r := range Default().Rows(name) {
			m, errs := Default().Rebind(fmt.Sprintf("[%s]\n%s  f20\n", name, r.Action))
			if errs != nil {
				t.Fatal(errs)
			}
			if got := m.Action(name, "f20"); got != r.Action {
				t.Errorf("f20 asks for %q in [%s], want %s", got, name, r.Action)
			}
			if old := r.Keys[0]; m.Action(name, old) == r.Action || slices.Contains(m.Rows(name)[0].Keys, old) && m.Rows(name)[0].Action == r.Action {
				t.Errorf("%s still asks for %s in [%s]", old, r.Action, name)
			}
		}
	}
}
