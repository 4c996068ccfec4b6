package codegen

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"dscope.dev/dlang/ir"
)

// The stress test makes random functions with many live values, runs them in
// the kernel and in a small interpreter, and compares what they store.

// outputs is the number of words that a function stores.
const outputs = 8

// A maker makes a random function.
type maker struct {
	r     *rand.Rand
	b     *ir.Builder
	words []*ir.Value // what can be used where the builder stands
	out   *ir.Value
	tmp   *ir.Value
	depth int
}

var wordOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpShl, ir.OpShrL, ir.OpShrA,
	ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpDivS, ir.OpDivU, ir.OpModS, ir.OpModU,
	ir.OpNeg, ir.OpNot, ir.OpSExt, ir.OpZExt, ir.OpLog2, ir.OpBound}

func (g *maker) any() *ir.Value { return g.words[g.r.IntN(len(g.words))] }

// constant prefers the numbers at which things change.
func (g *maker) constant() *ir.Value {
	switch g.r.IntN(4) {
	case 0:
		return g.b.Const(int64(g.r.IntN(20) - 10))
	case 1:
		return g.b.Const(1 << g.r.IntN(64))
	case 2:
		return g.b.Const(1<<g.r.IntN(64) - 1)
	}
	return g.b.Const(int64(g.r.Uint64()))
}

func (g *maker) operand() *ir.Value {
	if g.r.IntN(4) == 0 {
		return g.constant()
	}
	return g.any()
}

// word makes one value.
func (g *maker) word() {
	op := wordOps[g.r.IntN(len(wordOps))]
	a, b := g.operand(), g.operand()
	var v *ir.Value
	switch op {
	case ir.OpNeg, ir.OpNot:
		v = g.b.Op(op, a)
	case ir.OpSExt, ir.OpZExt:
		v = g.b.Emit(ir.Value{Op: op, Size: 1 << g.r.IntN(3)}, a)
	case ir.OpLog2:
		v = g.b.Op(op, g.b.Op(ir.OpOr, a, g.b.Const(1)))
	case ir.OpBound:
		v = g.b.Emit(ir.Value{Op: op, Imm: int64(1 + g.r.IntN(1000))}, a)
	case ir.OpDivS, ir.OpDivU, ir.OpModS, ir.OpModU:
		if b.Op != ir.OpConst || b.Imm == 0 {
			b = g.b.Op(ir.OpOr, b, g.b.Const(1))
		}
		v = g.b.Op(op, a, b)
	default:
		v = g.b.Op(op, a, b)
	}
	g.words = append(g.words, v)
}

// step makes a value, a call, a trip through memory or a fork.
func (g *maker) step() {
	switch n := g.r.IntN(20); {
	case n == 0 && g.depth < 3:
		g.fork()
	case n == 1:
		off := int64(8 * g.r.IntN(4))
		g.b.Store(g.tmp, off, 8, g.any())
		g.words = append(g.words, g.b.Load(g.tmp, off, 1<<g.r.IntN(4)))
	case n == 2: // a helper that overwrites R0 to R5
		g.b.Store(g.out, 8*outputs, 8, g.any())
		g.b.Emit(ir.Value{Op: ir.OpReadK, Size: 8, Imm: 8}, g.tmp, g.b.Op(ir.OpAdd, g.out, g.b.Const(8*outputs)))
		g.words = append(g.words, g.b.Load(g.tmp, 8, 8))
	default:
		g.word()
	}
}

// fork makes two paths that meet again in a few phis.
func (g *maker) fork() {
	yes, no, join := g.b.Block(), g.b.Block(), g.b.Block()
	g.b.Branch(g.any(), yes, no)
	outer := len(g.words)
	g.depth++
	var ends [2][]*ir.Value
	count := 1 + g.r.IntN(3)
	for i, blk := range []*ir.Block{yes, no} {
		g.b.Go(blk)
		for range g.r.IntN(10) {
			g.step()
		}
		for range count {
			ends[i] = append(ends[i], g.operand())
		}
		g.b.Jump(join)
		g.words = g.words[:outer]
	}
	g.depth--
	g.b.Go(join)
	for i := range count {
		g.words = append(g.words, g.b.Phi(ends[0][i], ends[1][i]))
	}
}

// randomFunc makes a function whose pressure on registers grows with live.
func randomFunc(r *rand.Rand, live int) *ir.Program {
	fn := &ir.Func{Name: "stress", Unit: 0}
	g := &maker{r: r, b: ir.NewBuilder(fn)}
	g.tmp = g.b.Alloca(32)
	g.b.Emit(ir.Value{Op: ir.OpZero, Size: 32}, g.tmp)
	g.out = g.b.Emit(ir.Value{Op: ir.OpGlobal})
	for i := range int64(maxArgs) {
		g.words = append(g.words, g.b.Emit(ir.Value{Op: ir.OpArg, Imm: i}))
	}
	for range live {
		g.step()
	}
	// Use everything once more, so that it is live at the same time.
	for i := range outputs {
		sum := g.words[i]
		for j := i; j < len(g.words); j += outputs {
			sum = g.b.Op(ir.OpXor, g.b.Op(ir.OpMul, sum, g.b.Const(31)), g.words[j])
		}
		g.b.Store(g.out, int64(8*i), 8, sum)
	}
	g.b.Return()
	return &ir.Program{Funcs: []*ir.Func{fn}, Vars: []ir.Var{{Kind: ir.GlobalVar, Size: 8 * (outputs + 1)}}}
}

// An interp runs the operations that the generator makes.
type interp struct {
	args [maxArgs]uint64
	val  map[*ir.Value]uint64
	tmp  [32]byte
	out  [8 * (outputs + 1)]byte
}

func (in *interp) mem(v *ir.Value) []byte {
	switch v.Op {
	case ir.OpAlloca:
		return in.tmp[:]
	case ir.OpGlobal:
		return in.out[:]
	case ir.OpAdd:
		return in.mem(v.Args[0])[v.Args[1].Imm:]
	}
	panic("no pointer: " + v.String())
}

func (in *interp) run(f *ir.Func) {
	var prev *ir.Block
	for b := f.Blocks[0]; ; {
		var phis []uint64
		for _, v := range b.Phis() {
			for i, p := range b.Preds {
				if p == prev {
					phis = append(phis, in.val[v.Args[i]])
				}
			}
		}
		for i, v := range b.Phis() {
			in.val[v] = phis[i]
		}
		var next *ir.Block
		for _, v := range b.Vals[len(phis):] {
			switch v.Op {
			case ir.OpJump:
				next = b.Succs[0]
			case ir.OpBranch:
				next = b.Succs[1]
				if in.val[v.Args[0]] != 0 {
					next = b.Succs[0]
				}
			case ir.OpReturn:
				return
			case ir.OpAlloca, ir.OpGlobal, ir.OpZero:
			case ir.OpStore:
				binary.LittleEndian.PutUint64(in.mem(v.Args[0])[v.Imm:], in.val[v.Args[1]])
			case ir.OpLoad:
				var w [8]byte
				copy(w[:v.Size], in.mem(v.Args[0])[v.Imm:])
				in.val[v] = binary.LittleEndian.Uint64(w[:])
			case ir.OpReadK:
				copy(in.mem(v.Args[0])[v.Imm:][:v.Size], in.mem(v.Args[1]))
			default:
				if v.Type() == ir.Word {
					in.val[v] = in.word(v)
				}
			}
		}
		prev, b = b, next
	}
}

func (in *interp) word(v *ir.Value) uint64 {
	var a, b uint64
	if len(v.Args) > 0 {
		a = in.val[v.Args[0]]
	}
	if len(v.Args) > 1 {
		b = in.val[v.Args[1]]
	}
	truth := func(t bool) uint64 {
		if t {
			return 1
		}
		return 0
	}
	switch v.Op {
	case ir.OpConst:
		return uint64(v.Imm)
	case ir.OpArg:
		return in.args[v.Imm]
	case ir.OpAdd:
		return a + b
	case ir.OpSub:
		return a - b
	case ir.OpMul:
		return a * b
	case ir.OpDivU:
		return a / b
	case ir.OpModU:
		return a % b
	case ir.OpDivS:
		return uint64(int64(a) / int64(b))
	case ir.OpModS:
		return uint64(int64(a) % int64(b))
	case ir.OpAnd:
		return a & b
	case ir.OpOr:
		return a | b
	case ir.OpXor:
		return a ^ b
	case ir.OpShl:
		return a << (b & 63)
	case ir.OpShrL:
		return a >> (b & 63)
	case ir.OpShrA:
		return uint64(int64(a) >> (b & 63))
	case ir.OpNeg:
		return -a
	case ir.OpNot:
		return ^a
	case ir.OpSExt:
		n := 64 - 8*v.Size
		return uint64(int64(a<<n) >> n)
	case ir.OpZExt:
		n := 64 - 8*v.Size
		return a << n >> n
	case ir.OpEq:
		return truth(a == b)
	case ir.OpNe:
		return truth(a != b)
	case ir.OpLtS:
		return truth(int64(a) < int64(b))
	case ir.OpLeS:
		return truth(int64(a) <= int64(b))
	case ir.OpLtU:
		return truth(a < b)
	case ir.OpLeU:
		return truth(a <= b)
	case ir.OpLog2:
		return uint64(bits.Len64(a) - 1)
	case ir.OpBound:
		return min(a, uint64(v.Imm-1))
	}
	panic("no meaning: " + v.String())
}

// TestStress compares random functions in the kernel with the interpreter.
// STRESS gives the number of functions.
func TestStress(t *testing.T) {
	needKernel(t)
	rounds := 150
	if n, err := strconv.Atoi(os.Getenv("STRESS")); err == nil {
		rounds = n
	}
	spilled, features := 0, liveFeatures(t)
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := randomFunc(r, 5+r.IntN(60))
		o, err := Generate(p, []*Unit{begin()}, features)
		if err != nil {
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		if o.spills > 0 {
			spilled++
		}
		compare(t, seed, r, p, o)
	}
	if spilled < rounds/10 {
		t.Errorf("only %d of %d functions spilled: the test does not stress", spilled, rounds)
	}
}

func compare(t *testing.T, seed uint64, r *rand.Rand, p *ir.Program, o *Object) {
	t.Helper()
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		c := loadAll(t, o)
		for range 5 {
			in := &interp{val: map[*ir.Value]uint64{}}
			for i := range in.args {
				in.args[i] = r.Uint64() >> r.IntN(64)
			}
			in.run(p.Funcs[0])
			runTest(t, o, c, in.args[:]...)
			var got [8 * (outputs + 1)]byte
			if err := c.Maps[o.Maps.Globals].Lookup(uint32(0), &got); err != nil {
				t.Fatal(err)
			}
			for i := range outputs {
				g, w := binary.LittleEndian.Uint64(got[8*i:]), binary.LittleEndian.Uint64(in.out[8*i:])
				if g != w {
					t.Fatalf("word %d of %v is %#x, want %#x\n%s", i, in.args, g, w, o.Listing())
				}
			}
		}
	})
}
