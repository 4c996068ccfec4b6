// Package fbt publishes the functions of the kernel, as two providers.
//
//	fbt:MODULE:FUNCTION:entry|return      with typed arguments, where BTF tells them
//	rawfbt:MODULE:FUNCTION:entry|return   every function, and words alone
//
// MODULE is vmlinux or a kernel module. fbt is DTrace's function boundary tracing.
// What the compiler made of a function (NAME.isra.0, NAME.part.0) is not the
// function of the source any more, takes other arguments, and is found in rawfbt
// only, whose name and purpose are those of Oracle's DTrace.
//
// At entry the arguments are those of the function. At return args[1] is what
// it returns, and there is none if that is void. args[0] would be the place of
// the instruction by which it returned; DTrace on other systems knows that,
// and no hook of Linux tells it: the raw argument is -1, and whoever asks for
// the typed one is told.
//
// Several functions of one module may bear one name, each private to its own source
// file. They are one probe here, which fires for each; their types may differ,
// and so its arguments are raw.
//
// Functions that are not safe to trace are left out: Spared names them with the
// reason.
package fbt

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// The names of the probes of a function.
const (
	entry   = "entry"
	returns = "return"
)

// words is how many words of arguments scripts can ask for, arg0 to arg9: the
// first lie in registers, the others on the stack.
const words = 10

// A Provider publishes the functions of the kernel under one of the two names.
type Provider struct {
	kernel *kernel.Kernel
	hooks  func() error // nil, or why this kernel hooks no functions
	raw    bool
}

// New returns the provider fbt. hooks tells whether this kernel has a hook for
// functions at all, which is found by trial.
func New(k *kernel.Kernel, hooks func() error) *Provider { return &Provider{kernel: k, hooks: hooks} }

// NewRaw returns the provider rawfbt.
func NewRaw(k *kernel.Kernel, hooks func() error) *Provider {
	return &Provider{kernel: k, hooks: hooks, raw: true}
}

// Name returns fbt or rawfbt.
func (p *Provider) Name() string {
	if p.raw {
		return "rawfbt"
	}
	return "fbt"
}

// Help says what the family is for.
func (p *Provider) Help() string {
	if p.raw {
		return "entry and return of every kernel function, compiler-made ones too, without types"
	}
	return "entry and return of the kernel's functions"
}

// Available returns why functions cannot be traced.
func (p *Provider) Available() error {
	if err := p.hooks(); err != nil {
		return err
	}
	_, err := p.kernel.Functions()
	return err
}

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{MayMatch: p.MayMatch, Count: p.Count, Bare: p.Bare, Suggest: p.Suggest, Explain: p.Explain, Loaded: p.Loaded}
}

// Suggest knows what other tracers call functions.
func (p *Provider) Suggest(part probes.Part, pat probes.Pattern) string {
	if part != probes.ProviderPart || p.raw {
		return ""
	}
	switch pat.Provider {
	case "kprobe", "kretprobe", "fentry", "fexit", "kfunc", "kretfunc", "fprobe":
		return p.Name()
	}
	return ""
}

// MayMatch rules out whatever is called neither entry nor return. That spares
// other scripts the listing of every function.
func (p *Provider) MayMatch(pat probes.Pattern) bool {
	return probes.Glob(pat.Name, entry) || probes.Glob(pat.Name, returns)
}

// Count returns how many probes there are at most.
func (p *Provider) Count() int {
	funcs, err := p.kernel.Functions()
	if err != nil {
		return 0
	}
	return 2 * len(funcs.List)
}

// Match yields the probes that pat covers: of each function its entry, then its
// return.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		funcs, err := p.kernel.Functions()
		if err != nil {
			yield(probes.Probe{}, err)
			return
		}
		for _, f := range funcs.List {
			if !p.raw && isMade(f.Name) || !probes.Glob(pat.Module, f.Module) || !probes.Glob(pat.Function, f.Name) {
				continue
			}
			for _, name := range [...]string{entry, returns} {
				probe := probes.Probe{Provider: p.Name(), Module: f.Module, Function: f.Name, Name: name}
				if probes.Glob(pat.Name, name) && !yield(probe, ctx.Err()) {
					return
				}
			}
		}
	}
}

// Loaded returns the probes that pat covers of a module that was loaded later.
func (p *Provider) Loaded(ctx context.Context, pat probes.Pattern, module string) (list []probes.Probe, err error) {
	if !probes.Glob(pat.Module, module) {
		return nil, nil
	}
	pat.Module = module // whose name has nothing of a pattern
	for probe, err := range p.Match(ctx, pat) {
		if err != nil {
			return nil, err
		}
		list = append(list, probe)
	}
	return list, nil
}

// isMade reports whether the compiler made a function of another, or of a part
// of one. Such names have a dot, which no name of C has.
func isMade(name string) bool { return strings.IndexByte(name, '.') >= 0 }

// Bare returns the site of a probe without the types of its arguments, which
// takes no time.
func (p *Provider) Bare(probe probes.Probe) ([]*probes.Site, error) {
	s, err := p.bare(probe)
	return []*probes.Site{s}, err
}

func (p *Provider) bare(probe probes.Probe) (*probes.Site, error) {
	s := &probes.Site{
		Probe: probe,
		Hook: probes.Hook{Kind: probes.Function, Module: probe.Module, Target: probe.Function,
			Return: probe.Name == returns},
		Raw: words,
	}
	if s.Hook.Return {
		s.Raw, s.Lacks = 2, lacksOffset
	}
	return s, nil
}

// Site types the arguments of a probe.
func (p *Provider) Site(probe probes.Probe) (*probes.Site, error) {
	s, err := p.bare(probe)
	if err != nil || p.raw {
		return s, err
	}
	proto, names, err := p.proto(probe)
	if err != nil || proto == nil {
		return s, err
	}
	args, width := parameters(proto, names, registersOf(p.kernel.Arch()))
	lost := slices.ContainsFunc(args, func(a probes.Arg) bool { return a.Why != "" })
	if trampolines(proto, width) && !lost {
		s.Words = width + 1
	}
	if !s.Hook.Return {
		s.Args, s.Raw = args, min(width, words)
		return s, nil
	}
	s.Args = []probes.Arg{{Type: types.UInt64}}
	switch types.Resolve(proto.Result).(type) {
	case *types.Void:
		s.Raw = 1
	case *types.Struct, *types.Array, *types.Float: // which is not in the one register that is read
	default:
		s.Args = append(s.Args, probes.Arg{Type: proto.Result, Slot: 1})
	}
	return s, nil
}

// lacksOffset is why arg0 of a return probe is not to be had.
const lacksOffset = "it would be the place of the instruction by which the function returns, and no hook of Linux tells that; arg1 is what it returns"

// proto returns the type of a function, or nil where that is not known, or not
// for certain.
func (p *Provider) proto(probe probes.Probe) (*types.Func, []string, error) {
	funcs, err := p.kernel.Functions()
	if err != nil {
		return nil, nil, err
	}
	f, ok := funcs.Find(probe.Module, probe.Function)
	if !ok {
		return nil, nil, fmt.Errorf("the kernel has no such function: %w", kernel.ErrNoSymbol)
	}
	if f.Copies > 1 || f.Module != "vmlinux" && p.elsewhere(funcs, f) {
		return nil, nil, nil
	}
	proto, names, err := p.kernel.FuncProto(f.Module, f.Name)
	var missing *kernel.Missing
	switch {
	case errors.Is(err, kernel.ErrNoType), errors.As(err, &missing):
		return nil, nil, nil // it can be traced all the same
	case err != nil:
		return nil, nil, err
	}
	return proto, names, nil
}

// elsewhere reports whether a function of a module has a namesake outside of it.
// Who looks for a type by its name may find that of the other.
func (p *Provider) elsewhere(funcs *kernel.Functions, f kernel.Function) bool {
	if _, _, err := p.kernel.FuncProto("vmlinux", f.Name); err == nil {
		return true
	}
	for _, other := range funcs.List {
		if other.Name == f.Name && other.Module != f.Module {
			return true
		}
	}
	return false
}

// mostWords is how many words the trampolines of all kernels hand on.
const mostWords = 6

// trampolines reports whether a trampoline can stand at a function of that type:
// the kernel makes none for variable arguments nor for structs that are returned,
// and lets no program read pointers that lead neither to a struct nor to numbers.
func trampolines(proto *types.Func, width int) bool {
	if proto.Variadic || width > mostWords {
		return false
	}
	for _, t := range append([]types.Type{proto.Result}, proto.Params...) {
		switch t := types.Resolve(t).(type) {
		case *types.Float:
			return false
		case *types.Struct:
			if t.Size() > 16 || t == types.Resolve(proto.Result) {
				return false
			}
		case *types.Pointer:
			switch types.Resolve(t.Elem).(type) {
			case *types.Struct, *types.Int, *types.Void:
			default:
				return false
			}
		}
	}
	return true
}

// parameters turns the parameters of a function into arguments, and counts the words
// that they take: a struct of up to 16 bytes takes one or two, in registers as long as
// there are. Of one that is passed otherwise, and of those behind it, it is only told why
// they are not given.
func parameters(proto *types.Func, names []string, registers int) (args []probes.Arg, width int) {
	why := ""
	for i, t := range proto.Params {
		size := t.Size()
		_, float := types.Resolve(t).(*types.Float)
		words := max(1, (size+7)/8)
		switch {
		case why != "":
			why = "it is not known where it lies, behind one that is passed in another way than numbers and pointers"
		case float:
			why = "it is passed in a floating-point register"
		case size > 16 || words > 1 && width < registers && width+words > registers:
			why = "it is passed in memory"
		}
		args = append(args, probes.Arg{Name: names[i], Type: t, Slot: width, Why: why})
		if why == "" {
			width += words
		}
	}
	return args, width
}

// registersOf is how many registers a machine has for the words of a call.
func registersOf(arch string) int {
	if arch == "arm64" {
		return 8
	}
	return 6
}
