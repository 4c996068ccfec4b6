package codegen

import (
	"debug/elf"
	"fmt"
	"io"
	"os/exec"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/attach"
	"dscope.dev/probes"
	"dscope.dev/probes/binary/binarytest"
)

// probed is a program that waits for a byte and calls two functions.
const probed = `
#include <unistd.h>
__attribute__((noinline,noclone)) long eight(long a, long b, long c, long d, long e, long f, long g, long h) {
	__asm__ volatile("");
	return a + h;
}
__attribute__((noinline,noclone)) long one(long a) { __asm__ volatile(""); return -a; }
int main(void) {
	char c;
	if (read(0, &c, 1) != 1) return 1;
	for (long i = 0; i < 50; i++) { eight(i, 2, 3, 4, 5, 6, -7, 80); one(i); }
	return 0;
}
`

// A subject is a program under test that stands before its work.
type subject struct {
	path string
	offs map[string]uint64 // where its functions lie in the file
	pid  int
	work func() // lets it work, and waits for its end
}

func newSubject(t *testing.T) *subject {
	t.Helper()
	needKernel(t)
	s := &subject{path: binarytest.Compile(t, "probed.c", probed, "-O1"), offs: map[string]uint64{}}
	f, err := elf.Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, sym := range syms {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && sym.Value >= p.Vaddr && sym.Value < p.Vaddr+p.Filesz {
				s.offs[sym.Name] = sym.Value - p.Vaddr + p.Off
			}
		}
	}
	s.start(t)
	return s
}

func (s *subject) start(t *testing.T) {
	cmd := exec.Command(s.path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	s.pid = cmd.Process.Pid
	s.work = func() {
		io.WriteString(in, "x")
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program under test: %v", err)
		}
	}
}

// places returns a unit of several functions of the program.
func (s *subject) places(isReturn bool, funcs ...string) *Unit {
	u := &Unit{Shared: len(funcs) > 1}
	for i, f := range funcs {
		h := probes.Hook{Kind: probes.User, File: s.path, Offset: s.offs[f], PID: s.pid, Return: isReturn}
		u.Hooks = append(u.Hooks, h)
		u.Sites = append(u.Sites, &probes.Site{Probe: probes.Probe{Provider: "pid", Function: f}, ID: uint32(i + 5), Key: uint32(i + 1), Hook: h})
	}
	u.Hook = u.Hooks[0]
	return u
}

// attached attaches the only unit of an object until the test ends.
func attached(t *testing.T, o *Object, c *ebpf.Collection) {
	t.Helper()
	u, prog := o.Units[0], c.Programs[o.Progs[0]]
	var cookies []uint64
	for _, site := range u.Sites {
		cookies = append(cookies, uint64(site.Key))
	}
	missing := map[probes.Hook]error{}
	how := attach.Files(nil).User
	if u.Multi {
		how = attach.Files(nil).UserMulti
	}
	g, err := how(u.Hooks, cookies, prog, missing)
	t.Cleanup(func() { g.Close() })
	if err != nil || len(missing) > 0 {
		t.Fatal(err, missing)
	}
}

// TestUserArguments reads arguments in registers and on the stack at two
// functions that share a program, by both ways to attach.
func TestUserArguments(t *testing.T) {
	for _, multi := range []bool{false, true} {
		t.Run(fmt.Sprint("multi ", multi), func(t *testing.T) {
			s := newSubject(t)
			b := newBed()
			b.when(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{1}}), func() {
				b.count(0)
				b.Emit(ir.Value{Op: ir.OpAtomicAdd, Size: 8, Imm: 8}, b.out, b.Emit(ir.Value{Op: ir.OpArg}))
				for i, n := range []int64{3, 5, 6, 7, 8} {
					b.Store(b.out, int64(16+8*i), 8, b.Emit(ir.Value{Op: ir.OpArg, Imm: n}))
				}
			})
			b.when(b.Emit(ir.Value{Op: ir.OpKeyIn, Aux: ir.KeySet{2}}), func() {
				b.count(7)
				b.Store(b.out, 64, 8, b.Load(b.Emit(ir.Value{Op: ir.OpProbeStr, Size: 8, Imm: 2}), 0, 8))
			})
			b.Return()
			u := s.places(false, "eight", "one")
			u.Multi = multi
			o := generate(t, b.p, liveFeatures(t), u)
			c := loadAll(t, o)
			attached(t, o, c)
			s.work()
			minus7 := int64(-7)
			got := results(t, o, c, 9)
			got[6] = 0 // whatever lies behind the last argument
			expect(t, got, 50, 49*50/2, 4, 6, uint64(minus7), 80, 0, 50, 'o'|'n'<<8|'e'<<16)
		})
	}
}

func TestUserReturn(t *testing.T) {
	s := newSubject(t)
	b := newBed()
	b.count(0)
	b.Emit(ir.Value{Op: ir.OpAtomicAdd, Size: 8, Imm: 8}, b.out, b.Emit(ir.Value{Op: ir.OpArg, Imm: 1}))
	b.Return()
	o := generate(t, b.p, liveFeatures(t), s.places(true, "one"))
	c := loadAll(t, o)
	attached(t, o, c)
	s.work()
	sum := int64(-49 * 50 / 2)
	expect(t, results(t, o, c, 2), 50, uint64(sum))
}

// TestUserWork has a program work in memory that does not fit the stack, and
// checks that it gives that back: were it not for this, the fifth firing on a CPU
// would find none left.
func TestUserWork(t *testing.T) {
	s := newSubject(t)
	b := newBed()
	big := b.Alloca(1 << 10)
	b.Store(big, 1000, 8, b.Emit(ir.Value{Op: ir.OpArg}))
	b.when(b.Op(ir.OpLtS, b.Emit(ir.Value{Op: ir.OpArg}), b.Const(10)), func() {
		b.count(0)
		b.Return()
		b.Go(b.Block())
	})
	b.Emit(ir.Value{Op: ir.OpAtomicAdd, Size: 8, Imm: 8}, b.out, b.Load(big, 1000, 8))
	b.Return()
	o := generate(t, b.p, liveFeatures(t), s.places(false, "one"))
	if n := o.Spec.Maps[mapWork].MaxEntries; n != levels {
		t.Fatalf("%d regions, want %d", n, levels)
	}
	c := loadAll(t, o)
	attached(t, o, c)
	s.work()
	expect(t, results(t, o, c, 2), 10, 49*50/2-9*10/2)
}
