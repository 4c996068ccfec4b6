package ir

import "dscope.dev/dlang/token"

// A Builder appends values to the blocks of a function, and knows the place
// of the script that they are made for.
type Builder struct {
	Fn  *Func
	Cur *Block     // where values go; nil after a terminator
	At  token.Span // the place that new values bear
}

// NewBuilder returns a builder at the start of f, which it gives an entry.
func NewBuilder(f *Func) *Builder {
	b := &Builder{Fn: f}
	b.Cur = b.Block()
	return b
}

// NewBlock appends an empty block to f.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: f.nextB, Fn: f}
	f.nextB++
	f.Blocks = append(f.Blocks, b)
	return b
}

// newValue makes a value that is in no block yet.
func (f *Func) newValue(op Op, at token.Span, args ...*Value) *Value {
	v := &Value{ID: f.nextV, Op: op, Args: args, At: at}
	f.nextV++
	return v
}

// Size returns how many values f has been given.
func (f *Func) Size() int { return f.nextV }

// Place returns the first place of the script that f was made for.
func (f *Func) Place() token.Span {
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			if v.At.IsValid() {
				return v.At
			}
		}
	}
	return token.Span{}
}

// Entry returns the block in which f begins.
func (f *Func) Entry() *Block { return f.Blocks[0] }

// Block makes a block without going there.
func (b *Builder) Block() *Block { return b.Fn.NewBlock() }

// ColdBlock makes a block for a path that is rarely taken.
func (b *Builder) ColdBlock() *Block {
	c := b.Fn.NewBlock()
	c.Cold = true
	return c
}

// Go continues in block to.
func (b *Builder) Go(to *Block) { b.Cur = to }

// Emit appends a value.
func (b *Builder) Emit(v Value, args ...*Value) *Value {
	n := b.Fn.newValue(v.Op, b.At, args...)
	n.Imm, n.Size, n.Aux, n.Block = v.Imm, v.Size, v.Aux, b.Cur
	b.Cur.Vals = append(b.Cur.Vals, n)
	return n
}

// Op appends a value that has arguments only.
func (b *Builder) Op(op Op, args ...*Value) *Value { return b.Emit(Value{Op: op}, args...) }

// Const appends the constant n.
func (b *Builder) Const(n int64) *Value { return b.Emit(Value{Op: OpConst, Imm: n}) }

// Load appends a load of size bytes at p + off.
func (b *Builder) Load(p *Value, off int64, size int) *Value {
	return b.Emit(Value{Op: OpLoad, Imm: off, Size: size}, p)
}

// Store appends a store of the low size bytes of w at p + off.
func (b *Builder) Store(p *Value, off int64, size int, w *Value) {
	b.Emit(Value{Op: OpStore, Imm: off, Size: size}, p, w)
}

// Alloca makes size bytes of working memory for the firing, rounded up to 8.
func (b *Builder) Alloca(size int) *Value {
	v := b.Fn.newValue(OpAlloca, b.At)
	v.Size, v.Block = (size+7)&^7, b.Fn.Entry()
	b.Fn.prepend(v)
	return v
}

// prepend puts v before all values of the entry. There may be tens of thousands of
// such values: room for as many as there are values is kept before them.
func (f *Func) prepend(v *Value) {
	e := f.Entry()
	n := len(f.room)
	if n == 0 || len(e.Vals) == 0 || &f.room[:n+1][n] != &e.Vals[0] { // or Vals has moved meanwhile
		n = len(e.Vals) + 8
		f.room = make([]*Value, n, 3*n)
		e.Vals = append(f.room, e.Vals...)[n:]
	}
	f.room[n-1] = v
	e.Vals = f.room[n-1 : n+len(e.Vals)]
	f.room = f.room[:n-1]
}

// Phi appends a phi; args follow the order of Cur.Preds.
func (b *Builder) Phi(args ...*Value) *Value { return b.Op(OpPhi, args...) }

// Jump ends the block.
func (b *Builder) Jump(to *Block) {
	b.Op(OpJump)
	connect(b.Cur, to)
	b.Cur = nil
}

// Branch ends the block: to yes if cond is not 0, else to no.
func (b *Builder) Branch(cond *Value, yes, no *Block) {
	b.Op(OpBranch, cond)
	connect(b.Cur, yes)
	connect(b.Cur, no)
	b.Cur = nil
}

// Return ends the function.
func (b *Builder) Return(result ...*Value) {
	b.Op(OpReturn, result...)
	b.Cur = nil
}

func connect(from, to *Block) {
	from.Succs = append(from.Succs, to)
	to.Preds = append(to.Preds, from)
}

// Term returns the terminator of b, or nil if b has none yet.
func (b *Block) Term() *Value {
	if n := len(b.Vals); n > 0 && b.Vals[n-1].Op.IsTerminator() {
		return b.Vals[n-1]
	}
	return nil
}

// Phis returns the phis that b begins with.
func (b *Block) Phis() []*Value {
	for i, v := range b.Vals {
		if v.Op != OpPhi {
			return b.Vals[:i]
		}
	}
	return b.Vals
}
