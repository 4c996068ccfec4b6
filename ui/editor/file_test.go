package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/ui/document/disk"
)

// start starts the rig's editor as the program does.
func (r *rig) start(state, path string) {
	r.m.opts.State = state
	r.run(r.m.Start(path))
	r.Cleanup(func() { r.run(r.m.Close()) })
}

func write(t *testing.T, path, s string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read1(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOpenEditSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.d")
	const body = "BEGIN\r\n{\r\n}\r\n// \xff\x00"
	write(t, path, body)
	r := newRig(t, "")
	r.start("", path)
	if r.m.doc.Text() != body || r.m.doc.Path() != path || r.m.doc.Modified() || r.m.Title() != "a.d" {
		t.Fatalf("%q holds %q, modified %v", r.m.Title(), r.m.doc.Text(), r.m.doc.Modified())
	}
	r.press("'x'")
	if r.m.Title() != "a.d *" || r.m.doc.Unsaved() != "a.d has changes that are not saved" {
		t.Errorf("title %q, unsaved %q", r.m.Title(), r.m.doc.Unsaved())
	}
	r.press("ctrl+s")
	if got := read1(t, path); got != "x"+body {
		t.Errorf("the file holds %q", got)
	}
	if r.m.doc.Modified() || !strings.HasPrefix(r.m.notice, "saved a.d") {
		t.Errorf("modified %v, %q", r.m.doc.Modified(), r.m.notice)
	}
	r.press("ctrl+z")
	if !r.m.doc.Modified() {
		t.Error("undoing past a save leaves the text unmodified")
	}
}

func TestSaveUnderAName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.d")
	r := newRig(t, "")
	r.press("'BEGIN' ctrl+s")
	r.press("'" + path + "' enter")
	if got := read1(t, path); got != "BEGIN" || r.m.doc.Path() != path {
		t.Errorf("%s holds %q; the path is %s", path, got, r.m.doc.Path())
	}
	write(t, path, "theirs")
	r.press("'x' ctrl+s")
	if read1(t, path) != "theirs" || !strings.Contains(r.m.notice, "save again") {
		t.Errorf("a foreign change is overwritten: %q", r.m.notice)
	}
	if r.press("ctrl+s"); read1(t, path) != "BEGINx" {
		t.Error("saving twice does not overwrite")
	}
}

func TestOpenAsks(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b.d"), "END")
	r := newRig(t, "")
	r.start("", filepath.Join(dir, "a.d"))
	if !strings.Contains(r.m.notice, "new file") {
		t.Errorf("a new file is greeted with %q", r.m.notice)
	}
	v := r.m.doc.Ref()
	r.press("'x' ctrl+o 'b.d' enter 'n'")
	if r.m.doc.Text() != "x" {
		t.Errorf("no drops the text: %q", r.m.doc.Text())
	}
	r.press("ctrl+o 'b.d' enter 'y'")
	if r.m.doc.Text() != "END" || r.m.doc.Modified() || r.m.doc.Is(v) {
		t.Errorf("yes gives %q, modified %v", r.m.doc.Text(), r.m.doc.Modified())
	}
	r.press("ctrl+o enter")
	if !strings.Contains(r.m.notice, "it is a folder") || r.m.doc.Text() != "END" {
		t.Errorf("opening a folder gives %q", r.m.notice)
	}
}

func TestRecovery(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "a.d")
	write(t, path, "saved")
	abandon(t, state, path, "unsaved")
	r := newRig(t, "")
	r.start(state, path)
	if r.m.doc.Text() != "unsaved" || !r.m.doc.Modified() || !strings.HasPrefix(r.m.notice, "recovered text of ") {
		t.Fatalf("after a crash the text is %q, %q", r.m.doc.Text(), r.m.notice)
	}
	if o, _ := disk.Orphans(state, path); len(o) != 0 {
		t.Errorf("the orphan is still there: %v", o)
	}
	if n := copies(t, state); n != 1 {
		t.Errorf("%d copies are kept of the recovered text", n)
	}
	r.press("ctrl+z")
	if r.m.doc.Text() != "saved" || r.m.doc.Modified() {
		t.Errorf("undo gives %q", r.m.doc.Text())
	}
	r.update(keepMsg{})
	if n := copies(t, state); n != 0 {
		t.Errorf("%d copies are kept of a saved text", n)
	}
}

func TestCopyOfUnsavedText(t *testing.T) {
	state := t.TempDir()
	r := newRig(t, "")
	r.start(state, "")
	r.m.doc.Buf.Replace(0, 0, "x") // typing would wait for the clock
	r.update(keepMsg{})
	if n := copies(t, state); n != 1 {
		t.Fatalf("%d copies are kept", n)
	}
	r.m.doc.Buf.Replace(0, 0, "y")
	if err := r.m.doc.Flush()(); err != nil {
		t.Error(err)
	}
	r.run(r.m.saveTo(filepath.Join(t.TempDir(), "a.d")))
	if n := copies(t, state); n != 0 || r.m.doc.Modified() {
		t.Errorf("after the save %d copies are left", n)
	}
	r.m.doc.Buf.Replace(0, 0, "z")
	r.update(keepMsg{})
	r.run(r.m.Close())
	if left, _ := os.ReadDir(filepath.Join(state, "unsaved")); len(left) != 0 {
		t.Errorf("%v are left behind", left)
	}
}

func TestStateThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	r := newRig(t, "")
	r.start(file, "")
	if !strings.HasPrefix(r.m.notice, "unsaved text will not outlive a crash") {
		t.Errorf("nothing is said: %q", r.m.notice)
	}
	r.press("'x' ctrl+z")
}

// abandon leaves a copy of unsaved text as an editor does that is killed.
func abandon(t *testing.T, state, path, s string) {
	t.Helper()
	k, err := disk.NewKeeper(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Keep(1, path, s); err != nil {
		t.Fatal(err)
	}
	// Moving the copy away from the lock that this process holds.
	files, _ := filepath.Glob(filepath.Join(state, "unsaved", "*.copy"))
	body := read1(t, files[0])
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(state, "unsaved", "1.copy"), body)
	write(t, filepath.Join(state, "unsaved", "1.lock"), "")
}

func copies(t *testing.T, state string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "unsaved", "*.copy"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// A script that is typed while the disk is slow does not vanish below the one that was asked
// for.
func TestOpenEndsLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.d")
	write(t, path, "END")
	r := newRig(t, "")
	open := r.m.Open(path)
	r.press("'x'")
	r.run(open)
	if r.m.doc.Text() != "x" || !strings.Contains(r.m.notice, "open it again") {
		t.Errorf("the script is %q: %q", r.m.doc.Text(), r.m.notice)
	}
}

// Whoever drops changes for another script drops their copy too: it must not come back as
// recovered text.
func TestDroppedTextIsNotKept(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "b.d")
	write(t, path, "END")
	r := newRig(t, "")
	r.start(state, "")
	r.m.doc.Buf.Replace(0, 0, "x")
	r.update(keepMsg{})
	if n := copies(t, state); n != 1 {
		t.Fatalf("%d copies are kept", n)
	}
	r.press("ctrl+o '" + path + "' enter 'y'")
	if n := copies(t, state); n != 0 || r.m.doc.Text() != "END" {
		t.Errorf("%d copies are left; the script is %q", n, r.m.doc.Text())
	}
}
