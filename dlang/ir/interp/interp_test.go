package interp

import (
	"testing"

	"dscope.dev/dlang/ir"
)

// TestSteps asks for each operation who does it.
func TestSteps(t *testing.T) {
	table := steps()
	for op := range ir.Ops() {
		byBlock := op == ir.OpPhi || op.IsTerminator()
		if done := table[op] != nil; done == byBlock {
			t.Errorf("%s is done by a step: %t, by block itself: %t", op, done, byBlock)
		}
	}
}
