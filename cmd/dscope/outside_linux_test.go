package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// editors are programs for EDITOR, which get the name of a file behind +N.
const (
	appends = `echo "/* edited at $1 as $(id -u) in $HOME */" >> "${@: -1}"`
	asks    = `echo "the editor has the screen"; read answer; ` + appends
)

// withEditor returns a workbench under a shell whose EDITOR is a script, with text in it.
func withEditor(t *testing.T, script string) *terminal {
	t.Helper()
	dir, err := os.MkdirTemp("", "editor-") // where every user may go, as t.TempDir may not be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	editor := filepath.Join(dir, "vi")
	if err := os.WriteFile(editor, []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", editor)
	tty := shell(t, "")
	tty.keys("BEGIN { exit(0); }\r")
	tty.shows("exit(0)")
	return tty
}

// leave ends the workbench, whatever is lost.
func (tty *terminal) leave() {
	tty.keys("\x03")
	tty.shows("y")
	tty.keys("y")
	tty.until("the shell", func(p string) bool { return !strings.Contains(p, "1 Probes") && strings.Contains(p, "shell$") })
	tty.keys("exit\n")
	tty.end()
	tty.givenBack()
}

const editOutside = "\x1b\x05"

// TestOwnEditor has the script written in the user's own editor: what comes back is a change
// that undo takes back, and no copy is left.
func TestOwnEditor(t *testing.T) {
	before, _ := filepath.Glob(filepath.Join(os.TempDir(), "dscope-*"))
	tty := withEditor(t, appends)
	tty.keys(editOutside)
	tty.shows("edited at +2")
	tty.keys("\x1a")
	tty.until("the text of before", func(p string) bool {
		return !strings.Contains(p, "edited at") && strings.Contains(p, "exit(0)")
	})
	tty.keys("k0")
	tty.shows("k0")
	tty.leave()
	if after, _ := filepath.Glob(filepath.Join(os.TempDir(), "dscope-*")); len(after) > len(before) {
		t.Errorf("left behind: %q", after)
	}
}

// TestOwnEditorGoesWrong holds that nothing is taken from an editor that fails, and that what
// it wrote is not lost.
func TestOwnEditorGoesWrong(t *testing.T) {
	tty := withEditor(t, appends+"; exit 3")
	tty.keys("\x1b+" + editOutside) // with room for all that is said
	tty.shows("exit status 3")
	if p := tty.picture(); strings.Contains(p, "edited at") {
		t.Errorf("it was taken over:\n%s", p)
	}
	files, _ := filepath.Glob(filepath.Join(os.TempDir(), "dscope-*", "script.d"))
	if len(files) == 0 {
		t.Fatal("what the editor wrote is lost")
	}
	newest := files[len(files)-1]
	defer os.RemoveAll(filepath.Dir(newest))
	if text, _ := os.ReadFile(newest); !strings.Contains(string(text), "edited at") {
		t.Errorf("%s has %q", newest, text)
	}
	tty.leave()
}

// TestOwnEditorWritesTooMuch holds that what cannot be taken over is kept where it was written.
func TestOwnEditorWritesTooMuch(t *testing.T) {
	tty := withEditor(t, `head -c 20000000 /dev/zero >> "${@: -1}"`)
	before, _ := filepath.Glob(filepath.Join(os.TempDir(), "dscope-*", "script.d"))
	tty.keys("\x1b+" + editOutside)
	tty.shows("too much")
	after, _ := filepath.Glob(filepath.Join(os.TempDir(), "dscope-*", "script.d"))
	if len(after) != len(before)+1 {
		t.Fatalf("what the editor wrote is lost: %q, then %q", before, after)
	}
	for _, file := range after {
		if !slices.Contains(before, file) {
			os.RemoveAll(filepath.Dir(file))
		}
	}
	tty.leave()
}

// TestOwnEditorMissing names what is wrong with EDITOR.
func TestOwnEditorMissing(t *testing.T) {
	tty := withEditor(t, "")
	os.Remove(os.Getenv("EDITOR"))
	tty.keys(editOutside)
	tty.shows("vi: there is no such program")
	tty.keys("k0")
	tty.shows("k0")
	tty.leave()
}

// TestOwnEditorIsAlone sends the signals that a terminal sends to all who have it while the
// editor has it: an interrupt is the editor's, and a stop stops both until the shell's fg.
func TestOwnEditorIsAlone(t *testing.T) {
	tty := withEditor(t, "trap : INT; kill -INT 0; kill -TSTP 0; "+asks)
	pid := group(t, tty)
	tty.keys(editOutside)
	stopped(t, pid, true)
	tty.until("the shell's word", regexp.MustCompile(`Stopped`).MatchString)
	tty.keys("echo $((40+2)) by the shell\n")
	tty.shows("42 by the shell")
	tty.keys("fg\n")
	stopped(t, pid, false)
	tty.shows("the editor has the screen")
	if p := tty.picture(); strings.Contains(p, "1 Probes") {
		t.Errorf("the workbench draws over the editor:\n%s", p)
	}
	tty.keys("\r")
	tty.shows("edited at +2")
	tty.leave()
}

// TestOwnEditorUnderSudo holds that the editor runs as who called sudo, in that home.
func TestOwnEditorUnderSudo(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: it plays sudo")
	}
	t.Setenv("SUDO_UID", "65534")
	tty := withEditor(t, appends)
	tty.keys(editOutside)
	tty.shows("as 65534 in /nonexistent")
	tty.leave()
}
