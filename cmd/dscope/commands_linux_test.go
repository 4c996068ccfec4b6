package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helpers are the programs that the tests trace or go through; the test
// binary stands in for each.
func helpers() map[string]func() {
	return map[string]func(){
		"calls":    calls,
		"named":    named,
		"lowered":  lowered,
		"dying":    dying,
		"alive":    alive,
		"load":     load,
		"forking":  forking,
		"measured": measured,
		"paced":    paced,
	}
}

// onDisk reports whether what is written to dir goes to a block device.
func onDisk(dir string) bool {
	var st unix.Stat_t
	return unix.Stat(dir, &st) == nil && unix.Major(st.Dev) != 0
}

// calls enters getppid as often as its argument says, forever if that is 0. It
// begins when its standard input has a byte or ends.
func calls() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fatal(err)
	}
	var b [1]byte
	os.Stdin.Read(b[:])
	for i := 0; n == 0 || i < n; i++ {
		syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
	}
}

// named calls itself by its argument, in which \e is an escape, and then
// behaves as calls does with the second.
func named() {
	runtime.LockOSThread()
	name := strings.ReplaceAll(os.Args[1], `\e`, "\x1b")
	for _, task := range []string{"/proc/self/comm", "/proc/thread-self/comm"} {
		if err := os.WriteFile(task, []byte(name), 0); err != nil {
			fatal(err)
		}
	}
	os.Args = append(os.Args[:1], os.Args[2:]...)
	calls()
}

// lowered becomes the user nobody and then the command of its arguments.
func lowered() {
	const nobody = 65534
	path, err := exec.LookPath(os.Args[1])
	if err != nil {
		fatal(err)
	}
	if err := unix.Setgroups(nil); err != nil {
		fatal(err)
	}
	if err := unix.Setresgid(nobody, nobody, nobody); err != nil {
		fatal(err)
	}
	if err := unix.Setresuid(nobody, nobody, nobody); err != nil {
		fatal(err)
	}
	fatal(syscall.Exec(path, os.Args[1:], os.Environ()))
}

// dying ends by the signal that its argument names.
func dying() {
	sig := unix.SignalNum(os.Args[1])
	signal.Reset(sig)
	unix.Kill(os.Getpid(), sig)
	time.Sleep(time.Minute) // it may come to another thread, a moment later
}

// alive succeeds if a process with the arguments of this one runs.
func alive() {
	want := strings.Join(os.Args[1:], "\x00") + "\x00"
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		fatal(err)
	}
	for _, file := range lines {
		if b, err := os.ReadFile(file); err == nil && string(b) == want {
			return
		}
	}
	os.Exit(1)
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
