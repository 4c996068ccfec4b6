package ui

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
)

// What a script is run with is checked as it is typed, reaches the run, and is known when the
// script is opened again.
func TestCall(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "a.d")
	if err := os.WriteFile(path, []byte("BEGIN { trace($1); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := start(t, f, Options{State: state, Path: path})
		b.keys("alt+2", "alt+a")
		b.shows("run with:", "options and arguments as for dscope trace")
		b.text("-o x")
		b.keys("enter")
		b.shows("run with: -o x", "-o is not known here")
		b.keys("ctrl+u")
		b.text("-x quiet -p 7 'two words'")
		b.keys("enter")
		b.shows("a.d  -x quiet -p 7 'two words'")
		b.keys("ctrl+r")
		if len(f.runs) != 1 {
			t.Fatalf("%d runs", len(f.runs))
		}
		if s := f.runs[0].script; !slices.Equal(s.Args, []string{"two words"}) || !slices.Equal(s.Options, []string{"quiet"}) || s.Target != 7 {
			t.Errorf("it is run with %q, %q, %d", s.Args, s.Options, s.Target)
		}
		b.end()
	})
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{State: state, Path: path})
		b.shows("a.d  -x quiet -p 7 'two words'")
		b.end()
	})
}
