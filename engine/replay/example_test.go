package replay

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// A stack that many examples have is written once for a snapshot, and shared when read.
func TestStacksAreSharedByExamples(t *testing.T) {
	frames := func() []trace.Frame {
		return []trace.Frame{{Addr: 1, Module: "app", Symbol: "serve"}, {Addr: 2, Module: "app", Symbol: "main"}}
	}
	snap := trace.Snapshot{Seq: 1, Aggs: []trace.Table{{Name: "a"}}}
	for i := range 50 {
		snap.Examples = append(snap.Examples, trace.Example{CPU: i, Weight: []float64{2.5, math.NaN(), math.Inf(1)}[i%3], Probe: trace.Probe{Provider: "syscall"},
			Facts: []trace.Value{{Kind: trace.UstackValue, Frames: frames()}, {Kind: trace.StringValue, Str: "x\xff"}, {Kind: trace.NoValue}}})
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, Header{})
	if err != nil {
		t.Fatal(err)
	}
	run := newFixed()
	go func() {
		run.snaps <- snap
		run.end()
	}()
	if err := errors.Join(w.Record(context.Background(), "BEGIN", run), w.Close()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(unzipped(file.Bytes()), "serve"); n != 1 {
		t.Errorf("the stack is written %d times", n)
	}
	p, err := readBytes(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records(t, p) {
		if r.Snapshot == nil {
			continue
		}
		got := r.Snapshot.snapshot().Examples
		if len(got) != 50 || &got[0].Facts[0].Frames[0] != &got[49].Facts[0].Frames[0] || got[49].Facts[1].Str != "x\xff" || got[49].Facts[2].Kind != trace.NoValue || got[49].Probe.Provider != "syscall" {
			t.Errorf("read %+v", got[len(got)-1])
		}
		if got[0].Weight != 2.5 || got[1].Weight != 1 || got[2].Weight != 1 {
			t.Errorf("weights %g %g %g", got[0].Weight, got[1].Weight, got[2].Weight)
		}
	}
}

// Who comes late for snapshots gets the examples of all.
func TestSkippedSnapshotsLeaveTheirExamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w, err := NewWriter(&file, Header{})
		if err != nil {
			t.Fatal(err)
		}
		run := newFixed()
		go func() {
			for i := range 5 {
				time.Sleep(100 * time.Millisecond)
				run.snaps <- trace.Snapshot{Seq: uint64(i + 1), Aggs: []trace.Table{{Name: "a"}}, Examples: []trace.Example{{Value: int64(i), Weight: 1}}}
			}
			run.end()
		}()
		if err := errors.Join(w.Record(context.Background(), "BEGIN { }", run), w.Close()); err != nil {
			t.Fatal(err)
		}
		p, err := readBytes(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Run(t.Context(), trace.Script{Text: "BEGIN { }"})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		time.Sleep(350 * time.Millisecond)
		var values []int64
		for s := range again.Snapshots() {
			for _, e := range s.Examples {
				values = append(values, e.Value)
			}
		}
		for i, v := range values {
			if v != int64(i) {
				t.Errorf("examples %v", values)
			}
		}
		if len(values) != 5 {
			t.Errorf("examples %v", values)
		}
	})
}
