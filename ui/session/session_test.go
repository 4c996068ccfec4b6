package session

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestStore writes a session, reads it again, and leaves one that another has alone.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dscope")
	a, old, err := Open(dir)
	if err != nil || !reflect.DeepEqual(old, Session{}) || a.Shared() {
		t.Fatalf("%+v, %v, shared: %t", old, err, a.Shared())
	}
	want := Session{Documents: []Document{{"/x/a.d", 3, 4}}, Layout: Layout{Usual: []int{1, 2}, Zoom: true}, Filters: map[string]string{"n": "ssh"}}
	if err := a.Save(want); err != nil {
		t.Fatal(err)
	}
	b, old, err := Open(dir)
	if err != nil || !b.Shared() || old.Documents != nil {
		t.Errorf("the second has %+v, %v, shared: %t", old, err, b.Shared())
	}
	if err := b.Save(Session{}); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Save(Session{}); err != nil {
		t.Error(err)
	}
	c, old, err := Open(dir)
	if err != nil || !reflect.DeepEqual(old, want) {
		t.Errorf("got %+v, %v", old, err)
	}
	c.Close()
}

// TestOddFiles reads what no workbench has written: it is as if nothing were there, and the
// next session takes its place.
func TestOddFiles(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "half": `{"documents": [{"pa`, "another thing": `[1, 2]`, "relative": `{"documents":[{"path":"a.d"},{"path":""},{"path":"/a\u0000b"}]}`,
		"huge": strings.Repeat("x", maxSize+1), "numbers": `{"documents":[{"path":"/a.d","line":-4,"column":0}]}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "session.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, old, err := Open(dir)
		want := Session{}
		if name == "numbers" {
			want.Documents = []Document{{"/a.d", 1, 1}}
		}
		if err != nil || !reflect.DeepEqual(old, want) {
			t.Errorf("%s: %+v, %v", name, old, err)
		}
		if err := s.Save(Session{Documents: []Document{{"/b.d", 1, 1}}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
		if s, old, _ := Open(dir); len(old.Documents) != 1 || old.Documents[0].Path != "/b.d" {
			t.Errorf("%s: afterwards %+v", name, old)
		} else {
			s.Close()
		}
	}
}

func TestTheme(t *testing.T) {
	var none *Store
	if none.Theme() != "" || none.SaveTheme("x") != nil || none.Save(Session{}) != nil || none.Close() != nil || none.Shared() {
		t.Error("no store remembers something")
	}
	dir := t.TempDir()
	s := Themes(dir)
	if s.Theme() != "" {
		t.Error("there is a theme before one was chosen")
	}
	if err := s.SaveTheme("nord"); err != nil || s.Theme() != "nord" {
		t.Errorf("%q, %v", s.Theme(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "theme"), []byte("a\x1b[31m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Theme() != "" {
		t.Error("control codes are the name of a theme")
	}
	if s.Save(Session{}) != nil {
		t.Error("a store of themes has a session")
	}
}

// TestNowhere remembers in a place that there cannot be.
func TestNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, old, err := Open(filepath.Join(file, "dscope"))
	if err == nil || !strings.Contains(err.Error(), "remember the session") || old.Documents != nil {
		t.Errorf("%+v, %v", old, err)
	}
	if err := s.Save(old); err != nil {
		t.Errorf("what was told is told again: %v", err)
	}
	if err := s.SaveTheme("nord"); err == nil {
		t.Error("a theme was written to nowhere")
	}
}
