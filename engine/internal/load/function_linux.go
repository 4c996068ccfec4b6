package load

import (
	"context"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// PlacesOf finds the addresses of functions.
func PlacesOf(kern *kernel.Kernel, hooks []probes.Hook) ([]attach.Place, error) {
	list := make([]kernel.Function, len(hooks))
	for i, h := range hooks {
		list[i] = kernel.Function{Module: h.Module, Name: h.Target}
	}
	found, err := kern.Locate(list)
	if err != nil {
		return nil, err
	}
	places := make([]attach.Place, len(hooks))
	for i, h := range hooks {
		places[i] = attach.Place{Hook: h, Addrs: found[i].Addrs, Doubtful: found[i].Doubtful}
		for j := range found[i].Addrs {
			places[i].Addrs[j] += h.Offset // which is 0 for functions
		}
	}
	return places, nil
}

// attachFunctions attaches the program of a unit to its functions.
func (k *Loaded) attachFunctions(prog *ebpf.Program, u *codegen.Unit, missing map[probes.Hook]error) (attach.Group, string, error) {
	if plan.IsPattern(u.Hook) {
		return nil, "", nil
	}
	if u.Tramp {
		c, err := attach.Trampoline(u.Hook, prog)
		if err != nil {
			missing[u.Hook] = err // a trampoline stands at one function, and is refused for reasons of that
			return nil, "", nil
		}
		how := "fentry"
		if u.Hook.Return {
			how = "fexit"
		}
		return attach.Group{c}, u.Hook.String() + ": " + how, nil
	}
	places, err := k.places(u.Hooks)
	if err != nil {
		return nil, "", err
	}
	for i := range places {
		places[i].Cookie = uint64(u.Sites[min(i, len(u.Sites)-1)].Key)
	}
	why := ""
	if u.Why != "" {
		why = " (" + u.Why + ")"
	}
	if u.Multi {
		others, last := attach.Patchers(places)
		if len(last) > 0 {
			k.patch = append(k.patch, patching{prog, last})
		}
		links, err := attach.FunctionsMulti(others, prog, missing)
		return links, described(u, len(links), "kprobe_multi"+why), err
	}
	links, err := attach.Functions(places, prog, missing)
	return links, described(u, len(links), "kprobe of perf"+why), err
}

// A patching program is to be attached to functions that the kernel calls whenever
// it attaches something.
type patching struct {
	prog   *ebpf.Program
	places []attach.Place
}

// attachLast attaches what attach has put off. The links are the caller's even if
// it fails.
func (k *Loaded) attachLast(missing map[probes.Hook]error) (all attach.Group, err error) {
	for _, p := range k.patch {
		links, err := attach.FunctionsMulti(p.places, p.prog, missing)
		all = append(all, links...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// loadPlain loads a script without trampolines, after it was refused with them: at
// some functions the kernel allows none, for reasons that only it knows. If it is
// refused again the reason lies elsewhere, and the first answer stands.
func loadPlain(ctx context.Context, c *plan.Plan, m *plan.Machine, before *Loaded, refused error) (*plan.Plan, *Loaded, error) {
	again, err := c.WithoutTramps(ctx)
	if err != nil {
		return nil, nil, refused
	}
	again.Estimate = c.Estimate
	k, err := AsPlanned(ctx, again, m, before)
	if err != nil {
		return nil, nil, refused
	}
	return again, k, nil
}
