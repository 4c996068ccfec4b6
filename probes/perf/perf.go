// Package perf publishes the counters of the processor and of the kernel as the
// provider cpc: cpc:::EVENT-MODE-COUNT fires on a CPU each time that EVENT has
// happened COUNT times there, in MODE user, kernel or all.
//
// Events have the names that other tools give them, in lower case and with _ in
// place of -, which parts the name of a probe: instructions, llc_load_misses,
// page_faults. The kernel's own names are there too (perf_count_sw_cpu_clock), as
// Oracle's DTrace has them, and of PAPI's names, which Solaris took, those that
// mean the same as an event of Linux (PAPI_tot_ins). What the processor counts
// besides, and its driver names in sysfs, follows.
//
// Which events there are is found by trial: each is opened once and closed at
// once, counting nothing. A machine without counters, such as most virtual ones,
// has those that the kernel counts by itself.
//
// A probe may not fire without a pause: where an event happens all the time, as
// cycles do and nanoseconds of a clock, COUNT is at least 5,000, as on Solaris.
//
// The arguments have no types, as those of profile: arg0 is the program counter
// in the kernel or 0, arg1 that in the process or 0. Hardware counters tell it a
// few instructions late.
package perf

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync"

	"dscope.dev/probes"
)

// Name is the name of the provider.
const Name = "cpc"

// usualCount is the count of the probes that a listing shows, Oracle's: so many
// that nothing that is counted is too fast.
const usualCount = 1_000_000_000

// minCount is the least count of an event that happens all the time.
const minCount = 5000

// A Provider publishes the counters of this machine.
type Provider struct {
	open  func(Event) error // tries an event
	tried func() map[string]error
	all   func() []Event
}

// New returns the provider of the running kernel.
func New() *Provider { return over(try, os.DirFS("/sys")) }

// over returns a provider whose events are tried by open, and those of whose
// processor are told by sysfs.
func over(open func(Event) error, sys fs.FS) *Provider {
	p := &Provider{open: open}
	p.all = sync.OnceValue(func() []Event {
		list := events()
		return append(list, platform(sys, list)...)
	})
	p.tried = sync.OnceValue(p.tryAll)
	return p
}

// tryAll opens every event and returns what went wrong, by name. Names of one
// event are tried once. So are the events that the kernel counts by itself: each of
// them is in every kernel since Linux 5.13, and to open one takes it longer than it
// takes to refuse a dozen of the others.
func (p *Provider) tryAll() map[string]error {
	type counter struct {
		typ    uint32
		config uint64
	}
	done := map[counter]error{}
	found := make(map[string]error, len(p.all()))
	for _, e := range p.all() {
		c := counter{e.Type, e.Config}
		if e.Type == software {
			c.config = 0
		}
		err, known := done[c]
		if !known {
			err = p.open(e)
			done[c] = err
		}
		found[e.Name] = err
	}
	return found
}

// Name returns cpc.
func (*Provider) Name() string { return Name }

// Help says what the family is for.
func (*Provider) Help() string {
	return "EVENT-MODE-COUNT fires when a counter of the processor or the kernel has moved on by COUNT; MODE is all, user or kernel"
}

// Available returns nil if there is any event, else why the first of those that
// the kernel counts by itself is not.
func (p *Provider) Available() error {
	var first error
	for _, e := range p.all() {
		err := p.tried()[e.Name]
		if err == nil {
			return nil
		}
		if first == nil && e.Type == software {
			first = err
		}
	}
	return first
}

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{Endless: true, MayMatch: p.MayMatch}
}

// MayMatch tells without a trial what can be none of ours: most scripts name
// other probes, and should not wait for sixty events to be opened.
func (p *Provider) MayMatch(pat probes.Pattern) bool {
	if pat.Module != "" && isPlain(pat.Module) || pat.Function != "" && isPlain(pat.Function) {
		return false
	}
	if pat.Name == "" || !isPlain(pat.Name) {
		return true
	}
	if pat.Provider == Name {
		return true
	}
	name, _, _ := strings.Cut(pat.Name, "-")
	if strings.ToLower(name) != name && !strings.HasPrefix(name, "PAPI_") {
		return false // BEGIN, END and ERROR: no event is called in capitals, and none need be looked for
	}
	_, ok := p.event(name)
	return ok
}

// isPlain reports whether a name is no glob.
func isPlain(name string) bool { return !strings.ContainsAny(name, `*?[\`) }

// An Unavailable is an event and why this machine does not count it.
type Unavailable struct {
	Event Event
	Err   error
}

// Unavailable lists the events that this machine does not count.
func (p *Provider) Unavailable() []Unavailable {
	var list []Unavailable
	for _, e := range p.all() {
		if err := p.tried()[e.Name]; err != nil {
			list = append(list, Unavailable{e, err})
		}
	}
	return list
}

// Match yields, for each event that this machine counts, one probe that pat
// covers. If the name in pat is spelled out, it yields that, or an error that
// says what is wrong with it.
func (p *Provider) Match(_ context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		if pat.Name != "" && isPlain(pat.Name) {
			q := probes.Probe{Provider: Name, Name: pat.Name}
			if !pat.Matches(q) {
				return
			}
			if _, err := p.Site(q); err != nil {
				yield(probes.Probe{}, err)
				return
			}
			yield(q, nil)
			return
		}
		for _, e := range p.all() {
			q := probes.Probe{Provider: Name, Name: fmt.Sprintf("%s-all-%d", e.Name, usualCount)}
			if p.tried()[e.Name] == nil && pat.Matches(q) && !yield(q, nil) {
				return
			}
		}
	}
}

// Site says which counter q asks for.
func (p *Provider) Site(q probes.Probe) (*probes.Site, error) {
	if q.Provider != Name || q.Module != "" || q.Function != "" {
		return nil, &probes.NoMatch{Pattern: probes.Pattern(q), Part: probes.NamePart}
	}
	e, mode, count, err := p.parse(q.Name)
	if err != nil {
		return nil, err
	}
	if err := p.open(e); err != nil {
		return nil, &NameError{q.Name, err.Error()}
	}
	return &probes.Site{
		Probe: q,
		Hook: probes.Hook{Kind: probes.Counter, Target: q.Name, Every: count, PerCPU: true,
			Type: e.Type, Config: e.Config, Mode: mode},
		Raw:  2,
		Help: fmt.Sprintf("fires on a CPU each %d %s", count, e.Help),
	}, nil
}

// A NameError says what is wrong with the name of a probe.
type NameError struct{ Name, Why string }

// Error says it in one sentence.
func (e *NameError) Error() string { return e.Name + ": " + e.Why }

// modes are what may stand for the mode in a name.
var modes = map[string]probes.Mode{"all": probes.UserMode | probes.KernelMode, "user": probes.UserMode, "kernel": probes.KernelMode}

// parse takes a name apart.
func (p *Provider) parse(name string) (e Event, mode probes.Mode, count uint64, err error) {
	refuse := func(format string, args ...any) (Event, probes.Mode, uint64, error) {
		return Event{}, 0, 0, &NameError{name, fmt.Sprintf(format, args...)}
	}
	parts := strings.Split(name, "-")
	e, ok := p.event(parts[0])
	if !ok {
		return refuse("there is no event %s; dscope trace -lP cpc lists them", parts[0])
	}
	if len(parts) != 3 {
		return refuse("write event, mode and count, such as %s-all-%d", e.Name, 10*minCount)
	}
	mode, ok = modes[parts[1]]
	if !ok {
		return refuse("there is no mode %s; use all, user or kernel", parts[1])
	}
	count, err = strconv.ParseUint(parts[2], 10, 63)
	switch {
	case err != nil:
		return refuse("%s is no count of events", parts[2])
	case count == 0:
		return refuse("it would never fire; the count must be greater than 0")
	case count < minCount && e.Steady:
		return refuse("it would fire all the time: the count of %s is at least %d", e.Name, minCount)
	}
	return e, mode, count, nil
}

// event finds an event by its name.
func (p *Provider) event(name string) (Event, bool) {
	for _, e := range p.all() {
		if e.Name == name {
			return e, true
		}
	}
	return Event{}, false
}
