package codegen

import (
	"fmt"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/engine/trace"
)

// storage selects what goes through maps and buffers.
func (s *selector) storage(v *ir.Value) bool {
	switch v.Op {
	case ir.OpSelf:
		s.self(v)
	case ir.OpAssocGet:
		s.lookup(s.def(v), assocName(v.Imm), v.Args[0])
	case ir.OpAssocPut:
		s.assocPut(v)
	case ir.OpAssocDel:
		s.mapPtr(mach.R1, assocName(v.Imm))
		s.address(mach.R2, v.Args[0], 0)
		s.call(asm.FnMapDeleteElem, 2)
	case ir.OpAggCell:
		s.aggCell(v)
	case ir.OpStackID:
		s.stackID(v)
	case ir.OpStack:
		base, off := s.mem(v.Args[0], 0)
		s.stack(v, base, off, int64(v.Size), v.Imm == 1, s.u.unit.Skip)
		if len(s.uses[v.ID]) > 0 {
			d := s.def(v)
			s.mov(d, mach.R0)
			s.aluImm(asm.RSh, d, 63)
		}
	case ir.OpReserve:
		d := s.def(v)
		null, ok, fused := s.outcome(v)
		s.reserve(d, int(v.Imm), null, ok)
		if !fused {
			s.cur = ok
		}
	case ir.OpSubmit:
		s.giveBack(v.Args[0], asm.FnRingbufSubmit)
	case ir.OpDiscard:
		s.giveBack(v.Args[0], asm.FnRingbufDiscard)
	case ir.OpDrop:
		s.drop(s.counterOf(v))
	case ir.OpFault:
		s.faults(v)
	case ir.OpStop:
		t := s.newReg()
		s.g.useControl()
		s.mapValue(t, mapControl, 0)
		s.storeImm(4, t, ControlStop, Exited)
	case ir.OpSignal:
		s.into(mach.R1, v.Args[0])
		s.call(asm.FnSendSignal, 1)
	case ir.OpClock:
		s.call(asm.FnKtimeGetNs, 0)
		if len(s.uses[v.ID]) > 0 {
			s.mov(s.def(v), mach.R0)
		}
	case ir.OpChill:
		s.chill(v)
	case ir.OpCall:
		s.callSub(v)
	default:
		return false
	}
	return true
}

// self selects the cell of the thread's variables.
func (s *selector) self(v *ir.Value) {
	t := s.taskReg()
	s.mapPtr(mach.R1, mapSelf)
	s.mov(mach.R2, t)
	s.movImm(mach.R3, 0)
	s.movImm(mach.R4, v.Imm) // BPF_LOCAL_STORAGE_GET_F_CREATE is 1
	s.call(asm.FnTaskStorageGet, 4)
	s.mov(s.def(v), mach.R0)
}

// lookup sets d to the value in a map at the key at p, or null.
func (s *selector) lookup(d mach.Reg, name string, p *ir.Value) {
	s.mapPtr(mach.R1, name)
	s.address(mach.R2, p, 0)
	s.call(asm.FnMapLookupElem, 2)
	s.mov(d, mach.R0)
}

func (s *selector) assocPut(v *ir.Value) {
	s.mapPtr(mach.R1, assocName(v.Imm))
	s.address(mach.R2, v.Args[0], 0)
	s.address(mach.R3, v.Args[1], 0)
	how := int64(0) // BPF_ANY
	if s.g.ir.Vars[v.Imm].Lasts {
		how = 1 // BPF_NOEXIST
	}
	s.movImm(mach.R4, how)
	s.call(asm.FnMapUpdateElem, 4)
	if len(s.uses[v.ID]) > 0 {
		s.mov(s.def(v), mach.R0)
	}
}

// outcome returns where to go when v, a pointer that may be null, is null and
// when it is not. If v is tested right after it is made, as lowering does, that
// is where the test leads, and nothing is left to do in the block; else both are
// a new block, in which to continue.
func (s *selector) outcome(v *ir.Value) (null, ok *mach.Block, fused bool) {
	b := v.Block
	n := len(b.Vals)
	if n >= 3 && b.Vals[n-3] == v && (b != s.home || s.work != mach.None) {
		test, term := b.Vals[n-2], b.Vals[n-1]
		if test.Op == ir.OpPtrEq0 && test.Args[0] == v && term.Op == ir.OpBranch && term.Args[0] == test && len(s.uses[test.ID]) == 1 {
			s.done[term] = true
			return s.edge(b, 0), s.edge(b, 1), true
		}
	}
	next := s.m.NewBlock(s.cur.Cold)
	return next, next, false
}

// aggCell selects the cell of an aggregation.
func (s *selector) aggCell(v *ir.Value) {
	d := s.def(v)
	null, ok, fused := s.outcome(v)
	table := s.g.ir.Table(int(v.Imm))
	if s.g.ir.Aggs[v.Imm].Key == 0 {
		slot := s.slot4()
		s.store(4, mach.RFP, int64(slot), s.generation())
		s.mapPtr(mach.R1, aggName(int(v.Imm), 0))
		s.slotArg(mach.R2, slot)
		s.call(asm.FnMapLookupElem, 2)
		s.mov(d, mach.R0)
		s.branch(testImm(asm.JEq, d, 0), null, ok)
	} else {
		s.keyedCell(d, table, v.Args[0], null, ok)
	}
	if !fused {
		s.cur = ok
	}
}

// keyedCell sets d to the cell of a key and goes to ok, or to null if there is none.
func (s *selector) keyedCell(d mach.Reg, table int, key *ir.Value, null, ok *mach.Block) {
	a := &s.g.ir.Aggs[table]
	tables := s.g.tables[table]
	if a.Short == 0 {
		s.front(d, table, key, ok)
		s.tableCell(d, &tables[0], key, null, ok)
		return
	}
	base, off := s.mem(key, int64(a.Short-1))
	last := s.newReg()
	s.load(1, last, base, off)
	short, long := s.m.NewBlock(s.cur.Cold), s.m.NewBlock(s.cur.Cold)
	s.branch(testImm(asm.JEq, last, 0), short, long)
	s.cur = short
	s.front(d, table, key, ok)
	s.tableCell(d, &tables[1], key, null, ok)
	s.cur = long
	s.tableCell(d, &tables[0], key, null, ok)
}

// slotArg sets r to the address of a slot on the stack.
func (s *selector) slotArg(r mach.Reg, slot int) {
	s.point(r, mach.RFP, int64(slot))
}

// stackID selects the number of a stack, kept in the generation in use.
func (s *selector) stackID(v *ir.Value) {
	st := StackMaps{User: v.Imm == 1, Depth: min(v.Size, mostFrames(s.g.ir.Options))}
	if st.Walked = st.User && s.g.unwinds(); st.Walked {
		s.g.useStack(st)
		s.walkedID(v, st)
		return
	}
	s.g.useStack(st)
	d := s.def(v)
	gen := s.generation()
	cold := s.cur.Cold
	first, second, next := s.m.NewBlock(cold), s.m.NewBlock(cold), s.m.NewBlock(cold)
	s.branch(testImm(asm.JEq, gen, 0), first, second)
	flags := s.stackFlags(st.User, s.u.unit.Skip)
	for i, b := range []*mach.Block{first, second} {
		s.cur = b
		s.mov(mach.R1, s.ctx)
		s.mapPtr(mach.R2, st.Name(i))
		s.movImm(mach.R3, flags)
		s.call(asm.FnGetStackid, 3)
		s.mov(d, mach.R0)
		s.jump(next)
	}
	s.cur = next
}

// reserve sets d to room for a record in the buffer of this CPU with its header
// written and goes to ok, or to null if there is none.
func (s *selector) reserve(d mach.Reg, record int, null, ok *mach.Block) {
	s.g.useRings()
	slot := s.slot4()
	s.call(asm.FnGetSmpProcessorId, 0)
	s.store(4, mach.RFP, int64(slot), mach.R0)
	s.reserveIn(d, slot, record, null)
	if s.g.ir.Records[record].Exits {
		full, room := s.m.NewBlock(true), s.m.NewBlock(s.cur.Cold)
		s.branch(testImm(asm.JEq, d, 0), full, room)
		s.cur = full
		s.load(4, mach.R0, mach.RFP, int64(slot))
		s.aluImm(asm.Add, mach.R0, int64(s.g.f.CPUs))
		s.store(4, mach.RFP, int64(slot), mach.R0)
		s.reserveIn(d, slot, record, null)
		s.leaveIf(testImm(asm.JEq, d, 0), null)
		s.jump(room)
		s.cur = room
	} else {
		s.leaveIf(testImm(asm.JEq, d, 0), null)
	}
	s.header(d, record)
	s.jump(ok)
}

// reserveIn sets d to room in the buffer whose number is in a slot, 0 if there is none, or
// goes to null if there is no such buffer.
func (s *selector) reserveIn(d mach.Reg, slot, record int, null *mach.Block) {
	s.mapPtr(mach.R1, mapRings)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	s.mov(d, mach.R0)
	s.leaveIf(testImm(asm.JEq, d, 0), null)
	s.mov(mach.R1, d)
	s.movImm(mach.R2, int64(s.g.ir.Records[record].Size))
	s.movImm(mach.R3, 0)
	s.call(asm.FnRingbufReserve, 3)
	s.mov(d, mach.R0)
}

// header writes what every record begins with.
func (s *selector) header(p mach.Reg, record int) {
	if s.key == mach.None {
		word := int64(s.u.soleKey())<<32 | int64(record)
		if fits32(word) {
			s.storeImm(8, p, 0, word)
		} else {
			s.storeImm(4, p, 0, int64(record))
			s.storeImm(4, p, 4, int64(int32(s.u.soleKey())))
		}
	} else {
		s.storeImm(4, p, 0, int64(record))
		s.store(4, p, 4, s.key)
	}
	switch {
	case !s.g.ir.Options.Temporal:
	case s.fired != mach.None:
		s.store(8, p, 8, s.fired)
	default:
		saved := s.newReg()
		s.mov(saved, p)
		s.call(asm.FnKtimeGetNs, 0)
		s.store(8, saved, 8, mach.R0)
	}
}

// giveBack submits or discards a record. Readers poll, so nobody is woken.
func (s *selector) giveBack(p *ir.Value, fn asm.BuiltinFunc) {
	s.giveBackReg(s.reg(p), fn)
}

func (s *selector) giveBackReg(p mach.Reg, fn asm.BuiltinFunc) {
	s.mov(mach.R1, p)
	s.movImm(mach.R2, 1) // BPF_RB_NO_WAKEUP
	s.call(fn, 2)
}

// drop counts a drop of one kind. Programs that interrupt one another on a CPU
// share its counters, so the addition is one instruction.
func (s *selector) drop(kind int64) {
	s.g.useDrops()
	slot := s.slot4()
	s.storeImm(4, mach.RFP, int64(slot), kind)
	s.mapPtr(mach.R1, mapDrops)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	s.unless(testImm(asm.JEq, mach.R0, 0), func() {
		one := s.newReg()
		s.movImm(one, 1)
		s.emit(mach.Inst{Op: asm.AddAtomic.OpCode(asm.DWord), Dst: mach.R0, Src: one})
	})
}

// faults reports a fault: its record, then the clauses of ERROR. A fault within
// ERROR is counted and no more.
func (s *selector) faults(v *ir.Value) {
	if s.u.kind == hookError || s.fn.Unit < 0 {
		s.drop(int64(trace.DropError))
		return
	}
	word := s.newReg()
	s.into(word, v.Args[0])
	pc := s.newReg()
	s.emit(mach.Inst{Op: asm.Mov.Op(asm.ImmSource), Dst: pc, Src: mach.None, PC: true})
	if i, ok := s.g.faultRecord(s.fn.Unit); ok {
		s.recordFault(i, v.Imm, word, pc)
	}
	if s.g.errorFn != nil {
		id := s.newReg()
		s.probeID(id)
		s.mov(mach.R1, s.ctx)
		s.movImm(mach.R2, v.Imm)
		s.mov(mach.R3, word)
		s.mov(mach.R4, id)
		s.mov(mach.R5, pc)
		s.sub(errorName, 5)
	}
}

// recordFault writes the record of a fault: clause and, in the upper half of the
// same word, the instruction of the program that tells it; action, kind, value.
func (s *selector) recordFault(record int, imm int64, word, pc mach.Reg) {
	r := s.g.ir.Records[record]
	if len(r.Fields) != 4 {
		s.fail("internal error: the record of a fault has %d fields", len(r.Fields))
		return
	}
	p := s.newReg()
	cold := s.cur.Cold
	full, kept, next := s.m.NewBlock(true), s.m.NewBlock(cold), s.m.NewBlock(cold)
	s.reserve(p, record, full, kept)
	s.cur = full
	s.drop(int64(trace.DropError))
	s.jump(next)
	s.cur = kept
	where := s.newReg()
	s.mov(where, pc)
	s.aluImm(asm.LSh, where, 16)
	s.aluImm(asm.Add, where, imm>>16)
	s.store(4, p, int64(r.Fields[0].Off), where)
	s.storeImm(r.Fields[1].Size, p, int64(r.Fields[1].Off), imm>>8&0xff)
	s.storeImm(r.Fields[2].Size, p, int64(r.Fields[2].Off), imm&0xff)
	s.store(8, p, int64(r.Fields[3].Off), word)
	s.giveBackReg(p, asm.FnRingbufSubmit)
	s.jump(next)
	s.cur = next
}

// callSub calls a subroutine of the script.
func (s *selector) callSub(v *ir.Value) {
	name, _ := v.Aux.(ir.Sym)
	for i, a := range v.Args {
		s.into(mach.R1+mach.Reg(i), a)
	}
	s.sub(string(name), len(v.Args))
	if len(s.uses[v.ID]) > 0 {
		s.mov(s.def(v), mach.R0)
	}
}

// sub calls a subprogram.
func (s *selector) sub(name string, args int) {
	s.emit(mach.Inst{Op: asm.Call.Op(asm.ImmSource), Dst: mach.R0, Src: mach.Reg(asm.PseudoCall), Imm: -1, Ref: name, Args: int8(args)})
}

func assocName(v int64) string { return fmt.Sprintf("assoc%d", v) }

// aggName returns the map of one generation of an aggregation.
func aggName(agg, gen int) string { return fmt.Sprintf("agg%d_%d", agg, gen) }

// shortName returns the map of its keys that are short.
func shortName(agg, gen int) string { return fmt.Sprintf("short%d_%d", agg, gen) }
