package codegen

import (
	"fmt"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/engine/codegen/mach"
)

// TestNoAddress asks for an address that no register holds: register 0 is never taken
// in its place, but the compilation ends.
func TestNoAddress(t *testing.T) {
	p, err := ir.Parse("sub x\nb0:\n v0 = self\n v1 = const #8\n v2 = add v0 v1\n return\n")
	if err != nil {
		t.Fatal(err)
	}
	self, moved := p.Funcs[0].Blocks[0].Vals[0], p.Funcs[0].Blocks[0].Vals[2]
	s := &selector{m: &mach.Func{Regs: mach.Virtual}, g: &generator{}, fn: p.Funcs[0]}
	s.regs, s.uses, s.types = s.g.room.of(s.fn)
	s.types[moved.ID] = ir.Ptr
	for name, ask := range map[string]func(){
		"address":         func() { s.address(mach.R1, self, 0) },
		"address further": func() { s.address(mach.R1, moved, 0) },
		"mem":             func() { s.mem(self, 16) },
		"mem further":     func() { s.mem(moved, 16) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got, want := fmt.Sprint(recover()), "nothing holds v0, an address"; got != want {
					t.Errorf("got %s, want the panic %q", got, want)
				}
			}()
			ask()
		})
	}
}
