package probes_test

import (
	"context"
	"fmt"
	"testing"

	"dscope.dev/probes"
	"dscope.dev/probes/dtrace"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/perf"
	"dscope.dev/probes/syscall"
	"dscope.dev/probes/timer"
	"dscope.dev/probes/tracepoint"
)

// families returns every provider, in the order of the listing.
func families(k *kernel.Kernel) *probes.Registry {
	return probes.NewRegistry(dtrace.New(), syscall.New(k), tracepoint.NewSDT(k), tracepoint.NewRaw(k), timer.New(), perf.New())
}

// TestLive lists everything twice, with a kernel of its own each time, and
// holds that numbers are the same and lead back to their probes.
func TestLive(t *testing.T) {
	ctx := context.Background()
	first, err := families(kerneltest.Live(t)).Match(ctx, probes.Pattern{})
	if err != nil {
		t.Fatal(err)
	}
	r := families(kerneltest.Live(t))
	for i := len(first) - 1; i >= 0; i -= 7 {
		e, err := r.ByID(ctx, first[i].ID)
		if err != nil || e != first[i] {
			t.Errorf("got %v, %v; want %v", e, err, first[i])
		}
		if e, err := r.Lookup(ctx, first[i].Probe); err != nil || e != first[i] {
			t.Errorf("got %v, %v; want %v", e, err, first[i])
		}
	}
	seen := map[probes.Probe]bool{}
	for _, e := range first {
		if seen[e.Probe] {
			t.Errorf("%v is listed twice", e)
		}
		seen[e.Probe] = true
	}
	for _, f := range r.Providers() {
		if f.Err != nil || f.Help == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestHints asks as people do who come from other tracers.
func TestHints(t *testing.T) {
	r := families(kerneltest.Read(t, "linux-6.18-amd64").Open(t))
	for text, want := range map[string]string{
		"tracepoint:sched::sched_switch":   "no provider is called tracepoint; there is sdt",
		"rawtracepoint:::sched_switch":     "no provider is called rawtracepoint; there is rawtp",
		"interval:::s":                     "no provider is called interval; there is profile",
		"tick:::tick-1s":                   "no provider is called tick; there is profile",
		"syscall::stat:entry":              "no function is called stat there; there is newstat",
		"syscall::read:exit":               "no name is called exit there",
		"sdt:::sched_swich":                "no name is called sched_swich there; there is sched_switch",
		"sdt:shed::sched_switch":           "no module is called shed there; there is sched",
		"syscall:vmlinux:raed:entry":       "no function is called raed there; there is read",
		"syscall::getpid_with_tail:return": "no function is called getpid_with_tail there",
	} {
		pat, err := probes.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Match(context.Background(), pat)
		none, ok := err.(*probes.NoMatch)
		if !ok {
			t.Errorf("%s: got %v, want a NoMatch", text, err)
		} else if got := none.Hint(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestOneSentence holds that no help runs over a line of the screen, nor ends
// with a full stop, which the screen adds where it wants one.
func TestOneSentence(t *testing.T) {
	ctx := context.Background()
	r := families(kerneltest.Live(t))
	all, err := r.Match(ctx, probes.Pattern{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		s, err := r.Site(e)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.ID != e.ID || s.Probe != e.Probe {
			t.Errorf("the site of %v is that of %d %v", e, s.ID, s.Probe)
		}
		if n := len(s.Help); n > 160 || n > 0 && s.Help[n-1] == '.' {
			t.Errorf("%s: %q", e, s.Help)
		}
	}
}

func BenchmarkListEverythingCold(b *testing.B) {
	kerneltest.Live(b)
	for b.Loop() {
		k := kernel.Open()
		list, err := families(k).Match(context.Background(), probes.Pattern{})
		if err != nil || len(list) < 100 {
			b.Fatal(len(list), err)
		}
		if err := k.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadEntryCold(b *testing.B) {
	kerneltest.Live(b)
	for b.Loop() {
		k := kernel.Open()
		resolve(b, families(k))
		if err := k.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadEntryWarm(b *testing.B) {
	r := families(kerneltest.Live(b))
	for b.Loop() {
		resolve(b, r)
	}
}

func resolve(b *testing.B, r *probes.Registry) {
	found, err := r.Match(context.Background(), probes.Pattern{Provider: "syscall", Function: "read", Name: "entry"})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := r.Site(found[0]); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkBegin(b *testing.B) {
	for b.Loop() {
		k := kernel.Open()
		if _, err := families(k).Match(context.Background(), probes.Pattern{Name: "BEGIN"}); err != nil {
			b.Fatal(err)
		}
		if err := k.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMany matches among as many probes as a kernel with fbt has.
func BenchmarkMany(b *testing.B) {
	f := &fake{name: "fbt"}
	for i := range 80_000 {
		f.list = append(f.list, fmt.Sprintf("vmlinux:function_%d:entry", i))
	}
	r := probes.NewRegistry(f)
	for b.Loop() {
		found, err := r.Match(context.Background(), probes.Pattern{Function: "*_4242*", Name: "entry"})
		if err != nil || len(found) != 11 {
			b.Fatal(len(found), err)
		}
	}
}
