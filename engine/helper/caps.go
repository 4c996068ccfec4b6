package helper

import (
	"dscope.dev/engine/rights"
)

// The capabilities that have a part, as include/uapi/linux/capability.h numbers them.
const (
	capDACRead    = 2
	capKill       = 5
	capSetGID     = 6
	capSetUID     = 7
	capSysPtrace  = 19
	capSysAdmin   = 21
	capSyslog     = 34
	capPerfmon    = 38
	capBPF        = 39
	highestNumber = 63
)

// Capabilities returns those that a session has:
//
//	CAP_BPF, CAP_PERFMON   load programs, and hook them
//	CAP_DAC_READ_SEARCH    tracefs, for as long as a file of it is opened
//	CAP_SYS_PTRACE         with user: files and memory maps of the processes of others
//	CAP_SYSLOG             with kernel: addresses of the kernel, and so names
func Capabilities(r *rights.Rights) []int {
	list := []int{capDACRead, capPerfmon, capBPF}
	if r.User {
		list = append(list, capSysPtrace)
	}
	if r.Kernel {
		list = append(list, capSyslog)
	}
	return list
}

// kept are those of the helper itself: what sessions may have, and
//
//	CAP_SETUID, CAP_SETGID  to become the asker
//	CAP_KILL                to end a session that does not end by itself
//	CAP_SYS_ADMIN           to have the kernel time programs, which the air bag needs
var kept = map[int]string{
	capDACRead: "CAP_DAC_READ_SEARCH", capPerfmon: "CAP_PERFMON", capBPF: "CAP_BPF", capSysPtrace: "CAP_SYS_PTRACE", capSyslog: "CAP_SYSLOG",
	capSetUID: "CAP_SETUID", capSetGID: "CAP_SETGID", capKill: "CAP_KILL", capSysAdmin: "CAP_SYS_ADMIN",
}
