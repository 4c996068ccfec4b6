package engine

import (
	"os"
	"strconv"
	"syscall"
)

// macros returns the values of the macro arguments by name, as the guide's
// chapter on scripting lists them.
func (s *Script) macros() map[string]string {
	m := map[string]string{
		"0":      s.Arg0,
		"target": strconv.Itoa(s.Target),
		"pid":    strconv.Itoa(os.Getpid()),
		"ppid":   strconv.Itoa(os.Getppid()),
		"uid":    strconv.Itoa(os.Getuid()),
		"euid":   strconv.Itoa(os.Geteuid()),
		"gid":    strconv.Itoa(os.Getgid()),
		"egid":   strconv.Itoa(os.Getegid()),
	}
	if pgid, err := syscall.Getpgid(0); err == nil {
		m["pgid"] = strconv.Itoa(pgid)
	}
	if sid, err := sessionID(); err == nil {
		m["sid"] = strconv.Itoa(sid)
	}
	for _, none := range []string{"projid", "taskid"} { // Solaris has projects and tasks; Linux does not
		m[none] = "0"
	}
	for i, a := range s.Args {
		m[strconv.Itoa(i+1)] = a
	}
	return m
}
