// Package timer publishes the probes that fire as time passes: profile-N on
// every CPU, to sample what runs, and tick-N on one CPU, to do something from
// time to time. Both belong to one provider, profile, as in DTrace.
//
// N is a number with a unit: a rate in hz, which is also meant if there is no
// unit, or a time in ns, us, ms, s, m, h or d, each of which has a longer name
// too. The case of units does not matter.
//
// Nothing may fire more often than each 200 microseconds, 5,000 times a
// second. DTrace sets that limit on illumos (profile_interval_min) and Oracle
// keeps it on Linux; scripts rely on no faster rate.
//
// The arguments have no types, as in DTrace. arg0 is the program counter in
// the kernel, or 0 if the CPU ran a process, and arg1 the program counter in
// the process, or 0.
package timer

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"dscope.dev/probes"
)

// Name is the name of the provider.
const Name = "profile"

// The two kinds of probes, by how their names begin.
const (
	profilePrefix = "profile-"
	tickPrefix    = "tick-"
)

// minInterval is the shortest time between two firings.
const minInterval = 200 * time.Microsecond

// usual are the probes that a listing shows, the same as DTrace's.
var usual = [...]string{
	"profile-97", "profile-199", "profile-499", "profile-997", "profile-1999", "profile-4001", "profile-4999",
	"tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000",
}

// A Provider publishes profile-N and tick-N for every N.
type Provider struct{}

// New returns the provider.
func New() *Provider { return &Provider{} }

// Name returns profile.
func (*Provider) Name() string { return Name }

// Help says what the family is for.
func (*Provider) Help() string {
	return "profile-N fires on every CPU, tick-N on one, N times a second or each N ns, us, ms, s, m, h, d"
}

// Available returns nil: software clocks are part of every kernel with perf,
// and without perf no program of ours would load.
func (*Provider) Available() error { return nil }

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{Endless: true, MayMatch: p.MayMatch, Count: p.Count, Suggest: p.Suggest}
}

// MayMatch rules out what no timer can be named.
func (*Provider) MayMatch(pat probes.Pattern) bool {
	return probes.Glob(pat.Module, "") && probes.Glob(pat.Function, "") &&
		(pat.Name == "" || !isPlain(pat.Name) || isOurs(pat.Name))
}

// Count returns how many usual probes there are.
func (*Provider) Count() int { return len(usual) }

// Suggest knows what other tracers call timers.
func (*Provider) Suggest(part probes.Part, pat probes.Pattern) string {
	if part == probes.ProviderPart && (pat.Provider == "tick" || pat.Provider == "interval") {
		return Name
	}
	return ""
}

// Match yields the usual probes that pat covers. If the name in pat is spelled
// out and begins as one of ours, it yields that, or an error that says what is
// wrong with its interval.
func (*Provider) Match(_ context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		if pat.Name != "" && isPlain(pat.Name) {
			p := probes.Probe{Provider: Name, Name: pat.Name}
			if !isOurs(p.Name) || !pat.Matches(p) {
				return
			}
			if _, err := interval(p.Name); err != nil {
				yield(probes.Probe{}, err)
				return
			}
			yield(p, nil)
			return
		}
		for _, name := range usual {
			p := probes.Probe{Provider: Name, Name: name}
			if pat.Matches(p) && !yield(p, nil) {
				return
			}
		}
	}
}

// isPlain reports whether a name is no glob.
func isPlain(name string) bool { return !strings.ContainsAny(name, `*?[\`) }

func isOurs(name string) bool {
	return strings.HasPrefix(name, profilePrefix) || strings.HasPrefix(name, tickPrefix)
}

// Site says how often p fires, and where.
func (*Provider) Site(p probes.Probe) (*probes.Site, error) {
	if p.Provider != Name || p.Module != "" || p.Function != "" || !isOurs(p.Name) {
		return nil, &probes.NoMatch{Pattern: probes.Pattern(p), Part: probes.NamePart}
	}
	every, err := interval(p.Name)
	if err != nil {
		return nil, err
	}
	all := strings.HasPrefix(p.Name, profilePrefix)
	where := "one CPU"
	if all {
		where = "every CPU"
	}
	return &probes.Site{
		Probe: p,
		Hook:  probes.Hook{Kind: probes.Timer, Target: p.Name, Every: every, PerCPU: all},
		Raw:   2,
		Help:  fmt.Sprintf("fires on %s each %v", where, time.Duration(every)),
	}, nil
}

// unit returns the nanoseconds in a unit of time.
func unit(name string) (time.Duration, bool) {
	switch strings.ToLower(name) {
	case "ns", "nsec":
		return time.Nanosecond, true
	case "us", "usec":
		return time.Microsecond, true
	case "ms", "msec":
		return time.Millisecond, true
	case "s", "sec":
		return time.Second, true
	case "m", "min":
		return time.Minute, true
	case "h", "hour":
		return time.Hour, true
	case "d", "day":
		return 24 * time.Hour, true
	}
	return 0, false
}

// An IntervalError says what is wrong with the interval of a probe.
type IntervalError struct {
	Name string // of the probe
	Why  string
}

// Error says it in one sentence.
func (e *IntervalError) Error() string { return e.Name + ": " + e.Why }

// interval reads the time between two firings from a name such as tick-10ms,
// in nanoseconds.
func interval(name string) (uint64, error) {
	refuse := func(format string, args ...any) (uint64, error) {
		return 0, &IntervalError{name, fmt.Sprintf(format, args...)}
	}
	_, text, _ := strings.Cut(name, "-")
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	digits, suffix := text[:end], text[end:]
	if digits == "" {
		return refuse("there is no number; write a rate such as %shz or a time such as %s",
			name[:len(name)-len(text)]+"100", name[:len(name)-len(text)]+"10ms")
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return refuse("the number is too large")
	}
	if n == 0 {
		return refuse("it would never fire; the number must be greater than 0")
	}
	every := uint64(time.Second) / n
	if suffix != "" && !strings.EqualFold(suffix, "hz") {
		u, ok := unit(suffix)
		if !ok {
			return refuse("there is no unit %s; use hz, ns, us, ms, s, m, h or d", suffix)
		}
		hi, lo := bits.Mul64(n, uint64(u))
		if hi != 0 || lo > math.MaxInt64 {
			return refuse("the time is too long: it ends after %v", time.Duration(math.MaxInt64).Round(time.Hour))
		}
		every = lo
	}
	if every < uint64(minInterval) {
		return refuse("it is too fast: probes fire at most each 200us, 5000 times a second")
	}
	return every, nil
}
