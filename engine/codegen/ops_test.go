package codegen

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// A bed is a function under test: what it stores in out can be read back.
type bed struct {
	*ir.Builder
	p   *ir.Program
	out *ir.Value
	n   int64
}

func newBed() *bed {
	fn := &ir.Func{Name: "ops", Unit: 0}
	b := &bed{Builder: ir.NewBuilder(fn), p: &ir.Program{Funcs: []*ir.Func{fn},
		Vars: []ir.Var{{Name: "out", Kind: ir.GlobalVar, Size: 512}}}}
	b.out = b.Emit(ir.Value{Op: ir.OpGlobal})
	return b
}

// keep stores a word as the next result.
func (b *bed) keep(v *ir.Value) {
	b.Store(b.out, 8*b.n, 8, v)
	b.n++
}

// isNull keeps whether p is null, and continues where it is not; where it is,
// the function ends. It asks once: what a second test of a record tells is news to
// the verifier of 6.1.
func (b *bed) isNull(p *ir.Value) {
	yes, no := b.ColdBlock(), b.Block()
	b.Branch(b.Op(ir.OpPtrEq0, p), yes, no)
	b.Go(yes)
	b.Store(b.out, 8*b.n, 8, b.Const(1))
	b.Return()
	b.Go(no)
	b.keep(b.Const(0))
}

// run ends the function, runs it and returns its results.
func (b *bed) run(t *testing.T, units ...*Unit) ([]uint64, *Object, *ebpf.Collection) {
	t.Helper()
	needKernel(t)
	b.Return()
	for i, f := range b.p.Funcs {
		if err := ir.Verify(f); err != nil {
			t.Fatalf("function %d: %v", i, err)
		}
	}
	o := generate(t, b.p, liveFeatures(t), append([]*Unit{begin()}, units...)...)
	c := loadAll(t, o)
	runTest(t, o, c)
	return results(t, o, c, int(b.n)), o, c
}

func results(t *testing.T, o *Object, c *ebpf.Collection, n int) []uint64 {
	t.Helper()
	var raw [512]byte
	if err := c.Maps[o.Maps.Globals].Lookup(uint32(0), &raw); err != nil {
		t.Fatal(err)
	}
	var out []uint64
	for i := range n {
		out = append(out, binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return out
}

func expect(t *testing.T, got []uint64, want ...uint64) {
	t.Helper()
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("got %#x, want %#x", got, want)
		}
	}
}

func TestMemory(t *testing.T) {
	b := newBed()
	b.p.Strings = []string{"hello"}
	for _, size := range []int{64, 2048} { // on the stack, and not
		a := b.Alloca(size)
		c := b.Alloca(size)
		b.Emit(ir.Value{Op: ir.OpZero, Size: size}, a)
		b.Store(a, int64(size-8), 8, b.Const(-2))
		b.Store(a, 4, 4, b.Const(0x12345678))
		b.Store(a, 2, 2, b.Const(0xffff))
		b.Store(a, 0, 1, b.Const(0x80))
		b.Emit(ir.Value{Op: ir.OpAtomicAdd, Size: 8, Imm: int64(size - 8)}, a, b.Const(5))
		b.Emit(ir.Value{Op: ir.OpCopy, Size: size}, c, a)
		b.keep(b.Load(c, int64(size-8), 8))
		b.keep(b.Load(c, 0, 8))
		b.keep(b.Load(c, 0, 1))
		b.keep(b.Load(c, 16, 8))
		i := b.Emit(ir.Value{Op: ir.OpBound, Imm: 8}, b.Emit(ir.Value{Op: ir.OpArg}))
		b.keep(b.Load(b.Op(ir.OpAdd, c, i), 4, 1))
	}
	s := b.Emit(ir.Value{Op: ir.OpString, Size: 6})
	b.keep(b.Load(s, 1, 4))
	got, _, _ := b.run(t)
	one := []uint64{3, 0x12345678ffff0080, 0x80, 0, 0x78}
	expect(t, got, append(append(one, one...), 'e'|'l'<<8|'l'<<16|'o'<<24)...)
}

func TestReads(t *testing.T) {
	b := newBed()
	b.p.Strings = []string{"string"}
	a := b.Alloca(16)
	s := b.Emit(ir.Value{Op: ir.OpString, Size: 7})
	b.Emit(ir.Value{Op: ir.OpZero, Size: 16}, a)
	b.keep(b.Emit(ir.Value{Op: ir.OpReadStrK, Size: 16}, a, s))
	b.keep(b.Load(a, 0, 8))
	b.keep(b.Emit(ir.Value{Op: ir.OpReadStrK, Size: 4}, a, s))
	b.keep(b.Load(a, 0, 4))
	b.keep(b.Emit(ir.Value{Op: ir.OpReadK, Size: 8}, a, s))
	b.keep(b.Load(a, 0, 8))
	b.keep(b.Op(ir.OpEq, b.Emit(ir.Value{Op: ir.OpReadK, Size: 8}, a, b.Const(16)), b.Const(0)))
	b.keep(b.Load(a, 0, 8))
	b.keep(b.Op(ir.OpEq, b.Emit(ir.Value{Op: ir.OpReadU, Size: 8}, a, b.Const(16)), b.Const(0)))
	n := b.Op(ir.OpAdd, b.Emit(ir.Value{Op: ir.OpArg}), b.Const(3))
	b.Emit(ir.Value{Op: ir.OpZero, Size: 16}, a)
	b.keep(b.Emit(ir.Value{Op: ir.OpReadKN, Size: 8}, a, s, n))
	b.keep(b.Load(a, 0, 8))
	b.keep(b.Op(ir.OpLtS, b.Emit(ir.Value{Op: ir.OpReadStrU, Size: 8}, a, b.Const(16)), b.Const(0)))
	got, _, _ := b.run(t)
	str := binary.LittleEndian.Uint64([]byte("string\x00\x00"))
	expect(t, got, 7, str, 4, str&0xffffff, 0, str, 0, 0, 0, 0, str&0xffffff, 1)
}

func TestAssoc(t *testing.T) {
	b := newBed()
	b.p.Vars = append(b.p.Vars, ir.Var{Name: "t", Kind: ir.AssocVar, Key: 16, Size: 8})
	k, v := b.Alloca(16), b.Alloca(8)
	b.Emit(ir.Value{Op: ir.OpZero, Size: 16}, k)
	b.Store(v, 0, 8, b.Const(77))
	b.keep(b.Op(ir.OpPtrEq0, b.Emit(ir.Value{Op: ir.OpAssocGet, Imm: 1}, k)))
	b.keep(b.Emit(ir.Value{Op: ir.OpAssocPut, Imm: 1}, k, v))
	p := b.Emit(ir.Value{Op: ir.OpAssocGet, Imm: 1}, k)
	b.isNull(p)
	b.keep(b.Load(p, 0, 8))
	b.Emit(ir.Value{Op: ir.OpAssocDel, Imm: 1}, k)
	b.keep(b.Op(ir.OpPtrEq0, b.Emit(ir.Value{Op: ir.OpAssocGet, Imm: 1}, k)))
	got, _, _ := b.run(t)
	expect(t, got, 1, 0, 0, 77, 1)
}

func TestSelf(t *testing.T) {
	b := newBed()
	b.p.Vars = append(b.p.Vars, ir.Var{Name: "self->a", Kind: ir.SelfVar, Size: 8}, ir.Var{Name: "self->b", Kind: ir.SelfVar, Offset: 8, Size: 8})
	p := b.Emit(ir.Value{Op: ir.OpSelf, Imm: 1})
	b.isNull(p)
	b.Store(p, 8, 8, b.Op(ir.OpAdd, b.Load(p, 8, 8), b.Const(5)))
	q := b.Emit(ir.Value{Op: ir.OpSelf})
	b.isNull(q)
	b.keep(b.Load(q, 8, 8))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	got, o, c := b.run(t)
	expect(t, got, 0, 0, 5)
	runTest(t, o, c)
	expect(t, results(t, o, c, 3), 0, 0, 10)
}

func TestAggregations(t *testing.T) {
	b := newBed()
	b.p.Aggs = []ir.Agg{{Name: "k", Key: 8, Words: 2}, {Name: "n", Words: 1}}
	k := b.Alloca(8)
	b.Store(k, 0, 8, b.Const(11))
	p := b.Emit(ir.Value{Op: ir.OpAggCell}, k)
	b.isNull(p)
	b.Store(p, 8, 8, b.Op(ir.OpAdd, b.Load(p, 8, 8), b.Const(1)))
	q := b.Emit(ir.Value{Op: ir.OpAggCell, Imm: 1})
	b.isNull(q)
	b.Store(q, 0, 8, b.Op(ir.OpAdd, b.Load(q, 0, 8), b.Const(1)))
	got, o, c := b.run(t)
	expect(t, got, 0, 0)
	total := func(gen int) (keyed, plain uint64) {
		for key, cell := range keyedCells(t, o, c, 0, gen) {
			if key != "\x0b\x00\x00\x00\x00\x00\x00\x00" {
				t.Errorf("generation %d has key %q", gen, key)
			}
			keyed += cell[1]
		}
		var words []uint64
		if err := c.Maps[o.Maps.Aggs[1].Array].Lookup(uint32(gen), &words); err != nil {
			t.Fatal(err)
		}
		for _, x := range words {
			plain += x
		}
		return
	}
	control := make([]byte, ControlSize)
	control[ControlGen] = 1
	if err := c.Maps[o.Maps.Control].Put(uint32(0), control); err != nil {
		t.Fatal(err)
	}
	runTest(t, o, c)
	runTest(t, o, c)
	if k, n := total(0); k != 1 || n != 1 {
		t.Errorf("generation 0 has %d and %d, want 1 and 1", k, n)
	}
	if k, n := total(1); k != 2 || n != 2 {
		t.Errorf("generation 1 has %d and %d, want 2 and 2", k, n)
	}
}

// records reads what the rings hold.
func records(t *testing.T, o *Object, c *ebpf.Collection) [][]byte {
	t.Helper()
	var out [][]byte
	for cpu := range uint32(ebpf.MustPossibleCPU()) {
		var id uint32
		if err := c.Maps[o.Maps.Rings].Lookup(cpu, &id); err != nil {
			t.Fatal(err)
		}
		m, err := ebpf.NewMapFromID(ebpf.MapID(id))
		if err != nil {
			t.Fatal(err)
		}
		r, err := ringbuf.NewReader(m)
		if err != nil {
			t.Fatal(err)
		}
		r.SetDeadline(time.Now())
		for {
			rec, err := r.Read()
			if err != nil {
				break
			}
			out = append(out, rec.RawSample)
		}
		r.Close()
		m.Close()
	}
	return out
}

func TestRecords(t *testing.T) {
	b := newBed()
	b.p.Options.Temporal = true
	b.p.Records = []ir.Record{{Size: 24}, {Size: 24}}
	for i := range int64(2) {
		p := b.Emit(ir.Value{Op: ir.OpReserve, Imm: 1})
		b.isNull(p)
		b.Store(p, 16, 8, b.Const(99+i))
		op := ir.OpDiscard
		if i == 1 {
			op = ir.OpSubmit
		}
		b.Op(op, p)
	}
	b.Emit(ir.Value{Op: ir.OpDrop, Imm: 2})
	unit := begin()
	got, o, c := b.run(t)
	_ = unit
	expect(t, got, 0, 0)
	recs := records(t, o, c)
	if len(recs) != 1 || len(recs[0]) != 24 || binary.LittleEndian.Uint32(recs[0]) != 1 || recs[0][16] != 100 {
		t.Fatalf("records %x", recs)
	}
	if now := binary.LittleEndian.Uint64(recs[0][8:]); now == 0 {
		t.Error("no time in the header")
	}
	if n := drops(t, o, c, 2); n != 1 {
		t.Errorf("%d drops, want 1", n)
	}
}

func drops(t *testing.T, o *Object, c *ebpf.Collection, kind trace.DropKind) (n uint64) {
	t.Helper()
	var cells []uint64
	if err := c.Maps[o.Maps.Drops].Lookup(uint32(kind), &cells); err != nil {
		t.Fatal(err)
	}
	for _, x := range cells {
		n += x
	}
	return n
}

// TestFault fires ERROR from BEGIN, and a fault within ERROR.
func TestFault(t *testing.T) {
	b := newBed()
	b.p.Records = []ir.Record{{Clause: -1, Unit: 0, Size: 24, Fields: []ir.RecordField{{Off: 8, Size: 4}, {Off: 12, Size: 2}, {Off: 14, Size: 2}, {Off: 16, Size: 8}}}}
	b.Emit(ir.Value{Op: ir.OpFault, Imm: 3<<16 | 2<<8 | 4}, b.Const(0xabcdef))
	e := &bed{Builder: ir.NewBuilder(&ir.Func{Name: "onerror", Unit: 1})}
	e.out = e.Emit(ir.Value{Op: ir.OpGlobal})
	for i := range int64(6) {
		e.keep(e.Emit(ir.Value{Op: ir.OpArg, Imm: i}))
	}
	e.Emit(ir.Value{Op: ir.OpFault}, e.Const(0))
	e.Return()
	b.p.Funcs = append(b.p.Funcs, e.Fn)
	b.n = e.n
	errUnit := &Unit{Hook: probes.Hook{Kind: probes.Test, Target: "ERROR"}, Sites: []*probes.Site{{ID: 3}}}
	got, o, c := b.run(t, errUnit)
	pc := byte(got[3])
	if pc == 0 {
		t.Error("the instruction of the fault is not known")
	}
	expect(t, got, 0, 1, 3, uint64(pc), 4, 0xabcdef)
	recs := records(t, o, c)
	want := []byte{0, 0, 0, 0, 0, 0, 0, 0, 3, 0, pc, 0, 2, 0, 4, 0, 0xef, 0xcd, 0xab, 0, 0, 0, 0, 0}
	if len(recs) != 1 || !bytes.Equal(recs[0], want) {
		t.Fatalf("records %x, want %x", recs, want)
	}
	if n := drops(t, o, c, trace.DropError); n != 1 {
		t.Errorf("%d error drops, want 1", n)
	}
	if o.Progs[1] != "" {
		t.Errorf("ERROR has the program %q", o.Progs[1])
	}
}

func TestCall(t *testing.T) {
	sub := &ir.Func{Name: "twice", Unit: -1, Result: true}
	s := ir.NewBuilder(sub)
	buf := s.Emit(ir.Value{Op: ir.OpParam, Imm: 0, Size: 8})
	w := s.Emit(ir.Value{Op: ir.OpParam, Imm: 1})
	tmp := s.Alloca(1024)
	s.Store(tmp, 1016, 8, s.Op(ir.OpAdd, w, s.Load(buf, 0, 8)))
	s.Return(s.Op(ir.OpMul, s.Load(tmp, 1016, 8), s.Const(2)))
	b := newBed()
	b.p.Funcs = append(b.p.Funcs, sub)
	sub.Params = []*ir.Value{buf, w}
	a := b.Alloca(8)
	b.Store(a, 0, 8, b.Const(20))
	b.keep(b.Emit(ir.Value{Op: ir.OpCall, Aux: ir.Sym("twice"), Imm: 1}, a, b.Const(1)))
	b.keep(b.Emit(ir.Value{Op: ir.OpCall, Aux: ir.Sym("twice"), Imm: 1}, a, b.Const(3)))
	got, _, _ := b.run(t)
	expect(t, got, 42, 46)
}

func TestFacts(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b := newBed()
	fact := func(name ir.Sym) { b.keep(b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: name})) }
	for _, n := range []ir.Sym{"uid", "gid", "errno", "id", "timestamp", "vtimestamp", "walltimestamp", "cpu", "rand", "caller", "ucaller", "stackdepth", "ustackdepth", "stopped"} {
		fact(n)
	}
	needKernel(t)
	b.keep(b.Emit(ir.Value{Op: ir.OpTaskLoad, Size: 4, Imm: int64(offset(t, "tgid"))}, b.Op(ir.OpTask)))
	b.keep(b.Op(ir.OpKey))
	b.keep(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{0, 5}}))
	b.keep(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{1, 5}}))
	b.keep(b.Load(b.Emit(ir.Value{Op: ir.OpProbeStr, Size: 8, Imm: 3}), 0, 8))
	task := b.Op(ir.OpTask)
	b.keep(b.Op(ir.OpShrL, task, b.Const(63))) // a kernel address as a number
	var before, after [13]uint64
	before[4] = monotonic()
	got, _, _ := b.run(t)
	after[4] = monotonic()
	expect(t, got, uint64(os.Getuid()), uint64(os.Getgid()), 0, 1)
	if got[4] < before[4] || got[4] > after[4] {
		t.Errorf("timestamp %d is not between %d and %d", got[4], before[4], after[4])
	}
	if got[5] == 0 || got[6] == 0 || got[7] >= uint64(runtime.NumCPU()) {
		t.Errorf("vtimestamp %d, walltimestamp %d, cpu %d", got[5], got[6], got[7])
	}
	if got[12] == 0 {
		t.Error("the process has no stack")
	}
	name := binary.LittleEndian.Uint64([]byte("BEGIN\x00\x00\x00"))
	expect(t, got[13:], 0, uint64(os.Getpid()), 0, 1, 0, name, 1)
}
