package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/ui/document"
	"dscope.dev/ui/document/disk"
)

// start starts the rig's editor as the program does.
func (r *rig) start(state, path string) {
	r.m.opts.State = state
	r.m.desk = document.NewDesk(state)
	r.m.turn()
	r.run(r.m.Open(path))
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
	r.press("'x' ctrl+o 'b.d' enter")
	if r.m.doc.Text() != "END" || r.m.Title() != "b.d  2 of 2" || r.m.doc.Is(v) {
		t.Errorf("open shows %q in %q", r.m.doc.Text(), r.m.Title())
	}
	r.press("ctrl+pgdown")
	if r.m.doc.Text() != "x" || r.m.Title() != "a.d *  1 of 2" {
		t.Errorf("the script before is %q in %q", r.m.doc.Text(), r.m.Title())
	}
	r.press("alt+w 'n'")
	if r.m.doc.Text() != "x" || r.m.notice != "not closed" {
		t.Errorf("no closes it: %q, %q", r.m.doc.Text(), r.m.notice)
	}
	r.press("alt+w 'y'")
	if r.m.doc.Text() != "END" || r.m.Title() != "b.d" {
		t.Errorf("yes leaves %q in %q", r.m.doc.Text(), r.m.Title())
	}
	r.press("ctrl+o enter")
	if !strings.Contains(r.m.notice, "it is a folder") || r.m.doc.Text() != "END" {
		t.Errorf("opening a folder gives %q", r.m.notice)
	}
	r.press("ctrl+n 'y' alt+w 'n' ctrl+pgup")
	if r.m.doc.Text() != "END" || r.m.Title() != "b.d  1 of 2" {
		t.Errorf("beside a new script is %q in %q", r.m.doc.Text(), r.m.Title())
	}
}

// Each script keeps what is in view of it, and what is said of it wherever it is.
func TestScriptsKeepTheirPlaces(t *testing.T) {
	r := newRig(t, strings.Repeat("BEGIN { }\n", 90))
	r.press("ctrl+end 'x'")
	top, ref := r.m.top, r.m.doc.Ref()
	r.press("ctrl+n 'x'")
	r.m.SetDiagnostics(ref, complain("BEGIN", "BEGIN"))
	if r.m.top != 0 || len(r.m.doc.Marks()) != 0 {
		t.Errorf("an empty script begins at line %d with %d complaints", r.m.top, len(r.m.doc.Marks()))
	}
	r.press("ctrl+pgdown")
	if r.m.top != top || len(r.m.doc.Marks()) != 1 {
		t.Errorf("back again line %d is first, was %d; %d complaints", r.m.top, top, len(r.m.doc.Marks()))
	}
}

func TestRecovery(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "a.d")
	write(t, path, "saved")
	abandon(t, state, path, "unsaved")
	r := newRig(t, "")
	r.start(state, path)
	if r.m.doc.Text() != "saved" || !strings.Contains(r.m.notice, "was never saved: alt+u shows it") {
		t.Fatalf("after a crash the text is %q, %q", r.m.doc.Text(), r.m.notice)
	}
	r.press("alt+u")
	if r.m.doc.Text() != "unsaved" || !r.m.doc.Modified() || !strings.Contains(r.m.notice, "undo drops it") {
		t.Fatalf("recovered is %q, %q", r.m.doc.Text(), r.m.notice)
	}
	if o, _ := disk.Orphans(state, func(string) bool { return true }); len(o) != 0 {
		t.Errorf("the orphan is still there: %v", o)
	}
	if n := copies(t, state); n != 1 {
		t.Errorf("%d copies are kept of the recovered text", n)
	}
	r.press("ctrl+z")
	if r.m.doc.Text() != "saved" || r.m.doc.Modified() {
		t.Errorf("undo gives %q", r.m.doc.Text())
	}
	r.update(keepMsg{r.m.doc.Ref()})
	if n := copies(t, state); n != 0 {
		t.Errorf("%d copies are kept of a saved text", n)
	}
}

// Who opens nothing is told of all that was left, of scripts with a file too.
func TestRecoveryOfAll(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "a.d")
	write(t, path, "saved")
	abandon(t, state, path, "unsaved")
	r := newRig(t, "")
	r.start(state, "")
	if r.m.doc.Text() != "" || !strings.HasPrefix(r.m.notice, "a.d of ") {
		t.Fatalf("%q is said, the script is %q", r.m.notice, r.m.doc.Text())
	}
	r.press("alt+u")
	if r.m.doc.Text() != "unsaved" || r.m.doc.Path() != path {
		t.Errorf("recovered is %q of %q", r.m.doc.Text(), r.m.doc.Path())
	}
	r.press("ctrl+z")
	if r.m.doc.Text() != "saved" {
		t.Errorf("undo gives %q", r.m.doc.Text())
	}
}

func TestCopyOfUnsavedText(t *testing.T) {
	state := t.TempDir()
	r := newRig(t, "")
	r.start(state, "")
	r.m.doc.Buf.Replace(0, 0, "x") // typing would wait for the clock
	r.update(keepMsg{r.m.doc.Ref()})
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
	r.update(keepMsg{r.m.doc.Ref()})
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
	r.press("'x'")
	if !strings.HasPrefix(r.m.notice, "unsaved text is not safe from a crash") {
		t.Errorf("nothing is said: %q", r.m.notice)
	}
}

// abandon leaves a copy of unsaved text as an editor does that is killed.
func abandon(t *testing.T, state, path, s string) {
	t.Helper()
	k := disk.NewKeeper(state)
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

// A script that is typed while the disk is slow stays beside the one that was asked for.
func TestOpenEndsLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.d")
	write(t, path, "END")
	r := newRig(t, "")
	open := r.m.Open(path)
	r.press("'x'")
	r.run(open)
	if r.m.doc.Text() != "END" || r.m.Title() != "b.d  2 of 2" {
		t.Errorf("the script is %q in %q", r.m.doc.Text(), r.m.Title())
	}
}

// Whoever closes a script without saving drops its copy too: it must not come back as
// unsaved text.
func TestDroppedTextIsNotKept(t *testing.T) {
	state := t.TempDir()
	r := newRig(t, "")
	r.start(state, "")
	r.m.doc.Buf.Replace(0, 0, "x")
	r.update(keepMsg{r.m.doc.Ref()})
	if n := copies(t, state); n != 1 {
		t.Fatalf("%d copies are kept", n)
	}
	r.press("alt+w 'y'")
	if n := copies(t, state); n != 0 || r.m.doc.Text() != "" {
		t.Errorf("%d copies are left; the script is %q", n, r.m.doc.Text())
	}
}
