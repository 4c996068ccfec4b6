package export_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/export"
	"dscope.dev/engine/trace"
)

// An event is one of the Trace Event Format, with the fields that the format gives the
// phases that are written. No other field may be there.
type event struct {
	Name  *string                    `json:"name"`
	Cat   string                     `json:"cat"`
	Phase string                     `json:"ph"`
	Time  *json.Number               `json:"ts"`
	Dur   *json.Number               `json:"dur"`
	PID   *int                       `json:"pid"`
	TID   *int                       `json:"tid"`
	Scope string                     `json:"s"`
	Args  map[string]json.RawMessage `json:"args"`
}

// decode reads a trace as strictly as the format is published.
func decode(t *testing.T, s string) []event {
	t.Helper()
	var doc struct {
		Events    []event           `json:"traceEvents"`
		Unit      string            `json:"displayTimeUnit"`
		OtherData map[string]string `json:"otherData"`
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Unit != "ns" && doc.Unit != "ms" {
		t.Errorf("displayTimeUnit is %q", doc.Unit)
	}
	for i, e := range doc.Events {
		if err := e.check(); err != nil {
			t.Errorf("event %d: %v", i, err)
		}
	}
	return doc.Events
}

func (e *event) check() error {
	if e.Name == nil || e.Time == nil || e.PID == nil || e.TID == nil {
		return fmt.Errorf("name, ts, pid or tid is missing: %+v", e)
	}
	if (e.Dur != nil) != (e.Phase == "X") || (e.Scope != "") != (e.Phase == "i") {
		return fmt.Errorf("phase %s with dur %v, scope %q", e.Phase, e.Dur, e.Scope)
	}
	switch e.Phase {
	case "X":
		if n, err := e.Dur.Float64(); err != nil || n < 0 {
			return fmt.Errorf("dur %v: %v", e.Dur, err)
		}
	case "i":
		if !strings.Contains("gpt", e.Scope) {
			return fmt.Errorf("scope %q", e.Scope)
		}
	case "C":
		if len(e.Args) == 0 {
			return fmt.Errorf("a counter without a value")
		}
		for name, v := range e.Args {
			var n json.Number
			if err := json.Unmarshal(v, &n); err != nil || bytes.HasPrefix(v, []byte(`"`)) {
				return fmt.Errorf("the counter's %s is %s", name, v)
			}
		}
	case "M":
		if *e.Name != "process_name" && *e.Name != "thread_name" || len(e.Args) != 1 || e.Args["name"] == nil {
			return fmt.Errorf("metadata %s %v", *e.Name, e.Args)
		}
	default:
		return fmt.Errorf("phase %q", e.Phase)
	}
	return nil
}

func number(n *json.Number) float64 {
	f, _ := n.Float64()
	return f
}

// TestChrome holds a trace to the format, its durations to what the script has printed, and
// its counters to the aggregations. On no track two slices overlap.
func TestChrome(t *testing.T) {
	events := decode(t, must(t, "chrome", export.Options{}))
	printed := strings.Count(must(t, "text", export.Options{}), " ns\n")
	slices1 := slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.Phase != "X" })
	if len(slices1) != printed || printed == 0 {
		t.Errorf("%d slices of %d durations printed", len(slices1), printed)
	}
	for _, e := range slices1 {
		var text, ns string
		json.Unmarshal(e.Args["printed"], &text)
		fmt.Sscanf(text[strings.Index(text, " in ")+4:], "%s", &ns)
		if got := fmt.Sprintf("%.0f", number(e.Dur)*1000); got != ns {
			t.Errorf("%q lasts %sns", text, got)
		}
	}
	slices.SortStableFunc(slices1, func(a, b event) int { return cmp.Or(*a.TID-*b.TID, cmp.Compare(number(a.Time), number(b.Time))) })
	for i := 1; i < len(slices1); i++ {
		a, b := slices1[i-1], slices1[i]
		if *a.TID == *b.TID && number(a.Time)+number(a.Dur) > number(b.Time)+1e-6 {
			t.Errorf("slices overlap on track %d", *a.TID)
		}
	}
	last := ""
	for _, e := range events {
		if e.Phase == "C" && *e.Name == "@calls[dd]" {
			last = string(e.Args["count"])
		}
	}
	if want := fmt.Sprint(textSum(must(t, "text", one("calls")))); last != want {
		t.Errorf("the counter of @calls ends at %s, text says %s", last, want)
	}
}

// TestDurations tells which numbers that a script prints are durations.
func TestDurations(t *testing.T) {
	began := time.Unix(1000, 0)
	printf := func(text string) trace.Item { return trace.Item{Kind: trace.PrintfItem, Text: text} }
	traced := func(n int64) trace.Item {
		return trace.Item{Kind: trace.ValueItem, Value: trace.Value{Kind: trace.IntValue, Size: 8, Int: n}}
	}
	for _, tt := range []struct {
		script string
		clause uint32
		items  []trace.Item
		want   string // microseconds; "" if it is a moment
	}{
		{"BEGIN { trace(timestamp - self->ts); }", 1, []trace.Item{traced(1500)}, "1.500"},
		{"BEGIN { trace(pid); trace((timestamp - self->ts) / 1000); }", 1, []trace.Item{traced(7), traced(20)}, "20.000"},
		{"BEGIN { trace(pid); }", 1, []trace.Item{traced(1500)}, ""},
		{`BEGIN { printf("%-10s %5d us\n", execname, (timestamp - self->ts) / 1000); }`, 1, []trace.Item{printf("dd           250 us\n")}, "250.000"},
		{`BEGIN { this->d = timestamp - ts; printf("100%% %d", this->d); this->d = 0; }`, 1, []trace.Item{printf("100% 42")}, "0.042"},
		{`BEGIN { this->d = timestamp - ts; } END { this->d = pid; printf("%d", this->d); }`, 2, []trace.Item{printf("42")}, ""}, // not surely
		{`BEGIN { if (pid) { printf("%d ms", (timestamp - ts) / 1000000); } else { printf("no"); } }`, 1, []trace.Item{printf("no")}, ""},
		{`BEGIN { if (pid) { printf("no"); } else { printf("%d ms", (timestamp - ts) / 1000000); } }`, 1, []trace.Item{printf("3 ms")}, "3000.000"},
		{`BEGIN { printf("%*d", 5, timestamp - ts); }`, 1, []trace.Item{printf("   42")}, ""},
		{`BEGIN { trace(timestamp - ts); }`, 1, []trace.Item{traced(-5)}, ""},
		{`BEGIN { printf("%d", timestamp - ts); }`, 7, []trace.Item{printf("42")}, ""},
		{`nonsense {`, 1, []trace.Item{traced(1500)}, ""},
	} {
		e := trace.Event{Time: began.Add(time.Second), Clause: tt.clause, Items: tt.items}
		out, err := told(t, "chrome", export.Options{Script: tt.script}, trace.Snapshot{}, e)
		if err != nil {
			t.Errorf("%s: %v", tt.script, err)
			continue
		}
		got := ""
		for _, e := range decode(t, out) {
			if e.Phase == "X" {
				got = e.Dur.String()
			}
		}
		if got != tt.want {
			t.Errorf("%s lasts %q, want %q", tt.script, got, tt.want)
		}
	}
}

// TestManyKeys has more keys than are counters: the greatest are, and a word is said.
func TestManyKeys(t *testing.T) {
	table := trace.Table{Name: "n", KeyTypes: []string{"int"}}
	for i := range 2100 {
		table.Rows = append(table.Rows, trace.Row{ID: fmt.Sprint(i), Keys: []trace.Value{{Kind: trace.IntValue, Size: 8, Int: int64(i)}}, Value: int64(i)})
	}
	var said []string
	out, err := told(t, "chrome", export.Options{Say: func(s string) { said = append(said, s) }}, trace.Snapshot{Elapsed: 1, Aggs: []trace.Table{table}})
	if err != nil {
		t.Fatal(err)
	}
	counters := 0
	for _, e := range decode(t, out) {
		if e.Phase == "C" {
			counters++
		}
	}
	if counters != 20 || !strings.Contains(out, "@n[1999]") || len(said) != 2 {
		t.Errorf("%d counters, said %q", counters, said)
	}
}
