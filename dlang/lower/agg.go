package lower

import (
	"math"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func aggHooks(h *hooks) {
	h.update[function.Counts] = update.count
	h.update[function.Sum] = update.sum
	h.update[function.Avg] = update.avg
	h.update[function.Stddev] = update.stddev
	h.update[function.Least], h.update[function.Most] = update.extreme, update.extreme
}

// agg lays out one aggregation.
func (l *lowerer) agg(a *check.Agg, use aggUse) {
	t := l.tuples[a]
	out := ir.Agg{Name: a.Name, Key: t.size, Short: t.short(), Words: l.cellWords(a), Func: a.Func, Shared: use.shared}
	if out.Touch = t.size == 0 && use.weighted; out.Touch {
		out.Words++
	}
	kl := KeyLayout{Agg: a}
	for i, e := range t.elems {
		d := Datum{Off: e.off, Size: e.size, Type: a.Keys[i].Type}
		switch {
		case e.forms != nil:
			out.Stacks = append(out.Stacks, e.stacks()...)
			d = e.formed(d.Type)
		case e.str && e.probe >= 0:
			d.Enc, d.Size, d.Part = EncProbe, 4, e.probe
		case e.str:
			d.Enc = EncString
		case e.obj:
			d.Enc = EncBytes
		default:
			d.Size = types.Decay(d.Type).Size()
		}
		kl.Data = append(kl.Data, d)
	}
	l.out.Aggs = append(l.out.Aggs, out)
	l.res.Keys = append(l.res.Keys, kl)
}

// cellWords returns the size of a cell of a.
func (l *lowerer) cellWords(a *check.Agg) int {
	return max(a.Fn().CellWords(a.Params), 1)
}

// An aggUse says how a script updates an aggregation.
type aggUse struct {
	// weighted is whether its values are given increments. These can cancel each other,
	// so that zeros do not mean that nothing was aggregated.
	weighted bool
	// shared is whether programs that can interrupt one another update it.
	shared bool
}

// aggUses looks at all updates once.
func (l *lowerer) aggUses(units []Unit) map[*check.Agg]aggUse {
	uses := map[*check.Agg]aggUse{}
	for _, as := range l.prog.AggAssigns {
		u := uses[as.Agg]
		u.weighted = u.weighted || as.Incr != nil
		uses[as.Agg] = u
	}
	seen := map[*check.Clause]bool{}
	for i := range units {
		for _, c := range units[i].Clauses {
			if units[i].Alone || seen[c.Clause] {
				continue
			}
			seen[c.Clause] = true
			l.walk(c.Clause.AST, func(n ast.Node) bool {
				if as, ok := n.(*ast.AggAssign); ok && l.prog.AggAssigns[as] != nil {
					a := l.prog.AggAssigns[as].Agg
					u := uses[a]
					u.shared = true
					uses[a] = u
				}
				return true
			})
		}
	}
	return uses
}

// aggAssign lowers @a[keys] = f(x): the keys, then the value, then the update.
func (f *fn) aggAssign(s *ast.AggAssign) {
	as := f.prog.AggAssigns[s]
	if as == nil {
		f.errorf(s, "this aggregation is not supported yet")
		return
	}
	a, done := as.Agg, f.Block()
	out := &f.out.Aggs[a.Index]
	var key *ir.Value
	switch {
	case out.In > 0:
		f.action += len(s.Agg.Keys)
	case out.Key > 0:
		key = f.aggKey(as, s.Agg.Keys, done)
	}
	var val, incr *ir.Value
	if as.Value != nil {
		val = f.word(as.Value)
	}
	if as.Incr != nil {
		incr = f.word(as.Incr)
	}
	given, index := val, (*ir.Value)(nil)
	u := update{fn: f, agg: a, shared: out.Shared}
	if out.Tail {
		var part *ir.Value
		if out.Parts {
			val = u.find(val)
			part = f.Op(ir.OpShrL, val, f.Const(partShift))
		}
		f.tail(a, key, part)
	}
	if out.In > 0 {
		u.cell = f.joined(a, done)
	} else {
		u.cell = f.aggCell(a, key, done)
		f.cells[a.Index] = u.cell
	}
	if a.IsHistogram() && !out.Parts {
		val = u.find(val)
		index = val
	}
	u.lower(val, incr)
	if out.Touch {
		f.Store(u.cell, int64(8*out.Words-8), 8, f.Const(1))
	}
	f.example(as, given, index)
	f.Jump(done)
	f.Go(done)
}

// aggCell gives the cell for a key, or goes on at skip if there is no room for it.
func (f *fn) aggCell(a *check.Agg, key *ir.Value, skip *ir.Block) *ir.Value {
	v := ir.Value{Op: ir.OpAggCell, Imm: int64(a.Index)}
	var cell *ir.Value
	if key != nil {
		cell = f.Emit(v, key)
	} else {
		cell = f.Emit(v)
	}
	full, there := f.ColdBlock(), f.Block()
	f.Branch(f.Op(ir.OpPtrEq0, cell), full, there)
	f.Go(full)
	f.drop(dropAggregation)
	f.Jump(skip)
	f.Go(there)
	return cell
}

// aggKey encodes the key of an aggregation. As in DTrace each element is an action
// of its own, which faults are numbered by. A stack that cannot be kept is a
// drop, and goes on at skip.
func (f *fn) aggKey(as *check.AggAssign, keys []ast.Expr, skip *ir.Block) *ir.Value {
	t, first := f.tuples[as.Agg], f.action
	forms := make([]form, len(keys))
	var vals []keyVal
	for i, k := range keys {
		f.action = first + i
		if t.elems[i].forms == nil {
			vals = append(vals, f.keyVal(k, t.elems[i], as.Agg.Keys[i].Type, keys[i+1:]))
			continue
		}
		forms[i] = t.elems[i].placed(f.formOf(k, as.Kinds[i]))
		vals = append(vals, keyVal{w: f.formVal(k, forms[i], skip)})
	}
	buf := f.Alloca(f.out.Aggs[as.Agg.Index].Key)
	for i, v := range vals {
		f.action = first + i
		if e := t.elems[i]; e.forms != nil {
			f.putForm(buf, e, forms[i], keys[i], v.w)
		} else {
			f.putKey(buf, e, v)
		}
	}
	f.action = first + len(keys)
	return buf
}

// stackID gives the number of a stack.
func (f *fn) stackID(m form, skip *ir.Block) *ir.Value {
	if !m.ofProcess() && f.ownStack() {
		return f.Const(ir.NoStack)
	}
	id := f.Emit(ir.Value{Op: ir.OpStackID, Imm: truth(m.ofProcess()), Size: m.depth})
	negative, lost, kept := f.Block(), f.ColdBlock(), f.Block()
	f.Branch(f.Op(ir.OpLtS, id, f.Const(0)), negative, kept)
	f.Go(negative) // a thread in the kernel has no user stack to speak of, and the other way round
	f.Branch(f.Op(ir.OpEq, id, f.Const(ir.NoStack)), kept, lost)
	f.Go(lost)
	f.drop(dropStack)
	f.Jump(skip)
	f.Go(kept)
	return id
}

// symKey computes the address that sym(), usym() and their kin are about.
func (f *fn) symKey(k ast.Expr) *ir.Value {
	call, ok := f.prog.Means.Unparen(k).(*ast.Call)
	if !ok || len(call.Args) != 1 {
		return f.errorf(k, "this key is not supported yet")
	}
	return f.word(call.Args[0])
}

// An update changes one cell.
type update struct {
	*fn
	agg    *check.Agg
	cell   *ir.Value
	one    *ir.Value // the constant 1
	shared bool
}

// lower makes the update by val; for a histogram, the word with the number val by
// incr.
func (u update) lower(val, incr *ir.Value) {
	u.one = u.Const(1)
	u.hooks.update[u.agg.Fn().ID](u, val, incr)
}

// find returns the number of the word in which a histogram counts val.
func (u update) find(val *ir.Value) *ir.Value { return u.hooks.find[u.agg.Fn().ID](u, val) }

func (u update) count(*ir.Value, *ir.Value) { u.add(u.cell, 0, u.one) }

// sum marks the cell as filled, too, as its values may cancel each other.
func (u update) sum(val, _ *ir.Value) {
	u.Store(u.cell, 0, 8, u.one)
	u.add(u.cell, 8, val)
}

func (u update) avg(val, _ *ir.Value) {
	u.add(u.cell, 0, u.one)
	u.add(u.cell, 8, val)
}

func (u update) stddev(val, _ *ir.Value) {
	u.avg(val, nil)
	u.addSquare(val)
}

// add adds w to a word of the cell.
func (u update) add(p *ir.Value, off int64, w *ir.Value) {
	if u.shared {
		u.Emit(ir.Value{Op: ir.OpAtomicAdd, Imm: off, Size: 8}, p, w)
		return
	}
	u.Store(p, off, 8, u.Op(ir.OpAdd, u.Load(p, off, 8), w))
}

// extremeBits turns a signed value, by exclusive or, into a word that is the
// greater without a sign the more min() or max() wants to keep it. What nothing
// can beat less is 0, so that a new cell needs no telling apart, and keeping the
// greater word is one step that can be made without tearing.
func extremeBits(fn function.AggID) int64 {
	if fn == function.Least {
		return math.MaxInt64
	}
	return math.MinInt64
}

// extreme keeps the smallest or largest value. Values count as signed, whatever
// their type, as DTrace has it.
func (u update) extreme(val, _ *ir.Value) {
	store, done := u.Block(), u.Block()
	u.Store(u.cell, 0, 8, u.Const(1))
	word := u.Op(ir.OpXor, val, u.Const(extremeBits(u.agg.Fn().ID)))
	was := u.Load(u.cell, 8, 8)
	u.Branch(u.Op(ir.OpLtU, was, word), store, done)
	u.Go(store)
	if u.shared {
		u.run("raise", u.Op(ir.OpAdd, u.cell, u.Const(8)), word)
	} else {
		u.Store(u.cell, 8, 8, word)
	}
	u.Jump(done)
	u.Go(done)
}

// addSquare adds the square of val to the last two words, in 128 bits: val is
// split into halves of 32 bits, so that no product overflows. Who adds to the
// low word at the same time carries for himself.
func (u update) addSquare(val *ir.Value) {
	n := func(k int64) *ir.Value { return u.Const(k) }
	sign := u.Op(ir.OpShrA, val, n(63))
	abs := u.Op(ir.OpSub, u.Op(ir.OpXor, val, sign), sign)
	lo, hi := u.Emit(ir.Value{Op: ir.OpZExt, Size: 4}, abs), u.Op(ir.OpShrL, abs, n(32))
	mid := u.Op(ir.OpMul, lo, hi) // counts twice, 32 bits up
	low := u.Op(ir.OpMul, lo, lo)
	sum := u.Op(ir.OpAdd, low, u.Op(ir.OpShl, mid, n(33)))
	high := u.Op(ir.OpAdd, u.Op(ir.OpMul, hi, hi), u.Op(ir.OpShrL, mid, n(31)))
	high = u.Op(ir.OpAdd, high, u.Op(ir.OpLtU, sum, low))

	var was *ir.Value
	if u.shared {
		was = u.Emit(ir.Value{Op: ir.OpFetchAdd, Imm: 16, Size: 8}, u.cell, sum)
	} else {
		was = u.Load(u.cell, 16, 8)
		u.add(u.cell, 16, sum)
	}
	carry := u.Op(ir.OpLtU, u.Op(ir.OpAdd, was, sum), was)
	u.add(u.cell, 24, u.Op(ir.OpAdd, high, carry))
}
