package lower

import (
	"maps"
	"slices"
	"testing"

	"dscope.dev/dlang/ir"
)

// TestKernelSubs holds that the seal knows every subroutine that reads memory of the
// kernel: they are written as text, and so do not pass it themselves.
func TestKernelSubs(t *testing.T) {
	reads := map[ir.Sym]bool{}
	for name, f := range runtimeFuncs(t, 0) {
		for _, b := range f.Blocks {
			for _, v := range b.Vals {
				switch v.Op {
				case ir.OpReadK, ir.OpReadKN, ir.OpReadStrK:
					if v.Args[1].Type() != ir.Ptr {
						reads[ir.Sym(name)] = true
					}
				case ir.OpTask, ir.OpTaskLoad, ir.OpReadU, ir.OpReadUN, ir.OpReadStrU, ir.OpStack, ir.OpStackID, ir.OpSignal, ir.OpWriteU, ir.OpWriteUN:
					t.Errorf("%s does what the seal must be asked about: %v", name, v.Op)
				}
			}
		}
	}
	if got := slices.Sorted(maps.Keys(reads)); !slices.Equal(got, kernelSubs) {
		t.Errorf("the seal knows %v, and these read: %v", kernelSubs, got)
	}
}
