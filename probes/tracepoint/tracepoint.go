// Package tracepoint publishes the kernel's tracepoints, as two providers.
//
//	sdt:GROUP::EVENT      every tracepoint that has an event in tracefs
//	rawtp:GROUP::NAME     the same, and those that have none
//
// GROUP is the subsystem that tracefs files the event under: sched, block, net.
// A tracepoint without an event has none, and is listed under the module that
// defines it: vmlinux or a kernel module. The events of the group syscalls are
// no tracepoints; package syscall publishes them.
//
// The names are those of Oracle's DTrace. The arguments are not: there, those
// of sdt are the fields of the event's record and those of rawtp have no
// types. Here both have the arguments that the kernel's own code hands to the
// tracepoint, typed by BTF, so that args[0] of sched_process_exec is the struct
// task_struct of the process; a record costs time to fill in, and hides what
// its author did not think of.
//
// An event is called as its tracepoint, but for a few whose authors hung an
// event on a tracepoint of another name. The kernel does not tell which these
// are; so the event is listed, and its Site refuses with the reason.
package tracepoint

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// A Provider publishes tracepoints under one of the two names.
type Provider struct {
	kernel *kernel.Kernel
	raw    bool
}

// NewSDT returns the provider sdt.
func NewSDT(k *kernel.Kernel) *Provider { return &Provider{kernel: k} }

// NewRaw returns the provider rawtp.
func NewRaw(k *kernel.Kernel) *Provider { return &Provider{kernel: k, raw: true} }

// Name returns sdt or rawtp.
func (p *Provider) Name() string {
	if p.raw {
		return "rawtp"
	}
	return "sdt"
}

// Help says what the family is for.
func (p *Provider) Help() string {
	if p.raw {
		return "every tracepoint of the kernel, those without an event too"
	}
	return "the kernel's tracepoints, by subsystem"
}

// Available returns why tracepoints cannot be had. sdt needs their names from
// tracefs; rawtp makes do with those of BTF.
func (p *Provider) Available() error {
	if _, err := p.kernel.Tracepoints(); err != nil {
		return err
	}
	if p.raw {
		return nil
	}
	_, err := p.kernel.Events()
	return err
}

// Traits returns what sets the family apart. When a module of the kernel is
// loaded later it is not waited for: to be attached to a tracepoint would hold the module.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{MayMatch: p.MayMatch, Count: p.Count, Suggest: p.Suggest, Explain: p.Explain, Settled: "tracepoints"}
}

// Suggest knows what other tracers call tracepoints.
func (p *Provider) Suggest(part probes.Part, pat probes.Pattern) string {
	if part != probes.ProviderPart {
		return ""
	}
	switch pat.Provider {
	case "rawtracepoint", "raw_tracepoint", "tp_btf", "raw_tp":
		if p.raw {
			return p.Name()
		}
	case "tracepoint", "tp":
		if !p.raw {
			return p.Name()
		}
	}
	return ""
}

// MayMatch rules out what no tracepoint can be named: they have no function,
// and their names are names of C, which the kernel writes in small letters.
// That spares a script that has nothing but BEGIN and tick-1s the reading of
// every tracepoint's name.
func (p *Provider) MayMatch(pat probes.Pattern) bool {
	return probes.Glob(pat.Function, "") && (pat.Name == "" || isGlob(pat.Name) || isName(pat.Name))
}

func isGlob(s string) bool { return strings.ContainsAny(s, `*?[\`) }

// isName reports whether s is a name of C with a small letter in it.
func isName(s string) bool {
	small := false
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z':
			small = true
		case c == '_', '0' <= c && c <= '9', 'A' <= c && c <= 'Z':
		default:
			return false
		}
	}
	return small
}

// Count returns about how many probes there are.
func (p *Provider) Count() int {
	events, _ := p.kernel.Events() // rawtp does without
	n := len(events)
	if p.raw {
		points, _ := p.kernel.Tracepoints()
		n = max(n, len(points))
	}
	return n
}

// Match yields the tracepoints that pat covers, by group and name.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		events, err := p.kernel.Events()
		if err != nil && !p.raw {
			yield(probes.Probe{}, err)
			return
		}
		var hasEvent map[string]bool
		if p.raw {
			hasEvent = make(map[string]bool, len(events))
		}
		for _, e := range events {
			if e.Group == kernel.SyscallGroup || spared[e.Name] != "" {
				continue
			}
			if p.raw {
				hasEvent[e.Name] = true
			}
			probe := probes.Probe{Provider: p.Name(), Module: e.Group, Name: e.Name}
			if pat.Matches(probe) && !yield(probe, ctx.Err()) {
				return
			}
		}
		if p.raw {
			p.matchBare(ctx, pat, hasEvent, yield)
		}
	}
}

// matchBare yields the tracepoints that have no event.
func (p *Provider) matchBare(ctx context.Context, pat probes.Pattern, hasEvent map[string]bool, yield func(probes.Probe, error) bool) {
	points, err := p.kernel.Tracepoints()
	if err != nil {
		yield(probes.Probe{}, err)
		return
	}
	for _, t := range points {
		if hasEvent[t.Name] || spared[t.Name] != "" {
			continue
		}
		probe := probes.Probe{Provider: p.Name(), Module: t.Module, Name: t.Name}
		if pat.Matches(probe) && !yield(probe, ctx.Err()) {
			return
		}
	}
}

// Site types the arguments of a tracepoint.
func (p *Provider) Site(probe probes.Probe) (*probes.Site, error) {
	params, err := p.kernel.Params(probe.Name)
	if errors.Is(err, kernel.ErrNoType) {
		return nil, fmt.Errorf("the kernel tells of no tracepoint of this name; "+
			"its event hangs on one that is called otherwise: look for it with rawtp:::*: %w", err)
	}
	if err != nil {
		return nil, err
	}
	s := &probes.Site{
		Probe: probe,
		Hook:  probes.Hook{Kind: probes.Tracepoint, Target: probe.Name},
		Raw:   len(params),
		Help:  helps[probe.Name],
	}
	for i, a := range params {
		s.Args = append(s.Args, probes.Arg{Name: a.Name, Type: a.Type, Slot: i})
	}
	return s, nil
}
