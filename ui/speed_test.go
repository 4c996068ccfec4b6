package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/themes"
	"dscope.dev/ui/keymap"
	"dscope.dev/ui/live"
)

// BenchmarkKeyToFrame measures what lies between a key and its frame with a
// busy live pane and 5,000 lines of output at 200x60. The aim is 16 ms.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, tt := range []struct {
		name string
		key  string
		in   string
	}{{"type", "x", "alt+2"}, {"live", "j", "alt+3"}, {"output", "k", "alt+4"}, {"browse", "j", "alt+1"}} {
		b.Run(tt.name, func(b *testing.B) {
			m := busy(b)
			focus, _ := keymap.ParseKey(tt.in)
			m, _ = m.Update(focus)
			key, _ := keymap.ParseKey(tt.key)
			seq := uint64(1000)
			for b.Loop() {
				seq++
				m, _ = m.Update(snapshotMsg{1, busySnapshot(seq)})
				m, _ = m.Update(key)
				_ = m.View()
			}
		})
	}
}

func busySnapshot(seq uint64) trace.Snapshot {
	hist := trace.Table{Name: "time", Func: trace.Quantize, KeyTypes: []string{"string"}, Normal: 1}
	for k := range 200 {
		id := fmt.Sprintf("process-%d", k)
		row := trace.Row{ID: id, Keys: []trace.Value{{Kind: trace.StringValue, Str: id}}}
		for e := range 20 {
			n := int64(seq) * int64(e*k%97)
			row.Buckets = append(row.Buckets, trace.Bucket{Label: fmt.Sprint(1 << e), Low: 1 << e, High: 2<<e - 1, Count: n})
			row.Value += n
		}
		row.Count = uint64(row.Value)
		hist.Rows = append(hist.Rows, row)
	}
	return trace.Snapshot{Seq: seq, Elapsed: time.Duration(seq) * 100 * time.Millisecond, Aggs: []trace.Table{hist, table("calls", 1000)}}
}

// busy returns a model at 200x60 with a long script, a run, and much output.
func busy(b *testing.B) tea.Model {
	f := &fake{}
	for i := range 5000 {
		f.probes = append(f.probes, trace.Probe{ID: uint32(i), Provider: "fbt", Module: "vmlinux", Function: fmt.Sprintf("function_%d", i), Name: "entry"})
	}
	root, err := New(context.Background(), f, Options{Depth: themes.TrueColor})
	if err != nil {
		b.Fatal(err)
	}
	var m tea.Model = root
	m, _ = m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	m, _ = m.Update(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(strings.Repeat("syscall::read:entry\n{\n\t@[execname] = count();\n}\n\n", 100))})
	probes, infos, _ := f.Probes(context.Background(), "")
	m, _ = m.Update(loadedProbes(probes, infos))
	run, _ := f.Run(context.Background(), trace.Script{})
	root = m.(Model)
	root.next = pending{id: 1, cancel: func() {}}
	m, _ = root.Update(startedMsg{id: 1, run: run})
	var events []trace.Event
	for i := range 5000 {
		events = append(events, trace.Event{Probe: probes[i], Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprintf("%d: a line of output that is as long as lines are\n", i)}}})
	}
	m, _ = m.Update(eventsMsg{id: 1, batches: [][]trace.Event{events}})
	return m
}

// BenchmarkManyKeys measures what lies between a key of the live pane and its frame with 100
// aggregations, one of which holds 20,000 keys, and what a snapshot of that takes. The aim is
// 10 ms for a key.
func BenchmarkManyKeys(b *testing.B) {
	many := func(seq uint64) trace.Snapshot {
		s := trace.Snapshot{Seq: seq, Elapsed: time.Duration(seq) * 100 * time.Millisecond, Aggs: []trace.Table{table("calls", 20_000)}}
		for i := range 99 {
			s.Aggs = append(s.Aggs, table(fmt.Sprint("n", i), 3))
		}
		return s
	}
	for _, tt := range []struct{ name, before, keys string }{
		{"move", "", "j k"}, {"filter", "/", "1 backspace"}, {"filter=1", "/ 1", "2 backspace"}, {"regex", "/ ~ 1 $ left", ". backspace"},
		{"top", "", "t"}, {"sort", "", "s"}, {"reverse", "", "S"}, {"meaning", "", "c"}, {"step", "", ", ."},
		{"snapshot", "", ""}, {"snapshot in a filter", "/ 1 enter", ""}, {"snapshot in an interval", "c", ""}, {"snapshot since a mark", "m c c", ""},
	} {
		b.Run(tt.name, func(b *testing.B) {
			m := busy(b)
			press := func(names string) {
				for _, name := range strings.Fields(names) {
					key, ok := keymap.ParseKey(name)
					if !ok {
						b.Fatalf("no key %s", name)
					}
					m, _ = m.Update(key)
				}
			}
			for seq := range uint64(100) {
				m, _ = m.Update(snapshotMsg{1, many(seq + 1)})
			}
			press("alt+3 " + tt.before)
			keys, next := strings.Fields(tt.keys), many(101)
			for i := 0; b.Loop(); i++ {
				if len(keys) > 0 {
					press(keys[i%len(keys)])
				} else {
					next.Seq++
					next.Elapsed += 100 * time.Millisecond
					m, _ = m.Update(snapshotMsg{1, next})
				}
				_ = m.View()
			}
		})
	}
}

// BenchmarkView measures a frame alone.
func BenchmarkView(b *testing.B) {
	m := busy(b)
	m, _ = m.Update(snapshotMsg{1, busySnapshot(1000)})
	for b.Loop() {
		_ = m.View()
	}
}

// much returns what makes snapshots of 100 aggregations with 200 keys each, half of them histograms.
// Of each some keys change from one to the next; of the others the values are the same memory, as
// those of the engine are.
func much() func(seq uint64, elapsed time.Duration) trace.Snapshot {
	var before []trace.Table
	var labels [12]string
	for e := range labels {
		labels[e] = fmt.Sprint(1 << e)
	}
	for i := range 100 {
		t := table(fmt.Sprint("agg", i), 200)
		if i%2 == 0 {
			t.Func = trace.Quantize
		}
		before = append(before, t)
	}
	return func(seq uint64, elapsed time.Duration) trace.Snapshot {
		aggs := slices.Clone(before)
		for i := range aggs {
			t := &aggs[i]
			t.Rows = slices.Clone(t.Rows)
			for k := range t.Rows {
				row := &t.Rows[k]
				n := int64(seq) * int64(1+(i+k)%7)
				if k%10 != int(seq%10) {
					n -= n % 50
				}
				if row.Value == n && row.Buckets != nil {
					continue
				}
				row.Value, row.Count, row.Buckets = n, uint64(n), nil
				if t.Func == trace.Quantize {
					row.Buckets = make([]trace.Bucket, len(labels))
					for e := range labels {
						row.Buckets[e] = trace.Bucket{Label: labels[e], Low: 1 << e, High: 2<<e - 1, Count: n * int64(e%5)}
					}
				}
			}
		}
		before = aggs
		return trace.Snapshot{Seq: seq, Elapsed: elapsed, Aggs: aggs}
	}
}

// anHour returns a busy model that has an hour of snapshots behind it, and the number of the
// last.
func anHour(b *testing.B, snapshot func(seq uint64, elapsed time.Duration) trace.Snapshot) (m tea.Model, seq uint64) {
	m = busy(b)
	for elapsed := time.Duration(0); elapsed < time.Hour; elapsed += 200 * time.Millisecond {
		if elapsed > 59*time.Minute || elapsed%(10*time.Second) == 0 { // the rest would be thinned
			seq++
			m, _ = m.Update(snapshotMsg{1, snapshot(seq, elapsed)})
		}
	}
	focus, _ := keymap.ParseKey("alt+3")
	m, _ = m.Update(focus)
	return m, seq
}

// BenchmarkHeatOfAnHour measures how long it takes until a heat map has all its columns, of
// one key and of all 2,000 of an aggregation, and for how long a key would wait meanwhile at most.
func BenchmarkHeatOfAnHour(b *testing.B) {
	next := much()
	m, _ := anHour(b, func(seq uint64, elapsed time.Duration) trace.Snapshot {
		s := next(seq, elapsed)
		one := s.Aggs[0]
		for i := 2; i < 20; i += 2 {
			for _, r := range s.Aggs[i].Rows {
				r.ID = fmt.Sprint(i, r.ID)
				one.Rows = append(one.Rows, r)
			}
		}
		s.Aggs = []trace.Table{one}
		return s
	})
	heat, _ := keymap.ParseKey("h")
	for presses, name := range []string{"key", "all"} { // which are kinds of heat map in this order
		b.Run(name, func(b *testing.B) {
			var longest time.Duration
			press := func() (slices int) {
				msg := tea.Msg(heat)
				for {
					var cmd tea.Cmd
					from := time.Now()
					m, cmd = m.Update(msg)
					_ = m.View()
					longest = max(longest, time.Since(from))
					if cmd == nil {
						return slices
					}
					msg = cmd()
					slices++
				}
			}
			slices := 0
			for b.Loop() {
				b.StopTimer()
				for range presses {
					press()
				}
				b.StartTimer()
				slices = press()
				b.StopTimer()
				for !strings.Contains(m.View(), "trend") { // back to the table
					press()
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(longest.Microseconds())/1e3, "ms-longest")
			b.ReportMetric(float64(slices), "slices")
		})
	}
}

// BenchmarkMuchToFrame measures what lies between a key and its frame at 200x60 with 100
// aggregations, 20,000 keys and an hour of timeline: with a snapshot that came just before
// the key, as happens five times a second, and without. What is entered later is entered
// before the next key, and the longest slice of it is told.
func BenchmarkMuchToFrame(b *testing.B) {
	next := much()
	m, seq := anHour(b, next)
	for _, tt := range []struct{ name, key string }{{"move", "j"}, {"next", "]"}, {"sort", "s"}, {"step", ","}, {"heat", "h"}} {
		key, _ := keymap.ParseKey(tt.key)
		for _, snap := range []bool{false, true} {
			name := tt.name
			if snap {
				name += " behind a snapshot"
			}
			b.Run(name, func(b *testing.B) {
				var took []time.Duration
				var slice time.Duration // the longest that a key would wait for behind it
				for b.Loop() {
					var s trace.Snapshot
					if snap {
						s = next(seq+1, time.Hour+time.Duration(seq)*time.Millisecond)
					}
					from := time.Now()
					if snap {
						seq++
						m, _ = m.Update(snapshotMsg{1, s})
					}
					m, _ = m.Update(key)
					_ = m.View()
					took = append(took, time.Since(from))
					for snap && m.(Model).live.Late() {
						from := time.Now()
						m, _ = m.Update(live.EnterMsg{})
						_ = m.View()
						slice = max(slice, time.Since(from))
					}
				}
				slices.Sort(took)
				if snap {
					b.ReportMetric(float64(slice.Microseconds())/1e3, "ms-slice")
				}
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "ms-p50")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "ms-p99")
			})
		}
	}
}
