// Package rights says what somebody may trace who is not root, and holds a checked script
// to it. The model is the privileges of dtrace(1) on illumos: dtrace_proc, dtrace_user,
// dtrace_kernel.
//
//	own          what fires in the asker's own processes, and what ptrace(2) would show of
//	             them: pid, probes that programs carry, plockstat, system calls, profile
//	user         the same in the processes of all, and of all of them
//	kernel       all probes, memory and stacks of the kernel
//	destructive  what changes something: in the processes, or in the kernel, that the others cover
//
// A script is refused by name and place (check.go). That does not have to be complete: the
// programs themselves are sealed when they are made (lower.Seal), and a session is a process
// of its own that has the asker's user and few capabilities.
package rights

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/internal/options"
)

// A Right is one of those that a rule can give.
type Right string

// The rights.
const (
	Own         Right = "own"
	User        Right = "user"
	Kernel      Right = "kernel"
	Destructive Right = "destructive"
)

// Names are the rights as rules spell them, each of the first three with those before it.
var Names = []string{string(Own), string(User), string(Kernel), string(Destructive)}

// Rights are what one asker may do. They cross from the process that knows the rules to the
// one that keeps them.
type Rights struct {
	Own, User, Kernel bool // each with those before it
	Destructive       bool
	Providers         []string // globs; nil is all
	Cost              float64  // share of all CPUs at which a run is ended; 0 is never
	Runs              int      // at once; 0 is any number
	Memory            int64    // bytes that the tables and buffers of a run may take; 0 is any number
	UID, GID          int
	PID               int    // of the asker's dscope; 0 if that is not known
	Name              string // of the asker
	Source            string // the rule that gives them: /etc/dscope.conf:3: group dscope
}

// None reports whether nothing may be traced.
func (r *Rights) None() bool { return !r.Own && !r.User && !r.Kernel }

// OwnOnly reports whether nothing of others may be seen.
func (r *Rights) OwnOnly() bool { return !r.User && !r.Kernel }

// Seal returns what keeps the programs to the rights; nil if they cover the kernel.
func (r *Rights) Seal() *lower.Seal {
	if r == nil || r.Kernel {
		return nil
	}
	return &lower.Seal{OwnOnly: r.OwnOnly(), User: int64(r.UID), Group: int64(r.GID)}
}

// Limit brings options down to what the rights allow.
func (r *Rights) Limit(o *options.Options) {
	if r == nil {
		return
	}
	if r.Cost > 0 && (o.AirBag == 0 || o.AirBag > r.Cost) {
		o.AirBag = r.Cost
	}
	if r.OwnOnly() {
		o.Estimate = 0 // it counts the firings of all
	}
}

// Mine returns nil, or why the asker may not look into a process.
func (r *Rights) Mine(pid int) error {
	if r == nil || !r.OwnOnly() {
		return nil
	}
	// Nothing but the owner of the folder tells so much at once: it is root's if the
	// process has changed its user, or its memory may not be looked at.
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return fmt.Errorf("there is no process %d: %w", pid, fs.ErrNotExist)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == r.UID && int(st.Gid) == r.GID {
		return nil
	}
	return fmt.Errorf("process %d is not yours to look into: %s", pid, r.has("it takes the right user"))
}

// Words spells the rights.
func (r *Rights) Words() string {
	var list []string
	switch {
	case r.Kernel:
		list = append(list, string(Kernel))
	case r.User:
		list = append(list, string(User))
	case r.Own:
		list = append(list, string(Own))
	}
	if r.Destructive {
		list = append(list, string(Destructive))
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, " ")
}

// A Bound is a limit that rights have.
type Bound struct {
	Name  string // as rules spell it: cost
	Value string // as rules spell it: 10%
	Means string
}

// Limits are those that a rule sets, in its order.
func (r *Rights) Limits() []Bound {
	var list []Bound
	if r.Providers != nil {
		all := strings.Join(r.Providers, ",")
		list = append(list, Bound{"providers", all, strings.Join(r.Providers, ", ") + ", and no others"})
	}
	if r.Cost > 0 {
		share := fmt.Sprintf("%.6g%%", 100*r.Cost)
		list = append(list, Bound{"cost", share, share + " of all CPUs; a run that takes more is ended"})
	}
	if r.Runs > 0 {
		list = append(list, Bound{"runs", fmt.Sprint(r.Runs), fmt.Sprintf("%d at once", r.Runs)})
	}
	if r.Memory > 0 {
		size := fmt.Sprintf("%dm", r.Memory>>20)
		list = append(list, Bound{"memory", size, size[:len(size)-1] + " MiB for the tables and buffers of a run"})
	}
	return list
}

// has says what is lacking, and what there is.
func (r *Rights) has(lacks string) string {
	return fmt.Sprintf("%s, and %s has %s (%s)", lacks, r.Name, r.Words(), r.Source)
}
