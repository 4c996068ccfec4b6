package check_test

import (
	"fmt"
	"syscall"
	"testing"
)

// TestConstants compares some names with what this system says.
func TestConstants(t *testing.T) {
	for name, want := range map[string]int{
		"ENOENT": int(syscall.ENOENT), "EPIPE": int(syscall.EPIPE), "ERANGE": int(syscall.ERANGE), "SIGKILL": int(syscall.SIGKILL),
		"SIGSEGV": int(syscall.SIGSEGV), "EHWPOISON": 133, "ECONNREFUSED": 111, "ETIMEDOUT": 110, "ELOOP": 40, "ENOMSG": 42,
		"SIGSYS": 31, "SIGCHLD": 17, "EWOULDBLOCK": 11, "NULL": 0, "DTRACEFLT_DIVZERO": 4,
	} {
		prog, list := checkText(fmt.Appendf(nil, "BEGIN { trace(%s); }", name))
		if len(list) > 0 {
			t.Errorf("%s: %s", name, list[0].Msg)
			continue
		}
		for _, v := range prog.Consts {
			if int(v) != want {
				t.Errorf("%s is %d, want %d", name, v, want)
			}
		}
	}
}
