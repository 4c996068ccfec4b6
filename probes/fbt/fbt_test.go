package fbt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"dscope.dev/probes"
	"dscope.dev/probes/fbt"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
)

const filter = `vfs_read
ksys_read
show
show
do_int80_emulation
ksys_read.part.0
migrate_disable
nic_poll [nic]
ksys_read [nic]
`

func open(t testing.TB) *kernel.Kernel {
	k := kerneltest.Read(t, "linux-6.18-amd64")
	k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte(filter)}
	return k.Open(t)
}

func can() error { return nil }

func list(t testing.TB, p probes.Provider, pat probes.Pattern) string {
	t.Helper()
	var b strings.Builder
	for q, err := range p.Match(context.Background(), pat) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, q)
	}
	return b.String()
}

func TestMatch(t *testing.T) {
	k := open(t)
	const all = `fbt:vmlinux:do_int80_emulation:entry
fbt:vmlinux:do_int80_emulation:return
fbt:vmlinux:ksys_read:entry
fbt:vmlinux:ksys_read:return
fbt:vmlinux:show:entry
fbt:vmlinux:show:return
fbt:vmlinux:vfs_read:entry
fbt:vmlinux:vfs_read:return
fbt:nic:ksys_read:entry
fbt:nic:ksys_read:return
fbt:nic:nic_poll:entry
fbt:nic:nic_poll:return
`
	if got := list(t, fbt.New(k, can), probes.Pattern{}); got != all {
		t.Errorf("fbt: got\n%swant\n%s", got, all)
	}
	const made = `rawfbt:vmlinux:ksys_read:return
rawfbt:vmlinux:ksys_read.part.0:return
rawfbt:nic:ksys_read:return
`
	if got := list(t, fbt.NewRaw(k, can), probes.Pattern{Function: "ksys*", Name: "ret*"}); got != made {
		t.Errorf("rawfbt: got\n%swant\n%s", got, made)
	}
}

// TestMayMatch keeps the list of functions away from scripts that want none.
func TestMayMatch(t *testing.T) {
	p := fbt.New(open(t), can)
	for pat, want := range map[probes.Pattern]bool{
		{Name: "BEGIN"}:   false,
		{Name: "tick-1s"}: false,
		{Name: "entry"}:   true,
		{Name: "ret*"}:    true,
		{Function: "x"}:   true,
	} {
		if got := p.MayMatch(pat); got != want {
			t.Errorf("MayMatch(%s) = %v", pat, got)
		}
	}
}

// TestSite types arguments where BTF tells of one function by the name, and leaves
// them raw where it tells nothing or cannot know which is meant.
func TestSite(t *testing.T) {
	k := open(t)
	show := func(s *probes.Site) string {
		var b strings.Builder
		for _, a := range s.Args {
			fmt.Fprintf(&b, "%s %s@%d, ", a.Type, a.Name, a.Slot)
		}
		return fmt.Sprintf("%sraw %d, words %d", &b, s.Raw, s.Words)
	}
	for _, tt := range []struct {
		provider       probes.Provider
		function, name string
		want           string
	}{
		{fbt.New(k, can), "ksys_read", "entry", "unsigned int fd@0, char * buf@1, unsigned long count@2, raw 3, words 4"},
		{fbt.New(k, can), "ksys_read", "return", "uint64_t @0, long @1, raw 2, words 4"},
		{fbt.New(k, can), "do_int80_emulation", "entry", "raw 0, words 1"},
		{fbt.New(k, can), "do_int80_emulation", "return", "uint64_t @0, raw 1, words 1"},
		{fbt.New(k, can), "show", "entry", "raw 10, words 0"},
		{fbt.New(k, can), "vfs_read", "return", "raw 2, words 0"},
		{fbt.NewRaw(k, can), "ksys_read", "entry", "raw 10, words 0"},
	} {
		s, err := tt.provider.Site(probes.Probe{Provider: tt.provider.Name(), Module: "vmlinux", Function: tt.function, Name: tt.name})
		if err != nil {
			t.Errorf("%s:%s: %v", tt.function, tt.name, err)
			continue
		}
		if got := show(s); got != tt.want {
			t.Errorf("%s:%s: got %s, want %s", tt.function, tt.name, got, tt.want)
		}
		if (s.Lacks != "") != (tt.name == "return") {
			t.Errorf("%s:%s lacks %q", tt.function, tt.name, s.Lacks)
		}
	}
}

// TestExplain says why a function has no probe that somebody names, and nothing of those
// that nobody knows or that have one.
func TestExplain(t *testing.T) {
	k := open(t)
	for _, tt := range []struct {
		provider *fbt.Provider
		pat      probes.Pattern
		want     string
	}{
		{fbt.New(k, can), probes.Pattern{Provider: "fbt", Function: "migrate_disable", Name: "entry"}, "migrate_disable is not safe to trace: every firing calls it"},
		{fbt.NewRaw(k, can), probes.Pattern{Function: "migrate_disable"}, "migrate_disable is not safe to trace: every firing calls it"},
		{fbt.New(k, can), probes.Pattern{Function: "migrate_*", Name: "return"}, "migrate_disable is not safe to trace: every firing calls it"},
		{fbt.New(k, can), probes.Pattern{Module: "nic", Function: "migrate_disable"}, ""},
		{fbt.New(k, can), probes.Pattern{Function: "migrate_disable", Name: "frob"}, ""},
		{fbt.New(k, can), probes.Pattern{Function: "nosuch", Name: "entry"}, ""},
		{fbt.New(k, can), probes.Pattern{Function: "*", Name: "entry"}, ""},
		{fbt.New(k, can), probes.Pattern{Name: "entry"}, ""},
	} {
		if got := tt.provider.Explain(tt.pat); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.pat, got, tt.want)
		}
	}
}

// TestNamesake gives a function of a module no types if the kernel has another one
// by its name.
func TestNamesake(t *testing.T) {
	p := fbt.New(open(t), can)
	s, err := p.Site(probes.Probe{Provider: "fbt", Module: "nic", Function: "ksys_read", Name: "entry"})
	if err != nil || s.Args != nil || s.Words != 0 {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestAvailable says why there is nothing.
func TestAvailable(t *testing.T) {
	none := errors.New("no hooks")
	if err := fbt.New(open(t), func() error { return none }).Available(); err != none {
		t.Errorf("without hooks: %v", err)
	}
	if err := fbt.New(open(t), can).Available(); err != nil {
		t.Errorf("with hooks: %v", err)
	}
}

func BenchmarkList(b *testing.B) {
	k := kerneltest.Read(b, "linux-6.18-amd64")
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "function_number_%d\n", i*7919%60_000)
	}
	k.Tracing["available_filter_functions"] = &fstest.MapFile{Data: []byte(text.String())}
	for b.Loop() {
		n := 0
		for range fbt.New(k.Open(b), can).Match(context.Background(), probes.Pattern{}) {
			n++
		}
		if n != 120_000 {
			b.Fatal(n)
		}
	}
}
