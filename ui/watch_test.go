package ui

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// Who watches has each save run; a save that is refused, or of a script with errors, runs
// nothing.
func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.d")
	if err := os.WriteFile(path, []byte("BEGIN { }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{Path: path})
		b.keys("alt+2", "ctrl+s")
		if len(f.runs) != 0 {
			t.Fatal("a save runs the script unasked")
		}
		b.keys("alt+ctrl+s")
		b.shows("what is saved is run")
		b.text("// 1\n")
		b.keys("ctrl+s")
		if len(f.runs) != 1 {
			t.Fatalf("%d runs after a save", len(f.runs))
		}
		if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.keys("alt+2")
		b.text("x")
		b.keys("ctrl+s")
		b.shows("changed on disk since it was read")
		if len(f.runs) != 1 {
			t.Error("a save that was refused runs the script")
		}
		b.keys("alt+ctrl+s", "ctrl+s")
		if len(f.runs) != 1 {
			t.Error("it is run though nobody watches any more")
		}
		b.end()
	})
}
