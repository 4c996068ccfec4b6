package trial

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/attach"
	"dscope.dev/probes"
)

// trialTarget is a function that the kernel has for nothing but such trials.
const trialTarget = "bpf_fentry_test1"

// tryFunctions finds out by trial how functions can be hooked: configuration,
// lockdown and privileges all have a say.
func tryFunctions() Functions {
	hook := probes.Hook{Kind: probes.Function, Module: "vmlinux", Target: trialTarget}
	places := []attach.Place{{Hook: hook, Addrs: []uint64{0}}}
	f := Functions{Tramp: tryTrampoline(hook)}
	missing := map[probes.Hook]error{}
	f.Multi = try(trial(ebpf.Kprobe, ebpf.AttachTraceKprobeMulti), func(p *ebpf.Program) (io.Closer, error) {
		return firstOf(missing)(attach.FunctionsMulti(places, p, missing))
	})
	clear(missing)
	f.Single = try(trial(ebpf.Kprobe, ebpf.AttachNone), func(p *ebpf.Program) (io.Closer, error) {
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
