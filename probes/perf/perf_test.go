package perf

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"dscope.dev/probes"
)

// virtual refuses what most virtual machines do not have.
func virtual(e Event) error {
	if e.Type != software {
		return errors.New("no such counter")
	}
	return nil
}

func TestNames(t *testing.T) {
	const both = probes.UserMode | probes.KernelMode
	p := over(func(Event) error { return nil }, fstest.MapFS{})
	for _, tt := range []struct {
		name   string
		typ    uint32
		config uint64
		mode   probes.Mode
		count  uint64
		why    string
	}{
		{"cpu_clock-all-10000", software, 0, both, 10000, ""},
		{"perf_count_sw_page_faults-user-1", software, 2, probes.UserMode, 1, ""},
		{"PAPI_tot_ins-kernel-5000", hardware, 1, probes.KernelMode, 5000, ""},
		{"llc_load_misses-all-7", caches, 0x10002, both, 7, ""},
		{"branch_prefetches-all-7", caches, 0x205, both, 7, ""},
		{"l1_icache_store_misses-all-7", caches, 0x10101, both, 7, ""},
		{"PAPI_l1_icm-all-7", caches, 0x10001, both, 7, ""},
		{"instructions-all-4999", 0, 0, 0, 0, "at least 5000"},
		{"faults-all-0", 0, 0, 0, 0, "greater than 0"},
		{"faults-all-1x", 0, 0, 0, 0, "no count"},
		{"faults-all-99999999999999999999", 0, 0, 0, 0, "no count"},
		{"faults-some-1", 0, 0, 0, 0, "no mode some"},
		{"faults-all", 0, 0, 0, 0, "write event, mode and count"},
		{"faults-all-0x1-5", 0, 0, 0, 0, "write event, mode and count"},
		{"nothing-all-1", 0, 0, 0, 0, "no event nothing"},
		{"", 0, 0, 0, 0, "no event"},
	} {
		s, err := p.Site(probes.Probe{Provider: Name, Name: tt.name})
		var refused *NameError
		if tt.why != "" {
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%s: got %v, want a word on %s", tt.name, err, tt.why)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want := probes.Hook{Kind: probes.Counter, Target: tt.name, Every: tt.count, PerCPU: true, Type: tt.typ, Config: tt.config, Mode: tt.mode}
		if s.Hook != want || s.Raw != 2 {
			t.Errorf("%s: hook %+v, want %+v", tt.name, s.Hook, want)
		}
	}
}

func TestNamesAreOfOneEvent(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range events() {
		if seen[e.Name] || strings.Contains(e.Name, "-") || e.Help == "" {
			t.Errorf("%+v", e)
		}
		seen[e.Name] = true
	}
}

// TestListing lists what a machine has, and tells why not the rest.
func TestListing(t *testing.T) {
	p := over(virtual, fstest.MapFS{})
	var names []string
	for q, err := range p.Match(context.Background(), probes.Pattern{}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, q.Name)
	}
	text := strings.Join(names, " ")
	if !strings.HasPrefix(text, "perf_count_sw_cpu_clock-all-1000000000 cpu_clock-all-1000000000") || strings.Contains(text, "cycles") {
		t.Errorf("listed: %s", text)
	}
	if n := len(p.Unavailable()); n+len(names) != len(events()) || n == 0 {
		t.Errorf("%d events are unavailable, %d are there, of %d", n, len(names), len(events()))
	}
	for q, err := range p.Match(context.Background(), probes.Pattern{Name: "cycles-all-10000"}) {
		if err == nil || !strings.Contains(err.Error(), "no such counter") {
			t.Errorf("got %v, %v", q, err)
		}
	}
}

func TestMayMatch(t *testing.T) {
	p := over(virtual, fstest.MapFS{})
	for pat, want := range map[probes.Pattern]bool{
		{}: true, {Name: "cpu_clock-all-5"}: true, {Name: "cpu*"}: true, {Name: "entry"}: false,
		{Name: "entry", Provider: Name}: true, {Module: "vmlinux"}: false, {Function: "read", Name: "cpu*"}: false, {Function: "*"}: true,
	} {
		if got := p.MayMatch(pat); got != want {
			t.Errorf("MayMatch(%+v) = %v", pat, got)
		}
	}
}

func TestAvailable(t *testing.T) {
	if err := over(virtual, fstest.MapFS{}).Available(); err != nil {
		t.Error(err)
	}
	no := errors.New("forbidden")
	if err := over(func(Event) error { return no }, fstest.MapFS{}).Available(); err != no {
		t.Errorf("got %v, want the reason", err)
	}
}
