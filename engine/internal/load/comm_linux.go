package load

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// as runs f in a thread that has the name comm, as far as the kernel keeps it.
// BEGIN and END fire in it: a script for dtrace(1) knows its tracer by the name
// dtrace, whatever the program is called that runs it.
func as(comm string, f func() error) error {
	if comm == "" {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var was, now [16]byte // TASK_COMM_LEN
	copy(now[:15], comm)
	if unix.Prctl(unix.PR_GET_NAME, uintptr(unsafe.Pointer(&was)), 0, 0, 0) == nil &&
		unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&now)), 0, 0, 0) == nil {
		defer unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&was)), 0, 0, 0)
	}
	return f()
}
