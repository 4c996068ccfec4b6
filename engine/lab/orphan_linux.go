package lab

import (
	"os/exec"
	"syscall"
)

// noOrphan has the kernel kill a machine whose test has died, which may be by its
// timeout.
func noOrphan(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
