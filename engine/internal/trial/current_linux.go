package trial

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes/kernel"
)

// The helper that tells a program the current task reads one word of the CPU and returns.
// Where returns are made safe that costs some 10 ns, of the 80 of a firing that a predicate
// leaves out. The kernel publishes neither where that word lies nor where the data of its
// CPUs do; but the code of the helper names the one, and the address of a map's value on a
// CPU tells the other.

// dearReturns reports whether each return in the kernel costs some nanoseconds.
func dearReturns() bool {
	const dir = "/sys/devices/system/cpu/vulnerabilities/"
	for file, remedy := range map[string]string{"spec_rstack_overflow": "Safe RET", "retbleed": "untrained return thunk"} {
		if b, err := os.ReadFile(dir + file); err == nil && strings.Contains(string(b), remedy) {
			return true
		}
	}
	return false
}

// current finds the current tasks where it costs programs more to call the helper.
func current(k *kernel.Kernel, facts kernel.Facts) codegen.CurrentTasks {
	if !dearReturns() || !inLine(infoOf(asm.FnGetSmpProcessorId)) {
		return codegen.CurrentTasks{}
	}
	return CurrentTasks(k, facts)
}

// CurrentTasks finds the word of each CPU that points to its current task; nothing where that
// cannot be found or does not agree with the helper, or the helper is no call.
func CurrentTasks(k *kernel.Kernel, facts kernel.Facts) codegen.CurrentTasks {
	none := codegen.CurrentTasks{}
	offset := k.Struct("bpf_array").OffsetOf("pptrs")
	c, ok := castOf(k)
	helper := infoOf(asm.FnGetCurrentTask)
	if facts.Arch != "amd64" || offset == 0 || !ok || helper == nil || inLine(helper) {
		return none
	}
	l, err := newLook()
	if err != nil {
		return none
	}
	defer l.close()
	first := l.at(0, 0)
	percpu := l.at(0, first.Array+uint64(offset)).Word // what the value's addresses on all CPUs count from
	variable, ok := l.variable(helper)
	if first.Array == 0 || percpu == 0 || !ok {
		return none
	}
	c.At = make([]uint64, slices.Max(facts.Possible)+1)
	for _, cpu := range facts.Possible {
		value := l.at(cpu, 0).Value
		if value == 0 {
			return none
		}
		c.At[cpu] = value - percpu + variable - uint64(c.Link)
	}
	if !agrees(c, facts.Online) {
		return none
	}
	return c
}

// castOf returns what a program needs to read a task at an address.
func castOf(k *kernel.Kernel) (c codegen.CurrentTasks, ok bool) {
	spec, err := k.BTF()
	if err != nil {
		return c, false
	}
	var cast *btf.Func
	var task *btf.Struct
	if spec.TypeByName("bpf_rdonly_cast", &cast) != nil || spec.TypeByName("task_struct", &task) != nil {
		return c, false
	}
	id, err1 := spec.TypeID(cast)
	typ, err2 := spec.TypeID(task)
	c.Cast, c.Task, c.Link = uint32(id), uint32(typ), k.Struct("task_struct").OffsetOf("group_leader")
	return c, err1 == nil && err2 == nil && c.Link > 0
}

// inLine reports whether the kernel has put the helper into the code of a program of infoOf instead
// of calling it.
func inLine(i *ebpf.ProgramInfo) bool {
	if i == nil {
		return false
	}
	code, err := i.Instructions()
	if err != nil {
		return false
	}
	for _, in := range code {
		if in.IsBuiltinCall() {
			return false
		}
	}
	return true
}

// infoOf returns what the kernel tells of a program that calls a helper and ends; nil if it tells
// nothing.
func infoOf(fn asm.BuiltinFunc) *ebpf.ProgramInfo {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{fn.Call(), asm.Return()}})
	if err != nil {
		return nil
	}
	defer p.Close()
	i, err := p.Info()
	if err != nil {
		return nil
	}
	return i
}

// A look reads memory of the kernel.
type look struct {
	program        *ebpf.Program
	percpu, answer *ebpf.Map
}

// What a look has seen. The map answer holds it.
type seen struct {
	Array uint64   // address of the map percpu
	Value uint64   // address of its value on a CPU
	Word  uint64   // at an address, 0 if there is nothing
	Code  [64]byte // there too; a helper as short is read whole
}

func newLook() (l *look, err error) {
	l = &look{}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.percpu, err = ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: 1}); err != nil {
		return l, err
	}
	size := binary.Size(seen{})
	if l.answer, err = ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: uint32(size), MaxEntries: 1}); err != nil {
		return l, err
	}
	// context: the number of a CPU, an address
	ctx, answer := asm.R6, asm.R7
	l.program, err = ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			asm.Mov.Reg(ctx, asm.R1),
			asm.LoadMapValue(answer, l.answer.FD(), 0),
			asm.LoadMapPtr(asm.R1, l.percpu.FD()),
			asm.StoreMem(answer, 0, asm.R1, asm.DWord),
			asm.StoreImm(asm.RFP, -8, 0, asm.Word),
			asm.Mov.Reg(asm.R2, asm.RFP),
			asm.Add.Imm(asm.R2, -8),
			asm.LoadMem(asm.R3, ctx, 0, asm.DWord),
			asm.FnMapLookupPercpuElem.Call(),
			asm.StoreMem(answer, 8, asm.R0, asm.DWord),
			asm.Mov.Reg(asm.R1, answer),
			asm.Add.Imm(asm.R1, 16),
			asm.Mov.Imm(asm.R2, 8),
			asm.LoadMem(asm.R3, ctx, 8, asm.DWord),
			asm.FnProbeReadKernel.Call(),
			asm.Mov.Reg(asm.R1, answer),
			asm.Add.Imm(asm.R1, 24),
			asm.Mov.Imm(asm.R2, int32(size-24)),
			asm.LoadMem(asm.R3, ctx, 8, asm.DWord),
			asm.FnProbeReadKernel.Call(),
			asm.Mov.Imm(asm.R0, 0),
			asm.Return(),
		}})
	return l, err
}

func (l *look) close() {
	l.program.Close()
	l.percpu.Close()
	l.answer.Close()
}

// at looks at the map on a CPU and at an address.
func (l *look) at(cpu int, addr uint64) (s seen) {
	if _, err := l.program.Run(&ebpf.RunOptions{Context: [12]uint64{uint64(cpu), addr}}); err != nil {
		return s
	}
	if err := l.answer.Lookup(uint32(0), &s); err != nil {
		return seen{}
	}
	return s
}

// variable returns the address that the helper's code gives the current task among the variables
// of a CPU; caller is of a program that calls it. What looks like such code and is not, agrees tells.
func (l *look) variable(caller *ebpf.ProgramInfo) (addr uint64, ok bool) {
	const call, callSize = 0xe8, 5 // and how far from its end
	code, ok1 := caller.JitedInsns()
	starts, ok2 := caller.JitedKsymAddrs()
	if !ok1 || !ok2 || len(starts) == 0 {
		return 0, false
	}
	for n := 0; n+callSize <= len(code); n++ {
		if code[n] != call {
			continue
		}
		helper := uint64(starts[0]) + uint64(n+callSize) + uint64(int64(int32(binary.LittleEndian.Uint32(code[n+1:]))))
		there := l.at(0, helper)
		if addr, ok := loadOfCPU(there.Code[:], helper); ok {
			return addr, true
		}
	}
	return 0, false
}

// loadOfCPU returns the address of the first variable of the CPU that code at pc loads to rax.
func loadOfCPU(code []byte, pc uint64) (addr uint64, ok bool) {
	for n := 0; n+9 <= len(code); n++ {
		switch string(code[n : n+4]) {
		case "\x65\x48\x8b\x05": // mov %gs:disp(%rip), %rax
			return pc + uint64(n+8) + uint64(int64(int32(binary.LittleEndian.Uint32(code[n+4:])))), true
		case "\x65\x48\x8b\x04": // mov %gs:disp, %rax
			if code[n+4] == 0x25 {
				return uint64(int64(int32(binary.LittleEndian.Uint32(code[n+5:])))), true
			}
		}
	}
	return 0, false
}

// agrees reports whether on each CPU that is at work the helper tells what its word does.
func agrees(c codegen.CurrentTasks, online []int) bool {
	const onCPU = 1 // BPF_F_TEST_RUN_ON_CPU
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "Dual MIT/GPL",
		Instructions: append(append(asm.Instructions{
			asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord),
			asm.FnGetCurrentTask.Call(),
			asm.Mov.Reg(asm.R7, asm.R0),
			asm.Mov.Reg(asm.R1, asm.R6)},
			c.Read()...),
			asm.Mov.Reg(asm.R1, asm.R0),
			asm.Mov.Imm(asm.R0, 0),
			asm.JNE.Reg(asm.R1, asm.R7, "other"),
			asm.Mov.Imm(asm.R0, 1),
			asm.Return().WithSymbol("other"),
		)})
	if err != nil {
		return false
	}
	defer p.Close()
	for _, cpu := range online {
		same, err := p.Run(&ebpf.RunOptions{Context: [12]uint64{c.At[cpu]}, CPU: uint32(cpu), Flags: onCPU})
		if err != nil || same != 1 {
			return false
		}
	}
	return true
}
