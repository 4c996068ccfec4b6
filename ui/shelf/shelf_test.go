package shelf

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// line returns a timeline of so many frames of n keys, each frame different from all others.
func line(frames, n int) *timeline.Timeline {
	t := timeline.New(timeline.Budget)
	for f := range frames {
		rows := make([]trace.Row, n)
		for i := range rows {
			key := fmt.Sprintf("key %d", i)
			rows[i] = trace.Row{ID: key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}, Value: int64((f + 1) * (i + 1) * 7919)}
		}
		t.Add(trace.Snapshot{Seq: uint64(f + 1), Elapsed: time.Duration(f+1) * time.Second, Aggs: []trace.Table{{Normal: 1, KeyTypes: []string{"string"}, Rows: rows}}})
	}
	t.End()
	return t
}

// TestBudget puts runs on a small shelf: the oldest give way first, step by step, and the
// newest stays whole.
func TestBudget(t *testing.T) {
	one := (&Run{Line: line(40, 100)}).bytes()
	s := New(one * 5 / 2)
	put := func(n int) {
		s.Put(&Run{Number: n, Script: "script", Line: line(40, 100), Status: trace.Status{Hooks: []string{"a hook"}}})
		if s.Bytes() > one*5/2 {
			t.Fatalf("after run %d the shelf takes %d bytes of %d", n, s.Bytes(), one*5/2)
		}
	}
	var seen []string
	for n := 1; n <= 30; n++ {
		put(n)
		var words []string
		for _, r := range s.Runs() {
			words = append(words, fmt.Sprintf("%d%.1s", r.Number, r.Kept()))
		}
		seen = append(seen, strings.Join(words, " "))
	}
	for i, want := range []string{"1", "1 2", "1t 2t 3"} {
		if seen[i] != want {
			t.Errorf("after %d runs the shelf has %s, want %s", i+1, seen[i], want)
		}
	}
	last := s.Runs()[len(s.Runs())-1]
	if last.Kept() != "" || last.Line.Len() != 40 || last.Status.Hooks != nil {
		t.Errorf("the newest run is %q with %d frames and hooks %v", last.Kept(), last.Line.Len(), last.Status.Hooks)
	}
	first := s.Runs()[0]
	if first.Kept() != "pictures given up" || first.Script != "script" || first.Pictures() {
		t.Errorf("of the oldest run there is %q, script %q", first.Kept(), first.Script)
	}
	t.Log(seen[len(seen)-1])
}

// TestThinned holds that a run that was thinned keeps its last picture and its marks.
func TestThinned(t *testing.T) {
	l := line(200, 50)
	l.Mark(77 * time.Second)
	last := l.At(l.Len() - 1)
	s := New(l.Total() * 3 / 2)
	s.Put(&Run{Number: 1, Line: l})
	s.Put(&Run{Number: 2, Line: line(200, 50)})
	r := s.Find(1)
	if r.Kept() != "thinned" || r.Line.Len() >= 200 || r.Length() != 200*time.Second {
		t.Fatalf("%q, %d frames, %v long", r.Kept(), r.Line.Len(), r.Length())
	}
	if got := r.Line.At(r.Line.Len() - 1); got.Seq != last.Seq || got.Aggs[0].Rows[49].Value != last.Aggs[0].Rows[49].Value {
		t.Error("the last picture is another")
	}
	if at := r.Line.Elapsed(r.Line.Find(77 * time.Second)); at != 77*time.Second {
		t.Errorf("the mark is at 77s, and the frame that is kept at %v", at)
	}
}

// TestForgotten holds that runs are forgotten where scripts alone are too many, and counted.
func TestForgotten(t *testing.T) {
	s := New(1 << 20)
	for n := range 150 {
		s.Put(&Run{Number: n})
	}
	if len(s.Runs()) != Most || s.Gone() != 50 || s.Find(49) != nil || s.Find(50) == nil {
		t.Errorf("%d runs, %d gone", len(s.Runs()), s.Gone())
	}
	s.Put(&Run{Number: 150, Script: strings.Repeat("x", 2<<20)})
	if len(s.Runs()) != 1 || s.Gone() != 150 {
		t.Errorf("beside a script as great as the shelf stand %d runs", len(s.Runs())-1)
	}
}

func TestChange(t *testing.T) {
	var long []string
	for i := range 1500 {
		long = append(long, fmt.Sprintf("line %d", i))
	}
	text := strings.Join(long, "\n")
	for _, tt := range []struct{ name, before, after, want string }{
		{"same", "a\nb\n", "a\nb\n", "same script"},
		{"blanks", "a\n b\n", "a\n\n\tb\n", "blanks alone"},
		{"came", "a\nb\n", "a\nx\ny\nb\n", "+2: x"},
		{"gone", "a\nx\nb\n", "a\nb\n", "-1: x"},
		{"both", "a\nb\nc\n", "a\nB\nc\n", "B for b"},
		{"word", "@t[execname] = quantize(arg0);\n", "@t[execname] = lquantize(arg0);\n", "lquantize for quantize"},
		{"number", "tick-1s { x = 15; }\n", "tick-1s { x = 16; }\n", "16 for 15"},
		{"wider", "p { @ = count(); }\n", "p { @[pid] = count(); }\n", "with [pid]"},
		{"narrower", "p /pid == 1/ { }\n", "p { }\n", "without /pid == 1/"},
		{"moved", "a\nb\nc\nd\n", "b\nc\na\nd\n", "moved: a"},
		{"from nothing", "", "a\n", "+1: a"},
		{"to nothing", "a\n", "", "-1: a"},
		{"far apart", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "+2 -2: A"},
		{"long", "first\n" + text + "\nlast", "other\n" + text + "\nend", "+2 -2: other"},
	} {
		if got := Change(tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
