package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
)

func TestRecordUsage(t *testing.T) {
	for _, tt := range []struct {
		run  func([]string) error
		args string
		want string
	}{
		{recordMain, "", "record: too few arguments"},
		{recordMain, "file", "record: too few arguments"},
		{recordMain, "-t soon file script.d", "record: invalid value"},
		{replayMain, "", "replay: too few arguments"},
		{replayMain, "-speed fast file", "replay: invalid value"},
		{replayMain, "-speed 0 file", "so many times as fast"},
		{replayMain, "-speed nan file", "so many times as fast"},
		{replayMain, "record_linux_test.go", "not a recording"},
		{replayMain, "no-such-file", "no such file"},
	} {
		err := tt.run(strings.Fields(tt.args))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestRecordPlaysBack records a script of the real kernel and reads what was
// kept.
func TestRecordPlaysBack(t *testing.T) {
	mustTrace(t)
	dir := t.TempDir()
	script, file := filepath.Join(dir, "script.d"), filepath.Join(dir, "run.dscope")
	const text = "BEGIN { @ = count(); printf(\"hello\\n\"); exit(3); }\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := recordMain([]string{"-t", "20s", file, script}); err != nil {
		t.Fatal(err)
	}
	p, err := replay.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	p.Speed = 100
	run, err := p.Run(t.Context(), trace.Script{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	var printed strings.Builder
	for batch := range run.Events() {
		for _, e := range batch {
			for _, it := range e.Items {
				printed.WriteString(it.Text)
			}
		}
	}
	exit := 0
	for s := range run.Status() {
		exit = s.Exit
	}
	if printed.String() != "hello\n" || exit != 3 {
		t.Errorf("the recording prints %q and exits with %d", printed.String(), exit)
	}
	snap, ok := <-run.Snapshots()
	if !ok || len(snap.Aggs) != 1 || snap.Aggs[0].Rows[0].Value != 1 {
		t.Errorf("the recording counts %+v", snap)
	}
	if probes, _, _ := p.Probes(t.Context(), "syscall::read:entry"); len(probes) != 1 {
		t.Errorf("the recording has %d probes syscall::read:entry", len(probes))
	}
}

// TestRecordKeepsWhatIsThere records nothing into a script, nor in place of a file when
// there is nothing to record, and shows others nothing of what was recorded.
func TestRecordKeepsWhatIsThere(t *testing.T) {
	mustTrace(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const good = "BEGIN { exit(0); }\n"
	script, bad, old := write("script.d", good), write("bad.d", "BEGIN { nonsense"), write("old", "precious")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(old, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{script + " " + script, "it is the file that the recording is to be written to"},
		{old + " " + bad, "failed to resolve nonsense"},
		{old + " " + script + " " + bad, "failed to resolve nonsense"},
		{old + " " + filepath.Join(dir, "none.d"), "No such file"},
		{dir + " " + script, "it is a folder"},
		{filepath.Join(dir, "no", "file") + " " + script, "No such file"},
	} {
		if err := recordMain(strings.Fields(tt.args)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("record %s: error %v, want %q", tt.args, err, tt.want)
		}
	}
	for path, want := range map[string]string{script: good, old: "precious"} {
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s holds %q", path, got)
		}
	}
	if err := recordMain([]string{link, script}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(old); string(got) != "precious" {
		t.Errorf("a link was followed")
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the recording is %v, %v", info.Mode(), err)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 4 {
		t.Errorf("%v are left", left)
	}
}

// TestRecordIsTheUsers records for the user who called sudo.
func TestRecordIsTheUsers(t *testing.T) {
	mustTrace(t)
	t.Setenv("SUDO_UID", "65534")
	t.Setenv("SUDO_GID", "65534")
	dir := t.TempDir()
	script, file := filepath.Join(dir, "script.d"), filepath.Join(dir, "run")
	if err := os.WriteFile(script, []byte("BEGIN { exit(0); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := recordMain([]string{file, script}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 65534 || st.Gid != 65534 || info.Mode().Perm() != 0o600 {
		t.Errorf("the recording belongs to %d:%d, %v", st.Uid, st.Gid, info.Mode())
	}
	if _, err := replay.Open(file); err != nil {
		t.Error(err)
	}
}
