package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHelperFiles holds that files are opened as the asker: what he cannot read is not read
// for him, and what is written is his.
func TestHelperFiles(t *testing.T) {
	h := newHelper(t, helperRules)
	secret := h.file(t, "secret.d", 0o600, "BEGIN { trace(\"THESECRET\"); exit(0); }\n")
	mine := filepath.Join(h.dir, "open", "out")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"trace", "-s", secret}, "ermission denied"},
		{[]string{"trace", "-C", "-n", "#include \"" + secret + "\"\nBEGIN { exit(0); }"}, ""},
		{[]string{"trace", "-L", h.dir + "/conf.d", "-n", "BEGIN { exit(0); }"}, ""},
		{[]string{"trace", "-o", h.dir + "/theirs", "-n", "BEGIN { exit(0); }"}, "ermission denied"},
		{[]string{"trace", "-q", "-w", "-n", `BEGIN { freopen("` + h.dir + `/theirs"); trace("x"); exit(0); }`}, ""},
		{[]string{"trace", "-q", "-w", "-n", `BEGIN { system("cat ` + secret + `"); exit(0); }`}, "ermission denied"},
		{[]string{"trace", "-q", "-c", "cat " + secret, "-n", `BEGIN { }`}, "ermission denied"},
		{[]string{"trace", "-q", "-o", mine, "-n", `BEGIN { trace("written"); exit(0); }`}, ""},
	} {
		out, _ := h.dscope(t, ownChangeAsker, tt.args...)
		if strings.Contains(out, "THESECRET") || !strings.Contains(out, tt.want) {
			t.Errorf("%q says, and not %q:\n%s", tt.args, tt.want, out)
		}
	}
	if _, err := os.Stat(h.dir + "/theirs"); err == nil {
		t.Error("a file is made where its user may not")
	}
	b, err := os.ReadFile(mine)
	info, statErr := os.Stat(mine)
	if err := errors.Join(err, statErr); err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); string(b) != "written\n" || st.Uid != ownChangeAsker || st.Gid != ownChangeAsker {
		t.Errorf("what is written is %q of %d:%d", b, st.Uid, st.Gid)
	}
}

// TestHelperSetUID holds that a process is not its user's that has rights of another, or had.
func TestHelperSetUID(t *testing.T) {
	h := newHelper(t, helperRules)
	rootShell(t, h.dir, "suidproc")
	h.busy(t, ownAsker, "suidproc", "secretofsuid", "-p")
	h.busy(t, ownAsker, "mineproc", "secretofmine")
	out, _ := h.dscope(t, ownAsker, "trace", "-q", "-n", `syscall:::entry, profile-997 { @[execname] = count(); } tick-1s { exit(0); }`)
	if strings.Contains(out, "suidproc") || !strings.Contains(out, "mineproc") {
		t.Errorf("he sees:\n%s", out)
	}
}

// rootShell makes a shell in a folder of all that is set-user-ID root.
func rootShell(t *testing.T, dir, name string) string {
	t.Helper()
	sh, err := os.ReadFile("/bin/sh")
	program := filepath.Join(dir, name)
	if err := errors.Join(err, os.WriteFile(program, sh, 0o755), os.Chmod(program, os.ModeSetuid|0o755)); err != nil {
		t.Fatal(err)
	}
	probe := exec.Command(program, "-p", "-c", "id -u")
	probe.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ownAsker, Gid: ownAsker}}
	if out, err := probe.Output(); err != nil || strings.TrimSpace(string(out)) != "0" {
		t.Skipf("a set-user-ID file has no effect here: %s %v", out, err)
	}
	return program
}

// TestHelperRuns holds that somebody has so many runs at once as a rule says, and may have
// another when one is over, however it has ended.
func TestHelperRuns(t *testing.T) {
	h := newHelper(t, helperRules)
	first := h.as(oneRunAsker, "dscope", "trace", "-q", "-n", `BEGIN { printf("began\n"); } END { printf("ended\n"); }`)
	out, err := first.StdoutPipe()
	if err := errors.Join(err, first.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "began\n" {
		t.Fatal(line, err)
	}
	again := []string{"trace", "-q", "-n", `BEGIN { printf("second\n"); exit(0); }`}
	if said, code := h.dscope(t, oneRunAsker, again...); code == 0 || !strings.Contains(said, "you have 1 runs") {
		t.Errorf("two at once: %d %s", code, said)
	}
	if said, code := h.dscope(t, ownAsker, again...); code != 0 || !strings.Contains(said, "second") {
		t.Errorf("that of another: %d %s", code, said)
	}
	if err := first.Process.Signal(syscall.SIGINT); err != nil { // who asks is told, and tells it on
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err := errors.Join(err, first.Wait()); err != nil || !strings.Contains(string(rest), "ended") {
		t.Errorf("it ends with %q: %v", rest, err)
	}
	if said, code := h.dscope(t, oneRunAsker, again...); code != 0 || !strings.Contains(said, "second") {
		t.Errorf("after the first: %d %s", code, said)
	}

	// One whose asker is killed is over soon, too, and leaves nothing.
	killed := h.as(oneRunAsker, "dscope", "trace", "-q", "-n", `BEGIN { printf("began\n"); }`)
	out, err = killed.StdoutPipe()
	if err := errors.Join(err, killed.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "began\n" {
		t.Fatal(line, err)
	}
	if len(h.sessions(t, oneRunAsker)) == 0 {
		t.Error("no process runs as the user")
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	within(t, "what he had started to end", 20*time.Second, func() bool { return len(h.sessions(t, oneRunAsker)) == 0 })
	if said, code := h.dscope(t, oneRunAsker, again...); code != 0 || !strings.Contains(said, "second") {
		t.Errorf("after one that was killed: %d %s", code, said)
	}
}

// sessions returns the processes of a user, and looks into each as he could: it has the
// capabilities that his rights need and no others, and gives nothing away.
func (h *helperAt) sessions(t *testing.T, uid int) (list []string) {
	t.Helper()
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		status, err := os.ReadFile(dir + "/status")
		if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nUid:\t%d\t", uid)) || strings.Contains(string(status), "zombie") {
			continue
		}
		list = append(list, dir)
		if strings.Contains(string(status), "\nCapPrm:\t0000000000000000\n") {
			continue // his own
		}
		threads, _ := filepath.Glob(dir + "/task/*/status")
		for _, file := range threads {
			if status, err := os.ReadFile(file); err == nil {
				h.confined(t, string(status))
			}
		}
		for _, name := range []string{"mem", "environ", "maps", "fd/0", "exe"} {
			opened := h.as(uid, "sh", "-c", ": <"+dir+"/"+name).Run() == nil
			// Of a process that has just given its memory back everybody may open what is not there.
			if status, err := os.ReadFile(dir + "/status"); opened && err == nil && strings.Contains(string(status), "\nVmSize:") {
				t.Errorf("its user opens %s of a session", name)
			}
		}
	}
	return list
}

// confined looks at the status of a thread of a session whose user may see his own processes.
func (h *helperAt) confined(t *testing.T, status string) {
	t.Helper()
	const may = 1<<2 | 1<<38 | 1<<39 // CAP_DAC_READ_SEARCH, CAP_PERFMON, CAP_BPF
	var permitted, effective, inheritable, ambient, bounding uint64
	for line := range strings.Lines(status) {
		for name, to := range map[string]*uint64{"CapPrm": &permitted, "CapEff": &effective, "CapInh": &inheritable, "CapAmb": &ambient, "CapBnd": &bounding} {
			if text, ok := strings.CutPrefix(line, name+":"); ok {
				_, _ = fmt.Sscanf(strings.TrimSpace(text), "%x", to)
			}
		}
	}
	if permitted != may || effective != may&^(1<<2) || inheritable|ambient != 0 || !strings.Contains(status, "NoNewPrivs:\t1") {
		t.Errorf("a thread of a session:\n%s", status)
	}
	if bounding&^(may|1<<19|1<<34|1<<5|1<<6|1<<7|1<<21) != 0 {
		t.Errorf("its bounding set is %x", bounding)
	}
}

// TestHelperNone holds that nobody but root may trace where there are no rules, or none
// that make sense.
func TestHelperNone(t *testing.T) {
	h := newHelper(t, helperRules)
	script := []string{"trace", "-q", "-n", `BEGIN { printf("it runs\n"); exit(0); }`}
	try := func(what, want string) {
		t.Helper()
		for _, uid := range []int{ownAsker, changeAsker, groupAsker} {
			out, code := h.dscope(t, uid, script...)
			if code == 0 || strings.Contains(out, "it runs") || !strings.Contains(out, want) {
				t.Errorf("%s: user %d: %d %s", what, uid, code, out)
			}
		}
	}
	if out, code := h.dscope(t, ownAsker, script...); code != 0 || !strings.HasPrefix(out, "it runs\n") {
		t.Errorf("with rules: %d %s", code, out)
	}
	h.file(t, "conf", 0o666, helperRules)
	try("rules that others may write", "others than root may write it")
	h.file(t, "conf", 0o644, "all own\nall everything\n")
	try("rules that make no sense", "conf:2: there is no right")
	if err := os.Remove(h.conf); err != nil {
		t.Fatal(err)
	}
	try("without rules", "only root may trace")
	if err := os.Symlink("/dev/null", h.conf); err != nil {
		t.Fatal(err)
	}
	try("rules that are no file", "no regular file")
}

// TestHelperSpaces holds that no session leads out of a container or a sandbox.
func TestHelperSpaces(t *testing.T) {
	h := newHelper(t, helperRules)
	needs(t, "unshare")
	script := []string{"dscope", "trace", "-q", "-n", `BEGIN { printf("it runs\n"); exit(0); }`}
	for _, flags := range [][]string{{"-m"}, {"-p", "-f"}} {
		cmd := exec.Command("unshare", append(append(flags, "setpriv", fmt.Sprintf("--reuid=%d", ownAsker), fmt.Sprintf("--regid=%d", ownAsker), "--clear-groups", "--"), script...)...)
		cmd.Env = append(os.Environ(), "DSCOPE_SOCKET="+h.socket)
		cmd.Dir = h.dir
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "container or a sandbox") {
			t.Errorf("unshare %v: %v\n%s", flags, err, out)
		}
	}
}

// TestHelperDoctor holds that everybody is told what applies to him.
func TestHelperDoctor(t *testing.T) {
	h := newHelper(t, helperRules)
	for _, tt := range []struct {
		uid  int
		want []string
	}{
		{ownAsker, []string{"yes  own", "no   user", "no   kernel", "no   destructive", "has own", "conf:2: user"}},
		{userAsker, []string{"yes  own", "yes  user", "no   kernel", "no   destructive"}},
		{groupAsker, []string{"yes  user", "no   kernel"}},
		{kernelAsker, []string{"yes  own", "yes  user", "yes  kernel", "no   destructive", "yes  rawtp"}},
		{changeAsker, []string{"yes  kernel", "yes  destructive"}},
		{ownChangeAsker, []string{"yes  own", "no   kernel", "yes  destructive"}},
		{profileAsker, []string{"yes  own", "yes  providers", "prof*, and no others"}},
		{oneRunAsker, []string{"yes  runs", "1 at once"}},
		{cheapAsker, []string{"yes  cost", "0.001% of all CPUs"}},
		{smallAsker, []string{"yes  memory", "1 MiB"}},
		{otherAsker, []string{"no   own", "no   user", "no rule names"}},
		{nothingAsker, []string{"no   own", "conf:12: user"}},
	} {
		out, _ := h.dscope(t, tt.uid, "doctor")
		_, after, found := strings.Cut(out, "What you may trace\n")
		if !found {
			t.Errorf("user %d is not told:\n%s", tt.uid, out)
			continue
		}
		words := strings.Join(strings.Fields(after), " ")
		for _, want := range tt.want {
			if !strings.Contains(words, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("user %d: not told %q:\n%s", tt.uid, want, out)
			}
		}
	}
	h.socket = h.dir + "/nowhere"
	if out, _ := h.dscope(t, ownAsker, "doctor"); !strings.Contains(out, "nowhere") {
		t.Errorf("without a helper:\n%s", out)
	}
}

// TestHelperUnits has systemd look at the units that are shipped.
func TestHelperUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	args := []string{"verify", "--man=no"}
	for _, name := range []string{"dscope.socket", "dscope.service"} {
		text, err := exec.Command("dscope", "helper", "--unit", name).Output()
		path := filepath.Join(dir, name)
		if err := errors.Join(err, os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.Command("systemd-analyze", args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHelperActivation has a helper started as systemd does, with a socket that is there.
func TestHelperActivation(t *testing.T) {
	h := newHelper(t, helperRules)
	if _, err := exec.LookPath("systemd-socket-activate"); err != nil {
		t.Skip(err)
	}
	h.socket = filepath.Join(h.dir, "activated")
	program, err := exec.LookPath("dscope")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("systemd-socket-activate", "-l", h.socket, program, "helper", "--conf", h.conf)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	within(t, "the socket", 20*time.Second, func() bool { return os.Chmod(h.socket, 0o666) == nil })
	for range 2 {
		out, code := h.dscope(t, ownAsker, "trace", "-q", "-n", `BEGIN { printf("it runs\n"); exit(0); }`)
		if code != 0 || !strings.HasPrefix(out, "it runs\n") {
			t.Errorf("%d %s", code, out)
		}
	}
}
