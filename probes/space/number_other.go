//go:build !linux

package space

import "os"

// KernelPID returns the number of this process.
func KernelPID() int { return os.Getpid() }
