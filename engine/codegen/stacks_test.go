package codegen

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dscope.dev/dlang/ir"
)

// TestStacks keeps a stack in the generation in use and reads it back.
func TestStacks(t *testing.T) {
	needKernel(t)
	b := newBed()
	b.n = 4
	b.mine(t)
	buf := b.Alloca(160)
	b.Store(b.out, 0, 8, b.Emit(ir.Value{Op: ir.OpStackID, Size: 20}))
	b.Store(b.out, 8, 8, b.Emit(ir.Value{Op: ir.OpStackID, Size: 10, Imm: 1}))
	b.Store(b.out, 16, 8, b.Emit(ir.Value{Op: ir.OpStack, Size: 160, Imm: 1}, buf))
	b.Store(b.out, 24, 8, b.Load(buf, 0, 8))
	b.Return()
	o := generate(t, b.p, liveFeatures(t), benchUnit("sys_enter", unix.SYS_GETPPID))
	c := loadAll(t, o)
	hooked(t, o, c)
	unix.Getppid()
	got := results(t, o, c, 4)
	if got[2] != 0 || got[3] == 0 {
		t.Errorf("user stack: status %d, first frame %#x", got[2], got[3])
	}
	for i, st := range []StackMaps{{Depth: 20}, {User: true, Depth: 10}} {
		if int64(got[i]) < 0 {
			t.Fatalf("stack %d was not kept: %d", i, int64(got[i]))
		}
		frames := make([]uint64, st.kept(o.IR.Options))
		if err := c.Maps[st.Name(0)].Lookup(uint32(got[i]), &frames); err != nil || frames[0] == 0 {
			t.Errorf("stack %d: %x, %v", i, frames, err)
		}
	}
}

// kernelText returns where a function of the kernel lies.
func kernelText(t *testing.T, name string) Range {
	t.Helper()
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	var r Range
	next := ^uint64(0)
	for pass := range 2 {
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			addr, err := strconv.ParseUint(f[0], 16, 64)
			switch {
			case err != nil || strings.HasPrefix(f[2], "__pfx_"):
			case pass == 0 && f[2] == name:
				r.From = addr
			case pass == 1 && addr > r.From:
				next = min(next, addr)
			}
		}
	}
	r.To = next
	return r
}

// TestCaller compares caller and stackdepth with the stack itself.
func TestCaller(t *testing.T) {
	needKernel(t)
	b := newBed()
	b.n = 6
	b.mine(t)
	buf := b.Alloca(8 * maxFrames)
	b.Emit(ir.Value{Op: ir.OpStack, Size: 8 * maxFrames}, buf)
	b.Store(b.out, 0, 8, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("caller")}))
	b.Store(b.out, 8, 8, b.Emit(ir.Value{Op: ir.OpBuiltin, Aux: ir.Sym("stackdepth")}))
	for i := range int64(4) {
		b.Store(b.out, 16+8*i, 8, b.Load(buf, 8*i, 8))
	}
	b.Return()
	u := benchUnit("sys_enter", unix.SYS_GETPPID)
	u.Inner = []Range{kernelText(t, "__bpf_trace_sys_enter"), kernelText(t, "__traceiter_sys_enter")}
	o := generate(t, b.p, liveFeatures(t), u)
	c := loadAll(t, o)
	hooked(t, o, c)
	unix.Getppid()
	got := results(t, o, c, 6)
	first := 2 // of what OpStack kept: the first frame that is the kernel's
	for first < 4 && (in(got[first], u.Inner[0]) || in(got[first], u.Inner[1])) {
		first++
	}
	if got[0] == 0 || got[0] != got[first+1] || got[1] < 2 || got[1] > 20 {
		t.Errorf("caller %#x, depth %d of the stack %#x", got[0], got[1], got[2:])
	}
}

func in(addr uint64, r Range) bool { return r.From <= addr && addr < r.To }
