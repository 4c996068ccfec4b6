package codegen

import (
	"testing"

	"github.com/cilium/ebpf/asm"
)

// NeedKernel skips a test that loads programs where that is not allowed.
func NeedKernel(t testing.TB) {
	t.Helper()
	needKernel(t)
}

// Splits is splits.
func Splits(ins asm.Instructions) error { return splits(ins) }
