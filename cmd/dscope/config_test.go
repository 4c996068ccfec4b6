package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/ui/config"
)

// TestConfigWhole takes the signs of comments away from the whole file that is printed: all
// of it is understood, each option with the value beside it.
func TestConfigWhole(t *testing.T) {
	known := knownOptions()
	var bare []string
	for _, line := range strings.Split(config.Print("", known), "\n") {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") {
			line = rest
		}
		bare = append(bare, line)
	}
	c, errs := config.Parse("c", strings.Join(bare, "\n"), known)
	for _, err := range errs {
		t.Error(err)
	}
	if len(c.Options) < len(known.Options) {
		t.Errorf("%d of %d options were taken", len(c.Options), len(known.Options))
	}
}

// TestConfigured reads files that are there, wrong, no files, and not there.
func TestConfigured(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "dscope", config.Name)
	if c, wrong := configured(); wrong != nil || c.Tab != 8 {
		t.Errorf("no file gives %q", wrong)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("tab = 4\n[options]\nbufsize = \"nothing\"\nstrszie = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, wrong := configured()
	if c.Tab != 4 || len(wrong) != 2 || !strings.Contains(wrong[0], path+":3: options.bufsize: Invalid value") || !strings.Contains(wrong[0], "(and 1 more: dscope config check)") ||
		!strings.HasSuffix(wrong[1], "did you mean strsize?") {
		t.Errorf("%+v %q", c.Tab, wrong)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, wrong := configured(); len(wrong) != 1 || !strings.Contains(wrong[0], "no regular file") {
		t.Errorf("a folder gives %q", wrong)
	}
}
