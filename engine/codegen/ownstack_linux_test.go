package codegen

import (
	"bytes"
	"runtime"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/probes"
)

// TestOwnStack looks at the code that the kernel makes of a program which threads of
// one CPU may run at once: none of it may keep its stack in memory of the CPU.
func TestOwnStack(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("knows how the kernel of x86-64 finds memory of a CPU")
	}
	needKernel(t)
	b := newBed()
	room := b.Alloca(200)
	b.Store(room, 0, 8, b.Emit(ir.Value{Op: ir.OpArg}))
	b.Emit(ir.Value{Op: ir.OpReadU, Size: 192, Imm: 8}, room, b.Emit(ir.Value{Op: ir.OpArg}))
	b.Emit(ir.Value{Op: ir.OpAtomicAdd, Size: 8, Imm: 8}, b.out, b.Load(room, 0, 8))
	b.count(0)
	b.Return()
	hook := probes.Hook{Kind: probes.User, File: "unused"} // nothing is attached
	o := generate(t, b.p, liveFeatures(t), &Unit{Hook: hook, Hooks: []probes.Hook{hook}, Sites: []*probes.Site{{ID: 5, Key: 1, Hook: hook}}})
	c := loadAll(t, o)
	prog := c.Programs[o.Progs[0]]
	info, err := prog.Info()
	if err != nil {
		t.Fatal(err)
	}
	code, ok := info.JitedInsns()
	if !ok || len(code) == 0 {
		t.Skip("this kernel does not show the code")
	}
	addCPU := []byte{0x65, 0x4c, 0x03, 0x0c, 0x25} // add %gs:…, %r9
	if bytes.Contains(code, addCPU) {
		t.Errorf("the stack is memory of the CPU:\n%s% x", o.Listing(), code)
	}
}
