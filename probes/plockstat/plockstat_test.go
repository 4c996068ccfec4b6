package plockstat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"dscope.dev/probes"
)

// A library publishes functions as the provider pid does, of which some are missing.
type library struct {
	lacks []string
	start uint64 // of the first function: another process has another
}

func (l *library) Match(_ context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		if pat.Provider != "pid12" || !probes.Glob(pat.Module, "libc.so.6") || slices.Contains(l.lacks, pat.Function) {
			yield(probes.Probe{}, &probes.NoMatch{Pattern: pat})
			return
		}
		yield(probes.Probe{Provider: "pid12", Module: "libc.so.6", Function: pat.Function, Name: pat.Name}, nil)
	}
}

func (l *library) Sites(p probes.Probe) ([]*probes.Site, error) {
	h := probes.Hook{Kind: probes.User, Target: p.Function, File: "/libc.so.6", Offset: l.start, PID: 12, Return: p.Name == "return"}
	return []*probes.Site{{Probe: p, Hook: h}}, nil
}

// calls publishes one system call.
type calls struct{ probes.Provider }

func (calls) Site(p probes.Probe) (*probes.Site, error) {
	if p.Function != "futex" {
		return nil, fmt.Errorf("no call %s", p.Function)
	}
	return &probes.Site{Probe: p, Hook: probes.Hook{Kind: probes.Tracepoint, Target: "sys_enter", Select: probes.BySyscall}, Key: 202}, nil
}

func names(t *testing.T, p *Provider, pattern string) ([]string, error) {
	t.Helper()
	pat, err := probes.ParsePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for q, err := range p.Match(context.Background(), pat) {
		if err != nil {
			return nil, err
		}
		list = append(list, q.String())
	}
	return list, nil
}

func TestNames(t *testing.T) {
	p := New(&library{}, calls{}, "amd64")
	for name, want := range map[string]bool{
		"plockstat12": true, "plockstat": false, "plockstat0": false, "plockstat*": false, "plockstat1x": false,
		"pid12": false, "lockstat": false, "": false, "*": false,
	} {
		if got := p.Covers(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	all, err := names(t, p, "plockstat12:::")
	if err != nil || len(all) != len(marks) || !slices.IsSorted(all) || all[0] != "plockstat12:libc.so.6::mutex-acquire" {
		t.Errorf("got %q, %v", all, err)
	}
	if list, err := names(t, p, "plockstat12:libc*::rw-*"); err != nil || len(list) != 5 {
		t.Errorf("got %q, %v", list, err)
	}
	if _, err := names(t, p, "plockstat13:::"); !errors.Is(err, ErrLibrary) {
		t.Errorf("got %v", err)
	}
}

// TestMade holds that every probe can be made, on both machines, and only of what the
// library has; that what one hook notes for another is noted once; and that no probe reads
// what the same hook notes for it.
func TestMade(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		p := New(&library{lacks: []string{"pthread_mutex_clocklock", "pthread_cond_clockwait"}}, calls{}, arch)
		if _, err := names(t, p, "plockstat12:::"); err != nil {
			t.Fatal(err)
		}
		noted := map[probes.Hook]map[*probes.State]bool{}
		for _, m := range marks {
			q := probes.Probe{Provider: "plockstat12", Module: "libc.so.6", Name: m.name}
			sites, err := p.Sites(q)
			if err != nil || len(sites) == 0 {
				t.Errorf("%s: %v, %v", m.name, sites, err)
			}
			for _, s := range sites {
				if s.Hook.Target == "pthread_mutex_clocklock" || s.Hook.Target == "pthread_cond_clockwait" {
					t.Errorf("%s is made of %s, which is not there", m.name, s.Hook.Target)
				}
				d := s.Derived
				if d == nil || len(d.Values) != len(m.args) || len(s.Args) != len(m.args) || len(d.Types) != len(m.args) {
					t.Errorf("%s: %+v", m.name, s)
					continue
				}
				for _, st := range d.State {
					if noted[st.On.Hook] == nil {
						noted[st.On.Hook] = map[*probes.State]bool{}
					}
					noted[st.On.Hook][st] = true
					if st.On.Hook == s.Hook {
						for _, do := range st.Do {
							v, _, _ := strings.Cut(do, " ")
							if strings.Contains(d.When+strings.Join(d.Values, " "), v) {
								t.Errorf("%s at %s reads %s, which is noted there too", m.name, s.Hook.Target, v)
							}
						}
					}
				}
			}
			again, err := p.Sites(q)
			if err != nil || again[0].Derived != sites[0].Derived {
				t.Errorf("%s is made anew each time", m.name)
			}
		}
		for h, list := range noted {
			if h.Kind == probes.User && len(list) > 2 {
				t.Errorf("%d programs note what %s does", len(list), h.Target)
			}
		}
	}
}

// TestAnotherProcess holds that a process of the same number is not taken for the one
// that was there before.
func TestAnotherProcess(t *testing.T) {
	l := &library{start: 0x1000}
	p := New(l, calls{}, "amd64")
	site := func() *probes.Site {
		if _, err := names(t, p, "plockstat12:::rw-block"); err != nil {
			t.Fatal(err)
		}
		s, err := p.Site(probes.Probe{Provider: "plockstat12", Module: "libc.so.6", Name: "rw-release"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := site()
	if site().Derived != first.Derived {
		t.Error("the same process is read anew")
	}
	l.start = 0x2000
	if s := site(); s.Hook.Offset != 0x2000 || s.Hook.Return {
		t.Errorf("got %+v", s.Hook)
	}
}

// TestGiven holds where the texts find what they name.
func TestGiven(t *testing.T) {
	x := &process{arch: "amd64"}
	on := &probes.Site{}
	s := x.given(on, place{functions: locking, what: "entry"})
	if len(s.Operands) != 6 || s.Operands[5].Disp != ownerAt || s.Operands[0].Kind != probes.Value || s.Operands[3].Disp != kindAt || !s.Operands[3].Try || s.Operands[0].Base.Word != 14 {
		t.Errorf("got %+v", s.Operands)
	}
	if s := x.given(on, place{functions: waiting, what: "entry"}); len(s.Operands) != 2 || s.Operands[1].Base.Word != 13 {
		t.Errorf("got %+v", s.Operands)
	}
	if s := x.given(on, place{functions: locking, what: "return"}); s.Operands[1].Base != (probes.Register{Word: 10, Size: 4}) || !s.Operands[1].Signed {
		t.Errorf("got %+v", s.Operands)
	}
	if on.Operands != nil {
		t.Error("the site of another provider was changed")
	}
}
