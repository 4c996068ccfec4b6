package codegen

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/attach"
	"dscope.dev/probes"
)

// hooked attaches the programs of an object until the test ends.
func hooked(t *testing.T, o *Object, c *ebpf.Collection) {
	t.Helper()
	for i, u := range o.Units {
		var cl io.Closer
		var err error
		switch {
		case u.Hook.Kind == probes.Timer:
			cl, err = attach.Timer(u.Hook, c.Programs[o.Progs[i]], []int{0, 1})
		case u.Shared:
			for j, h := range u.Hooks {
				if cl, err = attach.Tracepoint(h, c.Programs[o.Progs[i]], uint64(u.Sites[j].Key)); err == nil {
					t.Cleanup(func() { cl.Close() })
				}
			}
		default:
			cl, err = attach.Tracepoint(u.Hook, c.Programs[o.Progs[i]], 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cl.Close() })
	}
}

// mine continues where the firing is of this process.
func (b *bed) mine(t *testing.T) {
	other, mine := b.Block(), b.Block()
	tgid := b.Emit(ir.Value{Op: ir.OpTaskLoad, Size: 4, Imm: int64(offset(t, "tgid"))}, b.Op(ir.OpTask))
	b.Branch(b.Op(ir.OpEq, tgid, b.Const(int64(os.Getpid()))), mine, other)
	b.Go(other)
	b.Return()
	b.Go(mine)
}

// when runs then if cond holds.
func (b *bed) when(cond *ir.Value, then func()) {
	yes, next := b.Block(), b.Block()
	b.Branch(cond, yes, next)
	b.Go(yes)
	then()
	b.Jump(next)
	b.Go(next)
}

// count adds 1 to the n-th result.
func (b *bed) count(n int64) {
	b.Emit(ir.Value{Op: ir.OpAtomicAdd, Size: 8, Imm: 8 * n}, b.out, b.Const(1))
}

// TestSyscallHooks counts calls by number, with the name and number of the
// probe, in one program.
func TestSyscallHooks(t *testing.T) {
	needKernel(t)
	for _, target := range []string{"sys_enter", "sys_exit"} {
		t.Run(target, func(t *testing.T) {
			b := newBed()
			b.n = 8
			b.mine(t)
			b.when(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{unix.SYS_READ, unix.SYS_LSEEK}}), func() { b.count(0) })
			b.when(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{unix.SYS_WRITE}}), func() {
				b.count(1)
				b.Store(b.out, 16, 8, b.Load(b.Emit(ir.Value{Op: ir.OpProbeStr, Size: 8, Imm: 2}), 0, 8))
				b.Store(b.out, 24, 8, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("id")}))
				b.Store(b.out, 32, 8, b.Emit(ir.Value{Op: ir.OpArg}))
				b.Store(b.out, 40, 8, b.Emit(ir.Value{Op: ir.OpArg, Imm: 2}))
				b.Store(b.out, 48, 8, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("errno")}))
			})
			b.Return()
			u := benchUnit(target, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_LSEEK, unix.SYS_GETPPID)
			for i, name := range []string{"read", "write", "lseek", "getppid"} {
				u.Sites[i].Probe.Function = name
			}
			o := generate(t, b.p, liveFeatures(t), u)
			c := loadAll(t, o)
			hooked(t, o, c)
			before := results(t, o, c, 7)
			for range 100 {
				unix.Seek(-1, 0, 0)
				unix.Getppid()
				unix.Write(-1, []byte("abc"))
			}
			got := results(t, o, c, 7)
			if n := got[0] - before[0]; n < 100 || n > 400 {
				t.Errorf("%d calls of read and lseek, want 100 and few more", n)
			}
			if n := got[1] - before[1]; n < 100 || n > 150 {
				t.Errorf("%d calls of write, want 100", n)
			}
			bad := -int32(unix.EBADF)
			want := []uint64{'w' | 'r'<<8 | 'i'<<16 | 't'<<24 | 'e'<<32, unix.SYS_WRITE + 10, uint64(0xffffffffffffffff), 3, 0}
			if target == "sys_exit" {
				want[2], want[3], want[4] = uint64(int64(bad)), 0, uint64(unix.EBADF)
			}
			if g := int32(got[4]); target == "sys_enter" && g == -1 {
				got[4] = want[2] // the library may pass an int or a long
			}
			if !reflect.DeepEqual(got[2:7], want) {
				t.Errorf("name, id, arg0, arg2, errno are %#x, want %#x", got[2:7], want)
			}
		})
	}
}

// TestSelfLeftOut checks that firings of the processes named in the features do
// not count, whether or not the layout of the task is known.
func TestSelfLeftOut(t *testing.T) {
	needKernel(t)
	for _, tt := range []struct {
		known       bool
		self, asker int
		reader      int // its place and one, if we are one; 0 if we are none
	}{
		{true, os.Getpid(), 0, 0}, {false, os.Getpid(), 0, 0},
		{true, 1, os.Getpid(), 0}, {false, 1, os.Getpid(), 0}, {true, os.Getpid(), 1, 0},
		{true, 1, 0, 1}, {false, 1, 0, 1}, {true, 1, 0, MostReaders}, {true, 1, 1, 2},
	} {
		f := liveFeatures(t)
		f.SelfPID, f.AskerPID, f.Readers = tt.self, tt.asker, tt.reader > 0
		b := newBed()
		b.n = 1
		b.mine(t)
		b.count(0)
		b.Return()
		if !tt.known {
			f.TaskTGID = 0
		}
		o := generate(t, b.p, f, benchUnit("sys_enter", unix.SYS_GETPPID))
		c := loadAll(t, o)
		control := make([]byte, ControlSize)
		if tt.reader > 0 {
			binary.NativeEndian.PutUint32(control[ControlReaders+4*(tt.reader-1):], uint32(os.Getpid()))
			putControl(t, o, c, control)
		}
		hooked(t, o, c)
		unix.Getppid()
		if got := results(t, o, c, 1); got[0] != 0 {
			t.Errorf("%+v: %d of our own calls were seen", tt, got[0])
		}
		if tt.reader > 0 { // and none once another reads
			putControl(t, o, c, make([]byte, ControlSize))
			unix.Getppid()
			if got := results(t, o, c, 1); got[0] != 1 {
				t.Errorf("%+v: when we read no more %d of our calls were seen, want 1", tt, got[0])
			}
		}
	}
}

// putControl sets the control words.
func putControl(t *testing.T, o *Object, c *ebpf.Collection, control []byte) {
	t.Helper()
	if err := c.Maps[o.Maps.Control].Put(uint32(0), control); err != nil {
		t.Fatal(err)
	}
}

// TestStop checks that nothing fires any more once the script has ended itself.
func TestStop(t *testing.T) {
	needKernel(t)
	b := newBed()
	b.n = 1
	b.mine(t)
	b.count(0)
	b.Op(ir.OpStop)
	b.Return()
	o := generate(t, b.p, liveFeatures(t), benchUnit("sys_enter", unix.SYS_GETPPID))
	c := loadAll(t, o)
	hooked(t, o, c)
	for range 5 {
		unix.Getppid()
	}
	if got := results(t, o, c, 1); got[0] != 1 {
		t.Errorf("fired %d times, want once", got[0])
	}
}

// TestShared attaches one program to two tracepoints and tells them apart.
func TestShared(t *testing.T) {
	needKernel(t)
	u := &Unit{Shared: true}
	for i, name := range []string{"sys_enter", "sys_exit"} {
		h := probes.Hook{Kind: probes.Tracepoint, Target: name}
		u.Hooks = append(u.Hooks, h)
		u.Sites = append(u.Sites, &probes.Site{Probe: probes.Probe{Name: name}, ID: uint32(70 + i), Key: uint32(i + 1), Hook: h, Raw: 2})
	}
	u.Hook = u.Hooks[0]
	b := newBed()
	b.n = 4
	b.mine(t)
	b.when(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{1}}), func() {
		b.count(0)
		b.Store(b.out, 16, 8, b.Emit(ir.Value{Op: ir.OpArg, Imm: 1}))
	})
	b.when(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{2}}), func() {
		b.count(1)
		b.Store(b.out, 24, 8, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("id")}))
	})
	b.Return()
	f := liveFeatures(t)
	if !f.RawCookie {
		t.Skip("before 6.10 a raw tracepoint has no cookie")
	}
	o := generate(t, b.p, f, u)
	c := loadAll(t, o)
	hooked(t, o, c)
	unix.Getppid()
	got := results(t, o, c, 4)
	if got[0] == 0 || got[1] == 0 || got[2] == 0 || got[3] != 71 {
		t.Errorf("enter, exit, number, id are %d", got)
	}
}

// TestTimer samples where a CPU is.
func TestTimer(t *testing.T) {
	needKernel(t)
	b := newBed()
	b.n = 3
	k, u := b.Emit(ir.Value{Op: ir.OpArg}), b.Emit(ir.Value{Op: ir.OpArg, Imm: 1})
	b.when(b.Op(ir.OpNe, k, b.Const(0)), func() { b.count(0) })
	b.when(b.Op(ir.OpNe, u, b.Const(0)), func() { b.count(1) })
	b.when(b.Op(ir.OpAnd, b.Op(ir.OpNe, k, b.Const(0)), b.Op(ir.OpNe, u, b.Const(0))), func() { b.count(2) })
	b.Return()
	unit := &Unit{Hook: probes.Hook{Kind: probes.Timer, Every: 1e6, PerCPU: true}, Sites: []*probes.Site{{ID: 1, Raw: 2}}}
	o := generate(t, b.p, liveFeatures(t), unit)
	c := loadAll(t, o)
	hooked(t, o, c)
	var got []uint64
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		for i := range 1000 { // user mode and kernel mode
			if i%2 == 0 {
				unix.Getppid()
			}
		}
		if got = results(t, o, c, 3); got[0] > 0 && got[1] > 0 {
			break
		}
	}
	if got[0] == 0 || got[1] == 0 || got[2] != 0 {
		t.Errorf("kernel, user, both are %d", got)
	}
}

// TestTypedArgs reads arguments that the verifier knows as kernel objects, as
// numbers and through them.
func TestTypedArgs(t *testing.T) {
	needKernel(t)
	b := newBed()
	b.n = 3
	next := b.Emit(ir.Value{Op: ir.OpArg, Imm: 2})
	tmp := b.Alloca(8)
	addr := b.Op(ir.OpAdd, next, b.Const(int64(offset(t, "tgid"))))
	b.keep(b.Emit(ir.Value{Op: ir.OpReadK, Size: 4}, tmp, addr))
	b.n = 1
	b.Store(b.out, 8, 8, b.Op(ir.OpShrL, next, b.Const(63)))
	b.when(b.Load(tmp, 0, 4), func() { b.count(2) })
	b.Return()
	h := probes.Hook{Kind: probes.Tracepoint, Target: "sched_switch"}
	o := generate(t, b.p, liveFeatures(t), &Unit{Hook: h, Sites: []*probes.Site{{ID: 1, Raw: 4, Hook: h}}})
	c := loadAll(t, o)
	hooked(t, o, c)
	for range 1000 {
		time.Sleep(time.Millisecond)
		if got := results(t, o, c, 3); got[2] > 0 {
			expect(t, got, 0, 1)
			return
		}
	}
	t.Error("no switch to a process was seen")
}

// TestVerifierPlace looks for the place of an access that is out of bounds.
func TestVerifierPlace(t *testing.T) {
	needKernel(t)
	f := token.NewFile("s.d", "BEGIN { x = 1;\n  y = x[5000]; }")
	b := newBed()
	b.At = token.Span{From: 9, To: 14}
	b.Store(b.out, 0, 8, b.Const(1))
	b.At = token.Span{From: 18, To: 29}
	i := b.Emit(ir.Value{Op: ir.OpBound, Imm: 5000}, b.Emit(ir.Value{Op: ir.OpArg}))
	b.keep(b.Load(b.Op(ir.OpAdd, b.out, i), 0, 8))
	b.Return()
	o := generate(t, b.p, liveFeatures(t), begin())
	o.Quote(f)
	coll, err := ebpf.NewCollection(o.Spec)
	var ve *ebpf.VerifierError
	if !errors.As(err, &ve) {
		if err == nil {
			coll.Close()
		}
		t.Fatalf("the verifier let it pass: %v", err)
	}
	at, why := VerifierPlace(ve, o)
	if f.Text(at) != "y = x[5000]" || !strings.Contains(why, "outside of the allowed memory range") && !strings.Contains(why, "invalid access") {
		t.Errorf("place %q, reason %q\n%+v", f.Text(at), why, ve)
	}
}

// TestDeterminism makes the same object twice.
func TestDeterminism(t *testing.T) {
	for name, make := range workloads {
		var last *Object
		for range 3 {
			p, units := make(taskLayout{comm: 2000, tgid: 1500})
			o := generate(t, p, fixedFeatures(), units...)
			if last != nil && (o.Listing() != last.Listing() || !reflect.DeepEqual(o.Spec.Maps, last.Spec.Maps)) {
				t.Errorf("%s differs from one time to the next", name)
			}
			last = o
		}
	}
}

// TestRefusals checks the complaints about what cannot be generated.
func TestRefusals(t *testing.T) {
	wide := func() *ir.Program {
		fn := &ir.Func{Name: "f"}
		ir.NewBuilder(fn).Return()
		return &ir.Program{Funcs: []*ir.Func{fn}, Aggs: []ir.Agg{{Name: "a", Key: 8, Words: 5000, Func: "lquantize"}}}
	}
	shared := &Unit{Shared: true, Hook: probes.Hook{Kind: probes.Tracepoint, Target: "a"}, Sites: []*probes.Site{{Key: 1}, {Key: 2}}}
	keyed := &ir.Func{Name: "k"}
	b := ir.NewBuilder(keyed)
	b.Emit(ir.Value{Op: ir.OpStore, Size: 8}, b.Alloca(8), b.Op(ir.OpKey))
	b.Return()
	old := fixedFeatures()
	old.RawCookie = false
	want := "a shares a program with other tracepoints, and kernels before 6.10 do not tell it which fired"
	if _, err := Generate(&ir.Program{Funcs: []*ir.Func{keyed}}, []*Unit{shared}, old); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, c := range []struct {
		f    Features
		want string
	}{
		{fixedFeatures(), "@a: lquantize() needs 40000 bytes for one value, more than the 32768 of a per-CPU map; use fewer levels"},
		{Features{Arch: "riscv64"}, `generate code for "riscv64": dscope knows amd64 and arm64`},
	} {
		if _, err := Generate(wide(), []*Unit{begin()}, c.f); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
