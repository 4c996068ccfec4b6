package ir

import (
	"fmt"
	"maps"
)

// Verify checks that f is well-formed: edges agree with each other, blocks end
// in one terminator, arguments have the right types and are computed before
// they are used, pointers that may be null are tested first, and pointers move
// only by bounded distances.
func Verify(f *Func) error {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("no blocks")
	}
	v := &verifier{f: f, at: make([]*Value, f.nextV), pos: make([]int, f.nextV), null: map[*Value]map[*Block]bool{}}
	numbers := make([]bool, f.nextB)
	for _, b := range f.Blocks {
		if b.ID < 0 || b.ID >= len(numbers) || numbers[b.ID] {
			return fmt.Errorf("b%d comes twice, or has no number of this function", b.ID)
		}
		numbers[b.ID] = true
		if err := v.shape(b); err != nil {
			return fmt.Errorf("b%d: %w", b.ID, err)
		}
	}
	v.dom = Dominators(f)
	for _, b := range f.Blocks {
		if !v.dom.Reached(b) {
			continue
		}
		for _, val := range b.Vals {
			if err := v.value(val); err != nil {
				return fmt.Errorf("b%d: %s: %w", b.ID, val, err)
			}
		}
	}
	return nil
}

type verifier struct {
	f   *Func
	dom *Dom
	at  []*Value // by number
	pos []int    // within the block, by number

	null map[*Value]map[*Block]bool // where a pointer cannot be null; see notNull
}

// shape checks what can be said of b alone.
func (v *verifier) shape(b *Block) error {
	if b.Fn != v.f {
		return fmt.Errorf("belongs to another function")
	}
	phis := true
	for i, val := range b.Vals {
		if val.ID < 0 || val.ID >= len(v.at) || v.at[val.ID] != nil {
			return fmt.Errorf("v%d stands twice, or has no number of this function", val.ID)
		}
		v.at[val.ID], v.pos[val.ID] = val, i
		switch {
		case val.Block != b:
			return fmt.Errorf("%s is of another block", val)
		case val.Op == OpInvalid || val.Op >= opCount:
			return fmt.Errorf("v%d has no operation", val.ID)
		case val.Op == OpPhi && !phis:
			return fmt.Errorf("%s comes after other values", val)
		case val.Op == OpPhi && len(val.Args) != len(b.Preds):
			return fmt.Errorf("v%d has %d arguments for %d predecessors", val.ID, len(val.Args), len(b.Preds))
		case val.Op == OpAlloca && b != v.f.Entry():
			return fmt.Errorf("%s outside of the entry", val)
		case val.Op.IsTerminator() != (i == len(b.Vals)-1):
			return fmt.Errorf("%s must be the last, and only the last a terminator", val)
		}
		phis = phis && val.Op == OpPhi
	}
	return v.edges(b)
}

func (v *verifier) edges(b *Block) error {
	term := b.Term()
	if term == nil {
		return fmt.Errorf("no terminator")
	}
	want := 0
	switch term.Op {
	case OpJump:
		want = 1
	case OpBranch:
		want = 2
	}
	if len(b.Succs) != want {
		return fmt.Errorf("%s with %d successors", term.Op, len(b.Succs))
	}
	for _, s := range b.Succs {
		if count(s.Preds, b) != count(b.Succs, s) {
			return fmt.Errorf("edge to b%d is not known there", s.ID)
		}
	}
	for _, p := range b.Preds {
		if count(p.Succs, b) != count(b.Preds, p) {
			return fmt.Errorf("edge from b%d is not known there", p.ID)
		}
	}
	if b == v.f.Entry() && len(b.Preds) > 0 {
		return fmt.Errorf("the entry has predecessors")
	}
	if want == 2 && b.Succs[0] == b.Succs[1] && len(b.Succs[0].Phis()) > 0 {
		return fmt.Errorf("both ways lead to b%d, which has phis", b.Succs[0].ID)
	}
	return nil
}

func count(list []*Block, b *Block) int {
	n := 0
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

// value checks the arguments of val.
func (v *verifier) value(val *Value) error {
	if err := v.types(val); err != nil {
		return err
	}
	for i, a := range val.Args {
		if a == nil {
			return fmt.Errorf("argument %d is missing", i)
		}
		if a.ID < 0 || a.ID >= len(v.at) || v.at[a.ID] != a {
			return fmt.Errorf("v%d is not in the function", a.ID)
		}
		if !v.available(val, i, a) {
			return fmt.Errorf("v%d is not computed on every way here", a.ID)
		}
		if a.Op.MayBeNull() && val.Op != OpPtrEq0 && !v.tested(val, i, a) {
			return fmt.Errorf("v%d may be null here", a.ID)
		}
	}
	return v.numbers(val)
}

// types compares the arguments with what the operation takes.
func (v *verifier) types(val *Value) error {
	want := infos[val.Op].args
	switch {
	case want == "*":
		return v.phi(val)
	case want != "" && want[0] == '?':
		if len(val.Args) == 0 {
			return nil
		}
		want = want[1:]
	}
	if len(val.Args) != len(want) {
		return fmt.Errorf("%d arguments, not %d", len(val.Args), len(want))
	}
	for i, a := range val.Args {
		if t := a.Type(); !accepts(want[i], t) {
			return fmt.Errorf("v%d has the wrong type", a.ID)
		}
	}
	return nil
}

func accepts(want byte, t Type) bool {
	switch want {
	case 'w':
		return t == Word || t == Task
	case 'p':
		return t == Ptr
	case 't':
		return t == Task
	}
	return t != None
}

func (v *verifier) phi(val *Value) error {
	for _, a := range val.Args {
		t := a.Type()
		if t == None || val.Op == OpPhi && (t == Ptr) != (val.Type() == Ptr) {
			return fmt.Errorf("v%d has the wrong type", a.ID)
		}
	}
	return nil
}

// available reports whether argument i of val is computed before it is used. A
// phi uses its arguments at the ends of the predecessors.
func (v *verifier) available(val *Value, i int, a *Value) bool {
	use := val.Block
	if val.Op == OpPhi {
		use = use.Preds[i]
		return !v.dom.Reached(use) || v.dom.Dominates(a.Block, use)
	}
	if a.Block == use {
		return v.pos[a.ID] < v.pos[val.ID]
	}
	return v.dom.Dominates(a.Block, use)
}

// tested reports whether a is known not to be null where val uses it: on every
// way there, a branch has found that out.
func (v *verifier) tested(val *Value, i int, a *Value) bool {
	if val.Op == OpPhi {
		return v.passed(val.Block.Preds[i], val.Block, a) || v.notNull(val.Block.Preds[i], a)
	}
	return v.testedAbove(val.Block, a) || v.notNull(val.Block, a)
}

// testedAbove reports whether a block that dominates b, or b itself, is entered
// only where p has been found not to be null: the usual case.
func (v *verifier) testedAbove(b *Block, p *Value) bool {
	for ; b != nil && b != p.Block; b = v.dom.parent(b) {
		if len(b.Preds) == 1 && v.passed(b.Preds[0], b, p) {
			return true
		}
	}
	return false
}

// notNull reports whether p cannot be null where b begins. Loops are taken to
// keep what was found before them.
func (v *verifier) notNull(b *Block, p *Value) bool {
	seen := v.null[p]
	if seen == nil {
		seen = map[*Block]bool{}
		v.null[p] = seen
	}
	if known, ok := seen[b]; ok {
		return known
	}
	seen[b] = true
	known := b != p.Block && len(b.Preds) > 0
	for _, pred := range b.Preds {
		known = known && (!v.dom.Reached(pred) || v.passed(pred, b, p) || v.notNull(pred, p))
	}
	if !known { // what was found meanwhile may have relied on b
		maps.DeleteFunc(seen, func(_ *Block, found bool) bool { return found })
	}
	seen[b] = known
	return known
}

// passed reports whether the branch from a block to the next found that p is not
// null, or is never taken.
func (v *verifier) passed(from, to *Block, p *Value) bool {
	term := from.Term()
	if term.Op != OpBranch || from.Succs[0] == from.Succs[1] {
		return false
	}
	c := term.Args[0]
	if c.Op == OpConst {
		return from.Succs[1-truth(c.Imm != 0)] != to
	}
	if from.Succs[1] != to {
		return false
	}
	return c.Op == OpPtrEq0 && c.Args[0] == p
}

// numbers checks Size, Imm and Aux.
func (v *verifier) numbers(val *Value) error {
	if err := val.checkSize(); err != nil {
		return err
	}
	switch val.Op {
	case OpBound:
		if val.Imm <= 0 {
			return fmt.Errorf("a bound that leaves nothing")
		}
	case OpAdd:
		if val.Type() == Ptr && !bounded(val.Args[1]) {
			return fmt.Errorf("a pointer moved by v%d, which has no bound", val.Args[1].ID)
		}
	case OpKeyIn:
		if _, ok := val.Aux.(KeySet); !ok {
			return fmt.Errorf("no keys")
		}
	case OpBuiltin, OpCall:
		if _, ok := val.Aux.(Sym); !ok {
			return fmt.Errorf("no name")
		}
	}
	return nil
}

// checkSize compares Size with what the operation takes.
func (v *Value) checkSize() error {
	switch infos[v.Op].size {
	case part:
		return oneOf(v.Size, 1, 2, 4)
	case scalar:
		return oneOf(v.Size, 1, 2, 4, 8)
	case counter:
		return oneOf(v.Size, 4, 8)
	case whole:
		return oneOf(v.Size, 8)
	case words:
		if v.Size <= 0 || v.Size%8 != 0 || infos[v.Op].imm == offset && v.Imm%8 != 0 {
			return fmt.Errorf("not a multiple of 8 bytes")
		}
	}
	return nil
}

// bounded reports whether the kernel's verifier will know the limits of w: a
// constant, a bound, or one of these scaled.
func bounded(w *Value) bool {
	switch w.Op {
	case OpConst, OpBound:
		return true
	case OpShl, OpMul, OpAdd:
		return bounded(w.Args[0]) && bounded(w.Args[1])
	}
	return false
}

func oneOf(n int, sizes ...int) error {
	for _, s := range sizes {
		if n == s {
			return nil
		}
	}
	return fmt.Errorf("a size of %d", n)
}
