package codegen

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen/mach"
	"dscope.dev/probes"
)

// TestMishap generates code of what no other phase makes. The panic is a complaint at
// the place of the value that was being selected.
func TestMishap(t *testing.T) {
	b := newBed()
	b.At = token.Span{From: 3, To: 5}
	lost := b.Emit(ir.Value{Op: ir.OpSelf})
	b.Cur.Vals = b.Cur.Vals[:len(b.Cur.Vals)-1] // stands in no block: nothing holds it
	b.Store(lost, 0, 8, b.Const(1))
	b.Return()
	hook := probes.Hook{Kind: probes.Function, Module: "vmlinux", Target: "vfs_read"}
	u := &Unit{Hook: hook, Hooks: []probes.Hook{hook}, Sites: []*probes.Site{{ID: 7, Hook: hook, Raw: 4, Words: 5}}}
	_, err := Generate(b.p, []*Unit{u}, Features{Arch: "amd64", CPUs: 2, CompatStatus: -1})
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Mishap == nil {
		t.Fatalf("got %v", err)
	}
	d := refusal.Mishap
	if d.Code != diag.Internal || d.At != b.At || !strings.Contains(d.Msg, fmt.Sprintf("the code generator could not go on here: nothing holds v%d, an address (", lost.ID)) {
		t.Errorf("%v: %s %s", d.At, d.Code, d.Msg)
	}
}

// TestMishapBeside breaks down where registers are allocated, beside the selection: that
// panic would end the process, as nobody waits for it with a recover of its own.
func TestMishapBeside(t *testing.T) {
	b := newBed()
	b.At = token.Span{From: 3, To: 5}
	b.Store(b.out, 0, 8, b.Const(1))
	b.Return()
	d := &draft{fn: b.p.Funcs[0]}
	d.working.Go(func() {
		defer d.recovered()
		(*mach.Func)(nil).Finish(nil)
	})
	d.working.Wait()
	if m := d.mishap.Load(); m == nil || m.Code != diag.Internal || m.At != b.At {
		t.Fatalf("got %v", m)
	}
	if _, err := (&generator{}).fit(d); err == nil {
		t.Error("what broke down is used")
	}
}
