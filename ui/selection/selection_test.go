package selection

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/dlang/narrow"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/difference"
	"dscope.dev/ui/timeline"
)

func text(s string) trace.Value  { return trace.Value{Kind: trace.StringValue, Str: s} }
func number(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 8, Int: n} }

var place = []trace.Origin{{From: 10, To: 50, Keys: []string{"execname", "arg2 / 1024"}, Arg: "timestamp - self->ts",
	Dims: []trace.Dimension{{Name: "user", Expr: "uid"}, {Name: "execname", Expr: "execname", Key: true}, {Name: "arg2 / 1024", Expr: "arg2 / 1024", Key: true}}}}

// store has an example every 100 ms, of two processes in turn, the later the slower.
func store() *timeline.Examples {
	x := timeline.NewExamples(1 << 20)
	start := time.Unix(100, 0)
	for i := 1; i <= 10; i++ {
		at := time.Duration(i) * 100 * time.Millisecond
		x.Add(&trace.Snapshot{Elapsed: at, Time: start.Add(at), Aggs: []trace.Table{{Name: "t", Func: trace.Quantize, Origins: place}}, Examples: []trace.Example{
			{Time: start.Add(at), Value: int64(i), Weight: 1, Facts: []trace.Value{number(0), text([]string{"a", "b"}[i%2]), number(int64(i % 3))}}}})
	}
	return x
}

func values(list []*trace.Example) string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprint(e.Value))
	}
	return strings.Join(out, " ")
}

func TestSides(t *testing.T) {
	x := store()
	of := Selection{Name: "t", Func: trace.Quantize}
	rows := [][]trace.Value{{text("a"), number(2)}, {text("b"), number(1)}}
	for _, tt := range []struct {
		name            string
		with            func(*Selection)
		inside, outside string
	}{
		{"all", func(*Selection) {}, "1 2 3 4 5 6 7 8 9 10", ""},
		{"buckets", func(s *Selection) { s.Buckets, s.Low, s.High = true, 4, 7 }, "4 5 6 7", "1 2 3 8 9 10"},
		{"time", func(s *Selection) { s.Time, s.From, s.To = true, 200*time.Millisecond, 400*time.Millisecond }, "3 4", "1 2 5 6 7 8 9 10"},
		{"both", func(s *Selection) {
			s.Time, s.To, s.Buckets, s.Low, s.High = true, 500*time.Millisecond, true, 4, 7
		}, "4 5", "1 2 3 6 7 8 9 10"},
		{"rows", func(s *Selection) { s.Rows = rows }, "1 2 7 8", "3 4 5 6 9 10"},
		{"of rows", func(s *Selection) { s.Rows, s.Among, s.Buckets, s.Low, s.High = rows, true, true, 4, 7 }, "7", "1 2 8"},
		{"another aggregation", func(s *Selection) { s.Func = trace.Count }, "", ""},
	} {
		s := of
		tt.with(&s)
		q, unknown := s.Sides(x)
		if values(q.Inside) != tt.inside || values(q.Outside) != tt.outside || unknown != 0 {
			t.Errorf("%s: inside %s, outside %s, unknown %d", tt.name, values(q.Inside), values(q.Outside), unknown)
		}
		if (s.Rows != nil) != slices.Contains(q.By, "execname") {
			t.Errorf("%s: selected by %v", tt.name, q.By)
		}
	}
	// What is asked about goes on its own way: the store may thin meanwhile.
	q, _ := of.Sides(x)
	q.Inside[0].Weight = 77
	if again, _ := of.Sides(x); again.Inside[0].Weight != 1 {
		t.Error("examples are shared with the store")
	}
}

func TestNone(t *testing.T) {
	x := store()
	bare := timeline.NewExamples(1 << 20)
	lost := timeline.NewExamples(1 << 20)
	lost.Add(&trace.Snapshot{Aggs: []trace.Table{{Name: "t", Func: trace.Quantize, Origins: place}}, Examples: []trace.Example{{Weight: 1, Facts: []trace.Value{number(1), {Kind: trace.NoValue}, number(1)}}}})
	for _, tt := range []struct {
		of   Selection
		x    *timeline.Examples
		want string
	}{
		{Selection{Name: "t", Func: trace.Quantize}, x, ""},
		{Selection{Name: "t", Func: trace.Quantize}, bare, "#pragma D option examples=4"},
		{Selection{Name: "other"}, x, "BEGIN, END, ERROR or a function"},
		{Selection{Name: "t", Func: trace.Quantize, Rows: [][]trace.Value{{text("a"), number(1)}}}, lost, "which keys the examples had is not known"},
		{Selection{Name: "t", Func: trace.Quantize, Buckets: true, Low: 99, High: 100}, x, "no example of it is kept"},
	} {
		q, unknown := tt.of.Sides(tt.x)
		if got := None(tt.x, &q, unknown); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.of.String(), got, tt.want)
		}
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct {
		of   Selection
		want string
	}{
		{Selection{Name: "t"}, "@t"},
		{Selection{Name: "t", Buckets: true, Low: 4, High: 7, Time: true, From: time.Second, To: 90 * time.Second}, "@t  4 to 7  1.0s to 1:30"},
		{Selection{Name: "t", Buckets: true, Low: math.MinInt64, High: 7}, "@t  up to 7"},
		{Selection{Name: "t", Buckets: true, Low: 7, High: math.MaxInt64}, "@t  7 and more"},
		{Selection{Name: "t", Rows: [][]trace.Value{{text("a\x1b[2J"), number(3)}}}, "@t  a^[[2J 3"},
		{Selection{Name: "t", Rows: [][]trace.Value{{text("a")}, {text("b")}}}, "@t  2 keys"},
	} {
		if got := tt.of.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestChanges(t *testing.T) {
	stack := trace.Value{Kind: trace.StackValue, Frames: []trace.Frame{{Addr: 1}}}
	for _, tt := range []struct {
		of        Selection
		origins   []trace.Origin
		cond, err string
		left      bool
	}{
		{of: Selection{Buckets: true, Low: 1024, High: 4095}, origins: place, cond: "timestamp - self->ts >= 1024 && timestamp - self->ts <= 4095"},
		{of: Selection{Rows: [][]trace.Value{{text("a\"b"), number(3)}}}, origins: place, cond: `execname == "a\"b" && arg2 / 1024 == 3`},
		{of: Selection{Rows: [][]trace.Value{{text("a"), number(3)}, {text("b"), number(4)}}, Buckets: true, Low: 64, High: math.MaxInt64}, origins: place,
			cond: `((execname == "a" && arg2 / 1024 == 3) || (execname == "b" && arg2 / 1024 == 4)) && timestamp - self->ts >= 64`},
		{of: Selection{Buckets: true, Low: 1, High: 1, Time: true}, origins: place, cond: "timestamp - self->ts == 1", left: true},
		{of: Selection{Time: true}, origins: place, err: "takes in no more than that"},
		{of: Selection{Rows: [][]trace.Value{{text("read")}}, Buckets: true, Low: 1, High: 1}, origins: []trace.Origin{{From: 10, To: 50, Keys: []string{`"read"`}, Arg: "x"}}, cond: "x == 1"},
		{of: Selection{Rows: [][]trace.Value{{text("read")}}}, origins: []trace.Origin{{Keys: []string{`"read"`}, Arg: "x"}}, err: "takes in no more than that"},
		{of: Selection{Rows: [][]trace.Value{{stack, number(1)}}}, origins: place, err: "execname: a stack cannot be asked for in D"},
		{of: Selection{Rows: [][]trace.Value{{text("a")}}}, origins: place, err: "the keys of the aggregation are not those"},
		{of: Selection{Rows: make([][]trace.Value, 33)}, origins: place, err: "33 keys are too many to ask for in D: select or filter at most 32"},
		{of: Selection{}, err: "it is not known where"},
		{of: Selection{Buckets: true}, origins: []trace.Origin{{File: "lib.h", Line: 7, Arg: "x"}}, err: "filled in lib.h, line 7"},
	} {
		changes, left, err := tt.of.Changes(tt.origins)
		switch {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: error %v, want %q", tt.of, err, tt.err)
		case tt.err == "" && (err != nil || changes[0] != narrow.Change{From: 10, To: 50, Cond: tt.cond} || (left != "") != tt.left):
			t.Errorf("%+v: %v, %q, %v; want %s", tt.of, changes, left, err, tt.cond)
		}
	}
}

func TestTo(t *testing.T) {
	finding := func(expr string, part difference.Part, own bool) *difference.Finding {
		return &difference.Finding{Dim: trace.Dimension{Name: "n", Expr: expr}, Part: part, Own: own}
	}
	more := difference.Share{Part: 0.9}
	two := append(slices.Clone(place), trace.Origin{From: 60, To: 80})
	for _, tt := range []struct {
		f         *difference.Finding
		v         difference.Value
		origins   []trace.Origin
		cond, err string
		left      string
	}{
		{f: finding("uid", 0, false), v: difference.Value{Value: number(7), Inside: more}, origins: place, cond: "uid == 7"},
		{f: finding("uid", 0, false), v: difference.Value{Value: number(7), Outside: more}, origins: place, cond: "uid != 7"},
		{f: finding("uid", 0, false), v: difference.Value{Value: number(7), Inside: more}, origins: two, cond: "uid == 7", left: "1 of 2 places"},
		{f: finding("cpu", 0, true), v: difference.Value{Value: number(7), Inside: more}, origins: two[1:], cond: "cpu == 7"},
		{f: finding("uid", difference.Range, false), v: difference.Value{Value: number(5), Low: 4, High: 7, Inside: more}, origins: place, cond: "uid >= 4 && uid <= 7"},
		{f: finding("uid", difference.Range, false), v: difference.Value{Value: number(5), Low: 4, High: 7, Outside: more}, origins: place, cond: "!(uid >= 4 && uid <= 7)"},
		{f: finding("uid", difference.Range, false), v: difference.Value{Value: trace.Value{Kind: trace.UintValue}, Low: math.MinInt64, High: -1, Inside: more}, origins: place,
			cond: "uid >= 9223372036854775808 && uid <= 18446744073709551615"},
		{f: finding("ustack()", difference.Frame, false), v: difference.Value{Value: trace.Value{Kind: trace.UstackValue}}, origins: place, err: "a stack cannot be asked for in D"},
		{f: finding("arg9", 0, false), v: difference.Value{Value: number(7)}, origins: place, err: "no place that fills the aggregation knows n"},
	} {
		changes, left, err := To(tt.f, &tt.v, tt.origins)
		switch {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: error %v, want %q", tt.f.Dim.Expr, err, tt.err)
		case tt.err == "" && (err != nil || len(changes) != 1 || changes[0].Cond != tt.cond || !strings.HasPrefix(left, tt.left) || (left == "") != (tt.left == "")):
			t.Errorf("%s: %v, %q, %v; want %s", tt.f.Dim.Expr, changes, left, err, tt.cond)
		}
	}
}

func TestLiteral(t *testing.T) {
	for _, tt := range []struct {
		v    trace.Value
		want string
	}{
		{number(-3), "-3"},
		{trace.Value{Kind: trace.UintValue, Int: -1}, "18446744073709551615"},
		{text("x"), `"x"`},
		{trace.Value{Kind: trace.BytesValue, Size: 1, Str: "eth0\x00\x00"}, `"eth0"`},
		{trace.Value{Kind: trace.BytesValue, Str: "abcd"}, ""},
		{trace.Value{Kind: trace.SymValue, Str: "f"}, ""},
		{trace.Value{Kind: trace.NoValue}, ""},
	} {
		got, err := Literal(tt.v)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%+v: %s, %v", tt.v, got, err)
		}
	}
}
