package resolver

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/binary"
)

type none struct{}

// What a worker of the tests can be asked for.
var (
	hangs   = New("hang", 1<<10, func(*Room, none) (none, error) { <-time.After(time.Hour); return none{}, nil })
	spins   = New("spin", 1<<10, func(*Room, none) (none, error) { return none{}, spin() })
	works   = New("work", 1<<10, func(_ *Room, d time.Duration) (none, error) { return none{}, work(d) })
	dies    = New("die", 1<<10, func(*Room, none) (none, error) { os.Exit(7); return none{}, nil })
	eats    = New("eat", 1<<10, func(*Room, none) (int, error) { return eat() })
	floods  = New("flood", 1<<10, func(*Room, none) ([]byte, error) { return make([]byte, 64<<20), nil })
	panics  = New("panic", 1<<10, func(*Room, none) (none, error) { panic("nonsense") })
	partial = New("partial", 1<<10, func(*Room, none) (string, error) { return "half\xff", errors.New("then damage") })
	reads   = New("read", 1<<20, func(r *Room, n int) ([]byte, error) {
		b := make([]byte, n)
		_, err := r.File.ReadAt(b, 0)
		return b, err
	})
	threads = New("threads", 1<<10, func(_ *Room, n int) (int, error) { return manyThreads(n), nil })
	tries   = New("try", 1<<16, func(*Room, none) ([]attempt, error) { return try(), nil })
	looks   = New("look", 1<<16, func(r *Room, name string) (string, error) { return look(r, name) })
	counts  = New("count", 1<<10, func(*Room, none) (int, error) { return openNumbers(), nil })
	keeps   = New("keep", 1<<10, func(r *Room, _ none) (int, error) { k, err := Keep(r, newToy); return k.asked(), err })
	symbols = New("symbols", 512<<20, func(r *Room, _ none) (*binary.Symbols, error) {
		f, err := r.Binary()
		if err != nil {
			return nil, err
		}
		return r.Root().Symbols(f)
	})
)

// work computes until it has had so much of a CPU.
func work(d time.Duration) error {
	took := func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
		return time.Duration(t.Nano())
	}
	for from := took(); took()-from < d; {
	}
	return nil
}

func spin() error {
	for {
		spun.Add(1)
	}
}

var spun atomic.Uint64

// eat takes more memory than a worker may have.
func eat() (int, error) {
	var all [][]byte
	for len(all) < 64 {
		all = append(all, make([]byte, 128<<20)) // which is bounded by what it may, and not by what it does
	}
	return len(all), nil
}

// manyThreads has so many threads at once.
func manyThreads(n int) int {
	var all, done sync.WaitGroup
	all.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread()
			all.Done()
			all.Wait()
		})
	}
	done.Wait()
	return n
}

// An attempt is something that a worker may not do.
type attempt struct {
	Name  string
	Errno int
}

// try tries what a worker may not do.
func try() []attempt {
	path := []byte("/proc/self/status\x00")
	at := uintptr(unsafe.Pointer(&path[0]))
	var list []attempt
	call := func(name string, nr uintptr, args ...uintptr) {
		args = append(args, make([]uintptr, 6)...)
		_, _, errno := syscall.RawSyscall6(nr, args[0], args[1], args[2], args[3], args[4], args[5])
		list = append(list, attempt{name, int(errno)})
	}
	here := ^uintptr(99) // AT_FDCWD
	call("openat", unix.SYS_OPENAT, here, at, unix.O_RDONLY)
	call("openat2", unix.SYS_OPENAT2, here, at)
	call("memfd_create", unix.SYS_MEMFD_CREATE, at)
	call("unlinkat", unix.SYS_UNLINKAT, here, at)
	call("mkdirat", unix.SYS_MKDIRAT, here, at)
	call("socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM)
	call("socketpair", unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM)
	call("connect", unix.SYS_CONNECT, 3)
	call("execve", unix.SYS_EXECVE, at)
	call("clone", unix.SYS_CLONE, uintptr(unix.SIGCHLD))
	call("kill", unix.SYS_KILL, uintptr(syscall.Getpid()))
	call("tgkill another", unix.SYS_TGKILL, 1, 1)
	call("ptrace", unix.SYS_PTRACE, unix.PTRACE_TRACEME)
	call("process_vm_readv", unix.SYS_PROCESS_VM_READV, 1)
	call("bpf", unix.SYS_BPF)
	call("perf_event_open", unix.SYS_PERF_EVENT_OPEN)
	call("setuid", unix.SYS_SETUID)
	call("unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	call("mount", unix.SYS_MOUNT)
	call("prlimit64", unix.SYS_PRLIMIT64)
	call("prctl", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1)
	call("ioctl", unix.SYS_IOCTL, 3)
	call("sendmsg", unix.SYS_SENDMSG, 3)
	call("io_uring_setup", unix.SYS_IO_URING_SETUP, 1)
	call("keyctl", unix.SYS_KEYCTL)
	call("mmap of code", unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON, ^uintptr(0))
	call("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER)
	return list
}

// look asks for a file of a name, and says how it begins.
func look(r *Room, name string) (string, error) {
	f, err := r.Root().OpenFile(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b [4]byte
	_, err = f.ReadAt(b[:], 0)
	return string(b[:]), err
}

// openNumbers returns how many descriptors are open, without a file system to list them.
func openNumbers() (n int) {
	for fd := range 4 * mostKept {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil {
			n++
		}
	}
	return n
}

type toy struct {
	file *os.File
	n    int
}

func newToy(f *os.File) (*toy, error) { return &toy{file: f}, nil }

func (t *toy) asked() int {
	if t == nil {
		return 0
	}
	t.n++
	return t.n
}
func (t *toy) Held() uint64 { return 10 << 20 }
func (t *toy) Close() error { return t.file.Close() }
