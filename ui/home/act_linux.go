package home

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// act does something as u, on a thread that has the file system's identity of u for
// that long: its user, its group, and no other groups. The capabilities over files that
// root has go with it, and come back with root. A thread that cannot be made root's
// again is not used again.
func (u User) act(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		back, err := u.assume()
		if err != nil {
			done <- fmt.Errorf("act as user %d: %w", u.UID, errors.Join(err, back()))
			return // and the thread with it
		}
		err = do()
		if back() == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

// assume makes the thread u's, as far as files are concerned, until back is called.
func (u User) assume() (back func() error, err error) {
	uid, gid := os.Geteuid(), os.Getegid()
	groups, err := unix.Getgroups()
	back = func() error {
		return errors.Join(setUser(uid), setGroup(gid), setGroups(groups))
	}
	if err != nil {
		return back, err
	}
	for _, act := range []func() error{
		func() error { return setGroups(nil) },
		func() error { return setGroup(u.GID) },
		func() error { return setUser(u.UID) },
	} {
		if err := act(); err != nil {
			return back, err
		}
	}
	return back, nil
}

// setUser sets the thread's user for files. The call itself never fails: it tells who
// it was, and so it is asked twice.
func setUser(uid int) error { return setID(unix.SYS_SETFSUID, uid) }

func setGroup(gid int) error { return setID(unix.SYS_SETFSGID, gid) }

func setID(call uintptr, id int) error {
	unix.RawSyscall(call, uintptr(id), 0, 0)
	const nobody = 1<<32 - 1 // an id that there cannot be, which changes nothing
	if now, _, _ := unix.RawSyscall(call, nobody, 0, 0); int(now) != id {
		return unix.EPERM
	}
	return nil
}

// setGroups sets the other groups of this thread alone, where package syscall would
// set those of all threads.
func setGroups(groups []int) error {
	list := make([]uint32, len(groups)+1) // one more, for an address
	for i, g := range groups {
		list[i] = uint32(g)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&list[0])), 0); errno != 0 {
		return errno
	}
	return nil
}
