package ir

import (
	"fmt"
	"slices"
)

// cse finds what is computed twice. It walks the tree of dominators, so that
// whatever it finds was computed on every way here. Facts of the firing and
// arithmetic stay what they are; what is in memory holds until something may
// have written there; the thread's cell, once found, is not looked up again;
// and a condition that a branch above has decided is known.
func cse(f *Func) {
	c := &cseWalk{f: f, dom: Dominators(f), r: rewrite{}, known: map[*Value]bool{}, rounds: asksToGoOn(f)}
	c.block(0, state{pure: &table[pureKey]{m: map[pureKey]*Value{}}, mem: &table[loadKey]{m: map[loadKey]*Value{}}})
	c.r.apply(f)
}

type cseWalk struct {
	f     *Func
	dom   *Dom
	r     rewrite
	known map[*Value]bool // conditions: whether they are not 0, in the block at hand

	// rounds: the verifier forgets the bounds of numbers where a loop is asked whether
	// it goes on (widen_imprecise_scalars in kernel/bpf/verifier.c). What is bounded is
	// bounded again in each block then. And it may lose sight of a test behind the loop of
	// a pointer from before it (MissesReads of package codegen): one that may be null stays
	// in its block then.
	rounds bool

	vals []*Value // those of the block at hand
}

// asksToGoOn reports whether f has a loop that asks whether it may go on.
func asksToGoOn(f *Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			if v.Op == OpMayGo {
				return true
			}
		}
	}
	return false
}

// A state is what is known at one point. Its tables are the same all along the
// walk, which undoes what it did to them when it leaves a block.
type state struct {
	pure *table[pureKey]
	mem  *table[loadKey]
	self []*Value // results of OpSelf, newest last
}

// A loadKey names a piece of memory.
type loadKey struct {
	root *Value
	off  int64
	size int
}

// A pureKey says what a value computes. Constants among the arguments are told
// apart by what they are, other values by their numbers.
type pureKey struct {
	op      Op
	imm     int64
	size    int
	aux     string
	args    int
	isConst [2]bool
	arg     [2]int64
}

// A table maps keys to values and remembers how it was.
type table[K comparable] struct {
	m   map[K]*Value
	log []former[K]
}

// A former is what a table had for a key; nil if nothing.
type former[K comparable] struct {
	key K
	was *Value
}

func (t *table[K]) set(k K, v *Value) {
	t.log = append(t.log, former[K]{k, t.m[k]})
	t.m[k] = v
}

func (t *table[K]) drop(k K) {
	t.log = append(t.log, former[K]{k, t.m[k]})
	delete(t.m, k)
}

// back makes t what it was when its log had n entries.
func (t *table[K]) back(n int) {
	for ; len(t.log) > n; t.log = t.log[:len(t.log)-1] {
		last := t.log[len(t.log)-1]
		if last.was == nil {
			delete(t.m, last.key)
			continue
		}
		t.m[last.key] = last.was
	}
}

// block rewrites the block at position i of the order and all that it dominates.
func (c *cseWalk) block(i int, s state) {
	b := c.dom.order[i]
	fact, learnt := c.learn(b)
	c.vals = append(c.vals[:0], b.Vals...)
	for _, v := range c.vals {
		for j, a := range v.Args {
			v.Args[j] = c.r.final(a)
		}
		c.value(&s, v)
	}
	for k := c.dom.kids[i]; k != 0; k = c.dom.next[k] {
		kid := c.dom.order[k]
		ks := s
		ks.self = slices.Clone(s.self)
		pure, mem := len(s.pure.log), len(s.mem.log)
		if len(kid.Preds) != 1 {
			c.forget(&ks, b, kid)
		}
		c.block(k, ks)
		s.pure.back(pure)
		s.mem.back(mem)
	}
	if learnt {
		delete(c.known, fact)
	}
}

// learn notes what the branch into b says, if there is only one way in.
func (c *cseWalk) learn(b *Block) (fact *Value, ok bool) {
	if len(b.Preds) != 1 {
		return nil, false
	}
	p := b.Preds[0]
	term := p.Term()
	if term.Op != OpBranch || p.Succs[0] == p.Succs[1] {
		return nil, false
	}
	fact = c.r.final(term.Args[0])
	if _, old := c.known[fact]; old || fact.Op == OpConst {
		return nil, false
	}
	c.known[fact] = p.Succs[0] == b
	return fact, true
}

// forget drops from s what may change on the ways from b to kid, which b
// dominates.
func (c *cseWalk) forget(s *state, b, kid *Block) {
	seen := map[*Block]bool{b: true}
	work := slices.Clone(kid.Preds)
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[p] || !c.dom.Reached(p) {
			continue
		}
		seen[p] = true
		work = append(work, p.Preds...)
		for _, v := range p.Vals {
			c.kill(s, v)
		}
	}
}

// kill drops what v may change.
func (c *cseWalk) kill(s *state, v *Value) {
	if v.Op == OpSelf && v.Imm == 1 || v.Op == OpFault { // the clauses of ERROR may make a cell
		s.self = slices.DeleteFunc(s.self, func(p *Value) bool { return p.Imm == 0 && !c.notNull(p) })
	}
	if infos[v.Op].eff == acts {
		for k := range s.mem.m {
			if k.root.Op != OpAlloca {
				s.mem.drop(k)
			}
		}
	}
	for _, e := range written(v) {
		for k := range s.mem.m {
			if e.overlaps(extent{root: k.root, off: k.off, size: int64(k.size), exact: true}) {
				s.mem.drop(k)
			}
		}
	}
}

// value looks v up, or remembers it.
func (c *cseWalk) value(s *state, v *Value) {
	switch {
	case v.Op == OpBranch:
		c.branch(v)
	case v.Op == OpSelf:
		c.self(s, v)
	case v.Op == OpLoad:
		c.load(s, v)
	case v.Op.IsPure() && v.Op != OpPhi && v.Op != OpAlloca && v.Op != OpConst:
		key := keyOfPure(v)
		if old := s.pure.m[key]; old != nil && !(c.rounds && v.Op == OpBound && old.Block != v.Block) {
			c.r[v] = old
			return
		}
		s.pure.set(key, v)
	case v.Op == OpConst:
		// Constants cost nothing to make again, but sharing them lets what uses
		// them be recognised.
		key := keyOfPure(v)
		if old := s.pure.m[key]; old != nil && old.Block == v.Block {
			c.r[v] = old
			return
		}
		s.pure.set(key, v)
	default:
		c.kill(s, v)
		c.remember(s, v)
	}
}

func keyOfPure(v *Value) pureKey {
	key := pureKey{op: v.Op, imm: v.Imm, size: v.Size, args: len(v.Args)}
	switch aux := v.Aux.(type) {
	case nil:
	case Sym:
		key.aux = string(aux)
	default:
		key.aux = fmt.Sprint(aux)
	}
	args := v.Args
	if v.Op.Commutes() && args[0].Type() == Word && args[1].ID < args[0].ID {
		args = []*Value{args[1], args[0]}
	}
	for i, a := range args { // pure operations have two at most
		key.arg[i] = int64(a.ID)
		if a.Op == OpConst {
			key.arg[i], key.isConst[i] = a.Imm, true
		}
	}
	return key
}

// branch decides a branch whose condition is known.
func (c *cseWalk) branch(v *Value) {
	if yes, ok := c.known[v.Args[0]]; ok {
		v.Args[0] = insertConst(v, truth(yes))
	}
}

func (c *cseWalk) notNull(p *Value) bool {
	for cond, yes := range c.known {
		if cond.Op == OpPtrEq0 && !yes && cond.Args[0] == p {
			return true
		}
	}
	return false
}

// self finds the thread's cell if it was looked up before. That there was none
// says nothing about one that is to be made.
func (c *cseWalk) self(s *state, v *Value) {
	for _, p := range slices.Backward(s.self) {
		there := c.notNull(p)
		if c.rounds && p.Block != v.Block && !there {
			continue
		}
		if v.Imm == 0 || p.Imm == 1 || there {
			c.r[v] = p
			return
		}
	}
	c.kill(s, v)
	s.self = append(s.self, v)
}

func (c *cseWalk) load(s *state, v *Value) {
	k, ok := c.keyOf(v)
	if !ok {
		return
	}
	if old := s.mem.m[k]; old != nil {
		c.r[v] = old
		return
	}
	c.keep(s, k, v)
}

// mostPieces is how many pieces of memory are remembered at once, here and by
// dropDeadStores: each that is written is compared with all.
const mostPieces = 256

// keep remembers that the memory k holds v.
func (c *cseWalk) keep(s *state, k loadKey, v *Value) {
	if len(s.mem.m) >= mostPieces {
		for old := range s.mem.m {
			s.mem.drop(old)
		}
	}
	s.mem.set(k, v)
}

// remember notes what a store leaves in memory, if a load would give just that.
func (c *cseWalk) remember(s *state, v *Value) {
	if v.Op != OpStore || Width(v.Args[1]) > 8*v.Size {
		return
	}
	if k, ok := c.keyOf(v); ok {
		c.keep(s, k, v.Args[1])
	}
}

// keyOf names the memory of a load or store.
func (c *cseWalk) keyOf(v *Value) (loadKey, bool) {
	e := extentOf(v.Args[0], v.Imm, v.Size)
	if !e.exact {
		return loadKey{}, false
	}
	return loadKey{e.root, e.off, v.Size}, true
}
