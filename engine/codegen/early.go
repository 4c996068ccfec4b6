package codegen

import "dscope.dev/dlang/ir"

// Most firings of a hook that serves one clause with a predicate end with the predicate.
// Where it asks for nothing but arguments and fields of the task, it comes before what the
// prologue asks of every firing: whether that is our own, of the group, held back by the
// end of the run, or within another program. These have a price, of a call or two, and a
// firing that does not pass both is left out whichever comes first.

// begin selects the blocks up to the first that all firings of interest come to, and
// returns those blocks.
func (s *selector) begin() map[*ir.Block]bool {
	b, begun := s.fn.Blocks[0], map[*ir.Block]bool{}
	for on := s.goesOn(b); on != nil; on = s.goesOn(b) {
		s.ask(b, on)
		begun[b] = true
		b, s.cur = on, s.start[on]
	}
	s.admit()
	s.block(b)
	begun[b] = true
	return begun
}

// goesOn returns where firings go on to that pass b, if b does nothing but ask a predicate
// or a part of it and the others leave; else it returns nil.
func (s *selector) goesOn(b *ir.Block) *ir.Block {
	last := len(b.Vals) - 1
	if s.fn.Unit < 0 || s.u.ours() ||
		b.Vals[last].Op != ir.OpBranch || s.headers[b] || s.home == b && s.workSize > 0 {
		return nil
	}
	for _, v := range b.Vals[:last] {
		if !askable[v.Op] {
			return nil
		}
	}
	for n, out := range b.Succs {
		on := b.Succs[1-n]
		if leaves(out) && on != out && len(on.Preds) == 1 {
			return on
		}
	}
	return nil
}

// leaves reports whether b does nothing but end the function.
func leaves(b *ir.Block) bool {
	return len(b.Vals) == 1 && b.Vals[0].Op == ir.OpReturn && len(b.Vals[0].Args) == 0
}

// askable are the operations that cost next to nothing and change nothing.
var askable = map[ir.Op]bool{
	ir.OpConst: true, ir.OpAlloca: true, ir.OpString: true, ir.OpGlobal: true,
	ir.OpKey: true, ir.OpKeyIn: true, ir.OpArg: true, ir.OpTask: true, ir.OpTaskLoad: true,
	ir.OpAdd: true, ir.OpSub: true, ir.OpAnd: true, ir.OpOr: true, ir.OpXor: true,
	ir.OpShl: true, ir.OpShrL: true, ir.OpShrA: true, ir.OpNeg: true, ir.OpNot: true, ir.OpSExt: true, ir.OpZExt: true,
	ir.OpEq: true, ir.OpNe: true, ir.OpLtS: true, ir.OpLeS: true, ir.OpLtU: true, ir.OpLeU: true,
}

// ask selects b, whose firings go on to on, or leave where nothing has been taken yet.
func (s *selector) ask(b, on *ir.Block) {
	for _, out := range b.Succs {
		if out != on {
			own := s.start[out]
			s.start[out] = s.exitBlock()
			defer func() { s.start[out] = own }()
		}
	}
	for _, v := range b.Vals {
		if v.Op == ir.OpTask && len(s.uses[v.ID]) > 0 {
			s.keepTask()
		}
	}
	s.block(b)
	for _, v := range b.Vals {
		if r, ok := s.made(v); ok && s.isTGID(v) {
			s.tgid = r
		}
	}
}
