package binarytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NeedCompiler skips a test where there is no compiler, except in CI, which has one.
func NeedCompiler(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no compiler:", err)
	}
}

// Compile compiles a source, which lies in a file of a name such as prog.c, and returns
// the path of what was made of it: that without the end.
func Compile(t testing.TB, name, source string, flags ...string) string {
	t.Helper()
	NeedCompiler(t)
	src := filepath.Join(t.TempDir(), name)
	out := strings.TrimSuffix(src, filepath.Ext(src))
	if err := os.WriteFile(src, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command("gcc", append(flags, "-o", out, src)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	return out
}
