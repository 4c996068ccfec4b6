package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/elsewhere"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// env tells the checker of this machine. One serves one check, so that the
// context can end it.
type env struct {
	e   *Engine
	ctx context.Context

	libraries *lib.Index // of the user; nil if there are none

	compiled bool // whether the script is to be compiled once it is checked
	target   int  // the process that $target is
	followed []int
	ahead    sync.Once

	search
}

// readTypes begins to read the layout of the kernel's task_struct, and all that lies before it.
func (v *env) readTypes() {
	v.ahead.Do(func() { go v.e.machine.Kernel.Type("struct", "", "task_struct") })
}

// parse reads a script. What looks like a cast is one if the kernel has a type
// of that name. With a keeper, what stands as before is taken from its last tree.
func (v *env) parse(f *token.File, keeper *parser.Keeper) (*ast.Script, diag.List) {
	isType := func(module, name string) bool {
		if check.KnownType(module, name) || module == "" && (lib.Own().Lookup(name, lib.Type) != nil || v.libraries.Lookup(name, lib.Type) != nil) {
			return true
		}
		_, err := v.e.machine.Kernel.Type("typedef", module, name)
		return err == nil
	}
	how := parser.Config{IsType: isType}
	if keeper != nil {
		return keeper.Parse(how, f)
	}
	return how.Parse(f)
}

// firstArg returns what all sites call their first typed argument.
func firstArg(sites []*probes.Site) (name string) {
	for i, s := range sites {
		if len(s.Args) == 0 || i > 0 && s.Args[0].Name != name {
			return ""
		}
		name = s.Args[0].Name
	}
	return name
}

// resolve finds the sites of a description.
func (v *env) resolve(d *ast.ProbeDesc) (check.ProbeSet, error) {
	entries, err := v.entries(d)
	var none *probes.NoMatch
	if errors.As(err, &none) {
		return check.ProbeSet{Open: v.opens(d, nil), Unawaited: v.e.registry.Unawaited(plan.PatternOf(d))}, fmt.Errorf("%w: %w", check.ErrNoProbe, err)
	}
	if err != nil {
		return check.ProbeSet{Open: v.opens(d, nil)}, err
	}
	if err := v.e.machine.AffordsProbes(d.Text, len(entries)); err != nil {
		return check.ProbeSet{}, err
	}
	sites, count, disagree, refusal := v.sites(entries)
	if len(sites) == 0 {
		return check.ProbeSet{Open: v.opens(d, nil)}, refusal
	}
	set := check.ProbeSet{Count: count, Sites: plan.Sites(sites), Disagree: disagree, Open: v.opens(d, sites)}
	set.Derived, set.Own = plan.Derivations(sites)
	if elsewhere.IsModule(d.Module) && sites[0].Probe.Module == elsewhere.Module {
		set.Module = elsewhere.Module
	}
	if v.compiled && sites[0].Hook.Kind != probes.Test {
		// Its program needs the layout of the kernel's task_struct, and to read
		// types takes longer than to check most scripts.
		v.readTypes()
	}
	if len(sites) == 1 && sites[0].Hook.Kind == probes.Test {
		set.Special = sites[0].Probe.Name
	}
	if !disagree {
		set.Args = plan.CheckArgs(sites[0].Args)
	}
	set.First = firstArg(sites)
	set.Numbers = plan.Numbers(sites)
	for _, s := range sites {
		if s.Lacks != "" {
			set.Lacks = s.Lacks
			break
		}
	}
	return set, nil
}

// bareFrom is the number of probes beyond which the types of arguments that
// differ are not worked out: what a few cost does not matter, and it helps to
// choose how they are hooked.
const bareFrom = 64

// sites makes probes ready, and tells how many that were and whether their
// arguments differ. From the first on that differs it does not matter what those
// of the others are.
func (v *env) sites(entries []probes.Entry) (sites []*probes.Site, count int, disagree bool, refusal error) {
	sites = make([]*probes.Site, 0, len(entries))
	for _, e := range entries {
		ready := v.e.registry.Sites
		if disagree && len(entries) > bareFrom {
			ready = v.e.registry.Bare
		}
		list, err := ready(e)
		if err != nil {
			refusal = err
			continue // one that cannot be had does not spoil the others
		}
		count++
		for _, s := range list {
			sites = append(sites, s)
			disagree = disagree || !sameArgs(sites[0].Args, s.Args)
		}
	}
	return sites, count, disagree, refusal
}

func (v *env) entries(d *ast.ProbeDesc) ([]probes.Entry, error) {
	if d.ID != 0 {
		e, err := v.e.registry.ByID(v.ctx, d.ID)
		return []probes.Entry{e}, err
	}
	pat := plan.PatternOf(d)
	if v.compiled {
		v.awaitProgram(pat)
	}
	return v.e.match(v.ctx, pat, v.followed)
}

// match finds the probes that pat covers. The module of the kernel itself may be called
// as other kernels call theirs, if nothing here is called so.
func (e *Engine) match(ctx context.Context, pat probes.Pattern, followed []int) ([]probes.Entry, error) {
	found, err := e.registry.Match(ctx, pat, followed...)
	if probes.IsNoMatch(err) && elsewhere.IsModule(pat.Module) {
		pat.Module = elsewhere.Module
		if own, failed := e.registry.Match(ctx, pat, followed...); failed == nil {
			return own, nil
		}
	}
	return found, err
}

// opens returns what a description may come to cover beside some sites, if the script is
// to run; nil, without a type, if nothing.
func (v *env) opens(d *ast.ProbeDesc, sites []*probes.Site) check.Opening {
	if !v.compiled || d.ID != 0 {
		return nil
	}
	if o := plan.OpeningOf(v.e.registry, d, v.followed, sites); o != nil {
		return o
	}
	return nil
}

func sameArgs(a, b []probes.Arg) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Slot != b[i].Slot || a[i].User != b[i].User || a[i].As != b[i].As || !types.Identical(a[i].Type, b[i].Type) {
			return false
		}
	}
	return true
}

// Type finds a named type of the kernel.
func (v *env) Type(kind, module, name string) (types.Type, error) {
	t, err := v.e.machine.Kernel.Type(kind, module, name)
	if errors.Is(err, kernel.ErrNoType) {
		err = fmt.Errorf("%w: %w", check.ErrNoType, err)
	}
	return t, err
}

// Symbol finds a variable or function of the kernel.
func (v *env) Symbol(module, name string) (check.Symbol, error) {
	s, err := v.e.machine.Kernel.Symbol(module, name)
	if errors.Is(err, kernel.ErrNoSymbol) {
		err = fmt.Errorf("%w: %w", check.ErrNoSymbol, err)
	}
	if err != nil {
		return check.Symbol{}, err
	}
	return check.Symbol{Module: s.Module, Name: s.Name, Addr: s.Addr, Type: s.Type, Code: strings.IndexByte("tTwW", s.Kind) >= 0}, nil
}

// Enumerator finds a constant of one of the kernel's enumerations.
func (v *env) Enumerator(name string) (int64, types.Type, bool) {
	return v.e.machine.Kernel.Enumerator(name)
}

// HasModule reports whether the kernel has a module.
func (v *env) HasModule(name string) bool { return v.e.machine.Kernel.HasModule(name) }
