package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/remote"
)

// A cut is a moment at which the connection to another machine is killed.
type cut struct {
	name   string
	user   string             // root if ""
	args   []string           // of dscope, behind -H; --plain if nil
	lines  string             // that are typed at once
	until  string             // is waited for, on either output; "" waits for nothing
	holds  bool               // and then for programs in the kernel
	at     func(s *sshd) bool // and then for this, if not nil
	more   string             // is typed then
	fresh  bool               // nothing has been sent before
	victim string             // dscope, ssh, sshd
	silent bool               // it is stopped, not killed: nothing comes any more, and nothing is closed
}

// flood prints more than any connection takes.
const flood = `syscall:::entry, syscall:::return { printf("%s %s %d %d\n", execname, probefunc, timestamp, tid) } END { printf("ended\n") }`

// unasked goes before a script that runs however much the machine has to do already.
const unasked = "#pragma D option estimate=off\n"

var cuts = []cut{
	{name: "login", at: func(s *sshd) bool { return len(s.sessions()) > 0 }, victim: "ssh"},
	{name: "send", fresh: true, at: func(s *sshd) bool {
		list, _ := filepath.Glob(s.cache + "/root/dscope/*/*.*")
		return len(list) > 0
	}, victim: "ssh"},
	{name: "greeting", at: func(s *sshd) bool { return len(s.servers()) > 0 }, victim: "sshd"},
	{name: "check", until: "note: on", lines: "add " + unasked + "add syscall:::entry { @[execname] = count() }\n", more: "check\n", victim: "ssh"},
	{name: "compile", until: "note: on", lines: "add " + unasked + "add " + flood + "\n", more: "run\n", victim: "dscope"},
	{name: "start", until: "note: on", lines: "add " + unasked + "add " + flood + "\nrun\n", holds: true, victim: "sshd"},
	{name: "BEGIN", args: []string{"trace", "-qn", `BEGIN { printf("begun\n") } syscall:::entry { @ = count() } END { printa(@) }`}, until: "begun", victim: "ssh"},
	{name: "running", until: "running", lines: "add " + unasked + "add syscall:::entry { @[execname, probefunc] = count() }\nrun\n", holds: true, victim: "ssh"},
	{name: "flood of a command", args: []string{"trace", "-qn", flood}, until: "dscope ", holds: true, victim: "sshd"},
	{name: "flood of a run", until: "dscope ", lines: "add " + unasked + "add " + flood + "\nrun\n", holds: true, victim: "ssh"},
	{name: "END", until: "running", lines: "add " + unasked + "add syscall:::entry { @[execname, probefunc, timestamp] = count() } END { printa(@) }\nrun\n", holds: true, more: "stop\n", victim: "sshd"},
	{name: "through sudo", user: sudoUser, until: "running", lines: "add " + unasked + "add syscall:::entry { @[execname] = count() }\nrun\n", holds: true, victim: "ssh"},
	{name: "silence", until: "running", lines: "add " + unasked + "add syscall:::entry { @[execname] = count() }\nrun\n", holds: true, victim: "ssh", silent: true},
	{name: "dscope itself", until: "running", lines: "add " + unasked + "add syscall:::entry { @[execname] = count() }\nrun\n", holds: true, victim: "dscope"},
}

// sessions returns the processes of the server of ssh that serve one login.
func (s *sshd) sessions() (list []int) {
	for _, pid := range childrenOf(s.pid) {
		list = append(append(list, pid), childrenOf(pid)...) // those of users have a child with their rights
	}
	return list
}

func childrenOf(pid int) (list []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		b, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(word); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// held returns what the processes there hold in the kernel.
func (s *sshd) held() (all kernelObjects) {
	for _, pid := range s.servers() {
		o, err := objectsOf(pid)
		if err == nil {
			all.progs, all.maps, all.links = append(all.progs, o.progs...), append(all.maps, o.maps...), append(all.links, o.links...)
		}
	}
	return all
}

// heard is what a process prints, as far as it has.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.text.Len() < 16<<20 {
		h.text.Write(b)
	}
	return len(b), nil
}

func (h *heard) has(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(h.text.String(), text)
}

func (h *heard) end() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.text.String()
	return s[max(0, len(s)-2000):]
}

// vanishing is how soon nothing may be left of what was traced.
const vanishing = 5 * time.Second

// TestMachineCut kills the connection to another machine at many moments: within seconds
// nothing that was traced is left in the kernel there, and here it is said what was lost.
func TestMachineCut(t *testing.T) {
	s := newSSHD(t)
	if _, wrong, code := s.run(t, "", "trace", "-H", "root@there", "-n", "BEGIN { exit(0) }"); code != 0 {
		t.Fatal(wrong)
	}
	for _, c := range cuts {
		t.Run(c.name, func(t *testing.T) { s.cut(t, c) })
	}
}

func (s *sshd) cut(t *testing.T, c cut) {
	if c.user != "" {
		needs(t, "sudo")
	} else {
		c.user = "root"
	}
	if c.fresh {
		if err := os.RemoveAll(filepath.Join(s.cache, c.user, "dscope")); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "the last login to be over", vanishing, func() bool { return len(s.sessions()) == 0 })
	args := append([]string{"-H", c.user + "@there"}, c.args...)
	if c.args == nil {
		args = append(args, "--plain")
	}
	cmd := exec.Command("dscope", args...)
	cmd.Dir, cmd.Env = t.TempDir(), s.env
	var out heard
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	defer func() {
		cmd.Process.Kill()
		<-ended
	}()
	typed := bufio.NewWriter(in)
	io.WriteString(typed, c.lines)
	typed.Flush()
	const patient = time.Minute
	within(t, "output "+c.until, patient, func() bool { return out.has(c.until) })
	if c.holds {
		within(t, "programs in the kernel", patient, func() bool { return len(s.held().progs) > 0 })
	}
	if c.at != nil {
		within(t, "the moment", patient, func() bool { return c.at(s) })
	}
	io.WriteString(in, c.more)
	held := s.held()
	var victims []int
	switch c.victim {
	case "dscope":
		victims = []int{cmd.Process.Pid}
	case "ssh":
		victims = childrenOf(cmd.Process.Pid)
	case "sshd":
		victims = s.sessions()
	}
	if len(victims) == 0 {
		t.Fatalf("there is no %s to kill; dscope says:\n%s", c.victim, out.end())
	}
	deed, soon := syscall.SIGKILL, vanishing
	if c.silent {
		deed, soon = syscall.SIGSTOP, vanishing+remote.Pulse+remote.Silence
	}
	for _, pid := range victims {
		syscall.Kill(pid, deed)
	}
	from := time.Now()
	within(t, "the processes there to end", soon, func() bool { return len(s.servers()) == 0 })
	within(t, "the kernel to have nothing left", soon-time.Since(from), func() bool { err = held.left(); return err == nil })
	t.Logf("%d programs, %d maps, %d links were gone after %v", len(held.progs), len(held.maps), len(held.links), time.Since(from).Round(time.Millisecond))
	if c.victim == "dscope" {
		return
	}
	if c.args == nil && c.holds && c.more == "" {
		within(t, "dscope to say what was lost", vanishing, func() bool { return out.has("was lost") })
	}
	in.Close() // there is no more to be typed
	select {
	case <-ended:
	case <-time.After(vanishing):
		t.Errorf("dscope goes on; it says:\n%s", out.end())
	}
	if c.args != nil && !out.has("was lost") {
		t.Errorf("dscope does not say that it has lost the other side:\n%s", out.end())
	}
}

// TestMachineOnScreen opens the workbench on another machine, and loses that.
func TestMachineOnScreen(t *testing.T) {
	s := newSSHD(t)
	file := filepath.Join(t.TempDir(), "calls.d")
	if err := os.WriteFile(file, []byte(unasked+"syscall:::entry\n{\n\t@calls[execname] = count();\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tty := openSize(t, 160, 40, s.env, "dscope", "-H", "root@there", file)
	tty.shows("root@there, Linux")
	tty.shows("lockstat")
	tty.keys("\x12")
	tty.shows("@calls")
	within(t, "programs in the kernel", patience, func() bool { return len(s.held().progs) > 0 })
	held := s.held()
	tty.until("a table", func(p string) bool { return strings.Contains(p, "sshd") || strings.Contains(p, "dscope") })
	for _, pid := range childrenOf(tty.cmd.Process.Pid) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	within(t, "the kernel to have nothing left", vanishing, func() bool { return held.left() == nil })
	tty.shows("the run was lost: the connection to")
	tty.keys("\x11") // leave
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	tty.givenBack()
}
