// Package child starts processes that die with this one.
package child

import (
	"os/exec"
	"runtime"
	"sync"
)

// The kernel kills them (PR_SET_PDEATHSIG) when the thread ends that has started them; so that is one
// which lives as long as this process.
var starts = sync.OnceValue(func() chan func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

// Start starts a command whose SysProcAttr has a Pdeathsig.
func Start(cmd *exec.Cmd) error {
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}
