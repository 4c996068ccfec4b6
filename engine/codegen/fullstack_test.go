package codegen

import (
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
)

// fullStack makes a function on whose way to its last block the verifier leaves n
// other ways for later, and some more, and which then takes bits of a number that is
// -1 or 0.
func fullStack(n int64) *bed {
	const each = 32 // ways left in one round: many rounds take the verifier long
	b := newBed()
	arg := func(i int64) *ir.Value { return b.Emit(ir.Value{Op: ir.OpArg, Imm: i}) }
	round := b.Emit(ir.Value{Op: ir.OpAlloca, Size: 8})
	b.Store(round, 0, 8, b.Const(0))
	head, body, after := b.Block(), b.Block(), b.Block()
	b.Jump(head)
	b.Go(head)
	i := b.Load(round, 0, 8)
	b.Branch(b.Op(ir.OpLtU, i, b.Const(n/each)), body, after)
	b.Go(body)
	for k := range int64(each) {
		b.when(b.Op(ir.OpEq, arg(k%8), b.Op(ir.OpAdd, i, b.Const(k/8<<20))), func() { b.count(9) })
	}
	b.Store(round, 0, 8, b.Op(ir.OpAdd, i, b.Const(1)))
	b.Jump(head)
	b.Go(after)
	for range n % each {
		b.when(b.Op(ir.OpEq, arg(1), b.Load(b.out, 0, 8)), func() { b.count(9) })
	}
	sign := b.Op(ir.OpShrA, arg(2), b.Const(63))
	b.keep(b.Op(ir.OpAnd, sign, b.Const(5)))
	b.keep(b.Op(ir.OpOr, sign, b.Const(12)))
	b.keep(b.Op(ir.OpAnd, sign, arg(3)))
	b.keep(b.Op(ir.OpModU, sign, b.Const(8)))
	b.Return()
	return b
}

// TestFullStack fills the verifier's list of ways to go, 8,192 of them, to just below
// its end, to its end and above. Where the verifier splits numbers, that was the end of
// the process (see bitwise.go).
func TestFullStack(t *testing.T) {
	needKernel(t)
	f := liveFeatures(t)
	f.Verifier = QuirksOf(kernel(6, 8)) // or it does not follow each round
	accepted, refused := 0, 0
	for n := int64(8190); n < 8195; n++ {
		b := fullStack(n)
		o := generate(t, b.p, f, begin())
		for _, spec := range o.Spec.Programs {
			if err := splits(spec.Instructions); err != nil {
				t.Fatal(err)
			}
		}
		c, err := ebpf.NewCollection(o.Spec)
		if err != nil {
			t.Logf("%d: %v", n, err)
			refused++
			continue
		}
		accepted++
		c.Close()
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted, %d refused: the list was never just full", accepted, refused)
	}
}
