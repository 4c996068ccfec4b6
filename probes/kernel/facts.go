package kernel

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cilium/ebpf/btf"
)

// Facts are what can be told of the kernel without its types.
type Facts struct {
	Arch     string // as Go names it: amd64 or arm64
	Release  string // as uname -r prints it: 6.18.44
	Major    int
	Minor    int
	Possible []int // CPUs that may ever come; per-CPU maps have a value for each
	Online   []int // CPUs that run now
	MaxStack int   // frames that the kernel records of a stack: kernel.perf_event_max_stack
}

// AtLeast reports whether the kernel is of that release or a later one.
func (f Facts) AtLeast(major, minor int) bool {
	return f.Major > major || f.Major == major && f.Minor >= minor
}

// Facts reads the plain facts.
func (k *Kernel) Facts() (Facts, error) { return k.facts() }

func (k *Kernel) loadFacts() (Facts, error) {
	f := Facts{Arch: k.roots.Arch}
	release, err := fs.ReadFile(k.roots.Proc, "sys/kernel/osrelease")
	if err != nil {
		return f, fmt.Errorf("read the kernel's release: %w", err)
	}
	f.Release = strings.TrimSpace(string(release))
	if f.Major, f.Minor, err = parseRelease(f.Release); err != nil {
		return f, err
	}
	if f.Possible, err = k.cpus("possible"); err != nil {
		return f, err
	}
	if f.Online, err = k.cpus("online"); err != nil {
		return f, err
	}
	f.MaxStack = k.maxStack()
	return f, nil
}

// maxStack reads how deep stacks are recorded. Where that cannot be read it is as
// the kernel begins: PERF_MAX_STACK_DEPTH.
func (k *Kernel) maxStack() int {
	text, err := fs.ReadFile(k.roots.Proc, "sys/kernel/perf_event_max_stack")
	if err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n > 0 {
			return n
		}
	}
	return 127
}

// parseRelease reads 6.18.44-rc1+ and the like.
func parseRelease(s string) (major, minor int, err error) {
	first, rest, _ := strings.Cut(s, ".")
	second := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		second = rest[:i]
	}
	major, err = strconv.Atoi(first)
	if err == nil {
		minor, err = strconv.Atoi(second)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("the kernel's release is not of the form 6.18: %q", s)
	}
	return major, minor, nil
}

func (k *Kernel) cpus(set string) ([]int, error) {
	text, err := fs.ReadFile(k.roots.Sys, "devices/system/cpu/"+set)
	if err != nil {
		return nil, fmt.Errorf("read which CPUs are %s: %w", set, err)
	}
	list, err := parseCPUs(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("/sys/devices/system/cpu/%s: %w", set, err)
	}
	return list, nil
}

// maxCPU is more than any Linux can have.
const maxCPU = 1 << 16

// parseCPUs reads a list such as 0-3,8.
func parseCPUs(s string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		if !isRange {
			hi = lo
		}
		from, err := strconv.Atoi(lo)
		if err != nil {
			return nil, fmt.Errorf("no list of CPUs: %q", s)
		}
		to, err := strconv.Atoi(hi)
		if err != nil || from < 0 || to < from || to >= maxCPU {
			return nil, fmt.Errorf("no list of CPUs: %q", s)
		}
		for cpu := from; cpu <= to; cpu++ {
			list = append(list, cpu)
		}
	}
	return list, nil
}

// How the kernel marks a thread that is in a 32-bit system call.
const (
	tsCompat = 1 << 1  // x86, thread_info.status: TS_COMPAT, asm/thread_info.h
	tif32Bit = 1 << 22 // arm64, thread_info.flags: TIF_32BIT, asm/thread_info.h
)

// Compat tells how a program knows that a thread is in a system call of the
// 32-bit ABI: some bit of mask is set in the 32-bit word at offset in
// task_struct. The offset is -1 if this kernel serves no such calls. Calls of
// the x32 ABI are not meant: their numbers have bit 30 set.
func (k *Kernel) Compat() (offset int, mask uint32, err error) {
	spec, err := k.vmlinux()
	if err != nil {
		return -1, 0, err
	}
	member, served := "status", []string{"do_int80_emulation", "do_int80_syscall_32", "do_fast_syscall_32"}
	mask = tsCompat
	if k.roots.Arch == "arm64" {
		member, served = "flags", []string{"do_el0_svc_compat", "el0t_32_sync_handler"}
		mask = tif32Bit
	}
	if !hasFunc(spec, served...) && hasFunc(spec, "ksys_read") {
		return -1, 0, nil
	}
	var task, info *btf.Struct
	if err := spec.TypeByName("task_struct", &task); err != nil {
		return -1, 0, fmt.Errorf("struct task_struct: %w", err)
	}
	if err := spec.TypeByName("thread_info", &info); err != nil {
		return -1, 0, fmt.Errorf("struct thread_info: %w", err)
	}
	inner, ok1 := memberOffset(task.Members, "thread_info")
	word, ok2 := memberOffset(info.Members, member)
	if !ok1 || !ok2 {
		return -1, 0, fmt.Errorf("the kernel's types do not tell where thread_info.%s lies in task_struct: %w", member, ErrNoType)
	}
	return inner + word, mask, nil
}

func hasFunc(spec *btf.Spec, names ...string) bool {
	for _, name := range names {
		var f *btf.Func
		if spec.TypeByName(name, &f) == nil {
			return true
		}
	}
	return false
}

// memberOffset finds a member, in unnamed members too, and returns its offset
// in bytes.
func memberOffset(members []btf.Member, name string) (int, bool) {
	for _, m := range members {
		if m.Name == name {
			return int(m.Offset / 8), true
		}
		if m.Name != "" {
			continue
		}
		var inner []btf.Member
		switch t := unqualify(m.Type).(type) {
		case *btf.Struct:
			inner = t.Members
		case *btf.Union:
			inner = t.Members
		}
		if off, ok := memberOffset(inner, name); ok {
			return int(m.Offset/8) + off, true
		}
	}
	return 0, false
}

// RawCookies reports whether raw tracepoints take attach cookies (Linux 6.10),
// which shows in the argument of the bpf system call.
func (k *Kernel) RawCookies() bool {
	spec, err := k.vmlinux()
	if err != nil {
		return false
	}
	var attr *btf.Union
	if spec.TypeByName("bpf_attr", &attr) != nil {
		return false
	}
	for _, m := range attr.Members {
		if s, ok := m.Type.(*btf.Struct); ok && m.Name == "raw_tracepoint" {
			_, found := memberOffset(s.Members, "cookie")
			return found
		}
	}
	return false
}
