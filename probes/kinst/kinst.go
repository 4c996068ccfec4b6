// Package kinst publishes single instructions of the kernel's functions.
//
//	kinst:MODULE:FUNCTION:OFFSET
//
// OFFSET is where the instruction begins, in bytes from the start of the function,
// as disassemblers print it, in decimal digits. kinst::vfs_read: means all
// instructions of a function. Provider and meaning are those of FreeBSD's kinst.
//
//	kinst:MODULE:FUNCTION:entry
//	kinst:MODULE:FUNCTION:return
//
// are where the code of a function that was put into others is entered and left, at
// each copy, also where the copy is within another one. They need the debug
// information of vmlinux or of the module. As with FreeBSD such a probe is called by
// the function that has the code and the offset there, and what has code of its own
// is fbt's: a function that was inlined here and called there is both. Where a copy
// ends ends.go tells, and args.go which arguments it has.
//
// Probes are made when they are asked for, by a description that names the provider
// and one function: to list every instruction of the kernel would help nobody.
// Where instructions begin is found by disassembling what is in memory, because the
// kernel rewrites much of its code as it starts.
//
// Single instructions have no arguments. What an instruction is about to work on is in
// regs[]: regs[R_RDI], regs[R_RIP] and so on.
package kinst

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// Name is the name of the provider.
const Name = "kinst"

// A Provider publishes instructions.
type Provider struct {
	kernel *kernel.Kernel
	hooks  func() error // nil, or why this kernel hooks no instructions

	mu    sync.Mutex
	known map[kernel.Function]*body
	asked map[question]*answer
}

// A body is what is known of a function.
type body struct {
	list []Instruction
	end  error // why what comes behind the list is not known
	err  error
}

// New returns the provider. hooks tells whether this kernel has a hook for
// instructions, which is found by trial.
func New(k *kernel.Kernel, hooks func() error) *Provider {
	return &Provider{kernel: k, hooks: hooks, known: map[kernel.Function]*body{}, asked: map[question]*answer{}}
}

// Name returns kinst.
func (*Provider) Name() string { return Name }

// Help says what the family is for.
func (*Provider) Help() string {
	return "single instructions of kernel functions, kinst::vfs_read:12; copies of those that were inlined, kinst::add_rchar:entry"
}

// Available returns why instructions cannot be traced.
func (p *Provider) Available() error { return p.hooks() }

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{Endless: true, MayMatch: p.MayMatch, Sites: p.Sites, SitesAs: p.SitesAs, Delegates: p.Delegates, Settled: "instructions"}
}

// MayMatch rules out descriptions that do not name the provider: vfs_read: alone
// means the function and not each of its instructions.
func (*Provider) MayMatch(pat probes.Pattern) bool {
	return pat.Provider == Name
}

func isGlob(s string) bool { return strings.ContainsAny(s, `*?[\`) }

// Match yields the instructions of the function that pat names.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		if !p.MayMatch(pat) {
			return
		}
		fail := func(err error) { yield(probes.Probe{}, err) }
		if pat.Function == "" || isGlob(pat.Function) {
			fail(errors.New("these probes are made when they are asked for: name one function, as in kinst::vfs_read: or kinst::vfs_read:12"))
			return
		}
		if ofCopies(pat.Name) {
			if err := p.matchCopies(ctx, pat, yield); err != nil {
				fail(err)
			}
			return
		}
		f, found, err := p.function(pat)
		if err != nil {
			fail(err)
			return
		}
		if !found {
			if pat.Name == "" { // of what was inlined everywhere that is all there is
				p.matchCopies(ctx, pat, yield)
			}
			return
		}
		b := p.body(f)
		if b.err != nil {
			fail(b.err)
			return
		}
		if pat.Name != "" && !isGlob(pat.Name) {
			if err := b.begins(pat.Name); err != nil {
				fail(err)
				return
			}
		}
		for _, in := range b.list {
			name := strconv.FormatUint(in.Offset, 10)
			if !probes.Glob(pat.Name, name) {
				continue
			}
			if !yield(probes.Probe{Provider: Name, Module: f.Module, Function: f.Name, Name: name}, ctx.Err()) {
				return
			}
		}
	}
}

// function finds the function that pat names, in the first module that has it.
func (p *Provider) function(pat probes.Pattern) (f kernel.Function, found bool, err error) {
	funcs, err := p.kernel.Functions()
	if err != nil {
		return f, false, err
	}
	for _, s := range funcs.Spared {
		if s.Name == pat.Function && probes.Glob(pat.Module, s.Module) {
			return f, false, fmt.Errorf("%s is not safe to trace: %s", s.Name, s.Why)
		}
	}
	if f, ok := funcs.Find("vmlinux", pat.Function); ok && probes.Glob(pat.Module, f.Module) {
		return f, true, nil
	}
	for _, f := range funcs.List {
		if f.Name == pat.Function && probes.Glob(pat.Module, f.Module) {
			return f, true, nil
		}
	}
	return f, false, nil
}

// body disassembles a function, once.
func (p *Provider) body(f kernel.Function) *body {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.known[f]
	if b == nil {
		b = &body{}
		p.known[f] = b
		var code kernel.Code
		if code, b.err = p.kernel.Code(f); b.err == nil {
			b.list, b.end = Disassemble(p.kernel.Arch(), code.Addr, code.Bytes)
		}
		if len(b.list) == 0 && b.err == nil {
			b.err = b.end
		}
	}
	return b
}

// begins returns nil if an instruction begins at the offset, else where the nearest
// ones do.
func (b *body) begins(name string) error {
	at, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is no offset: it is a number of bytes, in decimal digits", name)
	}
	if strconv.FormatUint(at, 10) != name {
		return fmt.Errorf("write the offset as %d", at)
	}
	last := uint64(0)
	for _, in := range b.list {
		if in.Offset == at {
			return nil
		}
		if in.Offset > at {
			return fmt.Errorf("no instruction begins at %d; the nearest are at %d and %d", at, last, in.Offset)
		}
		last = in.Offset
	}
	if b.end != nil {
		return fmt.Errorf("the instructions behind %d are not known: %w", last, b.end)
	}
	return fmt.Errorf("no instruction begins at %d; the last one is at %d", at, last)
}

// Site says where an instruction is.
func (p *Provider) Site(probe probes.Probe) (*probes.Site, error) {
	list, err := p.Sites(probe)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Sites says where an instruction is. Of a static function that has namesakes only
// debug information tells them apart.
func (p *Provider) Sites(probe probes.Probe) ([]*probes.Site, error) {
	b := p.body(p.exact(probe))
	err := b.err
	if err == nil {
		err = b.begins(probe.Name)
	}
	if err != nil {
		if list := p.spotted(probe); len(list) > 0 {
			return list, nil
		}
		return nil, err
	}
	at, _ := strconv.ParseUint(probe.Name, 10, 64) // as begins has found
	s := &probes.Site{
		Probe: probe,
		Hook:  probes.Hook{Kind: probes.Instruction, Module: probe.Module, Target: probe.Function, Offset: at},
	}
	for _, in := range b.list {
		if in.Offset == at {
			s.Help = in.Text
		}
	}
	return []*probes.Site{s}, nil
}

// exact returns the function that a probe is in.
func (p *Provider) exact(probe probes.Probe) kernel.Function {
	f := kernel.Function{Module: probe.Module, Name: probe.Function, Copies: 1}
	if funcs, err := p.kernel.Functions(); err == nil {
		if known, ok := funcs.Find(f.Module, f.Name); ok {
			return known
		}
	}
	return f
}
