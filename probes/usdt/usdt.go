// Package usdt publishes the probes that programs carry: statically defined ones,
// which their authors put where something worth knowing happens.
//
//	PROVIDERpid:module:function:name
//	python1234:libpython3.11.so.1.0:_PyEval_EvalFrameDefault:function-entry
//
// They are written with the macros of sys/sdt.h, which leave nothing in the code
// but a nop. What the compiler knew goes into a section .note.stapsdt of
// the file: the address of the nop, the names, and for each argument in which
// register or cell of memory it lies at that moment. So a probe can be had in any
// process that runs, without its help, and costs nothing until then. Where
// working out the arguments costs something, the program asks a counter, the
// semaphore, whether anybody listens; the kernel keeps it above zero as long as
// the probe is enabled, and takes it back when the tracer ends, however it ends.
//
// The provider's name ends with the number of a process, and so there are as many
// providers as processes that have probes. A glob covers several: python*:::gc-start.
// A family that large is not part of what a description without a provider means:
// :::gc-start is looked for in the processes of -c and -p, and among the other
// families.
//
// A description whose provider ends with a star also means the programs that begin
// later: the first process that executes a file with such a probe teaches the running
// script that file (arrive.go), and from then on the probe fires in every process that
// ever executes it, from the first instruction on. Its provider is then called
// python*, without a number. A process that the script has found at its start keeps
// its own probe, python1234. One that is named by its number may load libraries later.
//
// Nothing is listed in advance. What processes have mapped is read from /proc when it
// is asked for, and later told by the kernel; a file is parsed once, however
// many processes run it. Files are written by anybody and read by root, so all
// that is taken from them is bounded, and a damaged file gives what it has.
package usdt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dscope.dev/probes"
	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// A Provider publishes the probes of the processes that run.
type Provider struct {
	proc string // where processes are told of

	mu    sync.Mutex
	files map[space.FileID]*file
	known map[probes.Probe][]located
}

// A located point is one in a process.
type located struct {
	Point
	path string
	pid  int
}

// New returns the provider.
func New() *Provider { return over("/proc") }

func over(proc string) *Provider {
	return &Provider{proc: proc, files: map[space.FileID]*file{}, known: map[probes.Probe][]located{}}
}

// Name returns what the family is called as a whole. Its providers have names of
// their own.
func (*Provider) Name() string { return "usdt" }

// Help says what the family is for.
func (*Provider) Help() string {
	return "probes that programs carry: python1234:::gc-start, or python*:::gc-start for all processes"
}

// Available returns nil: who may not look into a process finds nothing there.
func (*Provider) Available() error { return nil }

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{Covers: p.Covers, Within: p.Within, MayMatch: p.MayMatch, Sites: p.Sites, Grows: p.Grows, Arrived: p.Arrived}
}

// MayMatch rules out descriptions whose provider has no number at its end, but for that of
// everything.
func (p *Provider) MayMatch(pat probes.Pattern) bool {
	return couldEnd(pat.Provider) || pat == probes.Pattern{}
}

// Covers reports whether a provider's name, which may be a glob, can be one of
// ours.
func (*Provider) Covers(provider string) bool { return couldEnd(provider) }

// couldEnd reports whether a glob can cover a name that ends with a digit.
func couldEnd(pattern string) bool {
	if pattern == "" {
		return false
	}
	c := pattern[len(pattern)-1]
	return c >= '0' && c <= '9' || strings.IndexByte("*?]", c) >= 0
}

// Match yields the probes that pat covers, process by process. The empty pattern
// covers those of every process.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		pids, err := p.pids(pat)
		if err != nil {
			yield(probes.Probe{}, err)
			return
		}
		p.Within(ctx, pat, pids)(yield)
	}
}

// Within yields the probes that pat covers in some processes.
func (p *Provider) Within(ctx context.Context, pat probes.Pattern, pids []int) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		without := map[space.FileID]bool{} // files that were looked at by now and carry nothing
		for _, pid := range pids {
			if ctx.Err() != nil {
				yield(probes.Probe{}, ctx.Err())
				return
			}
			list, _ := p.process(pid, pat, without) // which file is silent is told of every run
			for _, probe := range list {
				if !yield(probe, nil) {
					return
				}
			}
		}
	}
}

// pids returns the processes that a description may mean: those whose number the
// provider's name may end with.
func (p *Provider) pids(pat probes.Pattern) ([]int, error) {
	pattern := pat.Provider
	if pattern == "" && pat != (probes.Pattern{}) {
		return nil, nil
	}
	digits := len(pattern) - len(strings.TrimRight(pattern, "0123456789"))
	end := pattern[len(pattern)-digits:]
	if digits > 0 && !strings.ContainsAny(pattern, `*?[\`) {
		var list []int
		for i := range end {
			if n, err := strconv.Atoi(end[i:]); err == nil && end[i] != '0' && digits-i < len(pattern) {
				list = append(list, n)
			}
		}
		return list, nil
	}
	all, err := space.Processes(p.proc)
	return slices.DeleteFunc(all, func(pid int) bool {
		s := strconv.Itoa(pid)
		return !strings.HasSuffix(s, end) && !strings.HasSuffix(end, s)
	}), err
}

// process returns the probes of a process that pat covers, each once, and keeps
// where they lie. The error is about a file that is silent.
func (p *Provider) process(pid int, pat probes.Pattern, without map[space.FileID]bool) ([]probes.Probe, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var silent error
	found := map[probes.Probe][]located{}
	proc := space.Process{Proc: p.proc, PID: pid}
	code, _ := proc.Code() // a process that has ended, or may not be looked into, has none
	for i := range code {
		if without[code[i].File] {
			continue
		}
		module := module(&code[i])
		if !probes.Glob(pat.Module, module) {
			continue
		}
		path, points, err := p.read(proc, &code[i])
		if silent == nil && errors.Is(err, scout.ErrSilent) {
			silent = fmt.Errorf("%s: %w", module, scout.ErrSilent)
		}
		if path != "" && len(points) == 0 {
			without[code[i].File] = true
		}
		for _, point := range points {
			probe := probes.Probe{Provider: point.Provider + strconv.Itoa(pid), Module: module,
				Function: point.Function, Name: point.Name}
			if pat.Matches(probe) {
				found[probe] = append(found[probe], located{point, path, pid})
			}
		}
	}
	list := make([]probes.Probe, 0, len(found))
	for probe, places := range found {
		list = append(list, probe)
		p.known[probe] = places
	}
	slices.SortFunc(list, func(a, b probes.Probe) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Provider, b.Provider),
			cmp.Compare(a.Function, b.Function), cmp.Compare(a.Name, b.Name))
	})
	return list, silent
}

// Site returns the first place of a probe.
func (p *Provider) Site(probe probes.Probe) (*probes.Site, error) {
	return probes.First(p.Sites(probe))
}

// Sites returns every place of a probe.
func (p *Provider) Sites(probe probes.Probe) ([]*probes.Site, error) {
	p.mu.Lock()
	places := p.known[probe]
	p.mu.Unlock()
	if len(places) == 0 {
		return nil, &probes.NoMatch{Pattern: probes.Pattern(probe), Part: probes.NamePart}
	}
	var list []*probes.Site
	for _, at := range places {
		list = append(list, at.site(probe))
	}
	return list, nil
}

// site makes a point ready for the compiler.
func (at located) site(probe probes.Probe) *probes.Site {
	s := &probes.Site{
		Probe: probe,
		Hook: probes.Hook{Kind: probes.User, Target: probe.Name, File: at.path, Offset: at.Offset,
			PID: at.pid, Semaphore: at.Semaphore},
		Raw:      len(at.Args),
		Operands: append([]probes.Operand{}, at.Args...), // not nil: those that are not there are 0
		Help:     at.help(),
	}
	for i, o := range at.Args {
		s.Args = append(s.Args, probes.Arg{Type: typeOf(o), Slot: i, User: true, Why: o.Why})
	}
	return s
}

// help says what the probe means.
func (at located) help() string {
	if at.pid == 0 {
		return "a process comes to a place that its author marked"
	}
	return fmt.Sprintf("process %d comes to a place that its author marked", at.pid)
}
