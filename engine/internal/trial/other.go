//go:build !linux

package trial

import (
	"errors"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/codegen"
	"dscope.dev/probes/kernel"
)

// ErrPrivileges is what Available answers.
var ErrPrivileges = errors.New("tracing needs Linux; here dscope edits, checks and replays")

// Smallest returns why nothing is traced here.
func Smallest() error { return ErrPrivileges }

// MayWrite returns why nothing writes to memory of processes.
func MayWrite() error { return ErrPrivileges }

func tryFunctions() Functions { return Functions{ErrPrivileges, ErrPrivileges, ErrPrivileges} }

func pidSpace(*kernel.Kernel) lower.PIDSpace { return lower.PIDSpace{} }

func interruptCount(*kernel.Kernel) kernel.InterruptCount { return kernel.InterruptCount{} }

func activeVar(*kernel.Kernel) uint32 { return 0 }

func current(*kernel.Kernel, kernel.Facts) codegen.CurrentTasks { return codegen.CurrentTasks{} }
