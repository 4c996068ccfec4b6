package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func specHooks(h *hooks) {
	h.word[function.Speculation] = (*fn).openSpec
	h.bare[function.Speculate] = (*fn).speculate
	h.bare[function.Commit] = func(f *fn, x *ast.Call) { f.endSpec(x, SpecCommit) }
	h.bare[function.Discard] = func(f *fn, x *ast.Call) { f.endSpec(x, SpecDiscard) }
}

// Speculations live in a table that all programs share, one entry each:
//
//	0   uint64  generation<<2 | state; the state is 0 free, 1 being made ready, 2 open
//	8   int64   bytes recorded
//	16  uint64  records begun
//
// Commit and discard count the generation up and free the entry at once. Every
// record of a speculation bears the generation in which it was begun, so that
// the reader can tell it from those of whoever has the entry next: no speculation
// is ever busy. The record that a commit leaves says where in the stream the
// others belong, and how many there are, because some may still lie in the
// buffers of other CPUs.
//
// After the two words that every record begins with (and the time, if all have
// it), a record of a speculation has its token, generation<<24 | number; then,
// if it has no time yet, the time of the firing, because what one speculation
// recorded on several CPUs must be put in order. Clauses that do not speculate
// pay nothing.

const (
	specEntry  = 32 // bytes of an entry
	specBytes  = 8
	specBegun  = 16
	specHeader = 16 // what a record counts for besides its data, in DTrace
)

// TokenShift is how far the generation is shifted in a token; below is the number.
const TokenShift = 24

// MaxSpecs is the most speculations that can be open at once.
const MaxSpecs = 1 << 14

// A SpecRole is what a record has to do with a speculation.
type SpecRole uint8

// The roles.
const (
	SpecNone    SpecRole = iota
	SpecMember           // waits for the end of its speculation: token, perhaps time, then the data
	SpecCommit           // ends one: token, records begun
	SpecDiscard          // the same
)

// A specUse is the speculation that a clause records into.
type specUse struct {
	id, word *ir.Value // its number, and the word of its entry
	size     *ir.Value // of the record; known when the clause has been lowered
}

// A specEnd tells the layouts of records that end speculations apart.
type specEnd struct {
	unit int
	role SpecRole
}

// specCount returns how many speculations there can be.
func (l *lowerer) specCount() int { return min(max(l.opts.Specs, 1), MaxSpecs) }

// makeSpecTable makes the table if the script has anything to do with speculations.
// It is there from the beginning, since what a script gets while it runs must find
// the variables as they are.
func (l *lowerer) makeSpecTable() {
	if !l.prog.UsesAny(func(fn *check.Function) bool { return fn.Speculates }) {
		return
	}
	v := ir.Var{Name: "speculations", Kind: ir.GlobalVar, Size: l.specCount() * specEntry}
	for _, o := range l.out.Vars {
		if o.Kind == ir.GlobalVar {
			v.Offset = max(v.Offset, o.Offset+o.Size)
		}
	}
	l.specVar = len(l.out.Vars)
	l.out.Vars = append(l.out.Vars, v)
}

// specTable returns the table.
func (f *fn) specTable() *ir.Value {
	return f.Emit(ir.Value{Op: ir.OpGlobal, Imm: int64(f.specVar)})
}

// openSpec lowers speculation(). That none is free is counted.
func (f *fn) openSpec(*ast.Call) *ir.Value {
	if f.opts.Specs < 0 {
		f.drop(dropSpecNone)
		return f.Const(0)
	}
	id := f.call("speculation", f.specTable())
	none, done := f.ColdBlock(), f.Block()
	f.Branch(f.Op(ir.OpEq, id, f.Const(0)), none, done)
	f.Go(none)
	f.drop(dropSpecNone)
	f.Jump(done)
	f.Go(done)
	return id
}

// speculate begins the record of the clause. A clause whose speculation is not
// open, or could not hold its record even if it were empty, ends there. One whose
// record has no room any more runs on without recording.
func (f *fn) speculate(x *ast.Call) {
	if f.clause.AST.Body == nil || f.rec != nil {
		f.errorf(x, "speculate() is not supported here")
		return
	}
	u := &specUse{id: f.as(x.Args[0], types.Int64), size: f.Const(0)}
	fits, huge, open := f.Block(), f.ColdBlock(), f.Block()
	f.Branch(f.Op(ir.OpLtS, f.Const(int64(f.opts.SpecSize)), u.size), huge, fits)
	f.Go(huge)
	f.drop(dropSpecBuffer)
	f.Jump(f.end)
	f.Go(fits)
	u.word = f.call("speculate", f.specTable(), u.id, u.size)
	f.Branch(u.word, open, f.end)
	f.Go(open)
	f.spec = u
	if f.whole != nil { // conditions follow, or came before
		f.open()
		f.opened.sure = true
	} else {
		f.openWhole()
	}
	f.Store(f.rec, int64(f.opts.HeaderSize()), 8, f.token(u.id, u.word))
	f.out.Records[f.record].Size = SpecHeader(f.opts)
	if !f.opts.Temporal {
		f.Store(f.rec, int64(f.opts.HeaderSize()+8), 8, f.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("timestamp")}))
	}
}

// submit hands the record of the clause on, unless its speculation has no room
// for it.
func (f *fn) submit(rec *ir.Value) {
	if f.spec == nil {
		f.Op(ir.OpSubmit, rec)
		return
	}
	full, room, done := f.ColdBlock(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpAnd, f.spec.word, f.Const(1)), full, room)
	f.Go(full)
	f.Op(ir.OpDiscard, rec)
	f.drop(dropSpecBuffer)
	f.Jump(done)
	f.Go(room)
	f.Op(ir.OpSubmit, rec)
	f.Jump(done)
	f.Go(done)
}

// SpecHeader returns the bytes that a record of a speculation begins with.
func SpecHeader(o ir.Options) int { return max(o.HeaderSize()+8, 24) }

// token is what tells a speculation from all others of the run.
func (f *fn) token(id, word *ir.Value) *ir.Value {
	gen := f.Op(ir.OpShl, f.Op(ir.OpShrL, word, f.Const(2)), f.Const(TokenShift))
	return f.Op(ir.OpOr, gen, id)
}

// speculated settles what the record of the clause, of size bytes, counts for.
func (f *fn) speculated(record, size int) {
	if f.spec != nil {
		f.spec.size.Imm = int64(size - SpecHeader(f.opts) + specHeader)
		f.res.Layouts[record].Spec = SpecMember
	}
}

// unspeculate takes back that the clause records speculatively.
func (f *fn) unspeculate() {
	if u := f.spec; u != nil {
		f.run("unspeculate", f.specTable(), u.id, u.size, u.word)
	}
}

// endSpec lowers commit() and discard(). An entry that is not open is left alone,
// as is 0; a number that no speculation can have is a fault.
func (f *fn) endSpec(x *ast.Call, role SpecRole) {
	id := f.as(x.Args[0], types.Int64)
	some, known, beyond, done := f.Block(), f.Block(), f.ColdBlock(), f.Block()
	f.Branch(id, some, done)
	f.Go(some)
	n := int64(f.specCount())
	place := f.Op(ir.OpSub, id, f.Const(1))
	f.Branch(f.Op(ir.OpLtU, place, f.Const(n)), known, beyond)
	f.Go(beyond)
	f.giveUp(faultIllop, id)
	f.Go(known)
	off := f.Op(ir.OpMul, f.Emit(ir.Value{Op: ir.OpBound, Imm: n}, place), f.Const(specEntry))
	p := f.Op(ir.OpAdd, f.specTable(), off)
	word := f.Load(p, 0, 8)
	open, ours := f.Block(), f.Block()
	f.Branch(f.Op(ir.OpEq, f.Op(ir.OpAnd, word, f.Const(3)), f.Const(2)), open, done)
	f.Go(open)
	begun := f.Load(p, specBegun, 8)
	was := f.Emit(ir.Value{Op: ir.OpCmpXchg, Size: 8}, p, word, f.Op(ir.OpAdd, word, f.Const(2)))
	f.Branch(f.Op(ir.OpEq, was, word), ours, done)
	f.Go(ours)
	f.tellEnd(role, f.token(id, word), begun, done)
	f.Go(done)
}

// tellEnd leaves the record of a speculation that has ended, unless it has none,
// and goes to done.
func (f *fn) tellEnd(role SpecRole, token, begun *ir.Value, done *ir.Block) {
	tell, full, room := f.Block(), f.ColdBlock(), f.Block()
	f.Branch(begun, tell, done)
	f.Go(tell)
	rec := f.Emit(ir.Value{Op: ir.OpReserve, Imm: int64(f.endLayout(role))})
	f.Branch(f.Op(ir.OpPtrEq0, rec), full, room)
	f.Go(full)
	f.drop(dropPrincipal)
	f.Jump(done)
	f.Go(room)
	h := int64(f.opts.HeaderSize())
	f.Store(rec, h, 8, token)
	f.Store(rec, h+8, 8, begun)
	f.Op(ir.OpSubmit, rec)
	f.Jump(done)
}

// endLayout returns the layout of the records that end speculations so.
func (f *fn) endLayout(role SpecRole) int {
	k := specEnd{f.index, role}
	if i, ok := f.specEnds[k]; ok {
		return i
	}
	h, i := f.opts.HeaderSize(), len(f.out.Records)
	f.specEnds[k] = i
	f.out.Records = append(f.out.Records, ir.Record{Clause: f.clause.Index, Unit: f.index, Size: h + 16,
		Fields: []ir.RecordField{{Off: h, Size: 8}, {Off: h + 8, Size: 8}}})
	f.res.Layouts = append(f.res.Layouts, Layout{Clause: f.clause, Spec: role})
	return i
}
