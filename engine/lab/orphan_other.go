//go:build !linux

package lab

import "os/exec"

// noOrphan does nothing: only Linux can tie a process to the life of another.
func noOrphan(*exec.Cmd) {}
