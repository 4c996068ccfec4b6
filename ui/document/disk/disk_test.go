package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dscope.dev/ui/document/text"
	"dscope.dev/ui/home"
)

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, text.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir: "folder", pipe: "no regular file", big: "too much", "/dev/zero": "no regular file",
		filepath.Join(dir, "none", "x.d"): "there is no folder",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v, want an error with %q", path, err, want)
		}
	}
	f, err := Read(filepath.Join(dir, "new.d"))
	if err != nil || !f.New {
		t.Errorf("a file that is not there yet gives %+v, %v", f, err)
	}
}

func TestWriteKeepsModeLinksAndBytes(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.d"), filepath.Join(dir, "link.d")
	if err := os.WriteFile(path, []byte("old"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.d", link); err != nil {
		t.Fatal(err)
	}
	const body = "a\r\nb\xff\n\x00"
	if _, err := Write(link, body, Stamp{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != body {
		t.Errorf("the file holds %q", got)
	}
	if info, _ := os.Lstat(path); info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link gave way to a file")
	}
	f, err := Read(link)
	if err != nil || f.Text != body {
		t.Errorf("Read gives %q, %v", f.Text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".dscope-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestWriteKeepsHardLinks(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.d"), filepath.Join(dir, "b.d")
	if err := errors.Join(os.WriteFile(a, []byte("old"), 0o600), os.Link(a, b)); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(a, "new", Stamp{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(b); string(got) != "new" {
		t.Errorf("the other name still holds %q", got)
	}
}

func TestWriteSeesForeignChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.d")
	st, err := Write(path, "mine", Stamp{})
	if err != nil {
		t.Fatal(err)
	}
	if st, err = Write(path, "mine again", st); err != nil {
		t.Fatalf("saving twice: %v", err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(path, "mine", st); !errors.Is(err, ErrChanged) {
		t.Errorf("overwriting a foreign change gives %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "theirs" {
		t.Errorf("the foreign change is lost: %q", got)
	}
	if _, err := Write(path, "mine", Stamp{}); err != nil {
		t.Errorf("overwriting on demand: %v", err)
	}
}

// called returns what names the script at a path alone.
func called(path string) func(string) bool { return func(s string) bool { return s == path } }

func TestOrphans(t *testing.T) {
	state := t.TempDir()
	dead := NewKeeper(state)
	if err := dead.Keep(2, "/tmp/a.d", "BEGIN\r\n\xff"); err != nil {
		t.Fatal(err)
	}
	if err := dead.Keep(1, "/tmp/a.d", "older"); err != nil {
		t.Fatal(err)
	}
	if got, _ := Orphans(state, called("/tmp/a.d")); len(got) != 0 {
		t.Errorf("a living editor's copy is an orphan: %+v", got)
	}
	dead.lock.Close() // as the kernel does when the process ends
	if got, _ := Orphans(state, called("")); len(got) != 0 {
		t.Errorf("the copy of a script with a name is found without one: %+v", got)
	}
	got, err := Orphans(state, called("/tmp/a.d"))
	if err != nil || len(got) != 1 || got[0].Text != "BEGIN\r\n\xff" || time.Since(got[0].Time) > time.Minute {
		t.Fatalf("Orphans = %+v, %v", got, err)
	}
	if err := got[0].Discard(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(unsaved(state)); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}

func TestKeeper(t *testing.T) {
	state := t.TempDir()
	k := NewKeeper(state)
	count := func() int {
		files, _ := filepath.Glob(filepath.Join(unsaved(state), "*.copy"))
		return len(files)
	}
	if err := errors.Join(k.Keep(3, "", "x"), k.Drop(2)); err != nil || count() != 1 {
		t.Errorf("dropping an older text removes the newer: %d copies, %v", count(), err)
	}
	if err := errors.Join(k.Drop(3), k.Keep(3, "", "x")); err != nil || count() != 0 {
		t.Errorf("a dropped copy comes back: %d copies, %v", count(), err)
	}
	if err := errors.Join(k.Keep(4, "", "y"), k.Close(), k.Close(), k.Keep(5, "", "z")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(unsaved(state)); len(left) != 0 {
		t.Errorf("%v are left after Close", left)
	}
	if info, _ := os.Stat(unsaved(state)); info.Mode().Perm() != 0o700 {
		t.Errorf("others may look at unsaved text: %v", info.Mode())
	}
}

// asNobody plays sudo, called by a user who owns the folder that is returned.
func asNobody(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		const why = "needs root: only root may give files away"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	t.Setenv("SUDO_UID", "65534")
	t.Setenv("SUDO_GID", "65534")
	if _, ok := home.Invoker(); !ok {
		t.Skip("this machine has no user 65534")
	}
	dir, err := os.MkdirTemp("", "nobody") // not t.TempDir, which lies where nobody may not go
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	return dir
}

func uidOf(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// TestStateIsTheUsers makes all that is kept the user's.
func TestStateIsTheUsers(t *testing.T) {
	state := filepath.Join(asNobody(t), ".local", "state", "dscope")
	k := NewKeeper(state)
	defer k.Close()
	if err := k.Keep(1, "", "x"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Dir(state), state, unsaved(state), k.lock.Name(), k.copyName()} {
		if uid := uidOf(t, path); uid != 65534 {
			t.Errorf("%s belongs to %d", path, uid)
		}
	}
	// What comes afterwards is root's again.
	if f, err := os.CreateTemp(t.TempDir(), "x"); err != nil || uidOf(t, f.Name()) != 0 {
		t.Errorf("a file is made as another user afterwards: %v", err)
	}
}

// TestLinksLeadNowhere has a user's folder, or one above it, be a link into a folder of
// root's: nothing is made, read or removed there.
func TestLinksLeadNowhere(t *testing.T) {
	for _, link := range []string{".local", ".local/state", ".local/state/dscope", ".local/state/dscope/unsaved"} {
		own := asNobody(t)
		roots := t.TempDir()
		inside := strings.TrimPrefix(".local/state/dscope/unsaved", link)
		if err := os.MkdirAll(roots+inside, 0o755); err != nil {
			t.Fatal(err)
		}
		theirs := filepath.Join(roots+inside, "7.lock")
		if err := os.WriteFile(theirs, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(own, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.Symlink(roots, path)); err != nil {
			t.Fatal(err)
		}
		state := filepath.Join(own, ".local/state/dscope")
		if k := NewKeeper(state); k.Keep(1, "", "x") == nil {
			t.Errorf("%s is a link, and a lock was made: %s", link, k.lock.Name())
		}
		if got, _ := Orphans(state, called("")); len(got) > 0 {
			t.Errorf("%s is a link, and copies were found: %v", link, got)
		}
		if err := (Orphan{file: filepath.Join(unsaved(state), "7.copy")}).Discard(); err == nil {
			t.Errorf("%s is a link, and what lies behind it was removed", link)
		}
		if left, _ := os.ReadDir(roots + inside); len(left) != 1 || uidOf(t, theirs) != 0 {
			t.Errorf("%s is a link, and root's folder has %v", link, left)
		}
	}
}

// TestStrangeCopies puts into the folder what no editor has: it is left alone.
func TestStrangeCopies(t *testing.T) {
	state := t.TempDir()
	dir := unsaved(state)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	head := []byte(`{"path":""}` + "\n")
	err := errors.Join(
		syscall.Mkfifo(in("1.lock"), 0o600), // would hang
		os.WriteFile(in("precious.lock"), nil, 0o600),
		os.WriteFile(in("2.lock"), nil, 0o600), os.WriteFile(in("2.copy"), head, 0o600), os.Truncate(in("2.copy"), 3<<30),
		os.WriteFile(in("3.lock"), nil, 0o600), syscall.Mkfifo(in("3.copy"), 0o600),
		os.WriteFile(in("4.lock"), nil, 0o600), os.Symlink("/etc/passwd", in("4.copy")),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Orphans(state, called("")); err != nil || len(got) > 0 {
		t.Errorf("Orphans gives %d, %v", len(got), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 8 {
		t.Errorf("%v are left", left)
	}
}

// TestSudo needs root: only root may give files away.
func TestSudo(t *testing.T) {
	asNobody(t)
	path := filepath.Join(t.TempDir(), "a.d")
	if _, err := Write(path, "x", Stamp{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 65534 {
		t.Errorf("the file belongs to %d", uid)
	}
	if _, err := Write(path, "y", Stamp{}); err != nil {
		t.Fatal(err)
	}
	if info, _ = os.Stat(path); info.Sys().(*syscall.Stat_t).Uid != 65534 {
		t.Error("saving again takes the file away from its owner")
	}
}
