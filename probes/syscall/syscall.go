// Package syscall publishes the entry and the return of every system call, as
// syscall:vmlinux:NAME:entry and :return.
//
// NAME is that of the function that serves the call in the kernel, without its
// sys_; so DTrace on Linux has it, because tracefs has. It differs from what
// programs call in a few places: newstat, newfstat, newlstat, newuname,
// sendfile64 and umount are stat, fstat, lstat, uname, sendfile and umount2.
//
// Which calls this kernel serves is read from the names of tracefs; a kernel
// that does not list them (or lets nobody read the list) is taken to serve all.
// Numbers and types come from a table, because the kernel tells no numbers,
// and because to read 360 format files takes longer than to start a script. A
// system call never changes its arguments, and a test holds the table against
// the format files of the kernel that it runs on.
//
// All entries share one hook, and all returns another: a program on sys_enter
// or sys_exit that compares the number. It costs half of what one event a call
// does, and detaches at once. Calls of the 32-bit and x32 ABIs have other
// numbers and are not meant.
package syscall

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"dscope.dev/dlang/types"
	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
)

// The fixed parts of the probes' names.
const (
	Name   = "syscall"
	module = "vmlinux"
	entry  = "entry"
	leave  = "return"
)

// maxArgs is how many arguments a system call can have.
const maxArgs = 6

// A Provider publishes the system calls of a kernel.
type Provider struct {
	kernel *kernel.Kernel
	table  func() (*table, error)
}

// A table is the calls of this machine, and which of them the kernel serves.
type table struct {
	calls  map[string]call
	served []string // in order
}

// New returns the provider for a kernel.
func New(k *kernel.Kernel) *Provider {
	p := &Provider{kernel: k}
	p.table = sync.OnceValues(p.load)
	return p
}

func (p *Provider) load() (*table, error) {
	calls, order, err := readTable(p.kernel.Arch())
	if err != nil {
		return nil, err
	}
	t := &table{calls: calls}
	events, err := p.kernel.Events()
	if err == nil {
		t.served = servedBy(events, calls)
	}
	if len(t.served) == 0 { // no tracefs, or CONFIG_FTRACE_SYSCALLS is off
		t.served = order
	}
	return t, nil
}

// servedBy picks the calls out of the kernel's events. One that is newer than
// the table has no number here, and so cannot be told apart from others.
func servedBy(events []kernel.Event, calls map[string]call) []string {
	var names []string
	for _, e := range events {
		name, ok := strings.CutPrefix(e.Name, "sys_enter_")
		if !ok || e.Group != kernel.SyscallGroup {
			continue
		}
		if _, known := calls[name]; known {
			names = append(names, name)
		}
	}
	return names
}

// Name returns syscall.
func (p *Provider) Name() string { return Name }

// Help says what the family is for.
func (p *Provider) Help() string {
	return "every system call: entry with its arguments, return with its result"
}

// Available returns why system calls cannot be traced: on machines whose
// numbers are not known.
func (p *Provider) Available() error {
	_, err := p.table()
	return err
}

// Traits returns what sets the family apart.
func (p *Provider) Traits() probes.Traits {
	return probes.Traits{MayMatch: p.MayMatch, Count: p.Count, Suggest: p.Suggest}
}

// MayMatch rules out what no call can be named.
func (p *Provider) MayMatch(pat probes.Pattern) bool {
	return probes.Glob(pat.Module, module) && (probes.Glob(pat.Name, entry) || probes.Glob(pat.Name, leave))
}

// Count returns how many probes there are.
func (p *Provider) Count() int {
	t, err := p.table()
	if err != nil {
		return 0
	}
	return 2 * len(t.served)
}

// Suggest knows the calls whose function has another name than programs use.
func (p *Provider) Suggest(part probes.Part, pat probes.Pattern) string {
	if part != probes.FunctionPart {
		return ""
	}
	name := renamed[strings.TrimSuffix(pat.Function, "_nocancel")]
	if bare, ok := strings.CutSuffix(pat.Function, "_nocancel"); ok && name == "" {
		name = bare // macOS has two of many calls
	}
	t, err := p.table()
	if err != nil {
		return ""
	}
	if _, known := t.calls[name]; !known {
		return ""
	}
	return name
}

// renamed gives the kernel's names of calls that programs, or other kernels, call otherwise: those
// of uts/common/os/sysent.c of illumos, sys/kern/syscalls.master of FreeBSD and
// bsd/kern/syscalls.master of macOS that do what one of Linux's does.
var renamed = map[string]string{
	"stat": "newstat", "fstat": "newfstat", "lstat": "newlstat", "fstatat": "newfstatat", "uname": "newuname",
	"sendfile": "sendfile64", "umount2": "umount", "pread": "pread64", "pwrite": "pwrite64",
	"_exit": "exit_group", "sigaction": "rt_sigaction", "sigprocmask": "rt_sigprocmask", "sigreturn": "rt_sigreturn",
	"getdents": "getdents64", "wait": "wait4", "waitpid": "wait4", "readdir": "getdents64",
	"recv": "recvfrom", "send": "sendto", "so_socket": "socket", "posix_fallocate": "fallocate", "posix_fadvise": "fadvise64",
	"sigsuspend": "rt_sigsuspend", "sigtimedwait": "rt_sigtimedwait", "sigwaitinfo": "rt_sigtimedwait", "sigpending": "rt_sigpending", "sigqueue": "rt_sigqueueinfo",

	// illumos
	"exec": "execve", "exece": "execve", "forksys": "clone", "fork1": "clone", "forkall": "clone", "rexit": "exit_group", "waitsys": "waitid",
	"open64": "open", "openat64": "openat", "creat64": "creat", "stat64": "newstat", "fstat64": "newfstat", "lstat64": "newlstat", "fstatat64": "newfstatat",
	"mmap64": "mmap", "llseek": "lseek", "statvfs": "statfs", "fstatvfs": "fstatfs", "statvfs64": "statfs", "fstatvfs64": "fstatfs", "memcntl": "madvise",
	"pollsys": "ppoll", "yield": "sched_yield", "gtime": "time", "priocntlsys": "sched_setscheduler",
	"lwp_create": "clone3", "lwp_exit": "exit", "lwp_kill": "tgkill", "lwp_self": "gettid", "lwp_park": "futex", "lwp_sigmask": "rt_sigprocmask",

	// FreeBSD
	"rfork": "clone", "pdfork": "clone3", "thr_new": "clone3", "thr_exit": "exit", "thr_kill": "tgkill", "thr_self": "gettid", "_umtx_op": "futex",
	"kqueue": "epoll_create1", "kevent": "epoll_wait", "getdirentries": "getdents64", "wait6": "waitid",

	// macOS
	"posix_spawn": "execve", "bsdthread_create": "clone3", "bsdthread_terminate": "exit", "getdirentries64": "getdents64", "kevent64": "epoll_wait", "kevent_qos": "epoll_wait",
	"__semwait_signal": "futex", "psynch_mutexwait": "futex", "psynch_cvwait": "futex", "ulock_wait": "futex", "ulock_wake": "futex",
}

// Match yields the probes that pat covers, by name.
func (p *Provider) Match(ctx context.Context, pat probes.Pattern) iter.Seq2[probes.Probe, error] {
	return func(yield func(probes.Probe, error) bool) {
		t, err := p.table()
		if err != nil {
			yield(probes.Probe{}, err)
			return
		}
		for _, name := range t.served {
			for _, edge := range [...]string{entry, leave} {
				q := probes.Probe{Provider: Name, Module: module, Function: name, Name: edge}
				if pat.Matches(q) && !yield(q, ctx.Err()) {
					return
				}
			}
		}
	}
}

// Site says by which number q is known and types its arguments.
func (p *Provider) Site(q probes.Probe) (*probes.Site, error) {
	t, err := p.table()
	if err != nil {
		return nil, err
	}
	c, known := t.calls[q.Function]
	if !known || q.Provider != Name || q.Module != module {
		return nil, &probes.NoMatch{Pattern: probes.Pattern(q), Part: probes.FunctionPart}
	}
	s := &probes.Site{
		Probe: q,
		Hook:  probes.Hook{Kind: probes.Tracepoint, Select: probes.BySyscall},
		Key:   c.number,
		Help:  helps[q.Function],
	}
	switch q.Name {
	case entry:
		s.Hook.Target = "sys_enter"
		s.Raw = maxArgs
		s.Args, err = p.args(c)
		return s, err
	case leave:
		s.Hook.Target = "sys_exit"
		s.Raw = 2
		s.Args = []probes.Arg{{Name: "ret", Type: types.Long}, {Name: "ret", Type: types.Long, Slot: 1}}
		return s, nil
	}
	return nil, &probes.NoMatch{Pattern: probes.Pattern(q), Part: probes.NamePart}
}

// args types the arguments of a call. What points somewhere points into the
// process.
func (p *Provider) args(c call) ([]probes.Arg, error) {
	params := parseParams(c.params)
	args := make([]probes.Arg, len(params))
	for i, a := range params {
		t, err := p.kernel.CType(a.typ)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.name, err)
		}
		args[i] = probes.Arg{Name: a.name, Type: t, Slot: i, User: types.IsPointer(t)}
	}
	return args, nil
}
