package resolver

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are the system calls that are left to a worker: those of Go's own runtime (memory,
// threads, waiting, signals to itself), and those by which it reads what it has been handed and
// answers. No other makes anything, opens anything or tells of anything outside.
var calls = []uintptr{
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_WRITE, unix.SYS_RECVMSG, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK,
	unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SET_ROBUST_LIST,
	unix.SYS_RSEQ, // without which a thread of glibc, of a dscope that was built with cgo, ends the process
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// A rule lets a call pass by one of its arguments.
type rule struct {
	call uintptr
	arg  uint32
	jump uint16   // how the argument is compared
	with []uint32 // any of these
	deny bool     // if it fits, and not if it doesn't
}

func rules() []rule {
	return []rule{
		{unix.SYS_CLONE, 0, unix.BPF_JSET, []uint32{unix.CLONE_THREAD}, false}, // threads, and no processes
		{unix.SYS_MMAP, 2, unix.BPF_JSET, []uint32{unix.PROT_EXEC}, true},      // no new code
		{unix.SYS_MPROTECT, 2, unix.BPF_JSET, []uint32{unix.PROT_EXEC}, true},
		{unix.SYS_FCNTL, 1, unix.BPF_JEQ, []uint32{unix.F_DUPFD_CLOEXEC, unix.F_GETFL}, false},
		{unix.SYS_TGKILL, 0, unix.BPF_JEQ, []uint32{uint32(unix.Getpid())}, false}, // its own threads
	}
}

// machine is what the kernel calls ours.
var machine = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Where struct seccomp_data has what is asked, and its arguments, of which the lower halves are
// looked at: all that is compared are numbers of 32 bits.
const (
	callAt  = 0
	archAt  = 4
	argsAt  = 16
	argSize = 8
)

// program makes the filter:
//
//	another machine's calls?        kill
//	for each rule: is it the call?  then look at the argument, and pass or fail
//	for each call: is it this one?  pass
//	clone3                          ENOSYS: its flags cannot be seen, and clone is used then
//	fail with EPERM
func program() []unix.SockFilter {
	const (
		pass = unix.SECCOMP_RET_ALLOW
		fail = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(how uint16, k uint32, yes, no int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, K: k, Jt: uint8(yes), Jf: uint8(no)}
	}
	ret := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

	list := []unix.SockFilter{load(archAt), jump(unix.BPF_JEQ, machine[runtime.GOARCH], 1, 0), ret(unix.SECCOMP_RET_KILL_PROCESS), load(callAt)}
	for _, r := range rules() {
		fits, not := uint32(pass), fail
		if r.deny {
			fits, not = not, fits
		}
		list = append(list, jump(unix.BPF_JEQ, uint32(r.call), 0, len(r.with)+3), load(argsAt+argSize*r.arg))
		for i, k := range r.with {
			list = append(list, jump(r.jump, k, len(r.with)-i, 0))
		}
		list = append(list, ret(not), ret(fits))
	}
	for _, c := range calls {
		list = append(list, jump(unix.BPF_JEQ, uint32(c), 0, 1), ret(pass))
	}
	return append(list, jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), ret(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)), ret(fail))
}

// filter leaves to all threads of this process only what program lets pass, and to what it might
// start as well.
func filter() error {
	list := program()
	prog := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	n, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(list)
	if errno != 0 {
		return errno
	}
	if n != 0 {
		return fmt.Errorf("thread %d cannot be filtered", n)
	}
	return nil
}
