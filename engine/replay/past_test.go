package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dscope.dev/engine/trace"
)

// kept is the past of a run of ten seconds: ten snapshots a second, and 25 lines.
func kept(state trace.State) trace.Past {
	began := time.Unix(1_700_000_000, 0)
	origins := []trace.Origin{{Clause: 1, Keys: []string{"execname"}}}
	p := trace.Past{Script: "tick-1s { @ = count(); }", Began: began, Status: trace.Status{State: state, Elapsed: 10 * time.Second, Drops: []trace.Drop{{Kind: trace.DropDynamic, Count: 7}}}}
	for i := range 25 {
		p.Events = append(p.Events, &trace.Event{Time: began.Add(time.Duration(i) * 400 * time.Millisecond), Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprint(i)}}})
	}
	p.Snapshots = func(yield func(trace.Snapshot) bool) {
		for i := 1; i <= 100; i++ {
			s := trace.Snapshot{Seq: uint64(i), Time: began, Elapsed: time.Duration(i) * 100 * time.Millisecond,
				Aggs: []trace.Table{{Origins: origins, Rows: []trace.Row{{ID: "a", Value: int64(i)}}}}}
			if i%10 == 0 {
				s.Examples = []trace.Example{{Value: int64(i), Weight: 1}}
			}
			if !yield(s) {
				return
			}
		}
	}
	return p
}

func keep(t *testing.T, ctx context.Context, p trace.Past) (*Player, error) {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Keep(ctx, p), w.Close()); err != nil {
		return nil, err
	}
	return Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
}

// TestKeep writes a run from what is kept of it and plays it, at its pace and at once.
func TestKeep(t *testing.T) {
	for _, state := range []trace.State{trace.Running, trace.Done} {
		for _, speed := range []float64{1, math.Inf(1)} {
			synctest.Test(t, func(t *testing.T) {
				p, err := keep(t, t.Context(), kept(state))
				if err != nil {
					t.Fatal(err)
				}
				p.Speed = speed
				run, err := p.Run(t.Context(), trace.Script{Text: p.Scripts()[0]})
				if err != nil {
					t.Fatal(err)
				}
				defer run.Close()
				began := time.Now()
				var snaps []trace.Snapshot
				var lines []string
				var last trace.Status
				read := make(chan bool)
				go func() {
					for s := range run.Snapshots() {
						snaps = append(snaps, s)
					}
					read <- true
				}()
				go func() {
					for batch := range run.Events() {
						for _, e := range batch {
							lines = append(lines, e.Items[0].Text)
						}
					}
					read <- true
				}()
				for s := range run.Status() {
					last = s
				}
				<-read
				<-read
				took := time.Since(began)
				if want := 10 * time.Second; speed == 1 && took != want || speed != 1 && took != 0 {
					t.Errorf("at speed %g it took %v", speed, took)
				}
				if len(snaps) != 100 || snaps[99].Aggs[0].Rows[0].Value != 100 || snaps[9].Examples == nil || snaps[0].Aggs[0].Origins == nil {
					t.Errorf("%d snapshots, the last is %+v", len(snaps), snaps[len(snaps)-1])
				}
				if len(lines) != 25 || !slices.Equal(lines[23:], []string{"23", "24"}) {
					t.Errorf("lines %q", lines)
				}
				if last.State != trace.Done || last.Err != nil || last.Drops[0].Count != 7 || run.Began() != time.Unix(1_700_000_000, 0) {
					t.Errorf("it ended as %+v, begun %v", last, run.Began())
				}
			})
		}
	}
}

// TestKeepGivenUp ends early with the reason.
func TestKeepGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := keep(t, ctx, kept(trace.Done)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
