package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
)

// The programs know a process by its number in the initial pid namespace. In a
// container the number by which we know it is another, and $target must be the one
// that pid gives. The kernel tells no number of a namespace above one's own; but a
// program that iterates over the tasks that we can see reads them all.

// A pidRow is what the iterator writes of a process: its number in the initial
// namespace, how deep its own is, and its number in each on the way.
type pidRow struct {
	TGID, Level uint64
	Numbers     [pidLevels]struct {
		Nr        uint32
		_         uint32
		Namespace uint64
	}
}

// pidLevels is how deep namespaces are looked into; the kernel nests no more than 32.
const (
	pidLevels  = 8
	pidRowSize = 16 + 16*pidLevels
)

// inKernel returns the number by which the kernel knows a process of ours.
func (e *Engine) inKernel(pid int) (int, error) {
	if ns, err := os.Readlink("/proc/self/ns/pid"); pid == 0 || err == nil && ns == initPIDs {
		return pid, nil
	}
	rows, err := e.pidRows()
	if err != nil {
		return 0, fmt.Errorf("learn how the kernel numbers process %d outside of this container: %w", pid, err)
	}
	if found, ok := translate(rows, e.self(), pid); ok {
		return found, nil
	}
	return 0, fmt.Errorf("the kernel does not tell how it numbers process %d outside of this container", pid)
}

// translate finds the process that the one numbered self in the initial namespace
// knows as pid.
func translate(rows []pidRow, self, pid int) (int, bool) {
	var ours uint64
	for _, r := range rows {
		if int(r.TGID) == self && r.Level < pidLevels {
			ours = r.Numbers[r.Level].Namespace
		}
	}
	for _, r := range rows {
		for i := uint64(0); i <= min(r.Level, pidLevels-1); i++ {
			if n := r.Numbers[i]; ours != 0 && n.Namespace == ours && int(n.Nr) == pid {
				return int(r.TGID), true
			}
		}
	}
	return 0, false
}

// pidRows reads the numbers of all processes that can be seen from here.
func (e *Engine) pidRows() ([]pidRow, error) {
	prog, err := ebpf.NewProgram(e.pidIterator())
	if err != nil {
		return nil, err
	}
	defer prog.Close()
	it, err := link.AttachIter(link.IterOptions{Program: prog})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	r, err := it.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rows []pidRow
	for {
		var row pidRow
		err := binary.Read(r, binary.LittleEndian, &row)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

// pidIterator describes the program that writes a pidRow for each process.
func (e *Engine) pidIterator() *ebpf.ProgramSpec {
	task, pid := e.kernel.Struct("task_struct"), e.kernel.Struct("pid")
	at := func(path ...string) int16 { return int16(offsetOf(task, path...)) }
	const row = -pidRowSize
	program := asm.Instructions{
		asm.LoadMem(asm.R6, asm.R1, 0, asm.DWord), // ctx->meta
		asm.LoadMem(asm.R7, asm.R1, 8, asm.DWord), // ctx->task, null at the end
		asm.JEq.Imm(asm.R7, 0, "out"),
		asm.LoadMem(asm.R1, asm.R7, at("pid"), asm.Word),
		asm.LoadMem(asm.R2, asm.R7, at("tgid"), asm.Word),
		asm.JNE.Reg(asm.R1, asm.R2, "out"), // threads beside the first
		asm.StoreMem(asm.RFP, row, asm.R2, asm.DWord),
		asm.LoadMem(asm.R9, asm.R7, at("thread_pid"), asm.DWord),
		asm.LoadMem(asm.R8, asm.R9, int16(offsetOf(pid, "level")), asm.Word),
		asm.StoreMem(asm.RFP, row+8, asm.R8, asm.DWord),
		asm.Mov.Imm(asm.R0, 0),
	}
	for off := int16(row + 16); off < 0; off += 8 {
		program = append(program, asm.StoreMem(asm.RFP, off, asm.R0, asm.DWord))
	}
	program = append(program,
		asm.And.Imm(asm.R8, pidLevels-1),
		asm.Add.Imm(asm.R8, 1),
		asm.LSh.Imm(asm.R8, 4),
		asm.Mov.Reg(asm.R1, asm.RFP),
		asm.Add.Imm(asm.R1, row+16),
		asm.Mov.Reg(asm.R2, asm.R8),
		asm.Mov.Reg(asm.R3, asm.R9),
		asm.Add.Imm(asm.R3, int32(offsetOf(pid, "numbers"))),
		asm.FnProbeReadKernel.Call(),
		asm.LoadMem(asm.R1, asm.R6, 0, asm.DWord), // meta->seq
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, row),
		asm.Mov.Imm(asm.R3, pidRowSize),
		asm.FnSeqWrite.Call(),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("out"),
		asm.Return(),
	)
	return &ebpf.ProgramSpec{Name: "pids", Type: ebpf.Tracing, AttachType: ebpf.AttachTraceIter, AttachTo: "task",
		License: "Dual MIT/GPL", Instructions: program}
}
