// Package plockstat publishes what a process does with its locks: the provider
// plockstat of DTrace, over the mutexes and readers/writer locks of POSIX threads.
//
//	plockstat1234:libc.so.6::mutex-acquire   (mutex, whether again, spins)
//	plockstat1234:libc.so.6::mutex-block     (mutex)
//	plockstat1234:libc.so.6::mutex-blocked   (mutex, whether acquired)
//	plockstat1234:libc.so.6::mutex-spin      (mutex)
//	plockstat1234:libc.so.6::mutex-spun      (mutex, whether acquired, spins)
//	plockstat1234:libc.so.6::mutex-release   (mutex, whether still held)
//	plockstat1234:libc.so.6::mutex-error     (mutex, error)
//	plockstat1234:libc.so.6::rw-acquire      (lock, whether as writer)
//	plockstat1234:libc.so.6::rw-block        (lock, whether as writer)
//	plockstat1234:libc.so.6::rw-blocked      (lock, whether as writer, whether acquired)
//	plockstat1234:libc.so.6::rw-release      (lock, whether as writer)
//	plockstat1234:libc.so.6::rw-error        (lock, error)
//
// The library has no such probes of its own; they are made of others (table.go).
// A lock is acquired when the function returns that acquires it, and released when the one
// is entered that releases it, so that no other thread is told to have it before. A thread
// blocks when it makes a system call, futex with the address of that lock: the very moment
// and no guess. To wait for a condition is to release the mutex and to acquire it again.
//
// What differs from Solaris: the C library of Linux spins only for mutexes of the
// kind PTHREAD_MUTEX_ADAPTIVE_NP, and counts in the mutex a mean of how long
// that was of use, which is what the arguments called spins tell. A program that
// locks by means of its own, such as Go's runtime, shows nothing here.
package plockstat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dscope.dev/probes"
)

// Name is what the names of the providers begin with.
const Name = "plockstat"

// Functions publishes the functions of processes: the provider pid.
type Functions interface {
	Match(context.Context, probes.Pattern) iter.Seq2[probes.Probe, error]
	Sites(probes.Probe) ([]*probes.Site, error)
}

// A Provider publishes the locks of processes.
type Provider struct {
	functions Functions
	calls     probes.Provider // syscall
	arch      string

	mu    sync.Mutex
	found map[int]*process
}

// New returns the provider, over those that it is made of.
func New(functions Functions, calls probes.Provider, arch string) *Provider {
	return &Provider{functions: functions, calls: calls, arch: arch, found: map[int]*process{}}
}

// Name returns plockstat.
func (*Provider) Name() string { return Name }

// Help says what the family is for.
func (*Provider) Help() string {
	return "mutexes and readers/writer locks of a process: plockstat1234:::mutex-block"
}

// Available returns nil: it depends on the process.
func (*Provider) Available() error { return nil }

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{Covers: p.Covers, MayMatch: p.MayMatch, Sites: p.Sites}
}

// Covers reports whether a provider's name is one of ours. Globs are not: whose
// locks they would mean nobody could say in advance.
func (*Provider) Covers(name string) bool {
	_, ok := parse(name)
	return ok
}

// MayMatch rules out descriptions that name no process.
func (p *Provider) MayMatch(pat probes.Pattern) bool { return p.Covers(pat.Provider) }

// parse returns the process in the name of a provider.
func parse(name string) (pid int, ok bool) {
	digits, ok := strings.CutPrefix(name, Name)
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	pid, err := strconv.Atoi(digits)
	return pid, err == nil
}

// Match yields the probes that pat covers.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		pid, ok := parse(pat.Provider)
		if !ok {
			return
		}
		x, err := p.process(ctx, pid)
		if err != nil {
			yield(probes.Probe{}, err)
			return
		}
		for _, m := range marks {
			if q := x.probe(m); pat.Matches(q) && !yield(q, ctx.Err()) {
				return
			}
		}
	}
}

// Site returns the first place of a probe.
func (p *Provider) Site(q probes.Probe) (*probes.Site, error) {
	return probes.First(p.Sites(q))
}

// Sites returns the places at which a probe fires.
func (p *Provider) Sites(q probes.Probe) ([]*probes.Site, error) {
	pid, _ := parse(q.Provider)
	i := slices.IndexFunc(marks, func(m mark) bool { return m.name == q.Name })
	p.mu.Lock()
	x := p.found[pid]
	p.mu.Unlock()
	if i < 0 || x == nil || x.probe(marks[i]) != q {
		return nil, &probes.NoMatch{Pattern: probes.Pattern(q), Part: probes.NamePart}
	}
	return x.sites(marks[i])
}

// A process is one whose C library was found.
type process struct {
	pid    int
	module string // the library
	arch   string
	futex  *probes.Site

	functions func(name, what string) ([]*probes.Site, error)

	begin probes.Hook // of pthread_mutex_lock: another one is another process, or another program

	mu     sync.Mutex
	states map[string][]*probes.State // by what they are about
	made   map[string][]*probes.Site  // by mark: a script that names one twice means the same
}

func (x *process) probe(m mark) probes.Probe {
	return probes.Probe{Provider: Name + strconv.Itoa(x.pid), Module: x.module, Name: m.name}
}

// ErrLibrary is what Match says of a process without a C library that it knows.
var ErrLibrary = errors.New("it has no pthread_mutex_lock() of the GNU C library")

// libraries are where the functions may lie: the C library, before 2.34 the one of
// threads, or the program if that is linked without libraries.
var libraries = []string{"libc.so*", "libpthread*", "libc-2*", "a.out"}

// process finds the C library of a process.
func (p *Provider) process(ctx context.Context, pid int) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	futex, err := p.calls.Site(probes.Probe{Provider: "syscall", Module: "vmlinux", Function: "futex", Name: "entry"})
	if err != nil {
		return nil, err
	}
	var why error
	for _, module := range libraries {
		found, err := p.find(ctx, pid, module, "pthread_mutex_lock", "entry")
		if isAbsent(err) || err == nil && len(found) == 0 {
			continue
		}
		if err != nil {
			why = err
			continue
		}
		sites, err := p.functions.Sites(found[0])
		if err != nil {
			return nil, err
		}
		if x := p.found[pid]; x != nil && x.begin == sites[0].Hook {
			return x, nil
		}
		x := &process{pid: pid, module: found[0].Module, arch: p.arch, futex: futex, begin: sites[0].Hook,
			states: map[string][]*probes.State{}, made: map[string][]*probes.Site{}}
		x.functions = func(name, what string) ([]*probes.Site, error) {
			list, err := p.find(context.Background(), pid, module, name, what)
			if err != nil || len(list) == 0 {
				return nil, err
			}
			return p.functions.Sites(list[0])
		}
		p.found[pid] = x
		return x, nil
	}
	if why != nil {
		return nil, fmt.Errorf("locks of process %d: %w", pid, why)
	}
	return nil, fmt.Errorf("locks of process %d: %w", pid, ErrLibrary)
}

// isAbsent reports whether err says that a process has no such function or library.
func isAbsent(err error) bool {
	var tagged interface{ Tag() string }
	return probes.IsNoMatch(err) || errors.As(err, &tagged) && (tagged.Tag() == "D_PROC_FUNC" || tagged.Tag() == "D_PROC_LIB")
}

// find returns the probes of a function.
func (p *Provider) find(ctx context.Context, pid int, module, name, what string) (list []probes.Probe, err error) {
	pat := probes.Pattern{Provider: "pid" + strconv.Itoa(pid), Module: module, Function: name, Name: what}
	for q, err := range p.functions.Match(ctx, pat) {
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}
