package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"dscope.dev/engine"
)

// A capability is one that tracing may want.
type capability struct {
	bit       uint // of include/uapi/linux/capability.h
	name, use string
}

// capabilities are those that have a part in tracing. CAP_SYS_ADMIN is none of
// them: it stands for all, and for statistics alone it is too much to ask.
var capabilities = [...]capability{
	{39, "CAP_BPF", "loading programs and maps"},
	{38, "CAP_PERFMON", "tracing programs, clocks, counters, uprobes"},
	{2, "CAP_DAC_READ_SEARCH", "tracefs, and files of other users"},
	{34, "CAP_SYSLOG", "addresses of the kernel, and so names in stack()"},
	{19, "CAP_SYS_PTRACE", "names in processes of other users: ustack(), usym(), pid"},
}

// sysAdmin stands for CAP_BPF, CAP_PERFMON and CAP_SYSLOG where a process has it.
const sysAdmin = 21

// privileges are what this process may do.
func privileges(e *engine.Engine) []Finding {
	err := e.Available()
	f := Finding{Name: programs, Use: "the kernel takes tracing programs of this process", OK: err == nil}
	if err != nil {
		if f.Why, f.Remedy = reason(err); f.Remedy == asRoot {
			f.Remedy = "run as root; or give the binary what it needs: " +
				"setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_syslog,cap_sys_ptrace=ep dscope"
		}
	}
	list := []Finding{f}
	set := "CapEff:"
	if e.Rights() != nil {
		set = "CapPrm:" // a session of a helper raises some for as long as it needs them
	}
	has, inner, err := capabilitySet(set)
	if err != nil {
		return append(list, Finding{Name: "capabilities", Use: "what the process may do", Why: err.Error(), Remedy: "mount /proc"})
	}
	for _, c := range capabilities {
		f := Finding{Name: c.name, Use: c.use, OK: has&(1<<c.bit) != 0 || c.bit > 30 && has&(1<<sysAdmin) != 0}
		switch {
		case !f.OK:
			f.Why, f.Remedy = "the process does not have it", "run as root, or with "+c.name
		case inner:
			f.OK = false
			f.Why, f.Remedy = "it holds in this user namespace only, which does not count for tracing", "run outside of the container, or in one that is privileged"
		}
		list = append(list, f)
	}
	return append(list, lockedDown(), memory(), readers())
}

// capabilitySet returns one of the sets of capabilities of this process, and whether they
// hold in a user namespace of its own only.
func capabilitySet(name string) (set uint64, inner bool, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false, err
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, name); ok {
			if set, err = strconv.ParseUint(strings.TrimSpace(text), 16, 64); err != nil {
				return 0, false, fmt.Errorf("/proc/self/status: %w", err)
			}
		}
	}
	ns, err := os.Readlink("/proc/self/ns/user")
	// The number of the first user namespace: PROC_USER_INIT_INO of include/linux/proc_ns.h.
	return set, err == nil && ns != "user:[4026531837]", nil
}

// lockedDown is whether the kernel keeps secrets from root.
func lockedDown() Finding {
	f := Finding{Name: "not locked down", Use: "copyout(), and fentry on some kernels", OK: true}
	mode, err := engine.Lockdown()
	if err != nil {
		f.OK, f.Why, f.Remedy = false, fmt.Sprintf("whether it is may not be known to this process (%v)", err), "run as root to know"
		return f
	}
	if mode == "" {
		f.More = []string{"the kernel knows no lockdown"}
		return f
	}
	if f.OK = mode == "none"; !f.OK {
		f.Why = "its lockdown is " + mode
		f.Remedy = "boot without it: switch Secure Boot off, or take lockdown= from the kernel's command line"
	}
	return f
}

// memory is whether maps may take as much memory as they need. Since Linux 5.11
// it is charged to the control group, whose limit the kernel tells when it is met.
func memory() Finding {
	f := Finding{Name: "memory", Use: "room for maps", OK: true}
	var more []string
	for _, name := range [...]string{"kernel/unprivileged_bpf_disabled", "kernel/perf_event_paranoid", "kernel/kptr_restrict",
		"kernel/perf_event_max_stack", "net/core/bpf_jit_enable", "net/core/bpf_jit_harden"} {
		if b, err := os.ReadFile("/proc/sys/" + name); err == nil {
			more = append(more, "sysctl "+strings.ReplaceAll(name, "/", ".")+" = "+strings.TrimSpace(string(b)))
		}
	}
	f.More = more
	limit, err := groupLimit()
	if err != nil || limit == 0 || limit >= 64<<20 {
		return f
	}
	f.OK = false
	f.Why = fmt.Sprintf("the control group of this process may have %d MiB, which maps share", limit>>20)
	f.Remedy = "raise memory.max of the control group, or run in another; smaller maps: -x bufsize=, -x aggsize="
	return f
}

// groupLimit returns the memory limit of the control group of this process, in
// bytes; 0 is none.
func groupLimit() (uint64, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(own)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			text, err := os.ReadFile("/sys/fs/cgroup" + path + "/memory.max")
			if err != nil || strings.TrimSpace(string(text)) == "max" {
				return 0, err
			}
			return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		}
	}
	return 0, nil
}
