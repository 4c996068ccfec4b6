package timeline

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

func text(s string) trace.Value { return trace.Value{Kind: trace.StringValue, Str: s} }

// sampled returns a snapshot with examples: of @a, every bucket of which has some, and
// of @n.
func sampled(r *rand.Rand, seq int, each int, frames int) trace.Snapshot {
	start := time.Unix(1000, 0)
	elapsed := time.Duration(seq) * 200 * time.Millisecond
	s := trace.Snapshot{Seq: uint64(seq), Elapsed: elapsed, Time: start.Add(elapsed), Aggs: []trace.Table{
		{Name: "a", Func: trace.Quantize, Rows: []trace.Row{{ID: "k"}}}, {Name: "n"},
	}}
	for b := range 8 {
		s.Aggs[0].Rows[0].Buckets = append(s.Aggs[0].Rows[0].Buckets, trace.Bucket{Low: 1 << b, High: 2<<b - 1, Count: 1})
	}
	for i := range each {
		b := i % 8
		who := "common"
		if r.IntN(4) == 0 {
			who = "rare"
		}
		v := trace.Value{Kind: trace.UstackValue}
		for f := range frames {
			v.Frames = append(v.Frames, trace.Frame{Addr: uint64(f), Symbol: who})
		}
		s.Examples = append(s.Examples, trace.Example{Agg: 0, Time: s.Time.Add(-time.Duration(r.IntN(200)) * time.Millisecond), CPU: r.IntN(4),
			Value: 1<<b + r.Int64N(1<<b), Weight: 1 + r.Float64()*50, Facts: []trace.Value{text(who), v}})
	}
	s.Examples = append(s.Examples, trace.Example{Agg: 1, Value: 1, Weight: 1}, trace.Example{Agg: 7, Weight: 1}, trace.Example{Agg: -1, Weight: 1})
	return s
}

// Examples are found by their aggregation, in the order of time, with equal stacks shared.
func TestExamplesAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	line := New(Budget)
	for seq := 1; seq <= 10; seq++ {
		line.Add(sampled(r, seq, 40, 3))
	}
	x := line.Examples()
	if x.Kept() != 410 || x.Came() != 410 {
		t.Errorf("%d of %d are kept", x.Kept(), x.Came())
	}
	at, n := time.Duration(0), 0
	stacks := map[*trace.Frame]bool{}
	for e := range x.All("a", trace.Quantize) {
		if e.At < at || e.At > 2*time.Second {
			t.Errorf("at %v after %v", e.At, at)
		}
		at = e.At
		n++
		stacks[&e.Facts[1].Frames[0]] = true
	}
	if n != 400 || len(stacks) != 2 {
		t.Errorf("%d of @a with %d stacks", n, len(stacks))
	}
	for range x.All("a", trace.Count) {
		t.Error("an aggregation of another function is another one")
	}
	for e := range x.All("n", trace.Count) {
		if e.At%(200*time.Millisecond) != 0 {
			t.Errorf("one that bears no time came at %v", e.At)
		}
	}
}

// TestExamplesAreThinnedFairly has examples thinned to a small part. The weights of what
// stays sum up to what there was, for each bucket and exactly; and the share of the rare
// process is right but for what so many examples carry.
func TestExamplesAreThinnedFairly(t *testing.T) {
	var off, spread, expected float64
	const runs = 60
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 1))
		x := NewExamples(200 << 10)
		x.chance = rand.New(rand.NewPCG(seed, 2))
		was, is := map[int]float64{}, map[int]float64{}
		var total, rare, keptRare float64
		for seq := 1; seq <= 600; seq++ { // two minutes
			s := sampled(r, seq, 16, 2)
			for _, e := range s.Examples {
				if e.Agg == 0 {
					was[bits(e.Value)] += e.Weight
					total += e.Weight
					if e.Facts[0].Str == "rare" {
						rare += e.Weight
					}
				}
			}
			x.Add(&s)
			if x.Bytes() > 200<<10 {
				t.Fatalf("%d bytes at %d", x.Bytes(), seq)
			}
		}
		if x.Kept() > x.Came()/4 || x.Kept() < 100 {
			t.Fatalf("%d of %d are kept", x.Kept(), x.Came())
		}
		first := time.Duration(-1)
		var sum, squares float64
		for e := range x.All("a", trace.Quantize) {
			if first < 0 {
				first = e.At
			}
			is[bits(e.Value)] += e.Weight
			sum, squares = sum+e.Weight, squares+e.Weight*e.Weight
			if e.Facts[0].Str == "rare" {
				keptRare += e.Weight
			}
		}
		for b, w := range was {
			if math.Abs(is[b]-w) > 1e-6*w {
				t.Fatalf("the weights of bucket %d sum up to %f of %f", b, is[b], w)
			}
		}
		if first > 15*time.Second {
			t.Errorf("nothing of the beginning is kept: the first is of %v", first)
		}
		d := (keptRare - rare) / total
		off, spread = off+d, spread+d*d
		expected += 0.25 * 0.75 * squares / (sum * sum)
	}
	deviation := math.Sqrt(spread / runs)
	expected = math.Sqrt(expected / runs)
	t.Logf("the share is off by %.4f on the average, %.4f typically; weights promise %.4f", off/runs, deviation, expected)
	if math.Abs(off/runs) > 3*deviation/math.Sqrt(runs) || deviation > 1.3*expected {
		t.Errorf("thinning favours: %.4f on the average, %.4f typically, %.4f expected", off/runs, deviation, expected)
	}
}

func bits(v int64) int { return int(math.Log2(float64(v))) }

// What a recording says of a weight may be anything.
func TestWeightsAreNumbers(t *testing.T) {
	x := NewExamples(1 << 20)
	s := trace.Snapshot{Aggs: []trace.Table{{}}}
	for _, w := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -3} {
		s.Examples = append(s.Examples, trace.Example{Weight: w})
	}
	x.Add(&s)
	for e := range x.All("", trace.Count) {
		if !(e.Weight >= 1 && e.Weight <= heaviest) {
			t.Errorf("weight %g", e.Weight)
		}
	}
}

// TestExamplesOfADay keeps the budget whatever comes, and thinning takes little.
func TestExamplesOfADay(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := NewExamples(1 << 20)
	for seq := 1; seq < 20_000; seq++ {
		s := sampled(r, seq*20, 8, 4)
		x.Add(&s)
		if x.Bytes() > 1<<20 {
			t.Fatalf("%d bytes", x.Bytes())
		}
	}
	if x.Kept() < 500 {
		t.Errorf("%d are kept", x.Kept())
	}
}

func BenchmarkThin(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 1))
	for b.Loop() {
		b.StopTimer()
		x := NewExamples(1 << 40)
		for seq := 1; seq <= 1000; seq++ {
			s := sampled(r, seq, 24, 20)
			x.Add(&s)
		}
		x.budget = x.bytes - 1
		b.StartTimer()
		x.thin()
	}
}
