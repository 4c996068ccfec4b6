package ui

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/ui/session"
)

// What was open is open again at the next start without a file: all scripts, with their
// cursors, the one in front in front. Who names a file gets that alone.
func TestSessionOfScripts(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	paths := map[string]string{}
	for _, name := range []string{"a.d", "b.d", "c.d"} {
		paths[name] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[name], []byte("// "+name+"\nBEGIN\n{\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with := func(path string, do func(b *bench)) {
		store, last, err := session.Open(state)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		synctest.Test(t, func(t *testing.T) {
			b := start(t, &fake{}, Options{State: state, Path: path, Store: store, Last: last})
			do(b)
			b.wait(2 * rememberAfter)
			b.end()
		})
	}
	with(paths["a.d"], func(b *bench) {
		b.keys("alt+2", "down", "down", "ctrl+o")
		b.text("b.d")
		b.keys("enter", "down", "ctrl+o")
		b.text("c.d")
		b.keys("enter", "ctrl+pgup")
		b.shows("b.d  2 of 3")
		b.wait(time.Second)
	})
	with("", func(b *bench) {
		b.shows("b.d  1 of 3", "open as last time: b.d and 2 more")
		if line, _ := b.model().editor.Cursor(); line != 2 {
			t.Errorf("the cursor of b.d is in line %d", line)
		}
		seen := map[string]int{}
		for _, d := range b.model().editor.Desk().All() {
			line, _ := b.model().editor.CursorOf(d)
			seen[d.Name()] = line
		}
		if len(seen) != 3 || seen["a.d"] != 3 || seen["c.d"] != 1 {
			t.Errorf("the cursors are in %v", seen)
		}
	})
	with(paths["c.d"], func(b *bench) { b.shows("━ c.d ━") })
}
