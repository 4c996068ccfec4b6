package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

func TestScriptsBox(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"alpha.d", "beta.d"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("// "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{State: state, Path: filepath.Join(dir, "alpha.d")})
		b.keys("alt+2", "ctrl+o")
		b.text("beta.d")
		b.keys("enter")
		b.shows("// beta.d", "beta.d  2 of 2")
		b.keys("alt+o")
		b.shows("Scripts", "open     beta.d", "open     alpha.d", "2 lines")
		b.keys("enter") // the one before
		b.shows("// alpha.d", "alpha.d  1 of 2")
		b.keys("alt+w", "alt+w", "alt+o")
		b.shows("file     beta.d", "file     alpha.d")
		b.text("beta")
		if strings.Contains(b.view(), "alpha.d") {
			t.Errorf("what does not match is listed:\n%s", b.view())
		}
		b.keys("enter")
		b.shows("// beta.d")
		b.text("x")
		b.keys("alt+o")
		b.shows("beta.d *")
		b.text("nothing like it")
		b.shows("no script matches")
		b.keys("esc")
		b.end()
	})
}
