package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/engine/replay"
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
	run, err := p.Run(t.Context(), text)
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
