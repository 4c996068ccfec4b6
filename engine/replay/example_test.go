package replay

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

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
