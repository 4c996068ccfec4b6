package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// frames makes a timeline of tables, one a second.
func frames(list ...[]trace.Table) *timeline.Timeline {
	line := timeline.New(timeline.Budget)
	for i, aggs := range list {
		line.Add(trace.Snapshot{Seq: uint64(i + 1), Elapsed: time.Duration(i+1) * time.Second, Drops: uint64(i * 2), Aggs: aggs})
	}
	return line
}

// agg makes a table of keys and values; a value is a number, or counts of the buckets 1, 2,
// 4, … joined by commas.
func agg(name string, fn trace.AggFunc, keyed ...string) trace.Table {
	t := trace.Table{Name: name, Func: fn, Normal: 1, KeyTypes: []string{"string"}}
	for _, kv := range keyed {
		key, value, _ := strings.Cut(kv, "=")
		r := trace.Row{ID: name + key, Keys: []trace.Value{{Kind: trace.StringValue, Str: key}}}
		for i, field := range strings.Split(value, ",") {
			var n int64
			fmt.Sscan(field, &n)
			r.Value += n
			r.Count += uint64(max(n, 0))
			if fn.IsHistogram() {
				r.Buckets = append(r.Buckets, trace.Bucket{Label: fmt.Sprint(1 << i), Low: 1 << i, High: 2<<i - 1, Count: n})
			}
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// tell writes a comparison in short.
func tell(tables []Table) string {
	var out []string
	for _, t := range tables {
		out = append(out, fmt.Sprintf("@%s %v %v", t.Name, t.Func, t.State))
		for _, r := range t.Rows {
			line := fmt.Sprintf("%s %v %.4g>%.4g", r.Title(), r.State, r.A.Rate, r.B.Rate)
			for _, b := range r.Buckets {
				line += fmt.Sprintf(" %s:%d/%d", b.Label, b.A.N, b.B.N)
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "; ")
}

func TestSides(t *testing.T) {
	one := func(t ...trace.Table) []trace.Table { return t }
	half := agg("n", trace.Sum, "a=100")
	half.Normal = 10
	for _, tt := range []struct {
		name string
		a, b Side
		want string
	}{
		{
			"keys come, go, change and stay; lengths are divided out",
			between("a", frames(one(agg("n", trace.Count, "gone=50", "more=100", "same=100"))), -1, 0),
			between("b", frames(nil, one(agg("n", trace.Count, "new=30", "more=1000", "same=200"))), -1, 1),
			"@n count changed; more changed 100>500; gone gone 50>0; new added 0>15; same same 100>100",
		},
		{
			"what chance gives is alike",
			between("a", frames(one(agg("n", trace.Count, "k=100", "s=10000"))), -1, 0),
			between("b", frames(one(agg("n", trace.Count, "k=110", "s=12000"))), -1, 0),
			"@n count changed; s changed 1e+04>1.2e+04; k alike 100>110",
		},
		{
			"sums tell nothing of chance",
			between("a", frames(one(agg("n", trace.Sum, "k=100"))), -1, 0),
			between("b", frames(one(agg("n", trace.Sum, "k=110"))), -1, 0),
			"@n sum changed; k changed 100>110",
		},
		{
			"what stands is not divided",
			between("a", frames(one(agg("n", trace.Max, "k=7"))), -1, 0),
			between("b", frames(nil, nil, one(agg("n", trace.Max, "k=9"))), -1, 2),
			"@n max changed; k changed 7>9",
		},
		{
			"before and after a moment",
			between("a", frames(one(agg("n", trace.Count, "k=10")), one(agg("n", trace.Count, "k=15"))), -1, 0),
			between("b", frames(one(agg("n", trace.Count, "k=10")), one(agg("n", trace.Count, "k=15"))), 0, 1),
			"@n count changed; k alike 10>5",
		},
		{
			"what was cleared counts anew",
			between("a", frames(one(agg("n", trace.Count, "k=1"))), -1, 0),
			between("b", frames(one(agg("n", trace.Count, "k=100")), one(agg("n", trace.Count, "k=40")), one(agg("n", trace.Count, "k=60"))), -1, 2),
			"@n count changed; k changed 1>53.33",
		},
		{
			"what was truncated counts anew",
			between("a", frames(one(agg("n", trace.Count, "k=1"))), -1, 0),
			between("b", frames(one(agg("n", trace.Count, "k=100")), one(agg("n", trace.Count)), one(agg("n", trace.Count, "k=200"))), -1, 2),
			"@n count changed; k changed 1>100",
		},
		{
			"histograms by bucket, whatever their sums",
			between("a", frames(one(agg("t", trace.Quantize, "still=100,50", "moved=0,100,0,0"))), -1, 0),
			between("b", frames(one(agg("t", trace.Quantize, "still=101,50", "moved=0,0,0,100"))), -1, 0),
			"@t quantize changed; moved changed 100>100 2:100/0 4:0/0 8:0/100; still alike 150>151 1:100/101 2:50/50",
		},
		{
			"an aggregation of one side alone",
			between("a", frames(one(agg("old", trace.Count, "k=1"), agg("n", trace.Sum, "k=4"))), -1, 0),
			between("b", frames(one(agg("n", trace.Count, "k=4"), agg("empty", trace.Count))), -1, 0),
			"@n count added; k added 0>4; @empty count added; @old count gone; k gone 1>0; @n sum gone; k gone 4>0",
		},
		{
			"normalized",
			between("a", frames(one(half)), -1, 0),
			between("b", frames(one(agg("n", trace.Sum, "a=100"))), -1, 0),
			"@n sum changed; a changed 10>100",
		},
		{
			"of no length at all",
			between("a", frames(one(agg("n", trace.Count, "k=1"))), 0, 0),
			between("b", timeline.New(1<<20), -1, -1),
			"@n count gone",
		},
	} {
		if got := tell(Sides(tt.a, tt.b)); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// TestBetween holds what is known of a side beside its tables.
func between(name string, line *timeline.Timeline, from, to int) Side {
	return Between(name, line, from, to)()
}

func TestSqueezed(t *testing.T) {
	var r Row
	for i := range 7 {
		r.Buckets = append(r.Buckets, Bucket{Bucket: trace.Bucket{Low: int64(i), High: int64(i), Label: strconv.Itoa(i)}, A: Value{1, 0.5}, B: Value{int64(i), float64(i)}})
	}
	for _, tt := range []struct {
		h, per int
		want   string
	}{
		{9, 1, "0-0:1,0 1-1:1,1 2-2:1,2 3-3:1,3 4-4:1,4 5-5:1,5 6-6:1,6 "},
		{7, 1, "0-0:1,0 1-1:1,1 2-2:1,2 3-3:1,3 4-4:1,4 5-5:1,5 6-6:1,6 "},
		{4, 2, "0-1:2,1 2-3:2,5 4-5:2,9 6-6:1,6 "},
		{1, 7, "0-6:7,21 "},
		{0, 1, "0-0:1,0 1-1:1,1 2-2:1,2 3-3:1,3 4-4:1,4 5-5:1,5 6-6:1,6 "},
	} {
		list, per := r.Squeezed(tt.h)
		got := ""
		for _, b := range list {
			got += fmt.Sprintf("%s-%d:%d,%d ", b.Label, b.High, b.A.N, b.B.N)
		}
		if got != tt.want || per != tt.per {
			t.Errorf("%d lines: %d, %s, want %d, %s", tt.h, per, got, tt.per, tt.want)
		}
	}
	if r.Buckets[0].A.N != 1 {
		t.Error("what is squeezed has changed")
	}
}

func TestBetween(t *testing.T) {
	line := frames([]trace.Table{agg("n", trace.Count, "k=1")}, []trace.Table{agg("n", trace.Count, "k=5")}, []trace.Table{agg("n", trace.Count, "k=2")})
	for _, tt := range []struct {
		from, to int
		length   time.Duration
		lost     uint64
		cleared  bool
	}{{-1, 1, 2 * time.Second, 2, false}, {0, 1, time.Second, 2, false}, {0, 2, 2 * time.Second, 4, true}} {
		s := between("x", line, tt.from, tt.to)
		if s.Length != tt.length || s.Lost != tt.lost || s.Cleared != tt.cleared {
			t.Errorf("from %d to %d: %v, %d lost, cleared %t", tt.from, tt.to, s.Length, s.Lost, s.Cleared)
		}
	}
}

// TestAll joins the histograms of all keys, and finds where their quantiles lie.
func TestAll(t *testing.T) {
	a := between("a", frames([]trace.Table{agg("t", trace.Quantize, "x=90,10", "y=0,0,5")}), -1, 0)
	b := between("b", frames([]trace.Table{agg("t", trace.Quantize, "x=50,0,0,50")}), -1, 0)
	all := Sides(a, b)[0].All
	if all.A.N != 105 || all.B.N != 100 || all.Keys != nil {
		t.Errorf("all is %+v", all)
	}
	was, is, ok1, ok2 := all.Quantile(0.99)
	if was.Label != "4" || is.Label != "8" || !ok1 || !ok2 {
		t.Errorf("p99 went from %s to %s", was.Label, is.Label)
	}
}

// TestChanceIsRare compares two stretches in which the same comes at random, many times:
// hardly ever is a change claimed. Where one has a third more it nearly always is.
func TestChanceIsRare(t *testing.T) {
	seed := uint64(1)
	random := func() float64 { // a multiplicative generator of numbers from 0 to 1
		seed = seed * 6364136223846793005 % (1<<63 - 25)
		return float64(seed) / (1<<63 - 25)
	}
	comes := func(n int) int64 { // about n, as independent firings do
		var got int64
		for range n * 10 {
			if random() < 0.1 {
				got++
			}
		}
		return got
	}
	side := func(n int64) Side {
		return between("", frames([]trace.Table{agg("n", trace.Count, fmt.Sprintf("k=%d", n))}), -1, 0)
	}
	claimed, missed := 0, 0
	for range 400 {
		if Sides(side(comes(300)), side(comes(300)))[0].Rows[0].State == Changed {
			claimed++
		}
		if Sides(side(comes(300)), side(comes(400)))[0].Rows[0].State != Changed {
			missed++
		}
	}
	if claimed > 6 || missed > 200 {
		t.Errorf("of 400, %d changes claimed where there is none, %d missed", claimed, missed)
	}
	// A short stretch against a long one, in a histogram of few firings: 5 against 100.
	shape := func(n int) Side {
		var list [][]trace.Table
		for range n {
			var counts []string
			for _, n := range []int{1, 2, 1, 1} {
				counts = append(counts, fmt.Sprint(comes(n)))
			}
			list = append(list, []trace.Table{agg("t", trace.Quantize, "k="+strings.Join(counts, ","))})
		}
		sum := list[n-1][0]
		for _, earlier := range list[:n-1] {
			for i, b := range earlier[0].Rows[0].Buckets {
				sum.Rows[0].Buckets[i].Count += b.Count
			}
		}
		return between("", frames(append(make([][]trace.Table, n-1), list[n-1])...), -1, n-1)
	}
	claimed = 0
	for range 400 {
		if Sides(shape(1), shape(20))[0].Rows[0].State == Changed {
			claimed++
		}
	}
	if claimed > 6 {
		t.Errorf("of 400 short stretches, %d changes claimed where there is none", claimed)
	}
}

// TestChance holds probabilities against the binomial distribution worked out by hand: two
// times the tail, or what the normal distribution says where much is expected.
func TestChance(t *testing.T) {
	for _, tt := range []struct {
		a, b     int64
		byA, byB float64
		want     float64
	}{
		{0, 0, 1, 1, 1},
		{5, 5, 1, 1, 1},
		{0, 8, 1, 1, 2.0 / 256},
		{8, 0, 1, 1, 2.0 / 256},
		{1, 7, 1, 1, 2 * 9.0 / 256},
		{1, 0, 1, 49, 2 * 0.02},                           // one that came soon is no change
		{0, 100, 2.6, 50, 2 * math.Pow(50/52.6, 100)},     // nothing in a short time neither
		{0, 100, 10, 50, 2 * math.Pow(50.0/60, 100)},      // in a longer one it is
		{5000, 5000, 2.6, 2.6, 1},                         //
		{10300, 10000, 1, 1, math.Erfc(300 / 201.494417)}, // √(2·20300·¼)
		{-3, 4, 1, 1, 0},
		{3, 4, 0, 1, 1},
	} {
		va, vb := valuer{true, tt.byA}, valuer{true, tt.byB}
		if got := byChance(va.value(tt.a), vb.value(tt.b), tt.byA, tt.byB); math.Abs(got-tt.want) > 1e-6*tt.want {
			t.Errorf("%d in %v and %d in %v: %v, want %v", tt.a, tt.byA, tt.b, tt.byB, got, tt.want)
		}
	}
	for n := int64(1); n < 1<<40; n *= 7 { // a probability, however much came
		x := byChance(Value{n, float64(n)}, Value{0, 0}, 1, 1e-9)
		if math.IsNaN(x) || x < 0 || x > 1 {
			t.Errorf("of %d: %v", n, x)
		}
	}
}

// TestEqualDifferences are in the order of their keys: numbers as numbers.
func TestEqualDifferences(t *testing.T) {
	table := agg("n", trace.Count, "991=5", "99=5", "995=5")
	for i := range table.Rows {
		k := &table.Rows[i].Keys[0]
		fmt.Sscan(k.Str, &k.Int)
		k.Kind, k.Size, k.Str = trace.IntValue, 8, ""
	}
	var got []string
	for _, r := range Sides(between("a", frames(nil), -1, 0), between("b", frames([]trace.Table{table}), -1, 0))[0].Rows {
		got = append(got, r.Title())
	}
	if want := "99 991 995"; strings.Join(got, " ") != want {
		t.Errorf("keys are %v, want %s", got, want)
	}
}

// TestBesideMore works a side out while more is added to its timeline: it is what it was when
// it was asked for.
func TestBesideMore(t *testing.T) {
	line := timeline.New(1 << 20)
	add := func(i int) {
		line.Add(trace.Snapshot{Seq: uint64(i), Elapsed: time.Duration(i) * time.Second,
			Aggs: []trace.Table{agg("n", trace.Count, fmt.Sprintf("all=%d", i), fmt.Sprintf("k%d=1", i))}})
	}
	for i := range 40 {
		add(i)
	}
	side := Between("x", line, -1, line.Len()-1)
	want := tell(Sides(side(), Side{}))
	got := make(chan string)
	go func() { got <- tell(Sides(side(), Side{})) }()
	for i := 40; i < 400; i++ {
		add(i)
	}
	if text := <-got; text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}
