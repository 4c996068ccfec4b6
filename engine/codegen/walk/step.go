package walk

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/unwind"
)

// The registers that a row is taken apart into, and that of the address that distances count from.
const (
	rowKind  = asm.R2
	rowFrame = asm.R3
	rowFP    = asm.R9
	rowCFA   = asm.R8
)

// decode takes the row in R1 apart.
func decode() asm.Instructions {
	const row, kind, frame, fp = asm.R1, rowKind, rowFrame, rowFP
	return asm.Instructions{
		asm.Mov.Reg(kind, row),
		asm.RSh.Imm(kind, 8),
		asm.And.Imm(kind, 0xff),
		asm.Mov.Reg(frame, row),
		asm.LSh.Imm(frame, 32),
		asm.ArSh.Imm(frame, 48),
		asm.LSh.Imm(frame, 3),
		asm.Mov.Reg(fp, row),
		asm.LSh.Imm(fp, 56),
		asm.ArSh.Imm(fp, 56),
		asm.LSh.Imm(fp, 3),
	}
}

// apply leaves the frame as the row in R1 says: it finds the address to return to and
// the registers of the caller.
func (w *walker) apply(room asm.Register, l func(string) string) asm.Instructions {
	const kind, frame, fp, cfa = rowKind, rowFrame, rowFP, rowCFA
	code := decode()
	code[0] = code[0].WithSymbol(l("answered"))
	code = append(code,
		asm.LoadMem(cfa, room, rmSP, asm.DWord),
		asm.JEq.Imm(kind, int32(unwind.FromSP), l("distance")),
		asm.JEq.Imm(kind, int32(unwind.Stub), l("stub")),
		asm.JEq.Imm(kind, int32(unwind.End), l("end")),
		asm.JEq.Imm(kind, int32(unwind.Signal), l("signal")),
		asm.LoadMem(cfa, room, rmFP, asm.DWord),
		asm.JEq.Imm(kind, int32(unwind.FromFP), l("distance")),
		asm.JEq.Imm(kind, int32(unwind.Realigned), l("realigned")),
	)
	if w.pythons() {
		code = append(code, asm.JSet.Imm(kind, int32(unwind.Python), l("python")))
	}
	code = append(code,
		asm.JNE.Imm(kind, int32(unwind.Switched), l("byfp")),
		put(room, rmSP, 0), // where the other stack lies says nothing
		asm.Ja.Label(l("distance")),
	)
	code = append(code, w.stub(room, cfa, l)...)
	code = append(code, w.callerAt(room, cfa, fp, frame, l)...)
	code = append(code, w.realigned(room, cfa, frame, l)...)
	code = append(code, w.signal(room, l)...)
	if w.pythons() {
		code = append(code, w.python(room, l)...)
	}
	return append(code, w.byFramePointer(room, l)...)
}

// stub handles procedure linkage tables: each entry is 16 bytes, and from its eleventh on
// one more word has been pushed.
func (w *walker) stub(room, cfa asm.Register, l func(string) string) asm.Instructions {
	return asm.Instructions{
		asm.LoadMem(asm.R4, room, rmPC, asm.DWord).WithSymbol(l("stub")),
		asm.And.Imm(asm.R4, 15),
		asm.Mov.Imm(asm.R3, 8),
		asm.JLT.Imm(asm.R4, 11, l("distance")),
		asm.Mov.Imm(asm.R3, 16),
	}
}

// fetch leaves in R4 where size bytes of the process's memory are, those at the address
// in R3, and goes away if they can't be read. It reads what lies behind them too,
// because the next frames do; where that ends, them alone. name is the part of the
// function that asks.
func (w *walker) fetch(room asm.Register, size int32, name, away string) asm.Instructions {
	have := name + "_have"
	return asm.Instructions{
		asm.LoadMem(asm.R1, room, rmBlockAt, asm.DWord),
		asm.Mov.Reg(asm.R4, asm.R3),
		asm.Sub.Reg(asm.R4, asm.R1),
		asm.JLE.Imm(asm.R4, walkBlock-size, have),
		asm.StoreMem(room, rmBlockAt, asm.R3, asm.DWord),
		asm.Mov.Reg(asm.R1, room),
		asm.Mov.Imm(asm.R2, walkBlock),
		asm.FnProbeReadUser.Call(),
		asm.Mov.Imm(asm.R4, 0),
		asm.JEq.Imm(asm.R0, 0, have),
		asm.LoadMem(asm.R3, room, rmBlockAt, asm.DWord),
		put(room, rmBlockAt, nowhere),
		asm.Mov.Reg(asm.R1, room),
		asm.Mov.Imm(asm.R2, size),
		asm.FnProbeReadUser.Call(),
		asm.Mov.Imm(asm.R4, 0),
		asm.JNE.Imm(asm.R0, 0, away),
		asm.Add.Reg(asm.R4, room).WithSymbol(have),
	}
}

// callerAt goes to the caller, whose frame is frame bytes from cfa, and whose frame
// pointer was saved fp bytes from there. The word below the frame is the address to
// return to, the one below that nearly always the frame pointer.
func (w *walker) callerAt(room, cfa, fp, frame asm.Register, l func(string) string) asm.Instructions {
	code := asm.Instructions{
		asm.Add.Reg(cfa, frame).WithSymbol(l("distance")),
		asm.LoadMem(asm.R1, room, rmSP, asm.DWord),
		asm.JLE.Reg(cfa, asm.R1, l("end")), // stacks grow downwards
		asm.JEq.Imm(fp, 0, l("address")),
		asm.JEq.Imm(fp, -16, l("address")),
		asm.Mov.Reg(asm.R3, cfa),
		asm.Add.Reg(asm.R3, fp),
	}
	code = append(code, w.fetch(room, 8, l("fp"), l("end"))...)
	code = append(code,
		asm.LoadMem(asm.R1, asm.R4, 0, asm.DWord),
		asm.StoreMem(room, rmFP, asm.R1, asm.DWord),
		asm.Mov.Reg(asm.R3, cfa).WithSymbol(l("address")),
		asm.Sub.Imm(asm.R3, 16),
	)
	code = append(code, w.fetch(room, 16, l("caller"), l("end"))...)
	return append(code,
		asm.LoadMem(asm.R7, asm.R4, 8, asm.DWord),
		asm.JNE.Imm(fp, -16, l("kept")),
		asm.LoadMem(asm.R1, asm.R4, 0, asm.DWord),
		asm.StoreMem(room, rmFP, asm.R1, asm.DWord),
		asm.StoreMem(room, rmSP, cfa, asm.DWord).WithSymbol(l("kept")),
		put(room, rmExact, 0),
		asm.Ja.Label(l("next")),
	)
}

// realigned handles functions that have aligned their stack anew.
func (w *walker) realigned(room, cfa, frame asm.Register, l func(string) string) asm.Instructions {
	code := asm.Instructions{
		asm.Add.Reg(frame, cfa).WithSymbol(l("realigned")),
	}
	code = append(code, w.fetch(room, 8, l("aligned"), l("end"))...)
	code = append(code,
		asm.LoadMem(cfa, asm.R4, 0, asm.DWord),
		asm.LoadMem(asm.R3, room, rmFP, asm.DWord),
	)
	code = append(code, w.fetch(room, 8, l("alignedfp"), l("end"))...)
	return append(code,
		asm.LoadMem(asm.R1, asm.R4, 0, asm.DWord),
		asm.StoreMem(room, rmFP, asm.R1, asm.DWord),
		asm.Mov.Imm(asm.R9, 0),
		asm.Mov.Imm(frame, 0),
		asm.Ja.Label(l("distance")),
	)
}

// Where the kernel puts registers for the handler of a signal: struct rt_sigframe
// without the return address, which has been popped (arch/x86/include/asm/sigframe.h).
const (
	sigFP = 120
	sigSP = 160
	sigIP = 168
)

// signal goes to what a signal has interrupted.
func (w *walker) signal(room asm.Register, l func(string) string) asm.Instructions {
	code := asm.Instructions{
		asm.LoadMem(asm.R3, room, rmSP, asm.DWord).WithSymbol(l("signal")),
		asm.Add.Imm(asm.R3, sigFP),
	}
	code = append(code, w.fetch(room, sigIP-sigFP+8, l("registers"), l("end"))...)
	return append(code,
		asm.LoadMem(asm.R1, asm.R4, 0, asm.DWord),
		asm.StoreMem(room, rmFP, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R4, sigSP-sigFP, asm.DWord),
		asm.StoreMem(room, rmSP, asm.R1, asm.DWord),
		asm.LoadMem(asm.R7, asm.R4, sigIP-sigFP, asm.DWord),
		put(room, rmExact, 1),
		asm.Ja.Label(l("next")),
	)
}

// mostFrame is how large a frame may be that nothing but a frame pointer tells of.
const mostFrame = 1 << 20

// byFramePointer goes to the caller where there is no table, and ends the function.
func (w *walker) byFramePointer(room asm.Register, l func(string) string) asm.Instructions {
	code := asm.Instructions{
		put(room, rmMissed, 1).WithSymbol(l("lost")),
		asm.LoadMem(asm.R3, room, rmFP, asm.DWord).WithSymbol(l("byfp")),
		asm.Mov.Reg(asm.R1, asm.R3),
		asm.And.Imm(asm.R1, 7),
		asm.JNE.Imm(asm.R1, 0, l("end")),
		asm.Mov.Reg(asm.R1, asm.R3),
		asm.LoadMem(asm.R2, room, rmSP, asm.DWord),
		asm.Sub.Reg(asm.R1, asm.R2),
		asm.JGT.Imm(asm.R1, mostFrame, l("end")), // also if it is below
		asm.Mov.Reg(asm.R8, asm.R3),
	}
	code = append(code, w.fetch(room, 16, l("chain"), l("end"))...)
	code = append(code,
		asm.LoadMem(asm.R1, asm.R4, 0, asm.DWord),
		asm.StoreMem(room, rmFP, asm.R1, asm.DWord),
		asm.LoadMem(asm.R7, asm.R4, 8, asm.DWord),
		asm.Add.Imm(asm.R8, 16),
		asm.StoreMem(room, rmSP, asm.R8, asm.DWord),
		put(room, rmExact, 0),
		// the caller, unless its address makes no sense
		asm.Mov.Reg(asm.R1, asm.R7).WithSymbol(l("next")),
		asm.RSh.Imm(asm.R1, 12),
		asm.JEq.Imm(asm.R1, 0, l("end")),
		asm.RSh.Imm(asm.R1, 56-12),
		asm.JNE.Imm(asm.R1, 0, l("end")),
		asm.StoreMem(room, rmPC, asm.R7, asm.DWord),
	)
	code = append(code, w.again(l)...)
	return append(code,
		asm.Mov.Imm(asm.R0, 1).WithSymbol(l("end")),
		asm.Return(),
	)
}

// again goes on with the next frame.
func (w *walker) again(l func(string) string) asm.Instructions {
	if w.asks {
		return asm.Instructions{asm.Ja.Label(l("again"))}
	}
	return asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}
}
