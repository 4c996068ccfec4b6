package codegen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
	"golang.org/x/tools/txtar"

	"dscope.dev/dlang/ir"
	"dscope.dev/probes"
)

// benchUnit is a unit of system calls by number.
func benchUnit(target string, numbers ...uint32) *Unit {
	u := &Unit{Hook: probes.Hook{Kind: probes.Tracepoint, Target: target, Select: probes.BySyscall}}
	for _, n := range numbers {
		u.Sites = append(u.Sites, &probes.Site{Probe: probes.Probe{Provider: "syscall"}, ID: n + 10, Key: n, Raw: 6, Hook: u.Hook})
	}
	return u
}

// fixedFeatures are those that the goldens are made for.
func fixedFeatures() Features {
	return Features{Arch: "amd64", CPUs: 2, RawCookie: true, SelfPID: 4242, TaskTGID: 12, TaskRuntime: 400,
		CompatStatus: 8, CompatMask: 2, BufSize: 1 << 16, OwnBelow: 1 << 31, Verifier: QuirksOf(kernel(6, 18))}
}

// kernel answers for a kernel of that version.
func kernel(major, minor int) func(int, int) bool {
	return func(a, b int) bool { return a < major || a == major && b <= minor }
}

// A layout is where the task's members are that the benchmarks read.
type taskLayout struct{ comm, tgid int }

// comm puts execname at a.
func putComm(b *ir.Builder, a *ir.Value, off int64, l taskLayout) {
	t := b.Op(ir.OpTask)
	for i := range 2 {
		w := b.Emit(ir.Value{Op: ir.OpTaskLoad, Size: 8, Imm: int64(l.comm + 8*i)}, t)
		b.Store(a, off+int64(8*i), 8, w)
	}
}

// w1 is syscall:::entry { @[execname] = count(); }
func w1(l taskLayout) (*ir.Program, []*Unit) {
	fn := &ir.Func{Name: "sys_enter", Unit: 0}
	b := ir.NewBuilder(fn)
	key := b.Alloca(16)
	putComm(b, key, 0, l)
	cell := b.Emit(ir.Value{Op: ir.OpAggCell}, key)
	count(b, cell, b.Const(1))
	return &ir.Program{Funcs: []*ir.Func{fn}, Aggs: []ir.Agg{{Key: 16, Words: 1, Func: "count"}}}, []*Unit{benchUnit("sys_enter", every()...)}
}

// count adds n to the cell if there is one, and returns.
func count(b *ir.Builder, p, n *ir.Value) {
	drop, add, end := b.ColdBlock(), b.Block(), b.Block()
	b.Branch(b.Op(ir.OpPtrEq0, p), drop, add)
	b.Go(drop)
	b.Emit(ir.Value{Op: ir.OpDrop, Imm: 1})
	b.Jump(end)
	b.Go(add)
	b.Store(p, 0, 8, b.Op(ir.OpAdd, b.Load(p, 0, 8), n))
	b.Jump(end)
	b.Go(end)
	b.Return()
}

// w2 is the latency of read(2), quantized by execname.
func w2(l taskLayout) (*ir.Program, []*Unit) {
	enter := &ir.Func{Name: "sys_enter", Unit: 0}
	b := ir.NewBuilder(enter)
	p := b.Emit(ir.Value{Op: ir.OpSelf, Imm: 1})
	drop, set, end := b.ColdBlock(), b.Block(), b.Block()
	b.Branch(b.Op(ir.OpPtrEq0, p), drop, set)
	b.Go(drop)
	b.Emit(ir.Value{Op: ir.OpDrop, Imm: 2})
	b.Jump(end)
	b.Go(set)
	b.Store(p, 0, 8, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("timestamp")}))
	b.Jump(end)
	b.Go(end)
	b.Return()

	exit := &ir.Func{Name: "sys_exit", Unit: 1}
	b = ir.NewBuilder(exit)
	key := b.Alloca(16)
	none, some, go_ := b.Block(), b.Block(), b.Block()
	p = b.Emit(ir.Value{Op: ir.OpSelf})
	b.Branch(b.Op(ir.OpPtrEq0, p), none, some)
	b.Go(none)
	b.Return()
	b.Go(some)
	ts := b.Load(p, 0, 8)
	b.Branch(b.Op(ir.OpNe, ts, b.Const(0)), go_, none)
	b.Go(go_)
	putComm(b, key, 0, l)
	d := b.Op(ir.OpSub, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("timestamp")}), ts)
	b.Store(p, 0, 8, b.Const(0))
	cell := b.Emit(ir.Value{Op: ir.OpAggCell}, key)
	dropped, add := b.ColdBlock(), b.Block()
	b.Branch(b.Op(ir.OpPtrEq0, cell), dropped, add)
	b.Go(dropped)
	b.Emit(ir.Value{Op: ir.OpDrop, Imm: 1})
	b.Jump(none)
	b.Go(add)
	zero, other, neg, pos, join := b.Block(), b.Block(), b.Block(), b.Block(), b.Block()
	b.Branch(b.Op(ir.OpEq, d, b.Const(0)), zero, other)
	b.Go(zero)
	z := b.Const(63)
	b.Jump(join)
	b.Go(other)
	b.Branch(b.Op(ir.OpLtS, d, b.Const(0)), neg, pos)
	b.Go(neg)
	nl := b.Op(ir.OpSub, b.Const(62), b.Op(ir.OpLog2, b.Op(ir.OpNeg, d)))
	b.Jump(join)
	b.Go(pos)
	pl := b.Op(ir.OpAdd, b.Op(ir.OpLog2, d), b.Const(64))
	b.Jump(join)
	b.Go(join)
	i := b.Emit(ir.Value{Op: ir.OpBound, Imm: 127}, b.Phi(z, nl, pl))
	at := b.Op(ir.OpAdd, cell, b.Op(ir.OpShl, i, b.Const(3)))
	b.Store(at, 0, 8, b.Op(ir.OpAdd, b.Load(at, 0, 8), b.Const(1)))
	b.Jump(none)
	return &ir.Program{Funcs: []*ir.Func{enter, exit}, Aggs: []ir.Agg{{Key: 16, Words: 127, Func: "quantize"}},
			Vars: []ir.Var{{Name: "self->ts", Kind: ir.SelfVar, Size: 8}}},
		[]*Unit{benchUnit("sys_enter", 0), benchUnit("sys_exit", 0)}
}

// w3 is syscall::write:entry /pid == 999999/ { trace(arg0); }
func w3(l taskLayout) (*ir.Program, []*Unit) {
	fn := &ir.Func{Name: "sys_enter", Unit: 0}
	b := ir.NewBuilder(fn)
	yes, end := b.Block(), b.Block()
	pid := b.Emit(ir.Value{Op: ir.OpTaskLoad, Size: 4, Imm: int64(l.tgid)}, b.Op(ir.OpTask))
	b.Branch(b.Op(ir.OpEq, pid, b.Const(999999)), yes, end)
	b.Go(yes)
	record(b, end, func(p *ir.Value) {
		b.Store(p, 8, 8, b.Emit(ir.Value{Op: ir.OpArg}))
	})
	b.Go(end)
	b.Return()
	return &ir.Program{Funcs: []*ir.Func{fn}, Records: []ir.Record{{Size: 16}}}, []*Unit{benchUnit("sys_enter", 1)}
}

// record takes room, lets fill write it, and goes to end.
func record(b *ir.Builder, end *ir.Block, fill func(*ir.Value)) {
	p := b.Emit(ir.Value{Op: ir.OpReserve})
	drop, ok := b.ColdBlock(), b.Block()
	b.Branch(b.Op(ir.OpPtrEq0, p), drop, ok)
	b.Go(drop)
	b.Emit(ir.Value{Op: ir.OpDrop})
	b.Jump(end)
	b.Go(ok)
	fill(p)
	b.Op(ir.OpSubmit, p)
	b.Jump(end)
}

// w4 is syscall::write:entry /arg0 == 777/ { printf("%s %d %d\n", execname, pid, arg2); }
func w4(l taskLayout) (*ir.Program, []*Unit) {
	fn := &ir.Func{Name: "sys_enter", Unit: 0}
	b := ir.NewBuilder(fn)
	yes, end := b.Block(), b.Block()
	b.Branch(b.Op(ir.OpEq, b.Emit(ir.Value{Op: ir.OpArg}), b.Const(777)), yes, end)
	b.Go(yes)
	record(b, end, func(p *ir.Value) {
		putComm(b, p, 8, l)
		b.Store(p, 24, 4, b.Emit(ir.Value{Op: ir.OpTaskLoad, Size: 4, Imm: int64(l.tgid)}, b.Op(ir.OpTask)))
		b.Store(p, 28, 4, b.Const(0))
		b.Store(p, 32, 8, b.Emit(ir.Value{Op: ir.OpArg, Imm: 2}))
	})
	b.Go(end)
	b.Return()
	return &ir.Program{Funcs: []*ir.Func{fn}, Records: []ir.Record{{Size: 40}}}, []*Unit{benchUnit("sys_enter", 1)}
}

var workloads = map[string]func(taskLayout) (*ir.Program, []*Unit){"w1": w1, "w2": w2, "w3": w3, "w4": w4}

// lowered reads what lowering made of a question of the benchmark, and gives
// its functions the units that their names tell.
func lowered(t *testing.T, name string) (*ir.Program, []*Unit) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("..", "..", "testdata", "lower", "bench_"+name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name != "optimised" {
			continue
		}
		p, err := ir.Parse(string(f.Data))
		if err != nil {
			t.Fatal(err)
		}
		var units []*Unit
		for _, fn := range p.Funcs {
			units = append(units, unitOf(name, fn.Name))
		}
		return p, units
	}
	t.Fatalf("%s was not optimised", name)
	return nil, nil
}

func unitOf(workload, fn string) *Unit {
	targets := map[string]string{"entry": "sys_enter", "return": "sys_exit"}
	switch {
	case fn == "BEGIN":
		return begin()
	case workload == "w1":
		return benchUnit(targets[fn], every()...)
	case workload == "w2":
		return benchUnit(targets[fn], unix.SYS_READ)
	}
	return benchUnit(targets[fn], 1) // write(2)
}

// every lists numbers of system calls with a gap, as they have.
func every() []uint32 {
	var all []uint32
	for n := range uint32(450) {
		if n < 335 || n > 423 {
			all = append(all, n)
		}
	}
	return all
}

// TestListings holds the code of the benchmark's questions, instruction by
// instruction, for both processors, and that none of it spills.
func TestListings(t *testing.T) {
	for _, name := range []string{"w1", "w2", "w3", "w4", "w5"} {
		for _, arch := range []string{"amd64", "arm64"} {
			f := fixedFeatures()
			if f.Arch = arch; arch == "arm64" {
				f.CompatMask = 1 << 22 // TIF_32BIT
			}
			p, units := lowered(t, name)
			o := generate(t, p, f, units...)
			if o.spills > 0 {
				t.Errorf("%s: %d registers are spilled", name, o.spills)
			}
			golden(t, name+"_"+arch+".txt", o.Listing())
		}
	}
	f := fixedFeatures()
	f.Current = CurrentTasks{At: []uint64{0x1000, 0x2000, 0x3000}, Link: 1328, Task: 114, Cast: 65477}
	p, units := lowered(t, "w3")
	golden(t, "w3_current.txt", generate(t, p, f, units...).Listing())
}

// golden compares got with a file, or writes it if UPDATE is set.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "codegen", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (UPDATE=1 rewrites it); got:\n%s", path, got)
	}
}

// TestWorkloads runs the benchmark's questions on this kernel.
func TestWorkloads(t *testing.T) {
	needKernel(t)
	l := taskLayout{offset(t, "comm"), offset(t, "tgid")}
	for name, make := range workloads {
		t.Run(name, func(t *testing.T) {
			p, units := make(l)
			o := generate(t, p, liveFeatures(t), units...)
			c := loadAll(t, o)
			for _, n := range o.Progs {
				ln, err := link.AttachTracing(link.TracingOptions{Program: c.Programs[n]})
				if err != nil {
					t.Fatal(err)
				}
				defer ln.Close()
			}
			var buf [1]byte
			f, err := os.Open("/dev/zero")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for range 10 {
				unix.Read(int(f.Fd()), buf[:])
				unix.Write(777, buf[:])
			}
			if len(o.Maps.Aggs) == 0 {
				return
			}
			if len(keyedCells(t, o, c, 0, 0)) == 0 {
				t.Error("nothing was aggregated")
			}
		})
	}
}
