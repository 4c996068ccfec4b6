package main

import (
	"os"
	"path/filepath"
)

// callDtrace gives the threads of this process the name dtrace. BEGIN and END
// fire in the tracer, where execname then is what scripts for dtrace(1) expect,
// and leave out by execname != "dtrace". Threads that come later take it over. It
// is a courtesy: where it cannot be done, nothing is lost.
func callDtrace() {
	names, _ := filepath.Glob("/proc/self/task/*/comm")
	for _, name := range names {
		_ = os.WriteFile(name, []byte("dtrace"), 0)
	}
}
