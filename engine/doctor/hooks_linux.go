package doctor

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"dscope.dev/engine"
	"dscope.dev/engine/attach"
	"dscope.dev/probes"
	"dscope.dev/probes/binary"
	"dscope.dev/probes/kernel"
)

// A trial is a hook that is tried.
type trial struct {
	name, use string
	try       func() error
	remedy    string // for those whose refusal does not say
}

const (
	newer    = "use a newer kernel; dscope takes the next best way meanwhile"
	rebuilt  = "use a kernel with CONFIG_FUNCTION_TRACER, CONFIG_FPROBE and CONFIG_KPROBE_EVENTS, as those of Debian, Fedora and Ubuntu"
	unlocked = "boot without lockdown, which comes with Secure Boot, or with lockdown= on the kernel's command line"
)

// trialTracepoint fires as a thread is made, which is seldom.
const trialTracepoint = "task_newtask"

// hooks tries every way in which the kernel calls a program.
func hooks(k *kernel.Kernel, e *engine.Engine) []Finding {
	trampoline, multi, single := e.FunctionHooks()
	point := probes.Hook{Kind: probes.Tracepoint, Target: trialTracepoint}
	raw := ebpf.ProgramSpec{Type: ebpf.RawTracepoint}
	list := []trial{
		{"tracepoint with BTF", "sdt, syscall: the cheapest hook", func() error {
			return run(ebpf.ProgramSpec{Type: ebpf.Tracing, AttachType: ebpf.AttachTraceRawTp, AttachTo: trialTracepoint},
				func(p *ebpf.Program) (io.Closer, error) { return attach.Tracepoint(point, p, 0) })
		}, rebuilt},
		{"raw tracepoint", "rawtp", func() error {
			return run(raw, func(p *ebpf.Program) (io.Closer, error) { return attach.Tracepoint(point, p, 0) })
		}, rebuilt},
		{"raw tracepoint cookies", "one program for many tracepoints (Linux 6.10)", func() error {
			return run(raw, func(p *ebpf.Program) (io.Closer, error) { return attach.Tracepoint(point, p, 1) })
		}, newer},
		{"clock", "profile, tick", func() error { return clock(k) }, "run as root, or sysctl kernel.perf_event_paranoid=-1"},
		{"fentry, fexit", "fbt: functions by trampoline", func() error { return trampoline }, trampolineRemedy()},
		{"kprobe_multi", "fbt: many functions in one hook (Linux 5.18)", func() error { return multi }, rebuilt},
		{"kprobe", "fbt, kinst: functions and instructions one by one", func() error { return single }, rebuilt},
		{"uprobe", "pid, usdt", func() error { return uprobe(attach.Files(nil).User, ebpf.AttachNone) }, "use a kernel with CONFIG_UPROBE_EVENTS"},
		{"uprobe_multi", "pid: many places in one hook (Linux 6.6)", func() error {
			return uprobe(attach.Files(nil).UserMulti, ebpf.AttachTraceUprobeMulti)
		}, newer},
		{"writing to processes", "copyout(), copyoutstr()", func() error { return said(e.MayWrite()) },
			unlocked},
		{"locks", locksUse, func() error { return locks(e) }, "needs CAP_SYS_ADMIN: " + asRoot + "; or trace locks by one tracer at a time"},
		{"run-time statistics", "the cost of tracing", statistics, "needs CAP_SYS_ADMIN: " + asRoot},
	}
	var found []Finding
	for _, t := range list {
		found = append(found, t.find())
	}
	return append(found, counters(e))
}

// locksUse says what keeps programs at locks from waiting for one another for ever.
const locksUse = "lockstat, fbt of locks: the kernel could come to a stop where one program is called " +
	"within the helper of another; dscope keeps its programs apart, and tells as missed what fires meanwhile"

// locks returns why programs at locks, of several tracers, are not safe from one another.
func locks(e *engine.Engine) error {
	if err := e.SharesBusy(); err != nil {
		return fmt.Errorf("two tracers cannot tell each other what is under way: %w", said(err))
	}
	return nil
}

// trampolineRemedy is what helps where no trampoline can be had: some kernels keep
// them to themselves when they are locked down.
func trampolineRemedy() string {
	if mode, _ := engine.Lockdown(); mode != "" && mode != "none" {
		return unlocked
	}
	return rebuilt
}

func (t *trial) find() Finding {
	f := Finding{Name: t.name, Use: t.use}
	err := t.try()
	if f.OK = err == nil; !f.OK {
		f.Why, f.Remedy = err.Error(), t.remedy
		if errors.Is(err, engine.ErrPrivileges) || errors.Is(err, unix.EPERM) && os.Geteuid() != 0 {
			f.Remedy = asRoot
		}
	}
	return f
}

// run loads a program that does nothing, hooks it and lets both go.
func run(spec ebpf.ProgramSpec, hook func(*ebpf.Program) (io.Closer, error)) error {
	spec.License = "Dual MIT/GPL"
	spec.Instructions = asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}
	p, err := ebpf.NewProgram(&spec)
	if err != nil {
		return said(err)
	}
	defer p.Close()
	c, err := hook(p)
	if c != nil {
		err = errors.Join(err, c.Close())
	}
	return said(err)
}

// said returns what the kernel said, without what libraries guess of it.
func said(err error) error {
	var errno unix.Errno
	switch {
	case err == nil:
		return nil
	case errors.As(err, &errno):
		return fmt.Errorf("the kernel says: %w", errno)
	}
	return err
}

// clock tries a clock on one CPU.
func clock(k *kernel.Kernel) error {
	facts, err := k.Facts()
	if err != nil {
		return err
	}
	h := probes.Hook{Kind: probes.Timer, Every: 1e9}
	return run(ebpf.ProgramSpec{Type: ebpf.PerfEvent}, func(p *ebpf.Program) (io.Closer, error) {
		return attach.Timer(h, p, facts.Online)
	})
}

// An attachUser is a way to attach a program to places of processes.
type attachUser func([]probes.Hook, []uint64, *ebpf.Program, map[probes.Hook]error) (attach.Group, error)

// uprobe tries a place that no process reaches but one that is about to begin: the
// first instruction of this binary.
func uprobe(hook attachUser, how ebpf.AttachType) error {
	const self = "/proc/self/exe"
	offset, err := entry(self)
	if err != nil {
		return err
	}
	h := probes.Hook{Kind: probes.User, File: self, Offset: offset}
	return run(ebpf.ProgramSpec{Type: ebpf.Kprobe, AttachType: how}, func(p *ebpf.Program) (io.Closer, error) {
		missing := map[probes.Hook]error{}
		g, err := hook([]probes.Hook{h}, []uint64{1}, p, missing)
		return g, errors.Join(err, missing[h])
	})
}

// entry returns where the first instruction of a program lies in its file.
func entry(file string) (uint64, error) {
	f, err := binary.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if off, ok := f.Offset(f.Entry()); ok {
		return off, nil
	}
	return 0, fmt.Errorf("%s has no first instruction", file)
}

// statistics has the kernel time programs for a moment.
func statistics() error {
	c, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	if err != nil {
		return said(err)
	}
	return c.Close()
}

// counters is whether the processor counts, and which events are not there.
func counters(e *engine.Engine) Finding {
	f := Finding{Name: "hardware counters", Use: "cpc: cycles, instructions, misses of caches", OK: true}
	for _, u := range e.Uncounted() {
		if u.Event.Name == "cycles" {
			f.OK = false
			f.Why = u.Err.Error()
			f.Remedy = "none of dscope's: in a virtual machine, have its host pass them on (QEMU: -cpu host,pmu=on); " +
				"cpc has the kernel's own events meanwhile"
			if errors.Is(u.Err, os.ErrPermission) {
				f.Remedy = asRoot
			}
		}
		f.More = append(f.More, "no "+u.Event.Name)
	}
	return f
}
