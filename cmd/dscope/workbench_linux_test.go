package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/helper"
)

// commands returns the folder of the commands of this test, and nothing that
// the machine may have beside them.
func commands(t *testing.T) string {
	t.Helper()
	openToAll(t)
	path, err := exec.LookPath("dscope")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(path)
}

// folderOfAll makes a folder that everybody may enter.
func folderOfAll(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fakeSudo makes a folder with a sudo that asks for nothing, and has a shell execute.
func fakeSudo(t *testing.T, shell string) string {
	t.Helper()
	dir := folderOfAll(t)
	text := "#!/bin/sh\n[ \"$1\" = -- ] && shift\nSUDO_UID=$(id -u) exec " + shell + " -p -c 'exec setpriv --reuid=0 --regid=0 --clear-groups \"$@\"' sudo \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "sudo"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestUnprivileged opens the workbench without privileges: it edits and
// checks, says what is missing, and refuses to run with the same words. With a helper that
// sudo has started it runs.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to lose it")
	}
	dir := shipped(t) + ":" + commands(t)
	missing := "tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON"
	edits := func(t *testing.T, tty *terminal) {
		t.Helper()
		tty.shows("editing and checking only")
		joined := func(p string) bool {
			return strings.Contains(strings.Join(strings.Fields(p), " "), "tracing needs root")
		}
		tty.until(missing, joined)
		tty.keys("BEGIN { trace(nothing); }")
		besideNotices(tty, "failed to resolve nothing")
		tty.keys("\x12") // run
		tty.shows("failed")
		tty.keys("\x03")
		tty.keys("y") // unsaved text is lost knowingly
		if code := tty.end(); code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
		tty.givenBack()
	}
	t.Run("no sudo", func(t *testing.T) {
		tty := openSize(t, 120, 30, []string{"PATH=" + dir}, "lowered", "dscope")
		edits(t, tty)
	})
	t.Run("declined", func(t *testing.T) {
		tty := openSize(t, 120, 30, []string{"PATH=" + dir + ":" + fakeSudo(t, "/bin/sh")}, "lowered", "dscope")
		tty.shows("Have sudo start a helper that traces for you? [Y/n]")
		if !strings.Contains(tty.picture(), missing) {
			t.Errorf("the offer does not say what is missing:\n%s", tty.picture())
		}
		tty.keys("n\n")
		edits(t, tty)
	})
	t.Run("with cgo", func(t *testing.T) {
		if helper.Able() == nil {
			t.Skip("this test is built without")
		}
		tty := openSize(t, 120, 30, []string{"PATH=" + commands(t) + ":" + fakeSudo(t, "/bin/sh")}, "lowered", "dscope")
		tty.until("why sudo is not offered", func(p string) bool {
			return strings.Contains(strings.Join(strings.Fields(p), " "), "built with cgo and can be no helper")
		})
		edits(t, tty)
	})
	t.Run("accepted", func(t *testing.T) {
		mustTrace(t)
		needs(t, "setpriv")
		path := "PATH=" + dir + ":" + fakeSudo(t, rootShell(t, folderOfAll(t), "rootsh")) + ":/usr/bin:/bin"
		tty := openSize(t, 120, 30, []string{path}, "lowered", "dscope")
		tty.shows("Have sudo start a helper that traces for you? [Y/n]")
		tty.keys("\n")
		tty.shows("Type a D script")
		tty.keys(`BEGIN { printf("run for user %d", uid); } syscall:::entry /uid == 65534 && execname == "dscope"/ { n++; }`)
		// Other tests have a nobody called dscope, too, but not in each second.
		tty.keys(` tick-1s { printf("it sees %d of itself", n); n = 0; }`)
		tty.keys("\x12")
		besideNotices(tty, "run for user 65534")
		besideNotices(tty, "it sees 0 of itself")
		tty.mu.Lock()
		if strings.Contains(string(tty.raw), "dscope helper:") {
			t.Errorf("the helper speaks into the picture:\n%s", tty.raw)
		}
		tty.mu.Unlock()
		tty.keys("\x03")
		tty.keys("y")
		if code := tty.end(); code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
		tty.givenBack()
		within(t, "the helper to end", 20*time.Second, func() bool {
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range lines {
				if line, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(line), filepath.Join(shipped(t), "dscope")+"\x00helper\x00") {
					return false
				}
			}
			return true
		})
	})
}

// besideNotices waits until words are shown, though it is said that nothing of the script is
// safe from a crash: that lies over them until the next key.
func besideNotices(tty *terminal, words string) {
	tty.t.Helper()
	moved := false
	tty.until(words, func(p string) bool {
		if !moved && strings.Contains(p, "not safe from a crash") {
			moved = true
			tty.keys("\x1b[D")
		}
		return strings.Contains(p, words)
	})
}

// TestHostileNames traces a process whose name is made of escape codes, in a
// terminal: all of them come as letters.
func TestHostileNames(t *testing.T) {
	mustTrace(t)
	const name, shown = `\e[31;5mX\e]2;Y`, "^[[31;5mX^[]2;Y"
	cmd, begin := started(t, "named", name, "0")
	target := cmd.Process.Pid
	begin()
	text := `syscall::getppid:entry /pid == ` + strconv.Itoa(target) + ` && n++ < 5/
{
	printf("<%s>\n", execname); trace(execname); @c[execname] = count(); @q[execname] = quantize(arg0);
}
`
	clean := func(t *testing.T, tty *terminal) {
		t.Helper()
		tty.mu.Lock()
		defer tty.mu.Unlock()
		for _, s := range tty.screen.titles {
			if strings.Contains(s, "2;Y") {
				t.Errorf("a title came through: %q", s)
			}
		}
		if raw := string(tty.raw); strings.Contains(raw, "\x1b[31;5m") || strings.Contains(raw, "\x1b]2;Y") {
			t.Errorf("an escape code came through: %q", raw)
		}
	}
	t.Run("trace", func(t *testing.T) {
		tty := openSize(t, 120, 40, nil, "dscope", "trace", "-n", text+` tick-300ms { exit(0); }`)
		tty.end()
		tty.settle()
		for _, want := range []string{"<" + shown + ">", "  " + shown} {
			if !strings.Contains(tty.picture(), want) {
				t.Errorf("%s is not shown:\n%s", want, tty.picture())
			}
		}
		clean(t, tty)
	})
	t.Run("workbench", func(t *testing.T) {
		tty := openSize(t, 160, 50, nil, "dscope", script(t, text))
		tty.shows("getppid")
		tty.keys("\x12")
		tty.until("the name in the output and in the tables", func(p string) bool {
			return strings.Contains(p, "<"+shown+">") && strings.Count(p, shown) >= 4
		})
		clean(t, tty)
		tty.keys("\x03")
		tty.shows("Leave?")
		tty.keys("y")
		if code := tty.end(); code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
		tty.givenBack()
		clean(t, tty)
	})
}
