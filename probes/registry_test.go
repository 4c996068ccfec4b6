package probes_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"dscope.dev/probes"
)

// A fake publishes a list of probes, and counts how often it is read.
type fake struct {
	name   string
	list   []string // module:function:name
	refuse error
	broken error
	reads  int
	traits probes.Traits
}

func (f *fake) Name() string     { return f.name }
func (f *fake) Help() string     { return "for tests" }
func (f *fake) Available() error { return f.refuse }

func (f *fake) Traits() probes.Traits { return f.traits }

func (f *fake) Match(_ context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	f.reads++
	return func(yield func(probes.Probe, error) bool) {
		if f.broken != nil {
			yield(probes.Probe{}, f.broken)
			return
		}
		for _, text := range f.list {
			part := strings.Split(text, ":")
			p := probes.Probe{Provider: f.name, Module: part[0], Function: part[1], Name: part[2]}
			if pat.Matches(p) && !yield(p, nil) {
				return
			}
		}
	}
}

func (f *fake) Site(p probes.Probe) (*probes.Site, error) {
	if p.Name == "bad" {
		return nil, errors.New("it is bad")
	}
	return &probes.Site{Probe: p}, nil
}

// An endless fake has its list and everything that begins with t-.
type endless struct{ fake }

func (*endless) Traits() probes.Traits { return probes.Traits{Endless: true} }

func (e *endless) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	if strings.HasPrefix(pat.Name, "t-") && !strings.Contains(pat.Name, "*") {
		return func(yield func(probes.Probe, error) bool) {
			if pat.Name == "t-bad" {
				yield(probes.Probe{}, errors.New("t-bad: it is bad"))
				return
			}
			yield(probes.Probe{Provider: e.name, Name: pat.Name}, nil)
		}
	}
	return e.fake.Match(ctx, pat)
}

// sieved says that there is no probe called BEGIN.
var sieved = probes.Traits{MayMatch: func(pat probes.Pattern) bool { return pat.Name != "BEGIN" }}

// A set is the families of the tests.
type set struct {
	self  *fake
	calls *fake
	gone  *fake
	sdt   *fake
	time  *endless
	*probes.Registry
}

func newSet() *set {
	s := &set{
		self:  &fake{name: "dtrace", list: []string{"::BEGIN", "::END", "::ERROR"}},
		calls: &fake{name: "syscall", list: []string{"vmlinux:read:entry", "vmlinux:read:return", "vmlinux:write:entry"}, traits: sieved},
		gone:  &fake{name: "fbt", list: []string{"vmlinux:vfs_read:entry"}, refuse: errors.New("no kprobes (build them in)")},
		sdt:   &fake{name: "sdt", list: []string{"sched::switch", "sched::wakeup", "sched::bad"}},
		time:  &endless{fake{name: "profile", list: []string{"::t-1", "::t-2"}}},
	}
	s.Registry = probes.NewRegistry(s.self, s.calls, s.gone, s.sdt, s.time)
	return s
}

// show returns the numbers and names that text matches, or the complaint.
func (s *set) show(t *testing.T, text string) string {
	t.Helper()
	pat, err := probes.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Match(context.Background(), pat)
	var none *probes.NoMatch
	if errors.As(err, &none) {
		return err.Error() + "; " + none.Hint()
	}
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, e := range found {
		list = append(list, fmt.Sprintf("%d %s", e.ID, e.Probe))
	}
	return strings.Join(list, ", ")
}

func TestMatch(t *testing.T) {
	tests := []struct{ text, want string }{
		{"BEGIN", "1 dtrace:::BEGIN"},
		{"dtrace:::", "1 dtrace:::BEGIN, 2 dtrace:::END, 3 dtrace:::ERROR"},
		{"syscall:::entry", "4 syscall:vmlinux:read:entry, 6 syscall:vmlinux:write:entry"},
		{"read:", "4 syscall:vmlinux:read:entry, 5 syscall:vmlinux:read:return"},
		{"sdt:::w*", "8 sdt:sched::wakeup"}, // the unavailable family has no numbers
		{"*:sched::switch", "7 sdt:sched::switch"},
		{"t-1", "500001 profile:::t-1"},
		{"t-*", "500001 profile:::t-1, 500002 profile:::t-2"},
		{"t-9", "500003 profile:::t-9"},
		{"fbt:::", "provider fbt is unavailable: no kprobes (build them in)"},
		{"t-bad", "t-bad: it is bad"},
		{"syscall::raed:entry", "probe description syscall::raed:entry does not match any probes; " +
			"no function is called raed there; there is read"},
		{"syscall::read:enter", "probe description syscall::read:enter does not match any probes; " +
			"no name is called enter there; there is entry"},
		{"sysclal:::", "probe description sysclal::: does not match any probes; " +
			"no provider is called sysclal; there is syscall"},
		{"fbd:::", "probe description fbd::: does not match any probes; no provider is called fbd; there is fbt"},
		{"syscall:kernel::", "probe description syscall:kernel:: does not match any probes; no module is called kernel there"},
		{"xyzzy", "probe description :::xyzzy does not match any probes; no name is called xyzzy"},
	}
	for _, tt := range tests {
		if got := newSet().show(t, tt.text); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// An answer is not spoilt by whoever adds to the one before.
func TestMatchAgain(t *testing.T) {
	s := newSet()
	for range 3 {
		for text, want := range map[string]string{
			"syscall::read:": "4 syscall:vmlinux:read:entry, 5 syscall:vmlinux:read:return",
			"read:":          "4 syscall:vmlinux:read:entry, 5 syscall:vmlinux:read:return",
			"sdt:::w*":       "8 sdt:sched::wakeup",
			"dtrace:::":      "1 dtrace:::BEGIN, 2 dtrace:::END, 3 dtrace:::ERROR",
			"w*":             "8 sdt:sched::wakeup",
		} {
			if got := s.show(t, text); got != want {
				t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
			}
			pat, _ := probes.ParsePattern(text)
			found, _ := s.Match(context.Background(), pat)
			_ = append(found, probes.Entry{})
		}
	}
}

// Functions that are named outright are found by their names, as are others, in the same order.
func TestNamedFunctions(t *testing.T) {
	kernel := &fake{name: "fbt"}
	for i := range 3000 {
		kernel.list = append(kernel.list, fmt.Sprintf("m%d:f%d:entry", i%3, i/4), fmt.Sprintf("m%d:f%d:return", i%3, i/4))
	}
	r := probes.NewRegistry(newSet().self, kernel)
	for i := 0; i < 800; i += 10 {
		for _, pat := range []probes.Pattern{
			{Provider: "fbt", Function: fmt.Sprint("f", i)},
			{Provider: "f*", Function: fmt.Sprint("f", i), Name: "entry"},
			{Function: fmt.Sprint("f", i), Module: "m[12]", Name: "r*"},
			{Function: fmt.Sprint("f*", i), Module: "m1"},
		} {
			var want []string
			for n, text := range kernel.list {
				part := strings.Split(text, ":")
				p := probes.Probe{Provider: "fbt", Module: part[0], Function: part[1], Name: part[2]}
				if pat.Matches(p) {
					want = append(want, fmt.Sprint(n+4, " ", p))
				}
			}
			var got []string
			found, err := r.Match(context.Background(), pat)
			for _, e := range found {
				got = append(got, fmt.Sprint(e.ID, " ", e.Probe))
			}
			if !slices.Equal(got, want) || (err == nil) != (len(want) > 0) {
				t.Fatalf("%v: %v, %v; want %v", pat, got, err, want)
			}
		}
	}
}

func TestNumbersDoNotDependOnWhatWasAsked(t *testing.T) {
	all := newSet().show(t, ":::")
	s := newSet()
	s.show(t, "t-2")
	s.show(t, "sdt:::wakeup")
	s.show(t, "read:entry")
	if got := s.show(t, ":::"); got != all {
		t.Errorf("got  %s\nwant %s", got, all)
	}
}

func TestEndlessNumbersFollowRequests(t *testing.T) {
	s := newSet()
	for i, text := range []string{"t-7", "t-5", "t-7", "t-1"} {
		want := [...]string{"500003 profile:::t-7", "500004 profile:::t-5", "500003 profile:::t-7", "500001 profile:::t-1"}[i]
		if got := s.show(t, text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	e, err := s.ByID(context.Background(), 500004)
	if err != nil || e.Name != "t-5" {
		t.Errorf("got %v, %v; want t-5", e, err)
	}
}

func TestSecondEndlessFamily(t *testing.T) {
	s := newSet()
	second := &endless{fake{name: "pid", list: []string{"::p-1"}}}
	s.Registry = probes.NewRegistry(s.self, s.time, second, s.sdt)
	s.show(t, "profile:::t-9")
	if got, want := s.show(t, "pid:::"), "600001 pid:::p-1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := s.show(t, "sdt:::switch"), "4 sdt:sched::switch"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if e, err := s.ByID(context.Background(), 600001); err != nil || e.Name != "p-1" {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestLazy(t *testing.T) {
	s := newSet()
	s.show(t, "dtrace:::BEGIN")
	if s.calls.reads+s.sdt.reads+s.time.reads > 0 {
		t.Error("families were listed that were not asked for")
	}
	s.show(t, "syscall::read:entry")
	if s.sdt.reads > 0 || s.calls.reads != 1 {
		t.Errorf("sdt was listed %d times, syscall %d times", s.sdt.reads, s.calls.reads)
	}
	s.show(t, ":::")
	s.show(t, ":::")
	if s.calls.reads != 1 || s.sdt.reads != 1 {
		t.Error("a family was listed twice")
	}
	other := newSet()
	other.Registry = probes.NewRegistry(other.self, other.calls)
	other.show(t, "BEGIN")
	if other.calls.reads > 0 {
		t.Error("a family was listed that had ruled itself out")
	}
}

func TestByID(t *testing.T) {
	s := newSet()
	for id, want := range map[uint32]string{1: "dtrace:::BEGIN", 6: "syscall:vmlinux:write:entry", 7: "sdt:sched::switch", 500002: "profile:::t-2"} {
		e, err := s.ByID(context.Background(), id)
		if err != nil || e.Probe.String() != want || e.ID != id {
			t.Errorf("%d: got %v, %v; want %s", id, e, err, want)
		}
	}
	for _, id := range []uint32{0, 10, 499_999, 500_000, 500_003} {
		_, err := s.ByID(context.Background(), id)
		if !probes.IsNoMatch(err) {
			t.Errorf("%d: got %v, want a NoMatch", id, err)
		}
	}
	_, err := s.ByID(context.Background(), 10)
	if got, want := err.Error(), "probe identifier 10 does not match any probes"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLookup(t *testing.T) {
	s := newSet()
	e, err := s.Lookup(context.Background(), probes.Probe{Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"})
	if err != nil || e.ID != 5 {
		t.Errorf("got %v, %v", e, err)
	}
	for _, p := range []probes.Probe{
		{Provider: "syscall", Function: "read", Name: "return"}, // parts left empty match nothing here
		{Provider: "syscall", Module: "vmlinux", Function: "rea?", Name: "return"},
	} {
		if e, err := s.Lookup(context.Background(), p); !probes.IsNoMatch(err) {
			t.Errorf("%s: got %v, %v; want a NoMatch", p, e, err)
		}
	}
}

func TestSite(t *testing.T) {
	s := newSet()
	found, err := s.Match(context.Background(), probes.Pattern{Provider: "sdt"})
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Site(found[0])
	if err != nil || first.ID != 7 {
		t.Errorf("got %+v, %v", first, err)
	}
	if again, _ := s.Site(found[0]); again != first {
		t.Error("a site was made twice")
	}
	_, err = s.Site(found[2])
	if got, want := fmt.Sprint(err), "probe sdt:sched::bad: it is bad"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := s.Site(probes.Entry{ID: 1, Probe: probes.Probe{Provider: "io"}}); err == nil {
		t.Error("a site of no provider was made")
	}
}

func TestProviders(t *testing.T) {
	var got []string
	for _, f := range newSet().Providers() {
		got = append(got, fmt.Sprint(f.Name, " ", f.Err == nil, " ", f.Endless))
	}
	want := "dtrace true false, syscall true false, fbt false false, sdt true false, profile true true"
	if list := strings.Join(got, ", "); list != want {
		t.Errorf("got %s, want %s", list, want)
	}
}

func TestBrokenFamily(t *testing.T) {
	s := newSet()
	s.sdt.broken = errors.New("disk on fire")
	if got, want := s.show(t, "sdt:::"), "list the probes of sdt: disk on fire"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := s.show(t, "syscall::write:"); got != "6 syscall:vmlinux:write:entry" {
		t.Errorf("a family before the broken one: got %s", got)
	}
}

func TestCancelledListIsAskedAgain(t *testing.T) {
	s := newSet()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.sdt.broken = ctx.Err()
	if _, err := s.Match(ctx, probes.Pattern{Provider: "sdt"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s.sdt.broken = nil
	if got := s.show(t, "sdt:::switch"); got != "7 sdt:sched::switch" {
		t.Errorf("got %s", got)
	}
}

func TestManyAskAtOnce(t *testing.T) {
	s := newSet()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := [...]string{":::", "sdt:::switch", "t-3", "t-4"}[i%4]
			if got := s.show(t, text); strings.Contains(got, "not") {
				t.Errorf("%s: got %s", text, got)
			}
		})
	}
	wg.Wait()
}

// varied is a family of the names fake1, fake2, …, each of whose probes lies at
// two places.
type varied struct{ fake }

func (v *varied) Traits() probes.Traits {
	return probes.Traits{
		Covers: func(name string) bool { return strings.HasPrefix(name, "fake") || name == "*" },
		Sites: func(p probes.Probe) ([]*probes.Site, error) {
			return []*probes.Site{{Probe: p, Hook: probes.Hook{Every: 1}}, {Probe: p, Hook: probes.Hook{Every: 2}}}, nil
		},
	}
}

func (v *varied) Match(_ context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		for _, n := range []string{"fake1", "fake2"} {
			if p := (probes.Probe{Provider: n, Name: "mark"}); pat.Matches(p) && !yield(p, nil) {
				return
			}
		}
	}
}

func TestVaried(t *testing.T) {
	ctx := context.Background()
	r := probes.NewRegistry(&fake{name: "syscall"}, &varied{fake{name: "several"}})
	for _, tt := range []struct {
		pattern string
		want    int
	}{{"fake2:::mark", 1}, {"fake*:::", 2}, {"fake2:::", 1}, {":::mark", 2}} {
		pat, err := probes.ParsePattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.Match(ctx, pat)
		if err != nil || len(found) != tt.want {
			t.Errorf("%s: got %v, %v; want %d", tt.pattern, found, err, tt.want)
		}
	}
	e, err := r.Lookup(ctx, probes.Probe{Provider: "fake2", Name: "mark"})
	if err != nil || e.ID != 500_001 {
		t.Fatal(e, err) // it was asked for first
	}
	sites, err := r.Sites(e)
	if err != nil || len(sites) != 2 || sites[0].ID != e.ID || sites[1].ID != e.ID || sites[0].Hook == sites[1].Hook {
		t.Errorf("got %v, %v", sites, err)
	}
	if one, err := r.Site(e); err != nil || one != sites[0] {
		t.Errorf("got %v, %v", one, err)
	}
	if _, err := r.Sites(probes.Entry{ID: 77, Probe: e.Probe}); err == nil {
		t.Error("a probe that has not been numbered has a site")
	}
}

// What names no provider means what is in the processes that who asks follows, and in no
// others.
func TestFollowed(t *testing.T) {
	ctx := context.Background()
	within := func(_ context.Context, pat probes.Pattern, pids []int) iter.Seq2[probes.Probe, error] {
		return func(yield func(probes.Probe, error) bool) {
			for _, pid := range pids {
				if p := (probes.Probe{Provider: fmt.Sprint("fake", pid), Name: "mark"}); pat.Matches(p) && !yield(p, nil) {
					return
				}
			}
		}
	}
	carried := &fake{name: "carried", traits: probes.Traits{
		Covers: func(name string) bool { return strings.HasPrefix(name, "fake") }, Within: within,
		MayMatch: func(pat probes.Pattern) bool { return pat.Provider != "" },
		Grows:    func(probes.Pattern) []int { return []int{0} },
	}}
	r := probes.NewRegistry(&fake{name: "other", list: []string{"::mark"}}, carried)
	for _, tt := range []struct {
		text     string
		followed []int
		want     string
		grows    []int
	}{
		{"mark", nil, "other:::mark", []int{0}},
		{"mark", []int{7, 9}, "other:::mark fake7:::mark fake9:::mark", []int{7, 9}},
		{"mark", []int{8}, "other:::mark fake8:::mark", []int{8}},
		{"other:::mark", []int{8}, "other:::mark", nil},
	} {
		pat, err := probes.ParsePattern(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.Match(ctx, pat, tt.followed...)
		var names []string
		for _, e := range found {
			names = append(names, e.Probe.String())
		}
		if got := strings.Join(names, " "); got != tt.want || err != nil {
			t.Errorf("%s of %v: %s, %v; want %s", tt.text, tt.followed, got, err, tt.want)
		}
		if got := r.Grows(pat, tt.followed); !slices.Equal(got, tt.grows) {
			t.Errorf("%s of %v grows in %v, want %v", tt.text, tt.followed, got, tt.grows)
		}
	}
}

// The name of a provider is not what is wrong where there is one that lists nothing by
// itself; and one that knows why it has no such probe is heard.
func TestHint(t *testing.T) {
	joined, _ := probes.Join(&fake{name: "joined", traits: knowing}, []probes.Provider{&fake{name: "joined"}})
	r := probes.NewRegistry(&fake{name: "listed", list: []string{"m:f:entry"}}, joined, &explaining{endless{fake{name: "asked"}}})
	for pat, want := range map[probes.Pattern]string{
		{Provider: "asked", Function: "nosuch", Name: "3"}:                  "no function is called nosuch there",
		{Provider: "asked", Module: "none", Function: "nosuch"}:             "no module is called none there",
		{Provider: "asked", Name: "3"}:                                      "no name is called 3 there",
		{Provider: "asked", Function: "spared", Name: "entry"}:              "spared is left out",
		{Function: "spared"}:                                                "spared is left out",
		{Provider: "listed", Module: "m", Function: "spared", Name: "exit"}: "no function is called spared there",
		{Provider: "joined", Function: "spared", Name: "entry"}:             "spared is left out",
		{Provider: "none"}:                                                  "no provider is called none",
	} {
		_, err := r.Match(context.Background(), pat)
		var none *probes.NoMatch
		if !errors.As(err, &none) || none.Hint() != want {
			t.Errorf("%s: %v, want %s", pat, err, want)
		}
	}
}

// knowing explains what is called spared.
var knowing = probes.Traits{Explain: func(pat probes.Pattern) string {
	if pat.Function == "spared" {
		return "spared is left out"
	}
	return ""
}}

// An explaining fake is endless, and knows.
type explaining struct{ endless }

func (*explaining) Traits() probes.Traits {
	return probes.Traits{Endless: true, Explain: knowing.Explain}
}
