package timer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dscope.dev/probes"
	"dscope.dev/probes/timer"
)

func TestIntervals(t *testing.T) {
	tests := []struct {
		name  string
		every time.Duration // 0 if it is refused
		all   bool
		why   string
	}{
		{"profile-97", 10309278, true, ""},
		{"profile-97hz", 10309278, true, ""},
		{"profile-5000", 200 * time.Microsecond, true, ""},
		{"profile-5001", 0, true, "too fast"},
		{"profile-200us", 200 * time.Microsecond, true, ""},
		{"profile-199us", 0, true, "too fast"},
		{"profile-200000ns", 200 * time.Microsecond, true, ""},
		{"profile-199999nsec", 0, true, "too fast"},
		{"tick-1", time.Second, false, ""},
		{"tick-1s", time.Second, false, ""},
		{"tick-1sec", time.Second, false, ""},
		{"tick-1SEC", time.Second, false, ""},
		{"tick-10ms", 10 * time.Millisecond, false, ""},
		{"tick-10msec", 10 * time.Millisecond, false, ""},
		{"tick-300usec", 300 * time.Microsecond, false, ""},
		{"tick-2m", 2 * time.Minute, false, ""},
		{"tick-2min", 2 * time.Minute, false, ""},
		{"tick-1h", time.Hour, false, ""},
		{"tick-1hour", time.Hour, false, ""},
		{"tick-1d", 24 * time.Hour, false, ""},
		{"tick-1day", 24 * time.Hour, false, ""},
		{"tick-0", 0, false, "greater than 0"},
		{"tick-0s", 0, false, "greater than 0"},
		{"tick-", 0, false, "no number"},
		{"tick-s", 0, false, "no number"},
		{"tick--1", 0, false, "no number"},
		{"tick-5x", 0, false, "no unit x"},
		{"tick-5 s", 0, false, "no unit"},
		{"tick-99999999999999999999", 0, false, "too large"},
		{"tick-9999999999d", 0, false, "too long"},
		{"tick-2000000000hz", 0, false, "too fast"},
	}
	p := timer.New()
	for _, tt := range tests {
		s, err := p.Site(probes.Probe{Provider: "profile", Name: tt.name})
		var refused *timer.IntervalError
		if tt.every == 0 {
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.why) || !strings.HasPrefix(err.Error(), tt.name+": ") {
				t.Errorf("%s: got %v, want a word on %s", tt.name, err, tt.why)
			}
			continue
		}
		want := probes.Hook{Kind: probes.Timer, Target: tt.name, Every: uint64(tt.every), PerCPU: tt.all}
		if err != nil || s.Hook != want || s.Raw != 2 {
			t.Errorf("%s: got %+v, %v; want %+v", tt.name, s, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pat  probes.Pattern
		want string
	}{
		{probes.Pattern{}, "profile-97 profile-199 profile-499 profile-997 profile-1999 profile-4001 profile-4999 " +
			"tick-1 tick-10 tick-100 tick-500 tick-1000 tick-5000"},
		{probes.Pattern{Name: "tick-*"}, "tick-1 tick-10 tick-100 tick-500 tick-1000 tick-5000"},
		{probes.Pattern{Name: "tick-77ms"}, "tick-77ms"},
		{probes.Pattern{Provider: "profile", Name: "profile-1"}, "profile-1"},
		{probes.Pattern{Provider: "syscall", Name: "profile-1"}, ""},
		{probes.Pattern{Module: "vmlinux", Name: "profile-1"}, ""},
		{probes.Pattern{Name: "entry"}, ""},
		{probes.Pattern{Name: "tick-1y"}, "tick-1y: there is no unit y; use hz, ns, us, ms, s, m, h or d"},
	}
	for _, tt := range tests {
		var got []string
		for p, err := range timer.New().Match(context.Background(), tt.pat) {
			if err != nil {
				got = append(got, err.Error())
				break
			}
			got = append(got, p.Name)
		}
		if list := strings.Join(got, " "); list != tt.want {
			t.Errorf("%v:\ngot  %s\nwant %s", tt.pat, list, tt.want)
		}
	}
}

// FuzzInterval holds that what is accepted is neither too fast nor negative.
func FuzzInterval(f *testing.F) {
	f.Add("tick-10ms")
	f.Add("profile-4999hz")
	f.Fuzz(func(t *testing.T, name string) {
		s, err := timer.New().Site(probes.Probe{Provider: "profile", Name: name})
		if err == nil && (s.Hook.Every < 200_000 || int64(s.Hook.Every) < 0) {
			t.Errorf("%q fires each %d ns", name, s.Hook.Every)
		}
	})
}

// TestMayMatch holds that nothing is ruled out that has a probe, or a word on what is
// wrong with its name.
func TestMayMatch(t *testing.T) {
	p := timer.New()
	for _, pat := range []probes.Pattern{
		{}, {Name: "tick-*"}, {Name: "profile-97"}, {Name: "tick-5x"}, {Name: "BEGIN"}, {Name: "*"}, {Name: "entry"},
		{Module: "vmlinux"}, {Module: "*", Name: "tick-1s"}, {Function: "read", Name: "tick-1s"}, {Function: "*"},
		{Provider: "profile"}, {Provider: "profile", Name: "ticks"},
	} {
		has := false
		for range p.Match(context.Background(), pat) {
			has = true
		}
		if got := p.MayMatch(pat); has && !got {
			t.Errorf("MayMatch(%s) = %v, and Match has something", pat, got)
		}
	}
	if p.MayMatch(probes.Pattern{Name: "BEGIN"}) || p.MayMatch(probes.Pattern{Module: "vmlinux", Name: "tick-1s"}) {
		t.Error("names of others are not ruled out")
	}
}
