package export_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"

	"dscope.dev/engine/export"
	"dscope.dev/engine/trace"
)

// hostile is what a traced process may be called.
const hostile = "\x1b[31m;a|b,\"c\"\n<script>\xff\u202e = 1 2"

// told exports a run of one snapshot.
func told(t *testing.T, format string, o export.Options, s trace.Snapshot, events ...trace.Event) (string, error) {
	t.Helper()
	var err error
	if o.Format, err = export.Named(format); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := export.New(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	p := trace.Past{Began: time.Unix(1000, 0), Status: trace.Status{State: trace.Done, Elapsed: time.Second}, Snapshots: func(yield func(trace.Snapshot) bool) { yield(s) }}
	for i := range events {
		p.Events = append(p.Events, &events[i])
	}
	err = p.Follow(w, w)
	return b.String(), err
}

// TestHostile has names that are code somewhere: none of them is in any form.
func TestHostile(t *testing.T) {
	name := trace.Value{Kind: trace.StringValue, Str: hostile}
	s := trace.Snapshot{Elapsed: time.Second, Aggs: []trace.Table{{Name: "a", KeyTypes: []string{"string", "stack"}, Rows: []trace.Row{
		{ID: "1", Value: 7, Keys: []trace.Value{name, {Kind: trace.UstackValue, Frames: []trace.Frame{{Symbol: hostile, Module: hostile}}}}},
	}}}}
	e := trace.Event{Time: time.Unix(1000, 5), Probe: trace.Probe{Provider: "p", Function: hostile, Name: "n"}, Items: []trace.Item{{Kind: trace.PrintfItem, Text: "x"}}}
	for _, f := range export.Formats() {
		if f.Figure {
			continue // package picture has a test of its own
		}
		out, err := told(t, f.Name, export.Options{}, s, e)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if f.Name == "pprof" {
			if _, err := profile.ParseData([]byte(out)); err != nil {
				t.Error(err)
			}
			continue
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%s has an escape: %q", f.Name, out)
		}
		if f.Name != "text" && !utf8.ValidString(out) { // a pipe gets text byte by byte, as from dtrace(1)
			t.Errorf("%s is not UTF-8: %q", f.Name, out)
		}
	}
	out, _ := told(t, "folded", export.Options{}, s)
	if n := strings.Count(out, "\n"); n != 1 || strings.Count(out, ";") != 1 {
		t.Errorf("a name has become several: %q", out)
	}
	out, _ = told(t, "markdown", export.Options{}, s)
	if strings.Contains(out, "<script>") || strings.Count(out, "\n") != 5 {
		t.Errorf("a name has become markup: %q", out)
	}
}

// Values that do not add up, and such as are below zero, are no share of anything.
func TestNoShares(t *testing.T) {
	stack := []trace.Value{{Kind: trace.StackValue, Frames: []trace.Frame{{Symbol: "f"}}}}
	s := trace.Snapshot{Elapsed: 1, Aggs: []trace.Table{{Name: "m", Func: trace.Max, Rows: []trace.Row{{Keys: stack, Value: 3}}}}}
	if _, err := told(t, "pprof", export.Options{}, s); err == nil || !strings.Contains(err.Error(), "values that add up") {
		t.Errorf("%v", err)
	}
	s.Aggs[0].Func = trace.Sum
	s.Aggs[0].Rows = append(s.Aggs[0].Rows, trace.Row{Keys: stack, Value: -4})
	said := ""
	out, err := told(t, "folded", export.Options{Say: func(text string) { said = text }}, s)
	if err != nil || out != "f_[k] 3\n" || !strings.Contains(said, "1 keys have values below zero") {
		t.Errorf("%q, %v, said %q", out, err, said)
	}
	if _, err := told(t, "csv", export.Options{}, trace.Snapshot{}, trace.Event{Time: time.Unix(1000, 0)}); err == nil || !strings.Contains(err.Error(), "text, json, ndjson, chrome") {
		t.Errorf("%v", err)
	}
}

func TestNormalized(t *testing.T) {
	s := trace.Snapshot{Elapsed: 1, Aggs: []trace.Table{{Name: "n", Normal: 10, Rows: []trace.Row{{Value: 75}}}}}
	out, err := told(t, "csv", export.Options{}, s)
	if err != nil || !strings.HasSuffix(out, "@n,count,,,7\n") {
		t.Errorf("%q, %v", out, err)
	}
}
