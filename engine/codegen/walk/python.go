package walk

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/python"
	"dscope.dev/engine/unwind"
)

// Where a row is marked as one of the function by which Python evaluates, the frames
// of the interpreter that it runs are shown instead of it (package python): one each time that
// the step is called, until that with which the function began; only then the walk goes on to
// the caller. A row that is not marked is followed as ever, and costs nothing more.

// What a walk knows of Python lies behind the rest of its room.
const (
	rmBefore  = rmShard + 8  // the hash without the frame that is written last
	rmRow     = rmShard + 16 // the row of the function that evaluates
	rmPy      = rmShard + 24 // the address of the interpreter's next frame, 0 if there is none, or pyUnknown
	rmPyFrame = rmShard + 32 // that frame
	pyRoom    = 128          // for it, and as far as a place in it that is a byte can lead
	pyEnd     = rmShard + 32 + pyRoom
	pyUnknown = 1
)

// glibc keeps the specific data of a thread by blocks of 32 keys, each of 16 bytes, of which
// the second half is what was set (nptl/descr.h).
const (
	maxKeys    = 1024
	blockShift = 5
	entryShift = 4
	entryData  = 8
)

// pythons reports whether frames of Python are looked for.
func (w *walker) pythons() bool { return w.f.FSBase != 0 }

// python writes the next frame of the interpreter over the one that was written last, in the
// function that the row in R1 tells how to leave, and ends the step if it was not its last.
func (w *walker) python(room asm.Register, l func(string) string) asm.Instructions {
	const st, last, proc = asm.R7, asm.R8, asm.R9
	code := asm.Instructions{
		asm.StoreMem(room, rmRow, asm.R1, asm.DWord).WithSymbol(l("python")),
		asm.LoadMem(proc, st, stProc, asm.DWord),
		asm.LoadMem(asm.R1, room, rmPy, asm.DWord),
		asm.JNE.Imm(asm.R1, pyUnknown, l("pyhave")),
	}
	code = append(code, w.pyThread(room, proc, last, l)...)
	code = append(code, w.pyFrame(room, proc, last, "pyfirst", l)...)
	code = append(code,
		asm.JNE.Imm(last, 0, l("native")), // it has just begun, or is about to end, and runs none
		asm.LoadMem(asm.R1, room, rmPy, asm.DWord).WithSymbol(l("pyhave")),
		asm.JEq.Imm(asm.R1, 0, l("native")),
	)
	code = append(code, w.pyMark(room, st, proc, l)...)
	code = append(code,
		asm.Mov.Imm(last, 0),
		asm.LoadMem(asm.R2, proc, unwind.PyEntry, asm.Byte),
		asm.JEq.Imm(asm.R2, 0, l("pyon")),
		asm.And.Imm(asm.R2, pyRoom-1),
		asm.Add.Reg(asm.R2, room),
		asm.LoadMem(last, asm.R2, rmPyFrame, asm.Byte),
	)
	on := pyField(room, proc, unwind.PyPrevious, asm.R3)
	on[0] = on[0].WithSymbol(l("pyon"))
	code = append(code, on...)
	code = append(code, w.pyFrame(room, proc, last, "pynext", l)...)
	code = append(code,
		asm.JNE.Imm(last, 0, l("native")),
		asm.LoadMem(asm.R1, room, rmPy, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, l("native")),
	)
	code = append(code, w.again(l)...) // with the same function
	code = append(code, asm.LoadMem(asm.R1, room, rmRow, asm.DWord).WithSymbol(l("native")))
	code = append(code, decode()...)
	return append(code,
		asm.And.Imm(rowKind, int32(unwind.Python-1)),
		asm.LoadMem(rowCFA, room, rmSP, asm.DWord),
		asm.JEq.Imm(rowKind, int32(unwind.FromSP), l("distance")),
		asm.LoadMem(rowCFA, room, rmFP, asm.DWord),
		asm.Ja.Label(l("distance")),
	)
}

// pyMark writes the mark of the frame that was read over the address that was written last,
// in the stack and in its hash. A frame that makes no sense ends the chain.
func (w *walker) pyMark(room, st, proc asm.Register, l func(string) string) asm.Instructions {
	const mark = asm.R8
	code := pyField(room, proc, unwind.PyCode, mark)
	code = append(code,
		put(room, rmPy, 0),
		asm.Mov.Reg(asm.R1, mark),
		asm.RSh.Imm(asm.R1, python.AddrBits),
		asm.JNE.Imm(asm.R1, 0, l("native")),
		asm.JEq.Imm(mark, 0, l("native")),
	)
	code = append(code, pyField(room, proc, unwind.PyInstr, asm.R1)...)
	code = append(code,
		asm.Sub.Reg(asm.R1, mark),
		asm.LoadMem(asm.R2, proc, unwind.PyBytecode, asm.Word),
		asm.Sub.Reg(asm.R1, asm.R2),
		asm.RSh.Imm(asm.R1, 1), // code units have two bytes
		asm.JLT.Imm(asm.R1, python.NoUnit, l("pyunit")),
		asm.Mov.Imm(asm.R1, python.NoUnit),
		asm.RSh.Imm(mark, 3).WithSymbol(l("pyunit")),
		asm.LSh.Imm(mark, python.UnitBits),
		asm.Or.Reg(mark, asm.R1),
		asm.LoadImm(asm.R1, -1<<63, asm.DWord),
		asm.Or.Reg(mark, asm.R1),
		asm.LoadMem(asm.R1, room, rmCount, asm.DWord),
		asm.Sub.Imm(asm.R1, 1),
		asm.JGE.Imm(asm.R1, w.depth, l("end")),
		asm.LSh.Imm(asm.R1, 3),
		asm.LoadMem(asm.R3, st, stFrames, asm.DWord),
		asm.Add.Reg(asm.R3, asm.R1),
		asm.StoreMem(asm.R3, 0, mark, asm.DWord),
		asm.LoadMem(asm.R4, room, rmBefore, asm.DWord),
		asm.StoreMem(room, rmHash, asm.R4, asm.DWord),
	)
	return append(code, mix(room, mark, asm.R4, asm.R5)...)
}

// pyThread leaves in R3 where the frame is that the current thread evaluates, or 0; or goes
// away because there is none. Last becomes 1 if that is not yet, or no more, one of the
// function of C that is being left, else 0.
func (w *walker) pyThread(room, proc, last asm.Register, l func(string) string) asm.Instructions {
	const key = asm.R8
	away := l("native")
	code := asm.Instructions{
		put(room, rmPy, 0),
		asm.LoadMem(asm.R3, proc, unwind.PyKey, asm.DWord),
		asm.JEq.Imm(asm.R3, 0, away),
	}
	code = append(code, pyRead(room, 8, away)...)
	code = append(code,
		asm.LoadMem(asm.R1, room, rmPyFrame, asm.Word), // whether there is a key
		asm.JEq.Imm(asm.R1, 0, away),
		asm.LoadMem(key, room, rmPyFrame+4, asm.Word),
		asm.JGE.Imm(key, maxKeys, away),
		asm.FnGetCurrentTaskBtf.Call(),
		asm.LoadMem(asm.R3, asm.R0, int16(w.f.FSBase), asm.DWord),
		asm.LoadMem(asm.R1, proc, unwind.PySpecific, asm.Word),
		asm.Add.Reg(asm.R3, asm.R1),
		asm.Mov.Reg(asm.R1, key),
		asm.RSh.Imm(asm.R1, blockShift),
		asm.LSh.Imm(asm.R1, 3),
		asm.Add.Reg(asm.R3, asm.R1),
	)
	code = append(code, pyRead(room, 8, away)...)
	code = append(code,
		asm.LoadMem(asm.R3, room, rmPyFrame, asm.DWord),
		asm.And.Imm(key, 1<<blockShift-1),
		asm.LSh.Imm(key, entryShift),
		asm.Add.Reg(asm.R3, key),
		asm.Add.Imm(asm.R3, entryData),
	)
	code = append(code, pyRead(room, 8, away)...)
	code = append(code, // the state of the thread
		asm.LoadMem(asm.R3, room, rmPyFrame, asm.DWord),
		asm.LoadMem(asm.R1, proc, unwind.PyCurrent, asm.Word),
		asm.Add.Reg(asm.R3, asm.R1),
	)
	code = append(code, pyRead(room, 8, away)...)
	code = append(code,
		asm.LoadMem(asm.R3, room, rmPyFrame, asm.DWord),
		asm.Mov.Imm(last, 0),
		asm.LoadMem(asm.R5, proc, unwind.PyCFrame, asm.Word),
		asm.JEq.Imm32(asm.R5, -1, l("pythread")),
		// a cframe lies in the frame of C that it belongs to
		asm.LoadMem(asm.R1, room, rmRow, asm.DWord),
		asm.Mov.Reg(asm.R2, asm.R1),
		asm.LSh.Imm(asm.R2, 32),
		asm.ArSh.Imm(asm.R2, 48),
		asm.LSh.Imm(asm.R2, 3),
		asm.LoadMem(asm.R4, room, rmSP, asm.DWord),
		asm.RSh.Imm(asm.R1, 8),
		asm.And.Imm(asm.R1, int32(unwind.FromFP)),
		asm.JEq.Imm(asm.R1, 0, l("pysp")),
		asm.LoadMem(asm.R4, room, rmFP, asm.DWord),
		asm.Add.Reg(asm.R2, asm.R4).WithSymbol(l("pysp")),
		asm.JLT.Reg(asm.R3, asm.R2, l("pyown")),
		asm.Mov.Imm(last, 1),
		asm.Add.Reg(asm.R3, asm.R5).WithSymbol(l("pyown")),
	)
	code = append(code, pyRead(room, 8, away)...)
	return append(code,
		asm.LoadMem(asm.R3, room, rmPyFrame, asm.DWord),
		asm.LoadMem(asm.R1, room, rmPy, asm.DWord).WithSymbol(l("pythread")),
	)
}

// pyFrame reads the frame at R3 to be the next one, or that before it if it stands for no
// function: then last becomes 1, because what it follows was the last frame of a function of C.
// name is the part of the function that asks.
func (w *walker) pyFrame(room, proc, last asm.Register, name string, l func(string) string) asm.Instructions {
	done := l(name + "_done")
	code := asm.Instructions{
		put(room, rmPy, 0),
		asm.JEq.Imm(asm.R3, 0, done),
		asm.StoreMem(room, rmPy, asm.R3, asm.DWord),
	}
	code = append(code, pyRead(room, python.FrameSize, l(name+"_gone"))...)
	code = append(code,
		asm.LoadMem(asm.R2, proc, unwind.PyOwner, asm.Byte),
		asm.And.Imm(asm.R2, pyRoom-1),
		asm.Add.Reg(asm.R2, room),
		asm.LoadMem(asm.R1, asm.R2, rmPyFrame, asm.Byte),
		asm.LoadMem(asm.R2, proc, unwind.PyShim, asm.Byte),
		asm.JNE.Reg(asm.R1, asm.R2, done),
		asm.Mov.Imm(last, 1),
	)
	code = append(code, pyField(room, proc, unwind.PyPrevious, asm.R3)...)
	code = append(code,
		asm.StoreMem(room, rmPy, asm.R3, asm.DWord),
		asm.JEq.Imm(asm.R3, 0, done),
	)
	code = append(code, pyRead(room, python.FrameSize, l(name+"_gone"))...)
	return append(code,
		asm.Ja.Label(done),
		put(room, rmPy, 0).WithSymbol(l(name+"_gone")),
		asm.LoadMem(asm.R1, room, rmPy, asm.DWord).WithSymbol(done),
	)
}

// pyRead reads size bytes of the process at R3 to where the frame is, or goes away.
func pyRead(room asm.Register, size int32, away string) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Reg(asm.R1, room),
		asm.Add.Imm(asm.R1, rmPyFrame),
		asm.Mov.Imm(asm.R2, size),
		asm.FnProbeReadUser.Call(),
		asm.JNE.Imm(asm.R0, 0, away),
	}
}

// pyField loads eight bytes of the frame into to, from the place that a byte of what is known
// of the process says.
func pyField(room, proc asm.Register, field int16, to asm.Register) asm.Instructions {
	return asm.Instructions{
		asm.LoadMem(asm.R2, proc, field, asm.Byte),
		asm.And.Imm(asm.R2, (pyRoom-1)&^7),
		asm.Add.Reg(asm.R2, room),
		asm.LoadMem(to, asm.R2, rmPyFrame, asm.DWord),
	}
}
