package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/helper"
)

// The users of these tests, whom no file knows, and what the rules give them.
const (
	ownAsker = 64801 + iota
	otherAsker
	userAsker
	kernelAsker
	changeAsker // kernel destructive
	profileAsker
	oneRunAsker
	cheapAsker
	smallAsker
	ownChangeAsker // own destructive
	groupAsker     // of helpedGroup
	nothingAsker
	helpedGroup
)

var helperRules = fmt.Sprintf(`# for tests
user %d own
user %d user
user %d kernel
user %d kernel destructive
user %d own providers=prof*
user %d own runs=1
user %d own cost=0.001%%
user %d own memory=1m
user %d own destructive
group %d user
user %d nothing
`, ownAsker, userAsker, kernelAsker, changeAsker, profileAsker, oneRunAsker, cheapAsker, smallAsker, ownChangeAsker, helpedGroup, nothingAsker)

// A helperAt is a helper with rules of its own.
type helperAt struct{ dir, socket, conf, log string }

// newHelper starts one that ends with the test.
func newHelper(t *testing.T, rules string) *helperAt {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must test the helper as root")
		}
		t.Skip("needs root, to be several users")
	}
	mustTrace(t)
	t.Setenv("PATH", shipped(t)+":"+os.Getenv("PATH"))
	dir, err := os.MkdirTemp("", "dscope-helper")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &helperAt{dir, dir + "/sock", dir + "/conf", dir + "/log"}
	h.file(t, "conf", 0o644, rules)
	log, err := os.Create(h.log)
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.Mkdir(dir+"/open", 0o777), os.Chmod(dir+"/open", 0o777)); err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	h.mountTracefs(t)
	cmd := exec.Command("dscope", "helper", "--socket", h.socket, "--conf", h.conf)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Error("the helper does not end")
			_ = cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("the helper says:\n%s", h.said())
		}
	})
	within(t, "the helper to listen", 20*time.Second, func() bool { _, err := os.Stat(h.socket); return err == nil })
	return h
}

// shipped returns a folder with the dscope that people get, which is built without cgo: one
// with it can be no helper.
func shipped(t *testing.T) string {
	t.Helper()
	commands := commands(t)
	if helper.Able() == nil {
		return commands
	}
	dir := filepath.Join(filepath.Dir(commands), "shipped") // which is removed when all tests have ended
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if _, err := exec.LookPath("go"); err != nil && os.Getenv("CI") != "true" {
		t.Skipf("%v, and one that can is not to be built: %v", helper.Able(), err)
	}
	cmd := exec.Command("go", "build", "-o", dir+"/dscope", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err := errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		os.RemoveAll(dir)
		t.Fatalf("%v; build it: %v\n%s", helper.Able(), err, out)
	}
	return dir
}

// mountTracefs mounts what systemd has mounted where it runs: sessions must not.
func (h *helperAt) mountTracefs(t *testing.T) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mounts), " tracefs ") {
		return
	}
	dir := h.dir + "/tracing"
	if err := errors.Join(os.Mkdir(dir, 0o755), syscall.Mount("tracefs", dir, "tracefs", 0, "")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func (h *helperAt) file(t *testing.T, name string, mode os.FileMode, text string) string {
	t.Helper()
	path := filepath.Join(h.dir, name)
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

func (h *helperAt) said() string {
	b, _ := os.ReadFile(h.log)
	return string(b)
}

// as prepares a command line of somebody.
func (h *helperAt) as(uid int, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = h.dir + "/open"
	cmd.Env = append(os.Environ(), "DSCOPE_SOCKET="+h.socket, "HOME="+h.dir+"/open", "NO_COLOR=1")
	c := &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	if uid == groupAsker {
		c.Groups = []uint32{helpedGroup}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c, Setpgid: true}
	return cmd
}

// dscope runs dscope as somebody, and returns all that it says.
func (h *helperAt) dscope(t *testing.T, uid int, args ...string) (out string, code int) {
	t.Helper()
	cmd := h.as(uid, append([]string{"dscope"}, args...)...)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	_ = cmd.Wait()
	return b.String(), cmd.ProcessState.ExitCode()
}

// busy starts a process of somebody, called name, that makes system calls, starts others and
// computes, with the secret where all may be looked for.
func (h *helperAt) busy(t *testing.T, uid int, name, secret string, shell ...string) int {
	t.Helper()
	link := filepath.Join(h.dir, name)
	if _, err := os.Lstat(link); err != nil {
		if err := os.Symlink("/bin/sh", link); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("n=0; while :; do [ -e /%[1]s ]; cd /; n=$((n+1)); [ $((n %% 500)) = 0 ] && sleep 0.02; done; : %[1]s", secret)
	cmd := h.as(uid, append(append([]string{link}, shell...), "-c", script)...)
	cmd.Env = append(cmd.Env, "SECRET="+secret)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// TestHelperRights tries each rule from the user that it is for and from those that it is
// not: what scripts ask for is seen, or refused, or not there.
func TestHelperRights(t *testing.T) {
	h := newHelper(t, helperRules)
	own := h.busy(t, ownAsker, "mineproc", "secretofmine")
	h.busy(t, userAsker, "userproc", "secretofuser")
	other := h.busy(t, otherAsker, "otherproc", "secretofother")
	h.busy(t, 0, "rootproc", "secretofroot")
	const others = "secretofother|secretofroot|secretofuser|otherproc|rootproc|userproc"
	const end = ` tick-1s { exit(0); }`
	const paths = `syscall::*stat*:entry, syscall::*access*:entry { @[execname, copyinstr(arg1)] = count(); @[execname, copyinstr(arg0)] = count(); }` + end
	const arguments = `syscall::chdir:entry { @[execname, execargs, copyinstr(arg0)] = count(); }` + end
	const clock = `profile-997 { @[execname, pid] = count(); }` + end
	const userStacks = `profile-997 { @[execname, ustack(3)] = count(); }` + end
	tests := []struct {
		uid  int
		what string   // a program of D; or a command line, if args
		args []string // instead of -q -n
		want string   // what is said; several of it joined by |
		lack string   // what must not be said, likewise
	}{
		// Who may see his own sees his own, and nothing of others.
		{ownAsker, paths, nil, "mineproc|secretofmine", others},
		{ownAsker, arguments, nil, "mineproc|secretofmine", others},
		{ownAsker, clock, nil, "mineproc", others},
		{ownAsker, userStacks, nil, "mineproc", others},
		{ownAsker, `syscall:::entry { @[uid, execname] = count(); }` + end, nil, "mineproc", others},
		{ownAsker, `syscall::chdir:entry { trace(*(int64_t *)curthread); }`, nil, "needs the right kernel", ""},
		{ownAsker, `syscall::chdir:entry { trace(curthread->pid); }`, nil, "needs the right kernel|has own|conf:2: user", ""},
		{ownAsker, `syscall::chdir:entry { trace(curpsinfo->pr_pid); }`, nil, "needs the right kernel", ""},
		{ownAsker, "syscall::chdir:entry { trace(`jiffies); }", nil, "invalid probe specifier", ""},
		{ownAsker, `syscall::chdir:entry { stack(); }`, nil, "needs the right kernel", ""},
		{ownAsker, `profile-97 { trace(arg0); }`, nil, "needs the right kernel", ""},
		{ownAsker, `profile-97 { trace(caller); }`, nil, "needs the right kernel", ""},
		{ownAsker, `tick-10ms { trace(pid); }`, nil, "needs the right user", ""},
		{ownAsker, `tick-10ms /execname != ""/ { exit(0); }`, nil, "needs the right user", ""},
		{ownAsker, `tick-10ms { ustack(); }`, nil, "needs the right user", ""},
		{ownAsker, `BEGIN { trace(copyinstr(uregs[0])); }`, nil, "needs the right user", ""},
		{ownAsker, `syscall::chdir:entry { trace(fds[0].fi_pathname); }`, nil, "needs the right kernel", ""},
		{ownAsker, `sched:::on-cpu { exit(0); }`, nil, "needs the right kernel", ""},
		{ownAsker, `proc:::exec { @[execname] = count(); }` + end, nil, "mineproc", others},
		{ownAsker, `rawtp:::sys_enter { exit(0); }`, nil, "needs the right kernel", ""},
		{ownAsker, fmt.Sprintf(`pid%d:::entry { exit(0); }`, other), nil, fmt.Sprintf("process %d is not yours", other), ""},
		{ownAsker, "", []string{"trace", "-q", "-p", fmt.Sprint(other), "-n", `pid$target:::entry { exit(0); }`}, "not yours", ""},
		{ownAsker, "", []string{"trace", "-l", "-n", fmt.Sprintf("pid%d:libc*::entry", own)}, "pid", others},
		// Addresses of the kernel, whatever leads to them, are no memory.
		{ownAsker, `syscall::chdir:entry { trace(*(int64_t *)0xffffffff81000000); }` + end, nil, "invalid address", ""},
		{ownAsker, `syscall::chdir:entry { trace(stringof((char *)0xffffffff82000000)); }` + end, nil, "invalid address", ""},
		{ownAsker, `syscall::chdir:entry { trace(copyinstr(0xffffffff82000000)); }` + end, nil, "invalid address", ""},
		{ownAsker, `syscall::chdir:entry { tracemem(0xffffffff81000000, 16); }` + end, nil, "invalid address", ""},
		{ownAsker, `syscall::chdir:entry { bcopy((void *)0xffffffff81000000, alloca(16), 16); }` + end, nil, "invalid address", ""},
		// A string without an end does not go on in what the kernel keeps behind it.
		{ownAsker, `self char mine[8]; syscall::chdir:entry { self->mine[7] = 'x'; this->p = &self->mine[7]; printf("<%s>", stringof(this->p)); exit(0); }`, nil, "<x>", ""},
		{ownAsker, `char mine[8]; syscall::chdir:entry { mine[7] = 'x'; this->p = &mine[7]; printf("<%s>", stringof(this->p)); exit(0); }`, nil, "<x>", ""},
		// Nothing is changed.
		{ownAsker, "", []string{"trace", "-w", "-n", `syscall::chdir:entry { raise(9); }`}, "right destructive", ""},
		{ownAsker, "", []string{"trace", "-w", "-n", `BEGIN { system("id -u"); }`}, "right destructive", ""},
		{ownAsker, "#pragma D option destructive\nBEGIN { system(\"id -u\"); }", nil, "right destructive", ""},
		{ownChangeAsker, "", []string{"trace", "-q", "-w", "-n", `BEGIN { system("echo I am $(id -u)"); exit(0); }`}, fmt.Sprintf("I am %d", ownChangeAsker), ""},
		{ownChangeAsker, "", []string{"trace", "-q", "-w", "-n", `tick-1s { raise(9); }`}, "needs the right user", ""},
		{changeAsker, "", []string{"trace", "-q", "-w", "-n", `BEGIN { system("cat /proc/self/status | grep ^Cap.*[1-9]; echo I am $(id -u)"); exit(0); }`}, fmt.Sprintf("I am %d", changeAsker), "CapPrm|CapEff|CapInh|CapAmb"},
		// Who may see the processes of all sees these, and nothing of the kernel.
		{userAsker, paths, nil, "secretofmine|secretofother|secretofroot", ""},
		{userAsker, arguments, nil, "secretofmine|secretofother|secretofroot", ""},
		{userAsker, clock, nil, "mineproc|otherproc|rootproc", ""},
		{groupAsker, clock, nil, "mineproc|otherproc", ""},
		{userAsker, "", []string{"trace", "-l", "-n", fmt.Sprintf("pid%d:libc*::entry", other)}, "pid", "not yours"},
		{userAsker, `syscall::chdir:entry { trace(curthread->pid); }`, nil, "needs the right kernel|has user", ""},
		{userAsker, `syscall::chdir:entry { stack(); }`, nil, "needs the right kernel", ""},
		{userAsker, "BEGIN { trace(`jiffies); }", nil, "invalid probe specifier", ""},
		{userAsker, `syscall::chdir:entry { trace(*(int64_t *)0xffffffff81000000); }` + end, nil, "invalid address", ""},
		{userAsker, `rawtp:::sys_enter { exit(0); }`, nil, "needs the right kernel", ""},
		{userAsker, "", []string{"trace", "-w", "-n", `BEGIN { system("id"); }`}, "right destructive", ""},
		// Who may see the kernel sees it.
		{kernelAsker, `syscall::chdir:entry /execname == "otherproc"/ { trace(curthread->cred->uid.val); stack(2); exit(0); }`, nil, fmt.Sprint(otherAsker), "needs the right"},
		{kernelAsker, "", []string{"trace", "-w", "-n", `BEGIN { system("id"); }`}, "right destructive", ""},
		// Limits.
		{profileAsker, clock, nil, "", others + "|provider"},
		{profileAsker, `syscall:::entry { exit(0); }`, nil, "none of prof*", ""},
		{cheapAsker, `syscall:::entry, profile-4999 { @ = count(); } tick-20s { exit(0); }`, nil, "of all CPUs", ""},
		{cheapAsker, "#pragma D option airbag=off\nsyscall:::entry, profile-4999 { @ = count(); } tick-20s { exit(0); }", nil, "of all CPUs", ""},
		{smallAsker, "#pragma D option bufsize=16m\nsyscall::chdir:entry { trace(pid); }", nil, "its asker may take 1 MB", ""},
		// Who is in no rule, or in one that gives nothing.
		{otherAsker, clock, nil, "may trace nothing here|no rule names", "proc"},
		{nothingAsker, clock, nil, "may trace nothing here|conf:12: user", "proc"},
		{otherAsker, "", []string{"probes", "syscall:::"}, "may trace nothing here", "chdir"},
	}
	t.Run("each", func(t *testing.T) { // most wait for a second to pass
		for _, tt := range tests {
			t.Run(fmt.Sprint("user ", tt.uid), func(t *testing.T) {
				t.Parallel()
				args := tt.args
				if args == nil {
					args = []string{"trace", "-q", "-n", tt.what}
				}
				began := time.Now()
				out, _ := h.dscope(t, tt.uid, args...)
				t.Logf("%v user %d %.100q", time.Since(began).Round(10*time.Millisecond), tt.uid, args)
				for want := range strings.SplitSeq(tt.want, "|") {
					if !strings.Contains(out, want) {
						t.Errorf("user %d: %q does not say %q:\n%.2000s", tt.uid, args, want, out)
					}
				}
				for lack := range strings.SplitSeq(tt.lack, "|") {
					if lack != "" && strings.Contains(out, lack) {
						t.Errorf("user %d: %q says %q:\n%.2000s", tt.uid, args, lack, out)
					}
				}
			})
		}
	})
	if _, err := os.Stat("/dev/log"); err == nil {
		return // which has been told, and not this file
	}
	for _, want := range []string{
		fmt.Sprintf("start: user %d (user %[1]d, process ", ownAsker), "with own: script ", "probes syscall::chdir:entry",
		fmt.Sprintf("refused: user %d (user %[1]d, process ", otherAsker), "destructive",
	} {
		if !strings.Contains(h.said(), want) {
			t.Errorf("it is not logged that %s", want)
		}
	}
}
