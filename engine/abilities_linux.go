package engine

import "dscope.dev/engine/internal/trial"

// MayWrite returns nil, or what the kernel says against programs that write to memory
// of processes.
func (*Engine) MayWrite() error { return trial.MayWrite() }

// SharesBusy returns nil, or what the kernel says against looking for the map by which
// the programs of all runs on the machine keep out of one another's way.
func (*Engine) SharesBusy() error { return trial.SharesBusy() }

// Lockdown returns the mode of the kernel's lockdown: none, integrity or
// confidentiality; "" if the kernel knows no lockdown. An error says that we may not
// know.
func Lockdown() (mode string, err error) { return trial.Lockdown() }
