package walk

import (
	"slices"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/unwind"
)

// A walker writes the functions that walk stacks, in instructions of the machine.
type walker struct {
	f     *Features
	name  string
	depth int32
	asks  bool // whether the frames are a loop that asks by may_goto, else calls by bpf_loop
}

// The state of a walk lies in two places. Pointers lie on the stack of the outer
// function, at these offsets from its end; what follows them belongs to the outer
// function alone.
const (
	stFrames = 0  // where the addresses go
	stProc   = 8  // what is known of the process
	stShard  = 16 // the rows of the piece of code that the last frame was in
	stRoom   = 24 // what follows
	stSize   = 32

	walkHash  = -stSize - 8  // where the caller wants the hash
	walkCtx   = -stSize - 16 // the context of the program
	walkTgid  = -stSize - 20
	walkKey   = -stSize - 24 // of a shard
	walkMiss  = -stSize - 40 // what a miss tells
	walkFrame = stSize + 40
)

// All else lies in memory of which the verifier keeps no account, so that it sees one
// frame like the other: it would follow each combination of what it knew of them.
const (
	rmBlock   = 0         // what was read of the process's stack last
	rmBlockAt = walkBlock // from this address on
	rmPC      = walkBlock + 8
	rmSP      = walkBlock + 16
	rmFP      = walkBlock + 24
	rmCount   = walkBlock + 32 // frames that were written
	rmHash    = walkBlock + 40 // of these
	rmExact   = walkBlock + 48 // 1 if the address is one that was interrupted, 0 if it is to return to
	rmMissed  = walkBlock + 56 // 1 if an address was in no known piece of code
	rmStart   = walkBlock + 64 // the piece of code that the last frame was in; the next one mostly is in it too
	rmLen     = walkBlock + 72
	rmPlace   = walkBlock + 80  // where it begins in the piece that rows were made of
	rmIndex   = walkBlock + 88  // of its first block, in bytes
	rmLast    = walkBlock + 96  // half of a block, of the last one
	rmAsked   = walkBlock + 104 // the address that a row was looked up of last
	rmAnswer  = walkBlock + 112 // and the row
	rmShard   = walkBlock + 120 // that the piece of code is in
	RoomSize  = pyEnd           // which python.go ends

	// walkBlock is how many bytes of a stack are read at once: a read takes longer than
	// all else that is done for a frame, whatever it reads, and most frames are small.
	walkBlock = 512
	nowhere   = -2 * walkBlock // an address that no block of a process is near
)

// Offsets in struct pt_regs of x86-64, which is what arch/x86/include/asm/ptrace.h says.
const (
	ptFP, ptIP, ptCS, ptSP = 32, 128, 136, 152
	userCS                 = 0x33 // of 64-bit code
)

// outer is frames, hash, ctx, room, task → bytes.
func (w *walker) outer(step, hash string) asm.Instructions {
	const room, task, tgid, proc = asm.R6, asm.R7, asm.R8, asm.R9
	st := func(off int16) int16 { return off - stSize }
	l := func(s string) string { return w.name + "_" + s }
	f := w.f
	code := asm.Instructions{
		asm.StoreMem(asm.R10, st(stFrames), asm.R1, asm.DWord),
		asm.StoreMem(asm.R10, walkHash, asm.R2, asm.DWord),
		asm.StoreMem(asm.R10, walkCtx, asm.R3, asm.DWord),
		asm.StoreMem(asm.R10, st(stRoom), asm.R4, asm.DWord),
		asm.Mov.Reg(room, asm.R4),
		asm.Mov.Reg(task, asm.R5),
		put(room, rmBlockAt, nowhere),
		put(room, rmCount, 0),
		put(room, rmHash, 0),
		put(room, rmExact, 1),
		put(room, rmMissed, 0),
		put(room, rmPy, pyUnknown),
		put(room, rmAsked, -1), // where no process runs
		put(room, rmAnswer, int64(unwind.End)<<8),
		asm.LoadMem(tgid, task, int16(f.TGID), asm.Word),
		asm.JEq.Imm(tgid, 0, l("kernel")), // the idle task
		asm.StoreMem(asm.R10, walkTgid, tgid, asm.Word),
		// what tells this process from another of the number, and from what it was
		asm.LoadMem(asm.R1, task, int16(f.Leader), asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, int16(f.Start), asm.DWord),
		asm.Div.Imm(asm.R1, unwind.Tick),
		asm.StoreMem(asm.R10, walkMiss, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, task, int16(f.ExecID), asm.Word),
		asm.StoreMem(asm.R10, walkMiss+8, asm.R1, asm.DWord),
		asm.LoadMapPtr(asm.R1, 0).WithReference(MapProcs),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, walkTgid),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, l("miss")),
		asm.Mov.Reg(proc, asm.R0),
		asm.LoadMem(asm.R1, proc, 0, asm.DWord),
		asm.LoadMem(asm.R2, asm.R10, walkMiss, asm.DWord),
		asm.JNE.Reg(asm.R1, asm.R2, l("miss")),
		asm.LoadMem(asm.R1, proc, 8, asm.Word),
		asm.LoadMem(asm.R2, asm.R10, walkMiss+8, asm.DWord),
		asm.JEq.Reg(asm.R1, asm.R2, l("known")),
		asm.JNE.Imm32(asm.R1, -1, l("miss")), // unless it was added without having been missed
		asm.LoadMem(asm.R1, proc, 12, asm.Word).WithSymbol(l("known")),
		asm.JEq.Imm(asm.R1, 0, l("kernel")), // no code of it is known
		asm.StoreMem(asm.R10, st(stProc), proc, asm.DWord),
		asm.Mov.Reg(asm.R1, task),
		asm.FnTaskPtRegs.Call(),
		asm.LoadMem(asm.R1, asm.R0, ptCS, asm.DWord),
		asm.And.Imm(asm.R1, 0xff),
		asm.JNE.Imm(asm.R1, userCS, l("kernel")),
		asm.LoadMem(asm.R1, asm.R0, ptIP, asm.DWord),
		asm.StoreMem(room, rmPC, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, ptSP, asm.DWord),
		asm.StoreMem(room, rmSP, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, ptFP, asm.DWord),
		asm.StoreMem(room, rmFP, asm.R1, asm.DWord),
	}
	// the first piece of the process is as good a guess as any for the first frame
	code = append(code, w.shard(walkKey, proc, asm.R10, st(0), room, l("kernel"), "")...)
	code = append(code, w.frames(step, st(0))...)
	code = append(code,
		asm.LoadMem(asm.R1, room, rmMissed, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, l("walked")),
	)
	code = append(code, w.noteMiss()...)
	code = append(code,
		asm.LoadMem(asm.R1, room, rmCount, asm.DWord).WithSymbol(l("walked")),
		asm.Mov.Reg(asm.R0, asm.R1),
		asm.LSh.Imm(asm.R0, 3),
		asm.JGE.Imm(asm.R1, w.depth, l("done")), // no room for a zero
		asm.LSh.Imm(asm.R1, 3),
		asm.LoadMem(asm.R2, asm.R10, st(stFrames), asm.DWord),
		asm.Add.Reg(asm.R2, asm.R1),
		put(asm.R2, 0, 0),
		asm.Ja.Label(l("done")),
	)
	miss := w.noteMiss()
	miss[0] = miss[0].WithSymbol(l("miss"))
	code = append(code, miss...)
	// as the kernel walks it
	code = append(code,
		asm.LoadMem(asm.R1, asm.R10, walkCtx, asm.DWord).WithSymbol(l("kernel")),
		asm.LoadMem(asm.R2, asm.R10, st(stFrames), asm.DWord),
		asm.Mov.Imm(asm.R3, 8*w.depth),
		asm.Mov.Imm(asm.R4, userStack),
		asm.FnGetStack.Call(),
		asm.Mov.Reg(asm.R7, asm.R0),
		asm.JSLE.Imm(asm.R7, 0, l("none")),
	)
	code = append(code, w.loop(hash, st(0))...)
	return append(code,
		asm.Mov.Reg(asm.R0, asm.R7),
		asm.Ja.Label(l("done")),
		asm.Mov.Imm(asm.R0, -14).WithSymbol(l("none")), // EFAULT: there is none
		asm.LoadMem(asm.R1, room, rmHash, asm.DWord).WithSymbol(l("done")),
		asm.RSh.Imm(asm.R1, 1), // numbers of stacks have no sign
		asm.LoadMem(asm.R2, asm.R10, walkHash, asm.DWord),
		asm.StoreMem(asm.R2, 0, asm.R1, asm.DWord),
		asm.Return(),
	)
}

// frames calls the function that walks the frames.
func (w *walker) frames(step string, state int16) asm.Instructions {
	if !w.asks {
		return w.loop(step, state)
	}
	return asm.Instructions{
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, int32(state)),
		asm.Call.Label(step),
	}
}

// loop calls a function for each frame.
func (w *walker) loop(name string, state int16) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Imm(asm.R1, w.depth),
		asm.Instruction{OpCode: asm.LoadImmOp(asm.DWord), Dst: asm.R2, Src: asm.PseudoFunc, Constant: -1}.WithReference(name),
		asm.Mov.Reg(asm.R3, asm.R10),
		asm.Add.Imm(asm.R3, int32(state)),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnLoop.Call(),
	}
}

// noteMiss tells the engine of an address that could not be looked up.
func (w *walker) noteMiss() asm.Instructions {
	return asm.Instructions{
		asm.LoadMapPtr(asm.R1, 0).WithReference(MapMisses),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, walkTgid),
		asm.Mov.Reg(asm.R3, asm.R10),
		asm.Add.Imm(asm.R3, walkMiss),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnMapUpdateElem.Call(),
	}
}

// hashPrime mixes addresses into a hash.
const hashPrime = -0x61c8864680b583eb // 2^64 divided by the golden ratio, made odd

// mix adds the address in pc to the hash, with scratch registers.
func mix(room, pc, h, k asm.Register) asm.Instructions {
	return asm.Instructions{
		asm.LoadMem(h, room, rmHash, asm.DWord),
		asm.LoadImm(k, hashPrime, asm.DWord),
		asm.Xor.Reg(h, pc),
		asm.Mul.Reg(h, k),
		asm.Mov.Reg(k, h),
		asm.RSh.Imm(k, 29),
		asm.Xor.Reg(h, k),
		asm.StoreMem(room, rmHash, h, asm.DWord),
	}
}

// hash is called for each frame that the kernel has walked.
func (w *walker) hash(name string) asm.Instructions {
	l := func(s string) string { return name + "_" + s }
	code := asm.Instructions{
		asm.JGE.Imm(asm.R1, w.depth, l("end")),
		asm.LSh.Imm(asm.R1, 3),
		asm.LoadMem(asm.R3, asm.R2, stFrames, asm.DWord),
		asm.Add.Reg(asm.R3, asm.R1),
		asm.LoadMem(asm.R3, asm.R3, 0, asm.DWord),
		asm.JEq.Imm(asm.R3, 0, l("end")),
		asm.LoadMem(asm.R2, asm.R2, stRoom, asm.DWord),
	}
	code = append(code, mix(asm.R2, asm.R3, asm.R4, asm.R5)...)
	return append(code,
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
		asm.Mov.Imm(asm.R0, 1).WithSymbol(l("end")),
		asm.Return(),
	)
}

// The stack of the function that walks frames.
const (
	stepKey   = -4  // of a shard
	stepState = -16 // where the state is, if it goes on by itself
	stepFrame = 16
)

// step walks one frame: index, state → 1 when there are no more. Where it asks by may_goto it
// walks them all, because asking costs less than a return where returns are made safe.
func (w *walker) step(name string) asm.Instructions {
	const room, st, pc = asm.R6, asm.R7, asm.R8
	l := func(s string) string { return name + "_" + s }
	begin := asm.Instructions{
		asm.Mov.Reg(st, asm.R2),
		asm.LoadMem(room, st, stRoom, asm.DWord),
	}
	if w.asks {
		begin = asm.Instructions{
			asm.StoreMem(asm.R10, stepState, asm.R2, asm.DWord),
			mach.MayGoto(l("end")).WithSymbol(l("again")),
			asm.LoadMem(st, asm.R10, stepState, asm.DWord),
			asm.LoadMem(room, st, stRoom, asm.DWord),
			asm.LoadMem(asm.R1, room, rmCount, asm.DWord),
		}
	}
	code := append(begin,
		asm.JGE.Imm(asm.R1, w.depth, l("end")),
		asm.LoadMem(pc, room, rmPC, asm.DWord),
		asm.LoadMem(asm.R3, st, stFrames, asm.DWord),
		asm.Mov.Reg(asm.R4, asm.R1),
		asm.LSh.Imm(asm.R4, 3),
		asm.Add.Reg(asm.R3, asm.R4),
		asm.StoreMem(asm.R3, 0, pc, asm.DWord),
		asm.Add.Imm(asm.R1, 1),
		asm.StoreMem(room, rmCount, asm.R1, asm.DWord),
	)
	mixed := mix(room, pc, asm.R4, asm.R5)
	if w.pythons() {
		mixed = slices.Insert(mixed, 1, asm.StoreMem(room, rmBefore, asm.R4, asm.DWord))
	}
	code = append(code, mixed...)
	code = append(code,
		asm.LoadMem(asm.R3, room, rmExact, asm.DWord),
		asm.Add.Reg(pc, asm.R3),
		asm.Sub.Imm(pc, 1), // the call is before the address to return to
		// in a recursion the row is that of the last frame, which waits for nothing
		asm.LoadMem(asm.R2, room, rmAsked, asm.DWord),
		asm.LoadMem(asm.R1, room, rmAnswer, asm.DWord),
		asm.JEq.Reg(pc, asm.R2, l("answered")),
		asm.LoadMem(asm.R2, room, rmStart, asm.DWord),
		asm.Mov.Reg(asm.R1, pc),
		asm.Sub.Reg(asm.R1, asm.R2),
		asm.LoadMem(asm.R2, room, rmLen, asm.DWord),
		asm.JLT.Reg(asm.R1, asm.R2, l("found")),
	)
	code = append(code, w.findPiece(st, room, pc, l)...)
	code = append(code, w.findRow(st, room, l)...)
	code = append(code,
		asm.StoreMem(room, rmAsked, pc, asm.DWord),
		asm.StoreMem(room, rmAnswer, asm.R1, asm.DWord),
	)
	code = append(code, w.apply(room, l)...)
	return code
}

// findPiece looks up the piece of code that pc is in: the last that does not begin
// after it. It leaves in R1 how far pc is from there.
func (w *walker) findPiece(st, room, pc asm.Register, l func(string) string) asm.Instructions {
	const proc, n, at, try, start, fits = asm.R9, asm.R2, asm.R3, asm.R4, asm.R5, asm.R0
	code := asm.Instructions{
		asm.LoadMem(proc, st, stProc, asm.DWord),
		asm.LoadMem(n, proc, 12, asm.Word),
		asm.Mov.Imm(at, 0),
		asm.JLE.Imm(n, usualPieces, l("few")),
	}
	for d := int32(unwind.MaxPieces / 2); d > 0; d /= 2 {
		step := asm.Instructions{
			asm.Mov.Reg(try, at),
			asm.Add.Imm(try, d),
			asm.Mov.Reg(fits, try),
			asm.Sub.Reg(fits, n),
			asm.ArSh.Imm(fits, 63), // all ones if there are so many
			asm.And.Reg(try, fits), // what is not there would have to be fetched from far away
			asm.Mul.Imm(try, unwind.EntrySize),
			asm.Add.Reg(try, proc),
			asm.LoadMem(start, try, unwind.HeadSize, asm.DWord),
			asm.Mov.Reg(try, pc),
			asm.Sub.Reg(try, start),
			asm.ArSh.Imm(try, 63),
			asm.Xor.Imm(try, -1), // all ones if it does not begin after pc
			asm.And.Reg(fits, try),
			asm.And.Imm(fits, d),
			asm.Add.Reg(at, fits),
		}
		if d == usualPieces/2 {
			step[0] = step[0].WithSymbol(l("few"))
		}
		code = append(code, step...)
	}
	code = append(code,
		asm.Mul.Imm(at, unwind.EntrySize),
		asm.Add.Reg(proc, at),
		asm.LoadMem(start, proc, unwind.HeadSize, asm.DWord),
		asm.Mov.Reg(asm.R1, pc),
		asm.Sub.Reg(asm.R1, start),
		asm.LoadMem(asm.R2, proc, unwind.HeadSize+8, asm.Word),
		asm.JGE.Reg(asm.R1, asm.R2, l("lost")),
	)
	code = append(code, w.shard(stepKey, proc, st, 0, room, l("lost"), l("sharded"))...)
	return append(code,
		asm.Mov.Reg(asm.R1, pc),
		asm.LoadMem(asm.R2, room, rmStart, asm.DWord),
		asm.Sub.Reg(asm.R1, asm.R2),
	)
}

// shard makes the piece whose entry is at proc the one of the state at st + off and room:
// it finds its shard, or goes away. For that it needs four bytes of the stack. Where there is
// a piece before it, have names the place to go to if that was in the same shard.
func (w *walker) shard(key int16, proc, st asm.Register, off int16, room asm.Register, away, have string) asm.Instructions {
	code := asm.Instructions{asm.LoadMem(asm.R2, proc, unwind.HeadSize+16, asm.Half)}
	if have != "" {
		code = append(code,
			asm.LoadMem(asm.R1, room, rmShard, asm.DWord),
			asm.JEq.Reg(asm.R1, asm.R2, have),
		)
	}
	code = append(code,
		asm.StoreMem(room, rmShard, asm.R2, asm.DWord),
		asm.StoreMem(asm.R10, key, asm.R2, asm.Word),
		asm.LoadMapPtr(asm.R1, 0).WithReference(MapRows),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, int32(key)),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, away),
		asm.StoreImm(asm.R10, key, 0, asm.Word),
		asm.Mov.Reg(asm.R1, asm.R0),
		asm.Mov.Reg(asm.R2, asm.R10),
		asm.Add.Imm(asm.R2, int32(key)),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, away),
		asm.StoreMem(st, off+stShard, asm.R0, asm.DWord),
	)
	found := len(code)
	for _, f := range []struct {
		from  int16
		size  asm.Size
		to    int16
		shift int32
		more  int32
	}{
		{0, asm.DWord, rmStart, 0, 0}, {8, asm.Word, rmLen, 0, 0}, {12, asm.Word, rmPlace, 0, 0},
		{18, asm.Half, rmIndex, 3, 0}, {20, asm.Word, rmLast, 1, 1},
	} {
		code = append(code, asm.LoadMem(asm.R2, proc, unwind.HeadSize+f.from, f.size))
		if f.shift > 0 {
			code = append(code, asm.LSh.Imm(asm.R2, f.shift))
		}
		if f.more > 0 {
			code = append(code, asm.Add.Imm(asm.R2, f.more))
		}
		code = append(code, asm.StoreMem(room, f.to, asm.R2, asm.DWord))
	}
	if have != "" {
		code[found] = code[found].WithSymbol(have)
	}
	return code
}

// findRow looks up the row that holds R1 bytes behind the beginning of the state's
// piece, and leaves it in R1. Each frame waits for the one before: what counts is how many
// operations wait for one another. So a block is known by the first of its halves, whose number
// is an offset at once, and few rows are looked at all together.
func (w *walker) findRow(st, room asm.Register, l func(string) string) asm.Instructions {
	const place, half, row, t = asm.R1, asm.R3, asm.R9, asm.R4
	code := asm.Instructions{
		asm.LoadMem(t, room, rmPlace, asm.DWord).WithSymbol(l("found")),
		asm.Add.Reg(place, t),
		asm.Mov.Reg(half, place),
		asm.RSh.Imm(half, unwind.BlockShift-1),
		asm.LoadMem(t, room, rmLast, asm.DWord), // which holds for all that is behind it
		asm.JLE.Reg(half, t, l("within")),
		asm.Mov.Reg(half, t),
		asm.LoadMem(t, room, rmIndex, asm.DWord).WithSymbol(l("within")),
		asm.Add.Reg(half, t),
		asm.And.Imm(half, 8*unwind.ShardUnits-2),
		asm.LoadMem(row, st, stShard, asm.DWord),
		asm.Mov.Reg(t, row),
		asm.Add.Reg(t, half),
		asm.LoadMem(t, t, 0, asm.Half),
		asm.And.Imm(t, unwind.ShardUnits-1),
		asm.LSh.Imm(t, 3),
		asm.Add.Reg(row, t),
		asm.Add.Imm(place, 1),
	}
	code = append(code, // few blocks have more rows than these, which mostly lie in one line of the cache
		asm.LoadMem(t, row, 8*usualRows+4, asm.Word),
		asm.JGE.Reg(t, place, l("near")),
	)
	for d := int32(unwind.BlockRows+1) / 2; d >= usualRows; d /= 2 {
		code = append(code,
			asm.LoadMem(t, row, int16(8*d+4), asm.Word),
			asm.Sub.Reg(t, place),
			asm.ArSh.Imm(t, 63), // all ones if it holds
			asm.And.Imm(t, 8*d),
			asm.Add.Reg(row, t),
		)
	}
	const holding = asm.R3 // how many of those behind the first one do
	code = append(code, asm.Mov.Imm(holding, 0).WithSymbol(l("near")))
	for n := range int16(usualRows - 1) {
		code = append(code,
			asm.LoadMem(t, row, 8*(n+1)+4, asm.Word),
			asm.Sub.Reg(t, place),
			asm.RSh.Imm(t, 63), // 1 if it does
			asm.Add.Reg(holding, t),
		)
	}
	return append(code,
		asm.LSh.Imm(holding, 3),
		asm.Add.Reg(row, holding),
		asm.LoadMem(asm.R1, row, 0, asm.DWord),
	)
}

// What is found in fewer steps: where no more pieces than these are known, and where no
// row behind these holds. They are powers of two.
const (
	usualPieces = 16
	usualRows   = 8
)

// put stores eight bytes of n, which fits 32 bits.
func put(dst asm.Register, off int16, n int64) asm.Instruction {
	return asm.Instruction{OpCode: asm.StoreImmOp(asm.DWord), Dst: dst, Offset: off, Constant: n}
}
