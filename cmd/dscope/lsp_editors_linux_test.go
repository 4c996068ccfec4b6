package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// edited is the script that the editors of these tests are given.
const edited = `sched:::wakeup
{
	trace(args[0]->);
	printf("%d\n",   pid);
}
`

// editorHere skips a test whose editor is not here, or fails where it has to be.
func editorHere(t *testing.T, editor string, required bool) string {
	t.Helper()
	path, err := exec.LookPath(editor)
	if err == nil {
		return path
	}
	if required && os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed", editor)
	}
	t.Skipf("%s is not installed", editor)
	return ""
}

// drive runs an editor on the script, and returns what its own script has written.
func drive(t *testing.T, editor string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("dscope"); err != nil {
		t.Skip("dscope is not in the path of this test")
	}
	dir := t.TempDir()
	script, out := filepath.Join(dir, "x.d"), filepath.Join(dir, "out")
	if err := os.WriteFile(script, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, editor, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "SCRIPT="+script, "OUT="+out, "HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_STATE_HOME="+dir)
	said, err := c.CombinedOutput()
	text, _ := os.ReadFile(out)
	if err != nil {
		t.Fatalf("%s: %v\n%s\nit has written:\n%s", editor, err, said, text)
	}
	return string(text)
}

// hasAll complains about each of some texts that are not in got.
func hasAll(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q", w)
		}
	}
	if t.Failed() {
		t.Logf("the editor has written:\n%s", got)
	}
}

// finished is the script as both editors leave it.
const finished = `sched:::wakeup
{
	trace(args[0]->pr_lwpid);
	@latency[execname] = quantize(timestamp);
	printf("%d\n", pid);
}
`

func TestNeovim(t *testing.T) {
	nvim := editorHere(t, "nvim", true)
	lua, err := filepath.Abs(filepath.Join("..", "..", "testdata", "lsp", "editors", "neovim.lua"))
	if err != nil {
		t.Fatal(err)
	}
	got := drive(t, nvim, "--headless", "--clean", "-n", "-c", "luafile "+lua)
	before, formatted, _ := strings.Cut(got, "-- formatted\n")
	hasAll(t, before,
		"-- as it is opened\ncomplaint 3:17-18 D_SYNTAX: expected the name of a member, found )",
		"D_IDENT_UNDEF: failed to resolve execnam: Unknown variable name | did you mean execname?",
		"pr_lwpid: id_t", "pr_clname: char [8]",
		"-- the remedy that is offered\nwrite execname\n",
		"quantize(n[, weight])", "@latency[execname]")
	if strings.TrimSpace(formatted) != strings.TrimSpace(finished) {
		t.Errorf("formatted it is\n%s", formatted)
	}
	if testing.Verbose() {
		t.Log(got)
	}
}

func TestEmacs(t *testing.T) {
	emacs := editorHere(t, "emacs", false)
	if exec.Command(emacs, "-batch", "-l", "eglot").Run() != nil && exec.Command(emacs, "-batch", "-f", "package-initialize", "-l", "eglot").Run() != nil {
		t.Skip("this Emacs has no eglot")
	}
	el, err := filepath.Abs(filepath.Join("..", "..", "testdata", "lsp", "editors", "emacs.el"))
	if err != nil {
		t.Fatal(err)
	}
	got := drive(t, emacs, "-batch", "-f", "package-initialize", "-l", el)
	before, formatted, _ := strings.Cut(got, "-- formatted\n")
	hasAll(t, before,
		"complaint 3: ", "D_SYNTAX", "expected the name of a member", "did you mean execname?", "pr_lwpid", "pr_clname", "@latency[execname]")
	if strings.TrimSpace(formatted) != strings.TrimSpace(finished) {
		t.Errorf("formatted it is\n%s", formatted)
	}
	if testing.Verbose() {
		t.Log(got)
	}
}
