package plan

import (
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"slices"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/options"
	"dscope.dev/probes"
)

// lowCode is below what addresses the linker puts the code of executables that are not
// position-independent; that of others lies above.
const lowCode = 1 << 31

// features says what the code generator may use for units.
func (m *Machine) features(o *options.Options, units []*Unit, l *lower.Result) (codegen.Features, error) {
	f := codegen.Features{
		Arch: m.Facts.Arch, CPUs: slices.Max(m.Facts.Possible) + 1, CompatStatus: -1,
		Handover: o.Handover, BufSize: m.bufSize(o, units, l), AggSize: o.AggSize, DynVarSize: o.DynVarSize,
	}
	f.Verifier = codegen.QuirksOf(m.Facts.AtLeast)
	if o.CPU >= 0 {
		if !slices.Contains(m.Facts.Online, o.CPU) {
			return f, fmt.Errorf("option cpu: there is no CPU %d at work", o.CPU)
		}
		f.OnlyCPU = o.CPU + 1
	}
	if !o.Self {
		f.SelfPID = m.Trials.Self()
		if f.SelfPID == os.Getpid() { // or the asker's number is that of a container, too
			f.AskerPID = m.AskerPID
		}
		f.Readers = l.Shows(lower.EncUstack, lower.EncUsym) || codegen.WalksProcesses(l.IR)
		if here, _, _, _ := runtime.Caller(0); here < lowCode && f.AskerPID == 0 { // readers are this executable, too
			f.OwnBelow = lowCode
		}
	}
	if onlyTestRuns(units) && !uses(l.IR, "vtimestamp") {
		return f, nil // and reads no type, so that BEGIN starts at once
	}
	task := m.Kernel.Struct("task_struct")
	if !task.Complete() {
		_, err := m.Kernel.Type("struct", "", "task_struct")
		return f, fmt.Errorf("learn the layout of struct task_struct: %w", err)
	}
	f.Unwind = unwindFeatures(task, o)
	f.TaskTGID = task.OffsetOf("tgid")
	f.Current = m.Trials.Current()
	if f.SelfPID != 0 && slices.ContainsFunc(units, func(u *Unit) bool { return u.Hooks[0].Interrupted() }) {
		count := m.Trials.Interrupts()
		f.InterruptVar, f.InterruptOff = count.Var, count.Offset
	}
	cred := m.Kernel.Struct("cred")
	f.Cred = codegen.Cred{Task: task.OffsetOf("cred"), UID: cred.OffsetOf("uid"), GID: cred.OffsetOf("gid")}
	f.TaskRuntime = task.OffsetOf("se", "sum_exec_runtime")
	for _, u := range units {
		if len(u.Hooks) > 1 && u.Hooks[0].Kind == probes.Tracepoint {
			f.RawCookie = true // or nothing would have been shared
		}
		if u.Hooks[0].Select != probes.BySyscall || f.CompatStatus >= 0 {
			continue
		}
		var err error
		if f.CompatStatus, f.CompatMask, err = m.Kernel.Compat(); err != nil {
			return f, fmt.Errorf("learn how this kernel marks 32-bit system calls: %w", err)
		}
	}
	return f, nil
}

// How large a buffer is made that nobody asked a size for: as much as may come before anybody
// looks, each 100 ms in a quiet run. That is some 350,000 small records, or 100,000 with a
// string, which takes longer to write than others. All buffers together take one part of
// memoryShare of the memory that is left, or what is usual.
const (
	mostBuf     = 16 << 20
	mostLarge   = 32 << 20
	largeRecord = 128 // bytes
	memoryShare = 128
)

// bufSize returns the bytes of a kernel buffer.
func (m *Machine) bufSize(o *options.Options, units []*Unit, l *lower.Result) int {
	size := ringSize(o)
	asked := o.Values["bufsize"] != "" || o.BufSize != options.Default().BufSize
	if asked || o.Policy != options.SwitchPolicy || m.Most > 0 || onlyTestRuns(units) || !l.Floods() {
		return size
	}
	most := mostBuf
	if slices.ContainsFunc(l.IR.Records, func(r ir.Record) bool { return r.Size >= largeRecord }) {
		most = mostLarge
	}
	return roomyBuf(size, most, m.Kernel.MemoryLeft(), len(m.Facts.Possible))
}

// Lacks reports whether buffers of a size are smaller than was asked for, or than is usual.
func (c *Plan) Lacks(size int) bool {
	return c.Options.Values["bufsize"] != "" || size < options.Default().BufSize
}

// roomyBuf returns the bytes of each of the buffers of so many CPUs, size at least and grown
// to most, where so many bytes are left.
func roomyBuf(size, most int, left int64, cpus int) int {
	for size < most && 2*int64(size) <= left/memoryShare/int64(cpus) {
		size *= 2
	}
	return size
}

// ringSize returns the bytes of a kernel buffer as they are asked for: a power of two of at least a page.
// Where records are kept in the reader, bufsize is about the reader.
func ringSize(o *options.Options) int {
	size := max(o.BufSize, 4096)
	if o.Policy != options.SwitchPolicy {
		size = max(size, options.Default().BufSize)
	}
	return 1 << bits.Len(uint(size-1))
}

// onlyTestRuns reports whether the engine itself fires all units.
func onlyTestRuns(units []*Unit) bool {
	for _, u := range units {
		if u.Hooks[0].Kind != probes.Test {
			return false
		}
	}
	return true
}

// uses reports whether p asks for a built-in fact.
func uses(p *ir.Program, fact ir.Sym) bool {
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				if v.Op == ir.OpBuiltin && v.Aux == fact {
					return true
				}
			}
		}
	}
	return false
}
