//go:build !linux

package load

// Loaded is what a run has in the kernel: nothing, here.
type Loaded struct{}
