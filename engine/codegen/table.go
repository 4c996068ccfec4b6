package codegen

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// The keys of an aggregation are numbered as they come. A hash tells the number of a key, and
// from that follows where the key lies, and where on each CPU its cell. So whoever empties the
// table reads keys and cells one after another, from memory that it shares with the programs,
// which takes a tenth of what it takes to find each in a hash of the kernel; and a key that
// comes again in the next generation but one has its number already.

// A Table says where the keys and cells of one or several aggregations lie, in the memory
// that those of all share.
type Table struct {
	Hash       [2]string // by generation: Spec.Maps name of the numbers by key
	Keys       [2]int    // by generation: where in MapNames.Keys there are how many numbers were given out, and behind that word the keys; bytes
	Cells      int       // where in each value of MapNames.Cells the cells lie; bytes
	Room       int       // keys in a generation
	Key, Words int       // bytes of a key, a multiple of 8; words of a cell
}

// mostOffset is how far the verifier lets a program reach into a value (BPF_MAX_VAR_OFF of
// kernel/bpf/verifier.c).
const mostOffset = 1 << 29

// layTables lays out the tables of the aggregations with keys.
func (g *generator) layTables() {
	g.tables = make([][]Table, len(g.ir.Aggs))
	for i, a := range g.ir.Aggs {
		if a.Key == 0 || g.ir.Table(i) != i {
			continue
		}
		room := g.keysIn(i)
		lay := func(name func(agg, gen int) string, key int) {
			t := Table{Room: room, Key: key, Words: a.Words, Cells: g.cellSize}
			g.cellSize += 8 * a.Words * room
			for gen := range 2 {
				t.Hash[gen], t.Keys[gen] = name(i, gen), g.keySize
				g.keySize += 8 + key*room
			}
			g.tables[i] = append(g.tables[i], t)
		}
		lay(aggName, a.Key)
		if a.Short > 0 {
			lay(shortName, a.Short)
		}
	}
}

// hash describes the map of the numbers of a generation.
func (t *Table) hash() *ebpf.MapSpec {
	return &ebpf.MapSpec{Type: ebpf.Hash, KeySize: uint32(t.Key), ValueSize: 4, MaxEntries: uint32(t.Room)}
}

// cellsMap describes the map of the cells of all tables: those of the CPUs one after another,
// for each generation.
func (g *generator) cellsMap() *ebpf.MapSpec {
	return &ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: uint32(g.cellSize), MaxEntries: uint32(2 * g.f.CPUs), Flags: mmapable}
}

// tableCell sets d to the cell of a key and goes to ok, or to null if there is none. A key that
// is not there yet gets a number.
func (s *selector) tableCell(d mach.Reg, t *Table, key *ir.Value, null, ok *mach.Block) {
	cold := s.cur.Cold
	miss, found := s.m.NewBlock(true), s.m.NewBlock(cold)
	gens := []*mach.Block{s.m.NewBlock(cold), s.m.NewBlock(cold)}
	p, number, gen := s.newReg(), s.newReg(), s.newReg()
	s.movImm(d, 0)
	s.branch(testImm(asm.JEq, s.generation(), 0), gens[0], gens[1])
	for i, b := range gens { // at places of their own: the verifier puts a lookup in line only where it knows the map
		has := s.m.NewBlock(cold)
		s.cur = b
		s.movImm(gen, int64(i))
		s.lookup(p, t.Hash[i], key)
		s.branch(testImm(asm.JNE, p, 0), has, miss)
		s.cur = has
		s.load(4, number, p, 0)
		s.jump(found)
	}
	s.cur = miss
	s.number(number, t, gen, key, null, found)

	s.cur = found
	slot := s.slot4()
	s.call(asm.FnGetSmpProcessorId, 0)
	s.aluImm(asm.Mul, gen, int64(s.g.f.CPUs))
	s.alu(asm.Add, gen, mach.R0)
	s.store(4, mach.RFP, int64(slot), gen)
	s.mapPtr(mach.R1, mapCells)
	s.slotArg(mach.R2, slot)
	s.call(asm.FnMapLookupElem, 2)
	s.mov(d, mach.R0)
	s.leaveIf(testImm(asm.JEq, d, 0), null)
	off := s.newReg()
	s.emit(mach.Inst{Op: asm.Mov.Op32(asm.RegSource), Dst: off, Src: number}) // a register of its own, or the test may be of another load of one that is on the stack
	s.leaveIf(testImm(asm.JGE, off, int64(t.Room)), null)                     // never, but the verifier cannot know
	s.aluImm(asm.Mul, off, int64(8*t.Words))
	s.alu(asm.Add, d, off)
	if t.Cells > 0 {
		s.aluImm(asm.Add, d, int64(t.Cells))
	}
	s.jump(ok)
}

// number gives a key the next number in a generation and goes to found, or to null if there is
// none. Two programs may do so at the same time: then the key has two, and its cells are the
// sum of both.
func (s *selector) number(n mach.Reg, t *Table, gen mach.Reg, key *ir.Value, null, found *mach.Block) {
	at, by, given, slot := s.newReg(), s.newReg(), s.newReg(), s.slot4()
	s.mapValue(at, mapKeys, int64(t.Keys[0]))
	s.mov(by, gen)
	s.aluImm(asm.Mul, by, int64(t.Keys[1]-t.Keys[0]))
	s.alu(asm.Add, at, by)
	s.movImm(mach.R0, 1)
	s.emit(mach.Inst{Op: mach.FetchAdd, Dst: at, Src: mach.R0, Imm: int64(asm.FetchAdd >> 8)})
	s.mov(given, mach.R0) // what becomes of n until found the verifier may lose sight of
	s.leaveIf(testImm(asm.JGE, given, int64(t.Room)), null)
	s.mov(n, given)
	s.aluImm(asm.Mul, given, int64(t.Key))
	s.alu(asm.Add, at, given)
	s.copyKey(at, 8, key, t.Key)
	first, second := s.m.NewBlock(true), s.m.NewBlock(true)
	s.branch(testImm(asm.JEq, gen, 0), first, second)
	for i, b := range []*mach.Block{first, second} {
		s.cur = b
		s.store(4, mach.RFP, int64(slot), n)
		s.mapPtr(mach.R1, t.Hash[i])
		s.address(mach.R2, key, 0)
		s.slotArg(mach.R3, slot)
		s.movImm(mach.R4, 0) // BPF_ANY
		s.call(asm.FnMapUpdateElem, 4)
		s.jump(found)
	}
}

// copyKey writes a key of size bytes to an address.
func (s *selector) copyKey(to mach.Reg, off int64, key *ir.Value, size int) {
	const few = 64 // bytes that are copied by words
	if size <= few {
		for i := int64(0); i < int64(size); i += 8 {
			s.store(8, to, off+i, s.keyWord(key, i))
		}
		return
	}
	s.mov(mach.R1, to)
	s.aluImm(asm.Add, mach.R1, off)
	s.movImm(mach.R2, int64(size))
	s.address(mach.R3, key, 0)
	s.call(asm.FnProbeReadKernel, 3)
}
