package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A sshd is a real server of ssh on this machine, with settings, keys and users of its own.
type sshd struct {
	dir   string   // of all its files
	cache string   // where it has programs put that are sent
	env   []string // with which ssh finds it
	pid   int
}

// The users that one can log in as, beside root. They exist for this server alone.
const (
	plainUser = "dscope-plain"
	sudoUser  = "dscope-sudo"
)

// logins are all that one can log in as.
var logins = []string{"root", plainUser, sudoUser}

func uidOf(login int) int {
	if login == 0 {
		return 0
	}
	return 64900 + login
}

// caches gives each of them a folder of its own for what is sent.
func (s *sshd) caches() string {
	var b strings.Builder
	for _, name := range logins {
		fmt.Fprintf(&b, "Match User %s\n\tSetEnv XDG_CACHE_HOME=%s/%[1]s\n", name, s.cache)
	}
	return b.String()
}

// newSSHD starts a server that ends with the test.
func newSSHD(t *testing.T) *sshd {
	t.Helper()
	if !canTrace(t) {
		t.Skip("needs root and eBPF")
	}
	needs(t, "ssh", "ssh-keygen", "unshare", "mount")
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("needs the server of OpenSSH: %v", err)
	}
	dir, err := os.MkdirTemp("", "dscope-sshd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &sshd{dir: dir, cache: filepath.Join(dir, "cache")}
	port := freePort(t)
	for _, key := range []string{"host", "key"} {
		sh(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key))
	}
	s.file(t, "sshd_config", 0o600, fmt.Sprintf(`Port %d
ListenAddress 127.0.0.1
HostKey %[2]s/host
AuthorizedKeysFile %[2]s/key.pub
PidFile %[2]s/pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
`, port, dir)+s.caches())
	s.file(t, "ssh_config", 0o600, fmt.Sprintf(`Host there web1
  HostName 127.0.0.1
  Port %d
  IdentityFile %[2]s/key
  IdentitiesOnly yes
  BatchMode yes
  UserKnownHostsFile %[2]s/known
  StrictHostKeyChecking accept-new
  LogLevel ERROR
`, port, dir))
	s.users(t)
	for i, name := range logins {
		cache := filepath.Join(s.cache, name)
		if err := errors.Join(os.MkdirAll(cache, 0o755), os.Chown(cache, uidOf(i), uidOf(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "home"), 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	s.file(t, "bin/ssh", 0o755, fmt.Sprintf("#!/bin/sh\nexec %s -F %s/ssh_config \"$@\"\n", which(t, "ssh"), dir))
	s.env = append(os.Environ(), "PATH="+dir+"/bin:"+os.Getenv("PATH"))
	s.start(t, program, port)
	return s
}

// users makes the files by which this server alone, and what it starts, knows the users.
func (s *sshd) users(t *testing.T) {
	for _, f := range []string{"/etc/passwd", "/etc/group"} {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range logins[1:] {
			if f == "/etc/passwd" {
				b = fmt.Appendf(b, "%s:*:%d:%[2]d::%s/home:/bin/sh\n", name, uidOf(1+i), s.dir)
			} else {
				b = fmt.Appendf(b, "%s:x:%d:\n", name, uidOf(1+i))
			}
		}
		s.file(t, filepath.Base(f), 0o644, string(b))
	}
	s.file(t, "sudoers", 0o440, "root ALL=(ALL:ALL) ALL\n"+sudoUser+" ALL=(ALL:ALL) NOPASSWD: ALL\n")
}

// start starts the server among mounts of its own.
func (s *sshd) start(t *testing.T, program string, port int) {
	script := "mount --bind $0/passwd /etc/passwd && mount --bind $0/group /etc/group && mkdir -p /run/sshd && " +
		"{ [ ! -e /etc/sudoers ] || mount --bind $0/sudoers /etc/sudoers; } && exec " + program + " -D -e -f $0/sshd_config"
	cmd := exec.Command("unshare", "-m", "sh", "-c", script, s.dir)
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.pid = cmd.Process.Pid
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			b, _ := os.ReadFile(log.Name())
			t.Logf("the server of ssh says:\n%s", b)
		}
	})
	within(t, "the server of ssh to listen", 20*time.Second, func() bool {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (s *sshd) file(t *testing.T, name string, mode os.FileMode, text string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// servers returns the processes there that run what was sent.
func (s *sshd) servers() (list []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && strings.HasPrefix(exe, s.cache+"/") {
			list = append(list, strings.Split(link, "/")[2])
		}
	}
	return list
}

// run runs dscope, with another machine that is this one.
func (s *sshd) run(t *testing.T, stdin string, args ...string) (out, complaints string, code int) {
	t.Helper()
	cmd := exec.Command("dscope", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = t.TempDir(), s.env, strings.NewReader(stdin)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	cmd.Wait()
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func sh(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func which(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// within waits until something is so, and not for longer than limit.
func within(t testing.TB, what string, limit time.Duration, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", limit, what)
		}
	}
}

// TestMachine traces on another machine: this one, over a real server of ssh.
func TestMachine(t *testing.T) {
	s := newSSHD(t)
	t.Run("trace", func(t *testing.T) {
		const script = `BEGIN { printf("%s\n", $$1); trace(pid); exit(3); }`
		out, wrong, code := s.run(t, script, "trace", "-H", "root@there", "-q", "-s", "-", "a\xffb")
		if code != 3 || !strings.HasPrefix(out, "a\xffb\n") || !strings.Contains(wrong, "sending dscope to root@there") {
			t.Errorf("exit %d\n%q\n%q", code, out, wrong)
		}
	})
	t.Run("again", func(t *testing.T) {
		s.run(t, "", "-H", "root@there", "trace", "-V")
		out, wrong, code := s.run(t, "", "-H", "root@there", "trace", "-n", "BEGIN { exit(0) }")
		if code != 0 || wrong != "dtrace: description 'BEGIN ' matched 1 probe\n" || !strings.Contains(out, "BEGIN") {
			t.Errorf("exit %d\n%q\n%q", code, out, wrong)
		}
	})
	t.Run("mistake", func(t *testing.T) {
		_, wrong, code := s.run(t, "BEGIN { x = ; }", "trace", "-H", "root@there", "-s", "-")
		if code != 1 || !strings.Contains(wrong, "standard input:1:13") && !strings.Contains(wrong, "-:1:13") {
			t.Errorf("exit %d\n%q", code, wrong)
		}
	})
	t.Run("refused", func(t *testing.T) {
		_, wrong, code := s.run(t, "", "trace", "-H", "root@there", "-C", "-n", "BEGIN")
		if code != 1 || !strings.Contains(wrong, "-C: headers are those of this machine") {
			t.Errorf("exit %d\n%q", code, wrong)
		}
		_, wrong, code = s.run(t, "", "trace", "-H", "root@there", "--metrics", "localhost:1", "-n", "BEGIN")
		if code != 1 || !strings.Contains(wrong, "--metrics and --otlp tell of runs") {
			t.Errorf("exit %d\n%q", code, wrong)
		}
		_, wrong, code = s.run(t, "", "-Hroot@there", "fmt")
		if code != 2 || !strings.Contains(wrong, "concerns this machine alone") {
			t.Errorf("exit %d\n%q", code, wrong)
		}
		_, wrong, code = s.run(t, "", "trace", "-H", "root@nowhere.invalid", "-n", "BEGIN")
		if code != 1 || !strings.Contains(wrong, "reach root@nowhere.invalid: ") {
			t.Errorf("exit %d\n%q", code, wrong)
		}
	})
	t.Run("processes", func(t *testing.T) {
		out, wrong, code := s.run(t, "", "trace", "-H", "root@there", "-q", "-c", "/bin/true",
			"-n", `syscall::exit_group:entry /pid == $target/ { printf("%s %d", execname, pid == $target) }`)
		if code != 0 || !strings.Contains(out, "true 1") {
			t.Errorf("exit %d\n%q\n%q", code, out, wrong)
		}
	})
	t.Run("interrupt", func(t *testing.T) {
		cmd := exec.Command("dscope", "trace", "-H", "root@there", "-qn", `BEGIN { printf("begun\n") } END { printf("ended\n") }`)
		cmd.Env = s.env
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C goes to all of them, ssh too
		var out heard
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		defer late.Stop()
		within(t, "BEGIN", time.Minute, func() bool { return out.has("begun") })
		syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		if err := cmd.Wait(); err != nil || !out.has("ended\n") {
			t.Errorf("%v:\n%s", err, out.end())
		}
	})
	t.Run("left behind", func(t *testing.T) {
		out, wrong, code := s.run(t, "", "trace", "-H", "root@there", "-qw", "-n", `BEGIN { system("sleep 30 & echo said"); exit(0) }`)
		if code != 0 || !strings.Contains(out, "said") {
			t.Errorf("exit %d\n%q\n%q", code, out, wrong)
		}
	})
	t.Run("file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "out")
		out, wrong, code := s.run(t, "", "trace", "-H", "root@there", "-q", "-o", file, "-n", `BEGIN { trace("kept"); exit(0) }`)
		if b, err := os.ReadFile(file); code != 0 || out != "" || err != nil || !strings.Contains(string(b), "kept") {
			t.Errorf("exit %d\n%q\n%q\n%q, %v", code, out, wrong, b, err)
		}
	})
	t.Run("record", func(t *testing.T) {
		dir := t.TempDir()
		script, file := filepath.Join(dir, "a.d"), filepath.Join(dir, "run.dscope")
		if err := os.WriteFile(script, []byte("BEGIN { @n[\"found\"] = count(); exit(0); }"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, wrong, code := s.run(t, "", "-H", "root@there", "record", file, script); code != 0 {
			t.Fatalf("exit %d\n%q\n%q", code, out, wrong)
		}
		out, wrong, code := s.run(t, "", "export", "-f", "csv", file)
		if code != 0 || !strings.Contains(out, "found") {
			t.Errorf("exit %d\n%q\n%q", code, out, wrong)
		}
	})
	t.Run("plain", func(t *testing.T) {
		out, wrong, code := s.run(t, "add BEGIN { trace(\"there I am\"); exit(0); }\nrun\nwait\nquit\n", "--plain", "-H", "root@there")
		if code != 0 || !strings.Contains(out, "there I am") || !strings.Contains(out, "root@there, Linux") {
			t.Errorf("exit %d\n%s\n%s", code, out, wrong)
		}
	})
	t.Run("user", func(t *testing.T) {
		out, _, code := s.run(t, "add BEGIN { x = ; }\ncheck\nquit\n", "--plain", "-H", plainUser+"@there")
		if code != 0 || !strings.Contains(out, "log in as root") || !strings.Contains(out, plainUser) || !strings.Contains(out, "line 1") {
			t.Errorf("exit %d\n%s", code, out)
		}
		_, wrong, code := s.run(t, "", "trace", "-H", plainUser+"@there", "-n", "BEGIN { exit(0) }")
		if code != 1 || !strings.Contains(wrong, "CAP_BPF") {
			t.Errorf("exit %d\n%s", code, wrong)
		}
	})
	t.Run("sudo", func(t *testing.T) {
		needs(t, "sudo")
		out, wrong, code := s.run(t, "", "trace", "-H", sudoUser+"@there", "-qn", "BEGIN { trace(uid); exit(0) }")
		if code != 0 || strings.TrimSpace(out) != "0" {
			t.Errorf("exit %d\n%q\n%s", code, out, wrong)
		}
	})
	within(t, "the other side to be gone", 5*time.Second, func() bool { return len(s.servers()) == 0 })
}
