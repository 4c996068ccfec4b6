package codegen

import "testing"

// NeedKernel skips a test that loads programs where that is not allowed.
func NeedKernel(t testing.TB) {
	t.Helper()
	needKernel(t)
}
