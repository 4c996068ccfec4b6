// Package ps tells which processes run, as /proc shows them. Nothing is
// watched and nothing is kept: who asks gets what is there at that moment.
//
// A number of /proc may be given to another process as soon as the one that had it
// has ended; so a process is told by its number and by when it was born.
package ps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/probes/space"
)

// A Table is where processes are told of.
type Table struct {
	proc string
	name func(uid string) string
}

// New returns the table of this machine.
func New() *Table { return &Table{proc: "/proc", name: userName} }

// userName returns what a user is called, its number if it has no name.
func userName(uid string) string {
	u, err := user.LookupId(uid)
	if err != nil || u.Username == "" {
		return uid
	}
	return u.Username
}

// List returns the processes that execute a program, ascending. Threads of the
// kernel do not.
func (t *Table) List(ctx context.Context) ([]trace.Process, error) {
	pids, err := space.Processes(t.proc)
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	users := map[string]string{}
	var list []trace.Process
	for _, pid := range pids {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p, kernel, err := t.read(pid, users)
		if err == nil && !kernel { // else it has ended meanwhile
			list = append(list, p)
		}
	}
	return list, nil
}

// Find returns a process.
func (t *Table) Find(pid int) (trace.Process, error) {
	p, kernel, err := t.read(pid, map[string]string{})
	switch {
	case errors.Is(err, os.ErrNotExist):
		return p, fmt.Errorf("there is no process %d", pid)
	case err != nil:
		return p, fmt.Errorf("process %d: %w", pid, err)
	case kernel:
		return p, fmt.Errorf("process %d (%s) is a thread of the kernel, which executes no file", pid, p.Name)
	}
	return p, nil
}

// Alive returns nil while a process runs, and then says that it has ended.
func (t *Table) Alive(p trace.Process) error {
	now, _, err := t.read(p.PID, map[string]string{})
	if err != nil || now.Born != p.Born {
		return &Ended{p}
	}
	return nil
}

// An Ended says that a process has ended.
type Ended struct{ Process trace.Process }

// Error says so.
func (e *Ended) Error() string {
	return fmt.Sprintf("process %d (%s) has ended", e.Process.PID, e.Process.Name)
}

// kernelThread is the flag of threads of the kernel, PF_KTHREAD of linux/sched.h.
const kernelThread = 0x00200000

// mostLine bounds how much is read of a command line, in bytes.
const mostLine = 4096

// read reads what /proc tells of a process. One that is dead and has not been asked for
// yet has no files any more.
func (t *Table) read(pid int, users map[string]string) (p trace.Process, kernel bool, err error) {
	dir := filepath.Join(t.proc, strconv.Itoa(pid))
	p.PID = pid
	stat, err := space.Process{Proc: t.proc, PID: pid}.Stat()
	if err == nil && (stat.State == 'Z' || stat.State == 'X') {
		err = os.ErrNotExist
	}
	if err != nil {
		return p, false, err
	}
	p.Name, p.Born = stat.Name, stat.Born
	if stat.Flags&kernelThread != 0 {
		return p, true, nil
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return p, false, err
	}
	uid := effective(string(status))
	if _, known := users[uid]; !known {
		users[uid] = t.name(uid)
	}
	p.User = users[uid]
	if f, err := os.Open(filepath.Join(dir, "cmdline")); err == nil {
		line, _ := io.ReadAll(io.LimitReader(f, mostLine)) // a process that ends has none
		f.Close()
		p.Line = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	}
	return p, false, nil
}

// effective returns the user whose rights a process has, of /proc/PID/status.
func effective(status string) string {
	for line := range strings.Lines(status) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			if f := strings.Fields(ids); len(f) > 1 {
				return f[1]
			}
		}
	}
	return "?"
}
