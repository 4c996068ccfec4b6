// Package dtrace publishes the probes of the tracer itself: BEGIN fires before
// all others, END after all others, ERROR when a clause meets a fault.
package dtrace

import (
	"context"
	"iter"

	"dscope.dev/probes"
)

// Name is the name of the provider.
const Name = "dtrace"

// A Provider publishes dtrace:::BEGIN, END and ERROR. They need nothing of the
// kernel but that it loads programs.
type Provider struct{}

// New returns the provider.
func New() *Provider { return &Provider{} }

// known are the three probes, in the order of their numbers.
var known = [...]struct{ name, target, help string }{
	{"BEGIN", "begin", "fires once, before any other probe"},
	{"END", "end", "fires once, after all others, also after exit() and Ctrl-C"},
	{"ERROR", "error", "fires when a clause meets a fault: arg1 the number of the probe as enabled, arg2 the action, " +
		"arg3 the offset in it, arg4 the kind of fault, arg5 the address"},
}

// Name returns dtrace.
func (*Provider) Name() string { return Name }

// Help says what the family is for.
func (*Provider) Help() string { return "the start, the end and the faults of a script" }

// Available returns nil.
func (*Provider) Available() error { return nil }

// Match yields the probes that pat covers.
func (*Provider) Match(_ context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		for _, k := range known {
			p := probes.Probe{Provider: Name, Name: k.name}
			if pat.Matches(p) && !yield(p, nil) {
				return
			}
		}
	}
}

// errorWords is how many words are given to ERROR: arg0 to arg5.
const errorWords = 6

// Traits returns none: the family is listed whole.
func (*Provider) Traits() probes.Traits { return probes.Traits{} }

// Site says that the engine fires p itself. None of the three has typed
// arguments, as in DTrace; ERROR has the words that its help tells.
func (*Provider) Site(p probes.Probe) (*probes.Site, error) {
	for _, k := range known {
		if p != (probes.Probe{Provider: Name, Name: k.name}) {
			continue
		}
		s := &probes.Site{Probe: p, Hook: probes.Hook{Kind: probes.Test, Target: k.target}, Help: k.help}
		if k.name == "ERROR" {
			s.Raw = errorWords
		}
		return s, nil
	}
	return nil, &probes.NoMatch{Pattern: probes.Pattern(p), Part: probes.NamePart}
}
