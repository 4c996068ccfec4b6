package load

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/clock"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// A deadman holds back the probes of a run that leave the machine no time for anything
// else, as DTrace's does. What fires on the way of every interrupt can take longer than
// there is between two of them; then not even the thread runs that could detach it. The
// engine gives a sign of life every second, after a grace period: so its thread has run,
// and so have those of the kernel, on all CPUs. A program that two CPUs' clocks run adds
// up the time since then. When that is too long it stops all others, which ask for it
// before they do anything; and the engine, as soon as it runs again, ends the run.
type deadman struct {
	prog    *ebpf.Program
	clocks  io.Closer
	barrier *barrier
	quit    chan struct{}
	ended   chan error
}

// lookRate is the time between two looks of a clock, lifeRate that between two signs of
// life. A clock is passed by while its CPU is inside a program: hence many looks.
const (
	lookRate = 100 * time.Millisecond
	lifeRate = time.Second
)

// lookers is how many CPUs' clocks look: one more than must be alive.
const lookers = 2

// mostPassed is what one look adds to the time without a sign of life at most. A machine
// that was suspended, or stood still under its hypervisor, has not been unresponsive.
const mostPassed = time.Second

// Guard starts the deadman of a run, none if its probes cannot do harm, or if destructive
// actions are allowed, as in DTrace.
func (k *Loaded) Guard() (err error) {
	o := &k.c.Options
	if o.Destructive || !slices.ContainsFunc(k.obj.Units, func(u *codegen.Unit) bool { return u.Hook.Starves() }) {
		return nil
	}
	d := &deadman{quit: make(chan struct{}), ended: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.free())
		}
	}()
	control := k.coll.Maps[k.obj.Maps.Control]
	cpus := k.online[:min(len(k.online), lookers)]
	if d.prog, err = ebpf.NewProgram(looker(control.FD(), o.Deadman)); err != nil {
		return err
	}
	if d.barrier, err = newBarrier(); err != nil {
		return err
	}
	k.control.Store64(codegen.ControlLook, clock.Monotonic())
	every := probes.Hook{Kind: probes.Timer, Every: uint64(lookRate), PerCPU: true}
	if d.clocks, err = attach.Timer(every, d.prog, cpus); err != nil {
		return err
	}
	go func() { d.ended <- d.live(k) }()
	k.deadman = d
	return nil
}

// looker is the program that adds up the time without a sign of life, and stops the
// others when that is as long as they may take.
func looker(control int, most time.Duration) *ebpf.ProgramSpec {
	atomic := func(op asm.AtomicOp) asm.Instruction { // of R2, which gets what was there
		in := op.Mem(asm.R1, asm.R2, asm.DWord, 0)
		in.Constant = int64(op >> 8) // see codegen's fetchAdd
		return in
	}
	return &ebpf.ProgramSpec{
		Name: "deadman", Type: ebpf.PerfEvent, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.FnKtimeGetNs.Call(),
			asm.Mov.Reg(asm.R6, asm.R0),
			asm.LoadMapValue(asm.R1, control, codegen.ControlLook),
			asm.Mov.Reg(asm.R2, asm.R6),
			atomic(asm.Xchg),
			asm.Sub.Reg(asm.R6, asm.R2),
			asm.JSGE.Imm(asm.R6, 0, "forward"), // another CPU may have been quicker
			asm.Mov.Imm(asm.R6, 0),
			asm.JSLE.Imm(asm.R6, int32(mostPassed), "add").WithSymbol("forward"),
			asm.Mov.Imm(asm.R6, int32(mostPassed)),
			asm.LoadMapValue(asm.R1, control, codegen.ControlLate).WithSymbol("add"),
			asm.Mov.Reg(asm.R2, asm.R6),
			atomic(asm.FetchAdd),
			asm.Add.Reg(asm.R2, asm.R6),
			asm.LoadImm(asm.R3, int64(most), asm.DWord),
			asm.JLT.Reg(asm.R2, asm.R3, "end"),
			asm.LoadMapValue(asm.R1, control, codegen.ControlStop),
			asm.LoadMem(asm.R2, asm.R1, 0, asm.Word),
			asm.JNE.Imm(asm.R2, 0, "end"),
			asm.StoreImm(asm.R1, 0, codegen.Killed, asm.Word),
			asm.Mov.Imm(asm.R0, 0).WithSymbol("end"),
			asm.Return(),
		},
	}
}

// live gives signs of life until it is told to quit.
func (d *deadman) live(k *Loaded) error {
	t := time.NewTicker(lifeRate)
	defer t.Stop()
	var failed error
	for {
		select {
		case <-d.quit:
			return failed
		case <-t.C:
		}
		if err := d.barrier.wait(); err != nil { // but somebody has run
			failed = fmt.Errorf("wait for a grace period: %w", err)
		}
		k.control.Store64(codegen.ControlLate, 0)
	}
}

// Close ends the watch; d may be nil.
func (d *deadman) Close() error {
	if d == nil {
		return nil
	}
	close(d.quit)
	return errors.Join(<-d.ended, d.free())
}

// free gives back what the kernel holds.
func (d *deadman) free() error {
	var errs []error
	if d.clocks != nil {
		errs = append(errs, d.clocks.Close())
	}
	if d.prog != nil {
		errs = append(errs, d.prog.Close())
	}
	return errors.Join(append(errs, d.barrier.Close())...)
}

// Unresponsive is what a run ends with whose deadman has held back its probes.
func (k *Loaded) Unresponsive() error {
	return fmt.Errorf("%w: nothing else came to run for %v; enable fewer probes, or allow longer with -x deadman", trace.ErrUnresponsive, k.c.Options.Deadman)
}

// Killed reports whether a deadman has held back the probes.
func (k *Loaded) Killed() bool { return k.control.Load32(codegen.ControlStop) == codegen.Killed }
