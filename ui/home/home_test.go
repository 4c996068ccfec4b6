package home

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alone makes the environment that of a user who has called nothing.
func alone(t *testing.T) {
	for _, env := range []string{"SUDO_UID", "DOAS_USER", "PKEXEC_UID", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(env, "")
	}
}

func TestFolders(t *testing.T) {
	alone(t)
	t.Setenv("XDG_STATE_HOME", "/var/tmp/state")
	if got, err := State(); err != nil || got != "/var/tmp/state/dscope" {
		t.Errorf("State() = %s, %v", got, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative") // the specification says: ignore it
	home := t.TempDir()
	t.Setenv("HOME", home)
	if got, err := State(); err != nil || got != home+"/.local/state/dscope" {
		t.Errorf("State() = %s, %v", got, err)
	}
	if got, err := Config(); err != nil || got != home+"/.config/dscope" {
		t.Errorf("Config() = %s, %v", got, err)
	}
	if got := Expand("~/x.d"); got != home+"/x.d" {
		t.Errorf("Expand(~/x.d) = %s", got)
	}
	for _, none := range []string{"/nonexistent", ""} {
		t.Setenv("HOME", none)
		if got, err := State(); err == nil || !strings.Contains(err.Error(), "no home folder") {
			t.Errorf("the home %q, which is not there, has the folder %s, %v", none, got, err)
		}
	}
}

// nobody is a user that every machine has.
func nobody(t *testing.T) *user.User {
	t.Helper()
	if os.Geteuid() != 0 {
		const why = "needs root: only root can act as another user"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	u, err := user.LookupId("65534")
	if err != nil {
		t.Skip("this machine has no user 65534")
	}
	return u
}

// TestInvoker calls in each of the ways in which one becomes root.
func TestInvoker(t *testing.T) {
	u := nobody(t)
	for _, tt := range []struct {
		env, value string
		want       int // 0 is nobody
	}{
		{"SUDO_UID", u.Uid, 65534},
		{"DOAS_USER", u.Username, 65534},
		{"PKEXEC_UID", u.Uid, 65534},
		{"SUDO_UID", "0", 0}, // root has called sudo
		{"SUDO_UID", "4000000000", 0},
		{"SUDO_UID", "x", 0},
		{"DOAS_USER", "no such user", 0},
	} {
		alone(t)
		t.Setenv(tt.env, tt.value)
		got, ok := Invoker()
		if ok != (tt.want != 0) || got.UID != tt.want {
			t.Errorf("%s=%s gives %+v, %t", tt.env, tt.value, got, ok)
		}
	}
}

// TestXDGOfAnother has root's own folders in the environment of sudo: they are not taken
// for the user's.
func TestXDGOfAnother(t *testing.T) {
	u := nobody(t)
	alone(t)
	t.Setenv("SUDO_UID", u.Uid)
	theirs := t.TempDir()
	t.Setenv("XDG_STATE_HOME", theirs)
	if got, err := State(); strings.HasPrefix(got, theirs) {
		t.Errorf("State() = %s, %v, which is root's", got, err)
	}
	own, err := os.MkdirTemp("", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(own) })
	if err := os.Chown(own, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", own+"/not/yet")
	if got, err := State(); err != nil || got != own+"/not/yet/dscope" {
		t.Errorf("State() = %s, %v", got, err)
	}
}

// TestOwners makes files and folders in each of the ways, under each of the callers: all
// of them are the caller's, and afterwards root is root.
func TestOwners(t *testing.T) {
	u := nobody(t)
	for env, who := range map[string]string{"SUDO_UID": u.Uid, "DOAS_USER": u.Username, "PKEXEC_UID": u.Uid} {
		alone(t)
		t.Setenv(env, who)
		own, err := os.MkdirTemp("", "nobody")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(own) })
		if err := os.Chown(own, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(own, ".local/state/dscope/session.json")
		if err := errors.Join(Write(name, []byte("a")), Write(name, []byte("b"))); err != nil {
			t.Fatal(err)
		}
		unlock, ok, err := Lock(filepath.Join(own, ".local/state/dscope/session.lock"))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if got, err := Read(name, 10); string(got) != "b" || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
		filepath.WalkDir(own, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || uidOf(t, path) != 65534 {
				t.Errorf("%s: %s belongs to %d, %v", env, path, uidOf(t, path), err)
			}
			return nil
		})
		unlock()
		if f, err := os.CreateTemp(t.TempDir(), "x"); err != nil || uidOf(t, f.Name()) != 0 {
			t.Errorf("a file is made as another user afterwards: %v", err)
		}
	}
}

func uidOf(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// TestWriteFails writes where it cannot be done: what was there stays, and nothing is left.
func TestWriteFails(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := Write(name, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(name, "b"), []byte("x")); err == nil {
		t.Error("a file is taken for a folder")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "folder"), []byte("x")); err == nil {
		t.Error("a folder is replaced")
	}
	if got, err := Read(name, 10); string(got) != "old" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%v are left", left)
	}
}

func TestReadRefuses(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pipe: "no regular file", dir: "no regular file", "/dev/zero": "no regular file", "/proc/self/status": "larger", dir + "/none": "no such file"} {
		if _, err := Read(name, 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v, want %q", name, err, want)
		}
	}
}

func TestLock(t *testing.T) {
	alone(t)
	name := filepath.Join(t.TempDir(), "below", "lock")
	unlock, ok, err := Lock(name)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := Lock(name); ok || err != nil {
		t.Errorf("taken twice: %t, %v", ok, err)
	}
	unlock()
	unlock, ok, err = Lock(name)
	if !ok || err != nil {
		t.Fatalf("not free again: %t, %v", ok, err)
	}
	unlock()
}

// TestDying waits for a lock that somebody has who was killed, as a process that he was about to
// start has it for a moment, and for no other.
func TestDying(t *testing.T) {
	alone(t)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "lock")
	unlock, ok, err := Lock(name)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	from := time.Now()
	if _, ok, err := Lock(name); ok || err != nil || time.Since(from) > dying/2 {
		t.Errorf("held by the living: %t, %v after %v", ok, err, time.Since(from))
	}
	if err := os.WriteFile(name, []byte(strconv.Itoa(ended.Process.Pid)), 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(dying/20, func() { unlock() })
	unlock, ok, err = Lock(name)
	if !ok || err != nil {
		t.Fatalf("held by nobody: %t, %v", ok, err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != strconv.Itoa(os.Getpid()) {
		t.Errorf("signed %q, %v", b, err)
	}
	unlock()
}
