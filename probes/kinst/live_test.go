package kinst_test

import (
	"os"
	"strings"
	"testing"

	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/kinst"
)

// TestLiveDisassembly cuts every function of the running kernel into instructions.
// Few may have something in them that is not known.
func TestLiveDisassembly(t *testing.T) {
	k := kerneltest.Live(t)
	funcs, err := k.Functions()
	if err != nil {
		t.Skipf("needs a kernel that lists its functions: %v", err)
	}
	if _, err := os.Stat("/proc/kcore"); err != nil {
		t.Skipf("needs the kernel's code: %v", err)
	}
	all, cut, instructions := 0, 0, 0
	why := map[string]int{}
	for i, f := range funcs.List {
		if f.Copies > 1 || f.Module != "vmlinux" || i%31 != 0 {
			continue
		}
		code, err := k.Code(f)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		list, err := kinst.Disassemble(k.Arch(), code.Addr, code.Bytes)
		all++
		instructions += len(list)
		if err != nil {
			cut++
			_, reason, _ := strings.Cut(err.Error(), ": ")
			if i := strings.LastIndexByte(reason, '('); i >= 0 {
				reason = reason[i:min(i+12, len(reason))]
			}
			if why[reason]++; why[reason] == 1 {
				t.Logf("%s: %v", f.Name, err)
			}
		}
	}
	t.Logf("%d functions, %d instructions, %d functions with something that is not known: %v", all, instructions, cut, why)
	if all < 500 || cut*50 > all {
		t.Errorf("of %d functions, %d have instructions that are not known", all, cut)
	}
}
