package engine

import (
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
)

// TestLossesAreNamed runs scripts that have too little room, and looks for whose it was and
// for the remedy. What is told as it happens names nothing, as DTrace has it.
func TestLossesAreNamed(t *testing.T) {
	e := tracing(t)
	const loop = "tick-1ms /n < 2000/ { n++; @few[n & 1] = count(); @many[n] = count(); x[n & 1] = 1; y[n] = 1; } tick-1ms /n == 2000/ { exit(0); }"
	for _, tt := range []struct {
		options string
		kind    trace.DropKind
		where   string
		cure    string
	}{
		{"#pragma D option aggsize=1k\n#pragma D option aggrate=2s\n", trace.DropAggregation, "@many", "aggsize=4m"},
		{"#pragma D option dynvarsize=2k\n", trace.DropDynamic, "y[]", "dynvarsize=1m"},
	} {
		run, err := e.Run(t.Context(), trace.Script{Text: tt.options + loop})
		if err != nil {
			t.Fatal(err)
		}
		o := all(run, 0)
		run.Close()
		var named trace.Drop
		var sum uint64
		for _, d := range o.status.Drops {
			sum += d.Count
			if d.Where == tt.where {
				named = d
			}
		}
		if named.Kind != tt.kind || named.Count == 0 || named.Cure != tt.cure || named.Count < sum*9/10 {
			t.Errorf("%s: the status tells of %+v", tt.options, o.status.Drops)
		}
		if told := o.dropped(); told != sum {
			t.Errorf("%s: %d told, %d in the status", tt.options, told, sum)
		}
		for _, ev := range o.events {
			if ev.Kind == trace.DropEvent && ev.Drop.Kind == tt.kind && (ev.Drop.Where != "" || ev.Drop.Cure != "") {
				t.Errorf("what is told as it happens says %+v", ev.Drop)
			}
		}
	}
}

func TestCure(t *testing.T) {
	for _, tt := range []struct {
		set  string
		kind trace.DropKind
		want string
	}{
		{"", trace.DropAggregation, "aggsize=8m"},
		{"aggsize=1k", trace.DropAggregation, "aggsize=4m"}, // no less than what is usual
		{"aggsize=100m", trace.DropAggregation, "aggsize=128m"},
		{"aggsize=128m", trace.DropAggregation, ""},
		{"aggsize=1g", trace.DropAggregation, ""},
		{"bufsize=6m", trace.DropPrincipal, "bufsize=12m"},
		{"dynvarsize=3000000", trace.DropDynamic, "dynvarsize=6000000"},
		{"nspec=0", trace.DropSpecNone, "nspec=1"},
		{"nspec=3", trace.DropSpecNone, "nspec=6"},
		{"", trace.DropString, "strsize=512"},
		{"aggrate=200ms", trace.DropStack, "aggrate=100ms"},
		{"aggrate=40ms", trace.DropStack, ""},
		{"", trace.DropRecursion, ""},
	} {
		o := options.Default()
		if tt.set != "" {
			name, value, _ := strings.Cut(tt.set, "=")
			if err := o.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		got := o.Cure(tt.kind)
		if got != tt.want {
			t.Errorf("%s: %v has the remedy %q, want %q", tt.set, tt.kind, got, tt.want)
		}
		if name, value, ok := strings.Cut(got, "="); ok {
			if err := o.Set(name, value); err != nil {
				t.Errorf("the remedy %s cannot be set: %v", got, err)
			}
		}
	}
}
