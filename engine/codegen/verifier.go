package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// The kernel's verifier follows each way through a program, and remembers on it what it
// has learned of each value. It does so a little differently in each kernel, and refuses
// programs that are right because it remembers too much, too little, or the same thing
// again and again. What code is written for it, and on which kernels, is said here; what
// hides a value from it is here as well.

// Quirks are a set of what some verifiers do.
type Quirks uint

// What verifiers do. Each names its remedy.
const (
	// TellsCopies: what a test says of a value is told to all copies of it and to all sums
	// with constants. Where many clauses test values that they share, each combination of
	// what was learned is then followed, until the verifier gives up. Remedy: in functions
	// that are large or loop, tests are made on what it does not know to be a copy (hide).
	TellsCopies Quirks = 1 << iota

	// TakesFar: it takes the distance between two numbers, which it remembers since 6.12 as
	// that of a sum with a constant, for that of a pointer from its memory, and refuses it
	// (BPF_MAX_VAR_OFF). Remedy: an offset is no copy of what it was computed from (hide).
	TakesFar

	// SpillsForget: it does not tell of a copy on the stack what it learns of a number.
	// Remedy: what is bounded stays in a register (bound, tableCell).
	SpillsForget

	// RoundByRound: it follows a loop round by round, as there is no may_goto, and forgets
	// in the fourth round where the ways of the first had led: with branches in it, or a
	// loop in a loop, it soon is exhausted. Remedy: a loop is made as its rounds (rounds.go of
	// package ir), or is short (weigh); what searches compares all places first (search.go
	// of package lower).
	RoundByRound

	// AlikeRounds: it follows a loop that asks by may_goto until a round is as the one
	// before was. Remedy: the counter does not begin as a number that it knows, or each
	// round would have its own (unknown). In the loops of scripts it knows nothing of what
	// is chosen between, or a round with k choices would be followed in 2^k ways (unlearn);
	// and as the stack must be alike, too, what nobody wants there is zero (tidy.go of mach).
	AlikeRounds

	// IdleRegs: rounds are alike only if the registers are that nobody reads. Remedy: they
	// are zero (tidy.go of mach).
	IdleRegs

	// RangesWrap: it knows ranges of numbers across 0. What begins as any number is beyond
	// its limit on one of the ways; one more than that are then the greatest numbers and 0,
	// of which the end of the loop leaves 0: it counts along. Remedy: it does not learn what
	// limits the counter of a loop (hide).
	RangesWrap

	// Forks: of a register that holds, for all it knows, -1 or 0, it goes on with each.
	// Remedy, everywhere, as it was carried back: bitwise.go.
	Forks

	// MissesReads: of two ways into a loop, on one of which a pointer is null, it may take
	// the other to be as good, although the pointer is tested behind the loop: what is read
	// there is not told to all states within. The test then goes where the one way does.
	// Remedy, everywhere: such a pointer is asked for again (cse.go of package ir); stacks
	// are walked by calls instead of a loop (walkers).
	MissesReads

	// Opaque: it refuses to hand a program an argument whose type it cannot follow.
	// Remedy, everywhere: opaque.go.
	Opaque
)

// A version is that of a kernel; the zero version is before all.
type version struct{ major, minor int }

// quirks are the kernels that code is written for: since a version, and until one.
var quirks = []struct {
	quirk        Quirks
	since, until version
}{
	{TellsCopies, version{}, version{}},
	{TakesFar, version{}, version{}},
	{SpillsForget, version{}, version{6, 8}},
	{RoundByRound, version{}, version{6, 9}},
	{AlikeRounds, version{6, 9}, version{}},
	{IdleRegs, version{6, 9}, version{6, 15}},
	{RangesWrap, version{6, 19}, version{}}, // met in 7.2, not in 6.18
	{Forks, version{}, version{}},
	{MissesReads, version{6, 9}, version{6, 17}}, // met in 6.12, not in 6.18
	{Opaque, version{}, version{}},
}

// QuirksOf returns what the verifier of a kernel does. atLeast reports whether the kernel is
// of that version or later.
func QuirksOf(atLeast func(major, minor int) bool) Quirks {
	var all Quirks
	for _, q := range quirks {
		if atLeast(q.since.major, q.since.minor) && (q.until == version{} || !atLeast(q.until.major, q.until.minor)) {
			all |= q.quirk
		}
	}
	return all
}

// Has reports whether one of some is in q.
func (q Quirks) Has(some Quirks) bool { return q&some != 0 }

// large is of how many values a function has to be for TellsCopies to matter.
const large = 300

// far is from where on a distance is refused by TakesFar.
const far = 1 << 29

// suffers finds which quirks matter to the function, of which loops have been found.
func (s *selector) suffers() {
	values := 0
	for _, b := range s.fn.Blocks {
		values += len(b.Vals)
		for _, v := range b.Vals {
			if isFar(v) {
				s.quirks |= TakesFar
			}
		}
	}
	if values > large || s.asks { // it is much to remember in a loop, too
		s.quirks |= TellsCopies
	}
	if s.asks {
		s.quirks |= AlikeRounds
	}
	s.quirks &= s.g.f.Verifier
}

// isFar reports whether v adds a constant that is too far.
func isFar(v *ir.Value) bool {
	if v.Op != ir.OpAdd && v.Op != ir.OpSub {
		return false
	}
	for _, a := range v.Args {
		if a.Op == ir.OpConst && (a.Imm >= far/2 || a.Imm <= -far/2) {
			return true
		}
	}
	return false
}

// countsAlong reports whether v is the counter of a loop that RangesWrap is about.
func (s *selector) countsAlong(v *ir.Value) bool {
	return s.g.f.Verifier.Has(RangesWrap) && v.Op == ir.OpPhi && s.headers[v.Block]
}

// blurs reports whether the verifier is kept from knowing what the function chooses
// between: phis, the results of comparisons and what is read from the stack are then numbers
// of which it knows nothing.
func (s *selector) blurs() bool { return s.quirks.Has(AlikeRounds) }

// hide puts v into dst. If one of the quirks matters, the verifier does not learn that it is a
// copy: what an OR makes is none, of which it still knows how large it may be.
func (s *selector) hide(dst mach.Reg, v *ir.Value, from Quirks) {
	if !s.quirks.Has(from) && !(from.Has(RangesWrap) && s.countsAlong(v)) || v.Op == ir.OpConst {
		s.into(dst, v)
		return
	}
	r := s.reg(v)
	s.movImm(dst, 0)
	s.alu(asm.Or, dst, r)
}

// tested returns a register with v to be tested.
func (s *selector) tested(v *ir.Value) mach.Reg {
	if !s.quirks.Has(TellsCopies) || len(s.uses[v.ID]) < 2 {
		return s.reg(v)
	}
	t := s.newReg()
	s.hide(t, v, TellsCopies)
	return t
}

// offset puts v, which is about to become an offset, into dst.
func (s *selector) offset(dst mach.Reg, v *ir.Value) { s.hide(dst, v, TellsCopies|TakesFar|RangesWrap) }

// unknown puts a constant into dst of which the verifier knows nothing.
func (s *selector) unknown(dst mach.Reg, n int64) {
	if s.veil == 0 {
		s.veil = s.m.Slot(8)
	}
	s.load(8, dst, mach.RFP, int64(s.veil))
	switch {
	case n == 0:
	case fits32(n):
		s.aluImm(asm.Add, dst, n)
	default:
		t := s.newReg()
		s.movImm(t, n)
		s.alu(asm.Add, dst, t)
	}
}

// unlearn keeps from the verifier, where the function blurs, what a round of a loop has made
// of r. What the script does in a loop is not made for it as the subroutines are: a value that
// differs a little from round to round, and decides something, would have every round
// verified anew.
func (s *selector) unlearn(r mach.Reg) {
	if !s.blurs() {
		return
	}
	zero := s.newReg()
	s.unknown(zero, 0)
	s.alu(asm.Add, r, zero)
}

// storeVeil begins the function by writing the zero that unknown reads, if it does. The
// verifier must not know it: it is 1 less 1, where the 1 was written as two halves. Of
// halves the verifier makes no word that it knows, unless it knows both to be zero; so the
// result is written as two halves that it does not know either.
func (s *selector) storeVeil() {
	if s.veil == 0 {
		return
	}
	off := int64(s.veil)
	s.cur = s.m.Blocks[0]
	rest := s.cur.Insts
	s.cur.Insts = nil
	s.storeImm(4, mach.RFP, off, 1)
	s.storeImm(4, mach.RFP, off+4, 0)
	zero := s.newReg()
	s.load(8, zero, mach.RFP, off)
	s.aluImm(asm.Sub, zero, 1)
	s.store(4, mach.RFP, off, zero)
	s.store(4, mach.RFP, off+4, zero)
	s.cur.Insts = append(s.cur.Insts, rest...)
}

// The verifier tells addresses of kernel objects from numbers and allows no
// arithmetic with them. D knows numbers only. Negation is the one instruction
// that the verifier lets turn the one into the other (with CAP_PERFMON), so a
// second negation gives the address back as a number.

// plain makes r a number if v is used for more than what the verifier allows
// with an address.
func (s *selector) plain(r mach.Reg, v *ir.Value) {
	for _, u := range s.uses[v.ID] {
		if !s.tolerates(u, v) {
			s.aluImm(asm.Neg, r, 0)
			s.aluImm(asm.Neg, r, 0)
			return
		}
	}
}

// tolerates reports whether u may use v even if that is a kernel address.
func (s *selector) tolerates(u, v *ir.Value) bool {
	switch u.Op {
	case ir.OpStore:
		return u.Size == 8 && u.Args[1] == v && !s.isKey(u.Args[0])
	case ir.OpTaskLoad:
		return true
	case ir.OpReadK, ir.OpReadStrK, ir.OpReadU, ir.OpReadStrU:
		return u.Args[1] == v
	}
	return false
}
