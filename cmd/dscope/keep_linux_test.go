package main

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
)

// TestKeepsARun presses the key that writes what is kept of a run, and plays the file.
func TestKeepsARun(t *testing.T) {
	mustTrace(t)
	dir := t.TempDir()
	t.Chdir(dir)
	tty := open(t, nil, "dscope")
	tty.shows("lockstat")
	tty.keys("tick-20ms { @n[\"some\"] = count(); printf(\"%d\\n\", i++); }\x12")
	tty.shows("some")
	tty.until("some snapshots to have come", regexp.MustCompile(` ([2-9]\d|\d{3}) lines`).MatchString)
	tty.until("a snapshot of ten or more", regexp.MustCompile(`some +\d{2,} `).MatchString)
	tty.keys("\x1b3W")
	tty.shows("run 1 is in dscope-")
	tty.keys("\x14")
	tty.shows("done")
	tty.keys("qy")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.dscope"))
	if len(files) != 1 {
		t.Fatalf("the files are %q", files)
	}
	p, err := replay.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = math.Inf(1)
	run, err := p.Run(t.Context(), trace.Script{Text: p.Scripts()[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	lines := make(chan string)
	go func() {
		var text strings.Builder
		for batch := range run.Events() {
			for _, e := range batch {
				for _, it := range e.Items {
					text.WriteString(it.Text)
				}
			}
		}
		lines <- text.String()
	}()
	last := int64(0)
	for s := range run.Snapshots() {
		if len(s.Aggs[0].Rows) == 0 { // before the first tick
			continue
		}
		if now := s.Aggs[0].Rows[0].Value; now < last {
			t.Errorf("%d after %d", now, last)
		} else {
			last = now
		}
	}
	if text := <-lines; last < 10 || !strings.HasPrefix(text, "0\n1\n2\n3\n") || !strings.Contains(text, "\n18\n19\n") {
		t.Errorf("%d in all; printed %.60q", last, text)
	}
}
