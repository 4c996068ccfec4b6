package codegen

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// Most firings of a probe come to a few keys, and to find a cell in a hash takes longer than
// to change it. So before each table lies a front: cells on each CPU for the keys that come
// there first in a generation. A key has one place in it, which whoever comes first has until
// the generation is emptied; the others go on to the table. What belongs to a key is the sum of
// both.
//
// Programs may interrupt one another here as they may in the tables: who finds a place that is
// about to be taken goes on to the table, too.

// A Front is where the front of a table lies in the value of MapNames.Fronts, whose index is
// the generation: Slots places, each a word that says who has it, the key, and the cell.
type Front struct {
	Off, Slots int // bytes; a power of two, 0 if there is no front
	Key, Words int // bytes of the key that are kept: ir.Agg.Short if the long ones have none; words of a cell
}

// What the first word of a place says. All zeros is one that nobody has.
const (
	frontTaken = 1 // somebody is writing the key
	FrontFull  = 2 // the key and the cell can be used
)

// Stride returns how many bytes a place takes.
func (f Front) Stride() int { return 8 + f.Key + 8*f.Words }

const (
	leastKeys    = 1024 // of a table: smaller ones were asked for, and hold as many keys as that says
	mostSlots    = 8
	mostFront    = 4 << 10  // bytes of a front
	mostFrontKey = 128      // bytes of a key: to compare more takes as long as the table
	mostCells    = 16       // that a function asks for: what a front is more to verify comes as often
	mostFronts   = 16 << 10 // bytes of all fronts of a generation on one CPU
	allFronts    = 2 << 20  // the same on all CPUs: they are read whole
)

// layFronts lays out the fronts of the tables and returns how many bytes they take.
func (g *generator) layFronts() (size int) {
	room := min(mostFronts, allFronts/g.f.CPUs)
	g.fronts = make([]Front, len(g.ir.Aggs))
	for i, a := range g.ir.Aggs {
		if a.Key == 0 || g.ir.Table(i) != i {
			continue
		}
		f := Front{Off: size, Key: a.Key, Words: a.Words}
		if a.Short > 0 {
			f.Key = a.Short
		}
		most := min(mostFront, room-size) / f.Stride()
		if f.Key > mostFrontKey || most == 0 || g.keysIn(i) < leastKeys {
			continue
		}
		f.Slots = min(mostSlots, 1<<(bits.Len(uint(most))-1))
		size += f.Slots * f.Stride()
		g.fronts[i] = f
	}
	return size
}

// frontsMap describes the map of the fronts.
func frontsMap(size int) *ebpf.MapSpec {
	return &ebpf.MapSpec{Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: uint32(size), MaxEntries: 2}
}

// Each hands on the keys of a front and their cells, those of cpus CPUs one after another. It
// uses up words, the value of MapNames.Fronts on all CPUs. Key and cells are valid only during
// the call.
func (f Front) Each(words []uint64, cpus int, do func(key []byte, cells []uint64) error) error {
	cells, text := make([]uint64, cpus*f.Words), make([]byte, 0, f.Key)
	for slot := range f.Slots {
		at := (f.Off + slot*f.Stride()) / 8
		place := func(cpu int) []uint64 { return words[len(words)/cpus*cpu+at:][:f.Stride()/8] }
		for first := range cpus {
			if place(first)[0] != FrontFull {
				continue
			}
			key := place(first)[1 : 1+f.Key/8]
			clear(cells)
			for cpu := first; cpu < cpus; cpu++ { // where another may have the same key, at the same place
				if p := place(cpu); p[0] == FrontFull && slices.Equal(p[1:1+len(key)], key) {
					copy(cells[cpu*f.Words:], p[1+len(key):])
					p[0] = 0
				}
			}
			text = text[:0]
			for _, w := range key {
				text = binary.NativeEndian.AppendUint64(text, w)
			}
			if err := do(text, cells); err != nil {
				return err
			}
		}
	}
	return nil
}

// front goes to ok with the cell of a key in d if it has one in front of a table, or can have.
// For others it goes on in a new block.
func (s *selector) front(d mach.Reg, table int, key *ir.Value, ok *mach.Block) {
	f := s.g.fronts[table]
	if f.Slots == 0 || s.cells > mostCells {
		return
	}
	cold := s.cur.Cold
	full, fresh, other := s.m.NewBlock(cold), s.m.NewBlock(true), s.m.NewBlock(cold)
	place, state := s.newReg(), s.newReg()
	off := int64(f.Off)
	slot := s.slot4()
	s.store(4, mach.RFP, int64(slot), s.generation())
	s.mapPtr(mach.R1, mapFronts)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	s.mov(place, mach.R0)
	s.leaveIf(testImm(asm.JEq, place, 0), other)
	s.findPlace(place, f, key)
	s.load(8, state, place, off)
	s.branch(testImm(asm.JEq, state, FrontFull), full, fresh)

	s.cur = full
	differs := s.newReg()
	for i := int64(0); i < int64(f.Key); i += 8 { // one branch: the verifier follows the ways from each
		x, has := s.keyWord(key, i), s.newReg()
		s.load(8, has, place, off+8+i)
		s.alu(asm.Xor, x, has)
		if i == 0 {
			s.mov(differs, x)
		} else {
			s.alu(asm.Or, differs, x)
		}
	}
	s.leaveIf(testImm(asm.JNE, differs, 0), other)
	s.frontCell(d, place, f, ok)

	s.cur = fresh
	s.leaveIf(testImm(asm.JNE, state, 0), other)
	first, taken := s.newReg(), s.newReg()
	s.mov(first, place)
	s.aluImm(asm.Add, first, off)
	s.movImm(taken, frontTaken)
	s.movImm(mach.R0, 0)
	s.emit(mach.Inst{Op: mach.CmpXchg, Dst: first, Src: taken, Imm: int64(asm.CmpXchg >> 8)})
	s.leaveIf(testImm(asm.JNE, mach.R0, 0), other)
	for i := int64(0); i < int64(f.Key); i += 8 {
		s.store(8, place, off+8+i, s.keyWord(key, i))
	}
	s.storeImm(8, place, off, FrontFull)
	s.frontCell(d, place, f, ok)
	s.cur = other
}

// frontCell sets d to the cell of a place and goes to ok.
func (s *selector) frontCell(d, place mach.Reg, f Front, ok *mach.Block) {
	s.mov(d, place)
	s.aluImm(asm.Add, d, int64(f.Off+8+f.Key))
	s.jump(ok)
}

// findPlace moves p, the beginning of the fronts, to the place of a key but for the offset of
// the front.
func (s *selector) findPlace(p mach.Reg, f Front, key *ir.Value) {
	if f.Slots == 1 {
		return
	}
	const golden = -0x61c8864680b583eb // 2^64 divided by the golden ratio
	h, by := s.keyWord(key, 0), s.newReg()
	for i := int64(8); i < int64(f.Key); i += 8 {
		s.alu(asm.Xor, h, s.keyWord(key, i))
	}
	s.movImm(by, golden)
	s.alu(asm.Mul, h, by)
	s.aluImm(asm.RSh, h, int64(64-bits.TrailingZeros(uint(f.Slots))))
	s.aluImm(asm.Mul, h, int64(f.Stride()))
	s.alu(asm.Add, p, h)
}

// keyWord returns a register with a word of a key.
func (s *selector) keyWord(key *ir.Value, at int64) mach.Reg {
	r := s.newReg()
	base, off := s.mem(key, at)
	s.load(8, r, base, off)
	return r
}

// isKey reports whether p is where a key of an aggregation is written, which is hashed here.
func (s *selector) isKey(p *ir.Value) bool {
	return slices.ContainsFunc(s.uses[p.ID], func(u *ir.Value) bool { return u.Op == ir.OpAggCell })
}
