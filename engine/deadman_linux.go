package engine

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/attach"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// A deadman holds back the probes of a run that leave the machine no time for anything
// else, as DTrace's does. What fires on the way of every interrupt can take longer than
// there is between two of them; then not even the thread runs that could detach it. The
// engine gives a sign of life every second, after a grace period: so its thread has run,
// and so have those of the kernel, on all CPUs. A program that two CPUs' clocks run counts
// how often it has looked since. When that is too often it stops all others, which ask
// for it before they do anything; and the engine, as soon as it runs again, ends the run.
//
// It counts and does not compare times: a machine that was suspended, or stood still under
// its hypervisor, has not been unresponsive.
type deadman struct {
	prog    *ebpf.Program
	clocks  io.Closer
	barrier *barrier
	quit    chan struct{}
	ended   chan error
}

// lookRate is the time between two looks of a clock, and between two signs of life.
const lookRate = time.Second

// lookers is how many CPUs' clocks look: one more than must be alive.
const lookers = 2

// guard starts the deadman of a run, nil if its probes cannot do harm, or if destructive
// actions are allowed, as in DTrace.
func (k *loaded) guard(o *Options) (_ *deadman, err error) {
	if o.Destructive || !slices.ContainsFunc(k.obj.Units, (*codegen.Unit).Starves) {
		return nil, nil
	}
	d := &deadman{quit: make(chan struct{}), ended: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.free())
		}
	}()
	cpus := k.online[:min(len(k.online), lookers)]
	looks := int32(max(o.Deadman/lookRate, 1)) * int32(len(cpus))
	control := k.coll.Maps[k.obj.Maps.Control]
	if d.prog, err = ebpf.NewProgram(looker(control.FD(), looks)); err != nil {
		return nil, err
	}
	if d.barrier, err = newBarrier(); err != nil {
		return nil, err
	}
	every := probes.Hook{Kind: probes.Timer, Every: uint64(lookRate), PerCPU: true}
	if d.clocks, err = attach.Timer(every, d.prog, cpus); err != nil {
		return nil, err
	}
	go func() { d.ended <- d.live(k) }()
	return d, nil
}

// looker is the program that counts its own runs, and stops the others at the given
// number of them.
func looker(control int, looks int32) *ebpf.ProgramSpec {
	add := asm.FetchAdd.Mem(asm.R1, asm.R2, asm.Word, 0)
	add.Constant = int64(asm.FetchAdd >> 8) // see codegen's fetchAdd
	return &ebpf.ProgramSpec{
		Name: "deadman", Type: ebpf.PerfEvent, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.LoadMapValue(asm.R1, control, codegen.ControlLate),
			asm.Mov.Imm(asm.R2, 1),
			add,
			asm.JLT.Imm32(asm.R2, looks, "end"),
			asm.LoadMapValue(asm.R1, control, codegen.ControlStop),
			asm.LoadMem(asm.R2, asm.R1, 0, asm.Word),
			asm.JNE.Imm32(asm.R2, 0, "end"),
			asm.StoreImm(asm.R1, 0, codegen.Killed, asm.Word),
			asm.Mov.Imm(asm.R0, 0).WithSymbol("end"),
			asm.Return(),
		},
	}
}

// live gives signs of life until it is told to quit.
func (d *deadman) live(k *loaded) error {
	t := time.NewTicker(lookRate)
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
		k.control.Store32(codegen.ControlLate, 0)
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

// unresponsive is what a run ends with whose deadman has held back its probes.
func unresponsive(o *Options) error {
	return fmt.Errorf("%w: nothing else came to run for %v; enable fewer probes, or allow longer with -x deadman", trace.ErrUnresponsive, o.Deadman)
}

// killed reports whether a deadman has held back the probes.
func (k *loaded) killed() bool { return k.control.Load32(codegen.ControlStop) == codegen.Killed }
