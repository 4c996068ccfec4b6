package document

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, s string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
		t.Fatal(err)
	}
}

func held(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// opened returns the document of a file.
func opened(t *testing.T, path string) *Document {
	t.Helper()
	o := Open("", path)
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	return newDocument(1, o.File, "")
}

// saved saves d at path, and returns what is said of it.
func saved(d *Document, path string) string {
	said, _ := d.Saved(d.Save(path)())
	return said
}

// What is there already is not overwritten by a name that was typed, nor by the first save
// of what was a new file when it was opened; asked for again it is.
func TestSaveOverAnother(t *testing.T) {
	dir := t.TempDir()
	mine, other := filepath.Join(dir, "mine.d"), filepath.Join(dir, "other.d")
	write(t, other, "theirs")
	d := opened(t, mine)
	d.typed("x")
	if said := saved(d, other); held(t, other) != "theirs" || !strings.Contains(said, "there is such a file already; save again") {
		t.Errorf("another file is overwritten: %q", said)
	}
	write(t, mine, "appeared")
	if said := saved(d, mine); held(t, mine) != "appeared" || !strings.Contains(said, "already") {
		t.Errorf("a file that appeared is overwritten: %q", said)
	}
	if said := saved(d, other); held(t, other) != "theirs" {
		t.Errorf("what was refused before the last refusal is overwritten: %q", said)
	}
	if said := saved(d, other); held(t, other) != "x" || d.Path() != other || d.Modified() {
		t.Errorf("asked for twice: %q", said)
	}
}

// A save that ends after another script has come to the front reaches the one that it is of.
func TestSaveEndsLate(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.d"), filepath.Join(dir, "b.d")
	write(t, a, "a")
	write(t, b, "b")
	k := NewDesk("")
	k.Put(Open("", a).File)
	first := k.Front()
	first.typed("x")
	end := first.Save(a)()
	k.Put(Open("", b).File)
	k.Front().typed("y")
	if said, _ := k.About(end.of).Saved(end); said != "saved a.d, 1 line" || first.Modified() || !k.Front().Modified() {
		t.Errorf("%q; modified %v and %v", said, first.Modified(), k.Front().Modified())
	}
	if saved(k.Front(), b); held(t, a) != "xa" || held(t, b) != "yb" {
		t.Errorf("a.d holds %q, b.d %q", held(t, a), held(t, b))
	}
}

// Text that was typed while the first save was under way is not saved.
func TestTypedDuringSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.d")
	d := opened(t, path)
	d.typed("x")
	save := d.Save(path)
	d.typed("y")
	if d.Saved(save()); held(t, path) != "x" || !d.Modified() {
		t.Errorf("the file holds %q, modified %v", held(t, path), d.Modified())
	}
	if saved(d, path); held(t, path) != "xy" || d.Modified() {
		t.Errorf("the file holds %q, modified %v", held(t, path), d.Modified())
	}
}
