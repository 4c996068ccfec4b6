package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// trialTarget is a function that the kernel has for nothing but such trials.
const trialTarget = "bpf_fentry_test1"

// tryFunctions finds out by trial how functions can be hooked: configuration,
// lockdown and privileges all have a say.
func (e *Engine) tryFunctions() functionHooks {
	if err := e.Available(); err != nil {
		return functionHooks{err, err, err}
	}
	hook := probes.Hook{Kind: probes.Function, Module: "vmlinux", Target: trialTarget}
	places := []attach.Place{{Hook: hook, Addrs: []uint64{0}}}
	f := functionHooks{tramp: tryTrampoline(hook)}
	missing := map[probes.Hook]error{}
	f.multi = try(trial(ebpf.Kprobe, ebpf.AttachTraceKprobeMulti), func(p *ebpf.Program) (io.Closer, error) {
		return firstOf(missing)(attach.FunctionsMulti(places, p, missing))
	})
	clear(missing)
	f.single = try(trial(ebpf.Kprobe, ebpf.AttachNone), func(p *ebpf.Program) (io.Closer, error) {
		return firstOf(missing)(attach.Functions(places, p, missing))
	})
	return f
}

// tryTrampoline tries a program of the kind at nothing first. No kernel takes that,
// but one that forbids the kind says so already, before all its types have been
// read to find the function of the trial.
func tryTrampoline(hook probes.Hook) error {
	spec := trial(ebpf.Tracing, ebpf.AttachTraceFEntry)
	spec.AttachTo = ""
	p, err := ebpf.NewProgram(spec)
	if p != nil {
		p.Close()
	}
	if errors.Is(err, os.ErrPermission) {
		return said(err)
	}
	return try(trial(ebpf.Tracing, ebpf.AttachTraceFEntry), func(p *ebpf.Program) (io.Closer, error) {
		return attach.Trampoline(hook, p)
	})
}

// firstOf turns what is missing into an error.
func firstOf(missing map[probes.Hook]error) func(attach.Group, error) (io.Closer, error) {
	return func(g attach.Group, err error) (io.Closer, error) {
		for _, m := range missing {
			err = errors.Join(err, m)
		}
		return g, err
	}
}

// trial is the smallest program of a kind.
func trial(t ebpf.ProgramType, how ebpf.AttachType) *ebpf.ProgramSpec {
	spec := &ebpf.ProgramSpec{
		Type: t, AttachType: how, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
	}
	if t == ebpf.Tracing {
		spec.AttachTo = trialTarget
	}
	return spec
}

// try loads a program, hooks it, and lets both go.
func try(spec *ebpf.ProgramSpec, hook func(*ebpf.Program) (io.Closer, error)) error {
	p, err := ebpf.NewProgram(spec)
	if err != nil {
		return said(err)
	}
	defer p.Close()
	c, err := hook(p)
	if c != nil {
		err = errors.Join(err, c.Close())
	}
	var told *attach.Error
	if errors.As(err, &told) {
		return told.Err // what it was tried with does not matter
	}
	return err
}

// said returns what the kernel said, without what the library guesses of it. The
// process may trace, or nobody would ask: what is forbidden is so to everybody.
func said(err error) error {
	var errno syscall.Errno
	switch {
	case !errors.As(err, &errno):
		return err
	case errors.Is(errno, os.ErrPermission):
		return fmt.Errorf("the kernel forbids it even to root, as one that is locked down may (%w)", errno)
	}
	return fmt.Errorf("the kernel says: %w", errno)
}

// places finds the addresses of functions.
func (e *Engine) places(hooks []probes.Hook) ([]attach.Place, error) {
	list := make([]kernel.Function, len(hooks))
	for i, h := range hooks {
		list[i] = kernel.Function{Module: h.Module, Name: h.Target}
	}
	found, err := e.kernel.Locate(list)
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
func (k *loaded) attachFunctions(prog *ebpf.Program, u *codegen.Unit, missing map[probes.Hook]error) (attach.Group, string, error) {
	if isPattern(u.Hook) {
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
		return attach.Group{c}, attach.Describe(u.Hook) + ": " + how, nil
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
			k.last = append(k.last, patching{prog, last})
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
func (k *loaded) attachLast(missing map[probes.Hook]error) (all attach.Group, err error) {
	for _, p := range k.last {
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
func loadPlain(ctx context.Context, c *Compiled, e *Engine, refused error) (*loaded, error) {
	again, err := c.kprobes(ctx)
	if err != nil {
		return nil, refused
	}
	again.after, again.estimate = c.after, c.estimate
	k, err := load(ctx, again, e)
	if err != nil {
		return nil, refused
	}
	*c = *again
	return k, nil
}
