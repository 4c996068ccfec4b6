package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
	"dscope.dev/ui/live"
)

// A gathering makes of a run what a workbench keeps of it.
type gathering struct {
	trace.Past
	snaps []trace.Snapshot
}

func (g *gathering) Events(batch []trace.Event) error {
	for i := range batch {
		g.Past.Events = append(g.Past.Events, &batch[i])
	}
	return nil
}

func (g *gathering) End(s trace.Status, _ []trace.Table) error {
	g.Past.Status, g.Snapshots = s, slices.Values(g.snaps)
	return nil
}

// snapshots is an observer of snapshots alone.
type snapshots func(trace.Snapshot)

func (f snapshots) Begin(time.Time)           {}
func (f snapshots) Snapshot(s trace.Snapshot) { f(s) }
func (f snapshots) Status(trace.Status)       {}

// keptRun is the recorded run as a workbench keeps it.
func keptRun(t *testing.T) trace.Past {
	t.Helper()
	p, err := replay.Open(filepath.Join("..", "..", "testdata", "runs", "kinds.dscope"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Speed = math.Inf(1)
	run := p.Play(0)
	defer run.Close()
	g := &gathering{Past: trace.Past{Script: p.Scripts()[0], Began: run.Began()}}
	if _, err := trace.Follow(run, g, snapshots(func(s trace.Snapshot) { g.snaps = append(g.snaps, s) })); err != nil {
		t.Fatal(err)
	}
	return g.Past
}

// TestExporter writes files for the workbench in each format, and takes the place of none
// that it was not told to.
func TestExporter(t *testing.T) {
	x, past, dir := exporter(replay.Header{Kernel: "6.18"}), keptRun(t), t.TempDir()
	write := func(name string, e ui.Export) (string, error) {
		t.Helper()
		e.File, e.Past = filepath.Join(dir, name), past
		file, _, err := x.Write(t.Context(), e)
		if err != nil {
			return "", err
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, err, info.Mode())
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b), nil
	}
	large := &live.View{Agg: "bytes", Keep: func(_ *trace.Table, r *trace.Row) bool { return r.Keys[1].Str == "large" }}
	stacks := &live.View{Agg: "stacks", Figure: "icicle", Keep: func(*trace.Table, *trace.Row) bool { return true }}
	for _, f := range x.Formats {
		e := ui.Export{}
		if f.Name == "folded" || f.Name == "pprof" || f.Name == "svg" {
			e.View = stacks
		}
		if _, err := write("all"+f.End, e); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	got, err := write("a.csv", ui.Export{View: large})
	if err != nil || !strings.Contains(got, ",large,") || strings.Contains(got, ",small,") || strings.Contains(got, "@calls") {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := write("a.csv", ui.Export{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	again, err := write("a.csv", ui.Export{Replace: true})
	if err != nil || !strings.Contains(again, "@calls") {
		t.Errorf("%v", err)
	}
	if _, err := write("a.csv", ui.Export{Replace: true, View: &live.View{Agg: "nosuch"}}); err == nil || !strings.Contains(err.Error(), "a.csv: there is no aggregation @nosuch") {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "a.csv")); string(b) != again {
		t.Error("what failed has changed the file")
	}
	if _, err := write("a.xyz", ui.Export{}); err == nil || !strings.Contains(err.Error(), "ends like no format") {
		t.Errorf("%v", err)
	}
	if _, err := write(filepath.Join("none", "a.csv"), ui.Export{}); err == nil || !strings.HasSuffix(err.Error(), "a.csv: No such file or directory") || strings.Count(err.Error(), "a.csv") != 1 {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := x.Write(ctx, ui.Export{File: filepath.Join(dir, "late.csv"), Past: past}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != len(x.Formats)+1 {
		t.Errorf("%v: %d files are there", err, len(left))
	}
}
