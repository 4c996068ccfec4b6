package difference

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// A firing is one of a population, of which a sample is taken as the engine takes it.
type firing struct {
	value int64
	cpu   int
	at    int // interval
	facts []trace.Value
}

// take keeps a few firings of each bucket, CPU and interval, each with the same chance.
func take(r *rand.Rand, all []firing, keep int) []*trace.Example {
	type part struct {
		bucket, cpu, at int
	}
	parts := map[part][]firing{}
	var order []part
	for _, f := range all {
		p := part{int(math.Log2(float64(f.value + 1))), f.cpu, f.at}
		if parts[p] == nil {
			order = append(order, p)
		}
		parts[p] = append(parts[p], f)
	}
	var out []*trace.Example
	for _, p := range order {
		list := parts[p]
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		n := min(keep, len(list))
		for _, f := range list[:n] {
			out = append(out, &trace.Example{Time: time.Unix(int64(f.at), r.Int64N(1e9)), CPU: f.cpu, Value: f.value, Weight: float64(len(list)) / float64(n), Facts: f.facts})
		}
	}
	return out
}

func split(list []*trace.Example, in func(*trace.Example) bool) (inside, outside []*trace.Example) {
	for _, e := range list {
		if in(e) {
			inside = append(inside, e)
		} else {
			outside = append(outside, e)
		}
	}
	return inside, outside
}

func text(s string) trace.Value  { return trace.Value{Kind: trace.StringValue, Str: s} }
func number(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 8, Int: n} }
func place(name string) (addr uint64) {
	for _, c := range name {
		addr = addr*31 + uint64(c)
	}
	return addr
}

func stack(f ...string) trace.Value {
	v := trace.Value{Kind: trace.UstackValue}
	for i, name := range f {
		v.Frames = append(v.Frames, trace.Frame{Addr: place(name), Module: "app", Symbol: name, Offset: uint64(i)})
	}
	return v
}

// dims are those of the populations below.
var dims = []trace.Dimension{
	{Name: "process", Expr: "execname"}, {Name: "pid", Expr: "pid"}, {Name: "user", Expr: "uid"}, {Name: "file", Expr: "fds[arg0].fi_pathname"},
	{Name: "arg2", Expr: "arg2"}, {Name: "start", Expr: "self->ts"}, {Name: "took", Expr: "this->took"}, {Name: "stack", Expr: "ustack()"},
}

var origin = trace.Origin{Arg: "timestamp - self->ts", Keys: []string{"probefunc"}, Dims: dims}

// people is a population: slow tells of each firing whether it is slow, given what it is.
func people(r *rand.Rand, n int, slow func(f *firing) bool) []firing {
	names := []string{"mysqld", "nginx", "cron", "sshd", "redis"}
	var all []firing
	for i := range n {
		who := r.IntN(len(names) * 2)
		name := names[min(who, len(names)-1)] // redis is most
		f := firing{cpu: r.IntN(4), at: i * 20 / n}
		pid := int64(100 + who)
		size := int64(1) << r.IntN(16)
		size += r.Int64N(size)
		f.facts = []trace.Value{text(name), number(pid), number(int64(who % 3)), text(fmt.Sprint("/data/", r.IntN(40))), number(size),
			number(int64(i) * 1e6), number(0), stack("read", []string{"get", "put", "scan"}[r.IntN(3)], "main")}
		f.value = 1 + r.Int64N(1000)
		if slow(&f) {
			f.value = 1e6 + r.Int64N(3e6)
		}
		f.facts[6] = number(f.value)
		all = append(all, f)
	}
	return all
}

func isSlow(e *trace.Example) bool { return e.Value >= 1<<19 }

// Each cause is what the first group of the answer names.
func TestTheCauseComesFirst(t *testing.T) {
	for _, tt := range []struct {
		cause string
		slow  func(r *rand.Rand, f *firing) bool
		want  string // dimension, part and value
		same  string // what else the group holds
	}{
		{"process", func(r *rand.Rand, f *firing) bool { return f.facts[0].Str == "nginx" && r.IntN(10) < 8 }, "execname 0 nginx", "pid"},
		{"cpu", func(r *rand.Rand, f *firing) bool { return f.cpu == 3 && r.IntN(2) == 0 }, "cpu 0 3", ""},
		{"user", func(r *rand.Rand, f *firing) bool { return f.facts[2].Int == 1 && r.IntN(3) == 0 }, "uid 0 1", ""},
		{"file", func(r *rand.Rand, f *firing) bool { return f.facts[3].Str == "/data/7" }, "fds[arg0].fi_pathname 0 /data/7", ""},
		{"size", func(r *rand.Rand, f *firing) bool { return f.facts[4].Int >= 1<<15 }, "arg2 1 32768", ""},
		{"stack", func(r *rand.Rand, f *firing) bool { return f.facts[7].Frames[1].Symbol == "scan" && r.IntN(2) == 0 }, "ustack() 4 scan", "ustack()"},
	} {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 7))
			q := Question{Origins: []trace.Origin{origin}}
			q.Inside, q.Outside = split(take(r, people(r, 10_000, func(f *firing) bool { return tt.slow(r, f) || r.IntN(2000) == 0 }), 4), isSlow)
			a := Rank(q)
			if len(a.Groups) == 0 {
				t.Fatalf("%s, %d: nothing found", tt.cause, seed)
			}
			f := a.Groups[0][0]
			v := f.Values[0]
			got := fmt.Sprintf("%s %d %s", f.Dim.Expr, f.Part, v.Value.Str)
			switch {
			case f.Part == Range:
				got = fmt.Sprintf("%s %d %d", f.Dim.Expr, f.Part, v.Low)
			case f.Part == Frame:
				got = fmt.Sprintf("%s %d %s", f.Dim.Expr, f.Part, v.Value.Frames[0].Symbol)
			case v.Value.Kind == trace.IntValue:
				got = fmt.Sprintf("%s %d %d", f.Dim.Expr, f.Part, v.Value.Int)
			}
			if got != tt.want {
				t.Errorf("%s, %d: first is %s, want %s: %+v", tt.cause, seed, got, tt.want, f.Values)
			}
			if v.Inside.Part <= v.Outside.Part || !v.Claimed || v.Least <= 0 {
				t.Errorf("%s, %d: %+v", tt.cause, seed, v)
			}
			if tt.same != "" && !slices.ContainsFunc(a.Groups[0][1:], func(f Finding) bool { return f.Dim.Expr == tt.same }) {
				t.Errorf("%s, %d: the group lacks %s: %v", tt.cause, seed, tt.same, a.Groups[0])
			}
		}
	}
}

// What the value is made of is left out, and why is said.
func TestWhatDiffersByConstructionIsLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	q := Question{Origins: []trace.Origin{origin}, By: []string{" execname"}}
	q.Inside, q.Outside = split(take(r, people(r, 20_000, func(f *firing) bool { return r.IntN(10) == 0 }), 4), isSlow)
	got := map[string]string{}
	for _, l := range Rank(q).Left {
		got[l.Dim.Expr] = l.Why
	}
	want := map[string]string{"execname": "the selection was made by it", "self->ts": "the aggregated value is made of it", "this->took": "it is the aggregated value"}
	if len(got) != len(want) {
		t.Errorf("left out: %v", got)
	}
	for expr, why := range want {
		if got[expr] != why {
			t.Errorf("%s is left out because %q, want %q", expr, got[expr], why)
		}
	}
	two := Question{Origins: []trace.Origin{{Arg: "arg2", Dims: []trace.Dimension{{Name: "count", Expr: "args[2]"}, {Name: "n", Expr: "n"}}}}}
	for i := range 40 {
		v := int64(512 << (i % 2 * 7))
		two.Inside = append(two.Inside, &trace.Example{Value: v, Weight: 1, Facts: []trace.Value{number(v), number(int64(i % 2))}})
	}
	if a := Rank(two); len(a.Left) != 1 || a.Left[0].Dim.Name != "count" {
		t.Errorf("a value of two sizes by another name: %+v", a.Left)
	}
	times := Question{Origins: []trace.Origin{{Arg: "this->d", Dims: []trace.Dimension{{Name: "since", Expr: "self->since"}}}}}
	for i := range 200 {
		at := time.Unix(int64(i), 0)
		times.Inside = append(times.Inside, &trace.Example{Time: at, Value: r.Int64N(1e6), Weight: 1, Facts: []trace.Value{number(at.UnixNano() - r.Int64N(1e6))}})
	}
	if a := Rank(times); len(a.Left) != 1 || a.Left[0].Why != "it is a time" {
		t.Errorf("a variable that holds a time: %+v", a.Left)
	}
}

func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		whole, part string
		want        bool
	}{
		{"timestamp - self->ts", "self->ts", true},
		{"timestamp - self->ts", "ts", false},
		{"timestamp - self->ts[arg0]", "arg0", false},
		{"timestamp - self->ts[arg0]", "self->ts[arg0]", true},
		{"arg2 / 1024", "arg2", true},
		{"args[0]->size * 2", "args[0]", false},
		{"args[0]->size * 2", "args[0]->size", true},
		{"strlen(copyinstr(arg1))", "arg1", true},
		{"(timestamp-self->ts)/1000", "timestamp - self->ts", true},
		{"arg20", "arg2", false},
		{"", "arg2", false},
		{"arg2", "", false},
	} {
		if got := holds(words(tt.whole), words(tt.part)); got != tt.want {
			t.Errorf("%q holds %q: %v", tt.whole, tt.part, got)
		}
	}
}

// TestNothingIsClaimedWhereThereIsNothing draws populations in which being slow has
// nothing to do with anything else, though the loads of CPUs and intervals differ by
// far. At most one answer of twenty may claim something: of 400 at most 20 and what
// chance adds to that, which is three standard deviations of it.
func TestNothingIsClaimedWhereThereIsNothing(t *testing.T) {
	const populations = 400
	wrong := 0
	var last string
	for seed := range uint64(populations) {
		r := rand.New(rand.NewPCG(seed, 3))
		rare := 2 + r.IntN(30)
		q := Question{Origins: []trace.Origin{origin}}
		list := take(r, people(r, 500+r.IntN(2500), func(f *firing) bool {
			if r.IntN(3) == 0 { // some CPUs and some intervals have most of the load
				f.cpu = 0
			}
			if r.IntN(4) == 0 {
				f.at = 3
			}
			return r.IntN(rare) == 0
		}), 1+r.IntN(6))
		q.Inside, q.Outside = split(list, isSlow)
		if a := Rank(q); len(a.Groups) > 0 {
			wrong++
			f := a.Groups[0][0]
			last = fmt.Sprintf("%s %+v of %d", f.Dim.Name, f.Values[0], a.Looked)
		}
	}
	limit := populations*level + 3*math.Sqrt(populations*level*(1-level))
	t.Logf("%d of %d answers claim something (limit %.0f)", wrong, populations, limit)
	if float64(wrong) > limit {
		t.Errorf("%d of %d answers claim something; the last: %s", wrong, populations, last)
	}
}

// TestShares holds that the interval of a share has the true one in 95 of 100 samples,
// though weights differ by far and the rare value lives where they are great.
func TestShares(t *testing.T) {
	const samples = 1000
	for _, tt := range []struct {
		name string
		cpu  func(r *rand.Rand, has bool) int
	}{
		{"even", func(r *rand.Rand, _ bool) int { return r.IntN(4) }},
		{"skewed", func(r *rand.Rand, has bool) int {
			if has || r.IntN(2) == 0 {
				return 0
			}
			return 1 + r.IntN(3)
		}},
	} {
		missed := 0
		for seed := range uint64(samples) {
			r := rand.New(rand.NewPCG(seed, 5))
			var all []firing
			has, n := 0.0, 3000
			for i := range n {
				yes := r.IntN(5) == 0
				if yes {
					has++
				}
				name := map[bool]string{true: "a", false: "b"}[yes]
				all = append(all, firing{value: 100, cpu: tt.cpu(r, yes), at: i * 10 / n, facts: []trace.Value{text(name)}})
			}
			var of, whole mass
			for _, e := range take(r, all, 5) {
				whole.add(e.Weight)
				if e.Facts[0].Str == "a" {
					of.add(e.Weight)
				}
			}
			if s := share(of, whole); s.Low > has/float64(n) || s.High < has/float64(n) {
				missed++
			}
		}
		t.Logf("%s: %d of %d intervals miss the share", tt.name, missed, samples)
		if missed > samples/20+3*int(math.Sqrt(samples*level*(1-level))) {
			t.Errorf("%s: %d of %d intervals miss the share", tt.name, missed, samples)
		}
	}
}

func TestEffectiveSize(t *testing.T) {
	var even, heavy mass
	for range 100 {
		even.add(3)
	}
	heavy.add(1000)
	for range 99 {
		heavy.add(1)
	}
	if got := even.effective(); math.Abs(got-100) > 1e-9 {
		t.Errorf("even weights: %f", got)
	}
	if got := heavy.effective(); got > 1.3 {
		t.Errorf("one weight that is all: %f", got)
	}
}

// byChance against values of Fisher's test worked out by hand: two times the tail of the
// hypergeometric distribution.
func TestChance(t *testing.T) {
	for _, tt := range []struct {
		ka, na, kb, nb int
		want           float64
	}{
		{3, 3, 0, 3, 2.0 / 20},           // C(3,3)C(3,0)/C(6,3)
		{4, 4, 0, 4, 2.0 / 70},           // 1/C(8,4)
		{3, 4, 1, 4, 2 * (16 + 1) / 70.}, // C(4,3)C(4,1) and C(4,4)C(4,0) of C(8,4)
		{2, 4, 2, 4, 1},
		{0, 0, 2, 4, 1},
	} {
		part := func(k, n int) Share {
			return Share{Part: float64(k) / math.Max(float64(n), 1), effective: float64(n)}
		}
		if got := byChance(part(tt.ka, tt.na), part(tt.kb, tt.nb)); math.Abs(got-min(tt.want, 1)) > 1e-9 {
			t.Errorf("%d of %d and %d of %d: %g, want %g", tt.ka, tt.na, tt.kb, tt.nb, got, tt.want)
		}
	}
}

// A sample that carries nothing is told to.
func TestSilence(t *testing.T) {
	dims := []trace.Dimension{{Name: "process", Expr: "execname"}, {Name: "request", Expr: "copyinstr(arg1)"}, {Name: "unknown", Expr: "arg7"}}
	q := Question{Origins: []trace.Origin{{Dims: dims}}}
	for i := range 300 {
		e := &trace.Example{Weight: 1, Facts: []trace.Value{text([]string{"a", "b"}[i%2]), text(fmt.Sprint("request ", i)), {Kind: trace.NoValue}}}
		if i < 3 {
			q.Inside = append(q.Inside, e)
		} else {
			q.Outside = append(q.Outside, e)
		}
	}
	want := map[string]string{"process": "too few examples", "request": "hardly two examples are alike", "unknown": "not known"}
	a := Rank(q)
	if len(a.Groups) != 0 || len(a.Rest) != 3 {
		t.Fatalf("%+v", a)
	}
	for _, f := range a.Rest {
		if !strings.Contains(f.Silent, want[f.Dim.Name]) {
			t.Errorf("%s: %q", f.Dim.Name, f.Silent)
		}
	}
	q.Inside, q.Outside = q.Outside[:150], q.Outside[150:]
	for _, f := range Rank(q).Rest {
		if f.Dim.Name == "process" && (f.Silent != "" || f.Hidden > 0.4 || f.Hidden < 0.1) {
			t.Errorf("two equal halves: %q, hidden %f", f.Silent, f.Hidden)
		}
	}
}

// A value that is only missing inside speaks too.
func TestWhatIsRarerInside(t *testing.T) {
	q := Question{Origins: []trace.Origin{{Dims: []trace.Dimension{{Name: "file", Expr: "this->file"}}}}}
	for i := range 400 {
		q.Inside = append(q.Inside, &trace.Example{Weight: 2, Facts: []trace.Value{text(fmt.Sprint("f", i%80))}})
		name := fmt.Sprint("f", i%80)
		if i%2 == 0 {
			name = "cached"
		}
		q.Outside = append(q.Outside, &trace.Example{Weight: 3, Facts: []trace.Value{text(name)}})
	}
	a := Rank(q)
	if len(a.Groups) != 1 || a.Groups[0][0].Values[0].Value.Str != "cached" || a.Groups[0][0].Values[0].More() {
		t.Errorf("%+v", a)
	}
}

func TestPowers(t *testing.T) {
	signed := func(n int64) trace.Value { return trace.Value{Kind: trace.IntValue, Size: 8, Int: n} }
	for _, tt := range []struct {
		v         trace.Value
		low, high int64
	}{
		{signed(0), 0, 0}, {signed(1), 1, 1}, {signed(3), 2, 3}, {signed(4096), 4096, 8191},
		{signed(-1), -1, -1}, {signed(-5), -7, -4}, {signed(math.MaxInt64), 1 << 62, math.MaxInt64}, {signed(math.MinInt64), math.MinInt64, math.MinInt64},
		{trace.Value{Kind: trace.UintValue, Size: 8, Int: -1}, math.MinInt64, -1},
	} {
		if low, high := powers(tt.v); low != tt.low || high != tt.high {
			t.Errorf("%d: %d to %d, want %d to %d", tt.v.Int, low, high, tt.low, tt.high)
		}
	}
}

// Whatever a recording says, there is an answer and its shares are parts.
func FuzzRank(f *testing.F) {
	f.Add(uint64(1), 20, 1.5)
	f.Add(uint64(2), 3, math.Inf(1))
	f.Add(uint64(3), 200, math.NaN())
	f.Fuzz(func(t *testing.T, seed uint64, n int, weight float64) {
		r := rand.New(rand.NewPCG(seed, 9))
		q := Question{Origins: []trace.Origin{origin, {Dims: dims[:2]}}}
		for range min(max(n, 0), 500) {
			e := &trace.Example{Origin: r.IntN(4) - 1, Weight: weight * float64(1+r.IntN(3)), Value: r.Int64(), CPU: r.IntN(3)}
			for range r.IntN(10) {
				e.Facts = append(e.Facts, []trace.Value{text("x"), number(r.Int64N(9)), stack("a", "b"), {Kind: trace.StackValue}, number(-1 << 63)}[r.IntN(5)])
			}
			if r.IntN(2) == 0 {
				q.Inside = append(q.Inside, e)
			} else {
				q.Outside = append(q.Outside, e)
			}
		}
		a := Rank(q)
		for _, g := range append(a.Groups, a.Rest) {
			for _, x := range g {
				for _, v := range x.Values {
					for _, s := range []Share{v.Inside, v.Outside} {
						if !(0 <= s.Low && s.Low <= s.Part && s.Part <= s.High && s.High <= 1) {
							t.Fatalf("%s: %+v", x.Dim.Name, s)
						}
					}
				}
			}
		}
	})
}

func BenchmarkRank(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	q := Question{Origins: []trace.Origin{origin}}
	deep := make([]string, 30)
	var stacks []trace.Value
	for range 500 {
		for i := range deep {
			deep[i] = fmt.Sprint("function", i, "_", r.IntN(1+i/3))
		}
		stacks = append(stacks, stack(deep...))
	}
	all := people(r, 20_000, func(f *firing) bool { return f.facts[0].Str == "nginx" })
	for i := range all { // each with frames of its own, as a recording may have them
		v := stacks[r.IntN(len(stacks))]
		v.Frames = slices.Clone(v.Frames)
		all[i].facts[7] = v
	}
	list := take(r, all, 1<<20)
	if len(list) != 20_000 {
		b.Fatal(len(list))
	}
	q.Inside, q.Outside = split(list, isSlow)
	for b.Loop() {
		if len(Rank(q).Groups) == 0 {
			b.Fatal("nothing found")
		}
	}
}
