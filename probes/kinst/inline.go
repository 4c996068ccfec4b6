package kinst

import (
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/kernel"
)

// The names that mean the copies of a function.
const (
	entry   = "entry"
	returns = "return"
)

// ofCopies reports whether a name means copies.
func ofCopies(name string) bool { return name == entry || name == returns }

// A spot is where a copy is entered or left.
type spot struct {
	kernel.Spot
	copy    *binary.Copy
	machine elf.Machine
	jump    probes.Condition // on which it is
}

// probe returns the probe at a spot.
func (s *spot) probe() probes.Probe {
	return probes.Probe{Provider: Name, Module: s.Module, Function: s.Function, Name: strconv.FormatUint(s.Offset, 10)}
}

// A question is what somebody has asked of copies.
type question struct{ module, function, name string }

// An answer is where the copies are.
type answer struct {
	spots []spot                   // ascending by address
	named map[probes.Probe][]*spot // of a probe: two functions of one name may have it at one distance
	left  []string                 // what is left out, and why
	err   error                    // why nothing is known

	mu     sync.Mutex
	params map[*binary.Copy]parameters
	kept   func() map[int]bool // which arguments any copy has kept
}

// copies finds where a function was put into others instead of being called. It
// remembers what it has found, for images of the kernel do not change.
func (p *Provider) copies(ctx context.Context, pat probes.Pattern) *answer {
	q := question{pat.Module, pat.Function, pat.Name}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.asked[q]; a != nil {
		return a
	}
	a := &answer{}
	modules, err := p.modules(pat.Module)
	a.err = err
	for _, m := range modules {
		if ctx.Err() != nil {
			return &answer{err: ctx.Err()}
		}
		image, err := p.kernel.Image(m)
		if err == nil {
			err = p.search(a, image, q)
		}
		if err != nil && a.err == nil && (m == vmlinux || m == pat.Module) {
			a.err = err
		}
	}
	a.settle()
	if len(a.spots) > 0 {
		a.err = nil
	} else if a.err == nil && len(a.left) > 0 {
		a.err = fmt.Errorf("nothing of it is safe to trace: %s", a.left[0])
	}
	p.asked[q] = a
	return a
}

// settle puts the spots in order, and makes them found by name: a function may have
// thousands of copies, and each is asked for by itself.
func (a *answer) settle() {
	slices.SortFunc(a.spots, func(x, y spot) int { return cmp.Compare(x.Addr, y.Addr) })
	a.named = make(map[probes.Probe][]*spot, len(a.spots))
	for i := range a.spots {
		s := &a.spots[i]
		a.named[s.probe()] = append(a.named[s.probe()], s)
	}
	a.kept = sync.OnceValue(a.keeps)
}

const vmlinux = "vmlinux"

// modules lists those that a part of a description covers: vmlinux first.
func (p *Provider) modules(pattern string) ([]string, error) {
	var list []string
	if probes.Glob(pattern, vmlinux) {
		list = append(list, vmlinux)
	}
	if pattern == vmlinux {
		return list, nil
	}
	loaded, err := p.kernel.Loaded()
	if err != nil && len(list) == 0 {
		return nil, err
	}
	for _, m := range loaded {
		if probes.Glob(pattern, m) {
			list = append(list, m)
		}
	}
	return list, nil
}

// search finds the copies in one image.
func (p *Provider) search(a *answer, image *kernel.Image, q question) error {
	list, err := image.Copies(q.function)
	if err != nil || len(list) == 0 {
		return err
	}
	at := map[uint64]*binary.Copy{}
	jumps := map[uint64]probes.Condition{}
	note := func(c *binary.Copy, e end) {
		if at[e.addr] == nil {
			at[e.addr], jumps[e.addr] = c, e.jump
		}
	}
	if q.name != returns {
		for _, c := range list {
			if addr, ok := image.Running(c.Entry); ok {
				note(c, end{addr: addr})
			}
		}
	}
	if q.name != entry {
		vague, err := p.ends(image, list, note)
		if err != nil {
			return err
		}
		a.left = append(a.left, vague...)
	}
	var addrs []uint64
	for addr := range at {
		addrs = append(addrs, addr)
	}
	spots, err := p.kernel.Spots(addrs)
	if err != nil {
		return err
	}
	for _, s := range spots {
		if why := p.kernel.Unsafe(s.Module, s.Function); why != "" {
			a.left = append(a.left, fmt.Sprintf("%s in %s: %s", q.function, s.Function, why))
			continue
		}
		a.spots = append(a.spots, spot{s, at[s.Addr], image.File().Machine(), jumps[s.Addr]})
	}
	return nil
}

// matchCopies yields the probes of the copies of a function. The error says why
// they are not known, if it has no code of its own that is traced instead.
func (p *Provider) matchCopies(ctx context.Context, pat probes.Pattern, yield func(probes.Probe, error) bool) error {
	a := p.copies(ctx, pat)
	if a.err != nil {
		if _, own, _ := p.function(pat); own {
			a.leave(fmt.Sprintf("where it was inlined is not known: %v", a.err))
			return nil
		}
		return p.explain(pat, a.err)
	}
	seen := map[probes.Probe]bool{}
	for i := range a.spots {
		probe := a.spots[i].probe()
		if seen[probe] { // two functions of one name, at one distance
			continue
		}
		seen[probe] = true
		if !yield(probe, ctx.Err()) {
			return nil
		}
	}
	return nil
}

// leave notes what is left out, once.
func (a *answer) leave(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.left, what) {
		a.left = append(a.left, what)
	}
}

// explain says what is missing of a function that is not among those with code of
// their own.
func (p *Provider) explain(pat probes.Pattern, err error) error {
	var missing *kernel.Missing
	if !errors.As(err, &missing) {
		return err
	}
	if _, _, unsafe := p.function(pat); unsafe != nil {
		return unsafe
	}
	return fmt.Errorf("%s is no function with code of its own; where it was inlined the debug information would tell: %w", pat.Function, err)
}

// Delegates says that a function with code of its own is fbt's.
func (p *Provider) Delegates(pat probes.Pattern) (probes.Pattern, bool) {
	if !p.MayMatch(pat) || !ofCopies(pat.Name) || pat.Function == "" || isGlob(pat.Function) {
		return pat, false
	}
	f, found, err := p.function(pat)
	pat.Provider = "fbt"
	if found {
		pat.Module = f.Module
	}
	return pat, err == nil && found
}

// LeftOut says which copies of what a description has asked for are not traced, and why.
func (p *Provider) LeftOut(pat probes.Pattern) (lines []string) {
	q := question{pat.Module, pat.Function, pat.Name}
	p.mu.Lock()
	a := p.asked[q]
	p.mu.Unlock()
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.left {
		lines = append(lines, fmt.Sprintf("left out of kinst:%s:%s:%s: %s", q.module, q.function, q.name, u))
	}
	slices.Sort(lines)
	return lines
}

// SitesAs returns the places of a probe where copies of a function are entered or left.
func (p *Provider) SitesAs(probe probes.Probe, as probes.Pattern) ([]*probes.Site, error) {
	p.mu.Lock()
	a := p.asked[question{as.Module, as.Function, as.Name}]
	p.mu.Unlock()
	if a == nil {
		return p.Sites(probe)
	}
	var list []*probes.Site
	for _, s := range a.named[probe] {
		site := s.site(as.Function)
		if as.Name == entry {
			a.describe(s, site)
		}
		list = append(list, site)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("nothing of %s is there", as.Function)
	}
	return list, nil
}

// site makes a spot ready, of a function that it is a copy of.
func (s *spot) site(function string) *probes.Site {
	site := &probes.Site{
		Probe: s.probe(),
		Hook:  probes.Hook{Kind: probes.Instruction, Module: s.Module, Target: s.Anchor, Offset: s.From},
		Jump:  s.jump,
	}
	site.Help = fmt.Sprintf("%s, put into %s", function, s.copy.Into.Name)
	if s.copy.File != "" {
		site.Help += fmt.Sprintf(" at %s:%d", s.copy.File, s.copy.Line)
	}
	return site
}

// spotted returns the places of a probe that were found by what was asked of copies.
func (p *Provider) spotted(probe probes.Probe) (list []*probes.Site) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q, a := range p.asked {
		for _, s := range a.named[probe] {
			list = append(list, s.site(q.function))
		}
	}
	return list
}
