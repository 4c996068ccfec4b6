package grammar

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBat has bat colour a script: it takes the grammar, and sees the same words.
func TestBat(t *testing.T) {
	bat, err := exec.LookPath("bat")
	if err != nil {
		if bat, err = exec.LookPath("batcat"); err != nil { // as Debian calls it
			t.Skip("bat is not installed")
		}
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "syntaxes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "syntaxes", "DTrace.sublime-syntax"), Sublime(), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		c := exec.Command(bat, args...)
		c.Env = append(os.Environ(), "BAT_CONFIG_PATH=/dev/null", "BAT_CACHE_PATH="+filepath.Join(dir, "cache"), "HOME="+dir)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("bat %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("cache", "--build", "--source", dir, "--target", filepath.Join(dir, "cache"))
	script := filepath.Join(dir, "x.d")
	text := "/* of two\n   lines */\nsyscall::read:entry\n/execname == \"cat\"/\n{\n\t@n[pid] = count(); /* here */\n\tself->x = 0x1f;\n}\ninline int y = 777;\nBEGIN { exit(0); }\n"
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := run("--plain", "--color=always", "--theme=ansi", "-l", "DTrace", script)
	colour := func(word string) string {
		i := strings.Index(out, word)
		if i < 0 {
			t.Fatalf("%s is not in one piece in %q", word, out)
		}
		before := out[:i]
		from := strings.LastIndex(before, "\x1b[")
		return before[max(from, 0):]
	}
	classes := [][]string{ // comments, probes, numbers, functions, keywords
		{" of two", "   lines ", " here "}, {"syscall::read:entry", "BEGIN"}, {"0x1f", "777"}, {"count", "exit"}, {"inline", "self"},
	}
	for i, same := range classes {
		for _, w := range same[1:] {
			if colour(w) != colour(same[0]) {
				t.Errorf("%q and %q have colours of their own: %q, %q", same[0], w, colour(same[0]), colour(w))
			}
		}
		for _, other := range classes[:i] {
			if colour(same[0]) == colour(other[0]) {
				t.Errorf("%q has the colour of %q", same[0], other[0])
			}
		}
	}
	if testing.Verbose() {
		t.Logf("\n%s", out)
	}
}
