package timeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// wild returns a snapshot in which tables, rows, buckets and shares come and go.
func wild(r *rand.Rand, n int) trace.Snapshot {
	s := trace.Snapshot{Seq: uint64(n), Time: time.Unix(int64(n), 0), Elapsed: time.Duration(n) * 200 * time.Millisecond, Drops: uint64(n / 7)}
	for i := range 3 {
		if r.IntN(9) == 0 {
			continue
		}
		t := trace.Table{Name: fmt.Sprint("t", i), Func: []trace.AggFunc{trace.Count, trace.Quantize, trace.Avg}[i], KeyTypes: []string{"string"},
			Normal: uint64(1 + r.IntN(3)), Sorted: trace.Sorted{ByKey: r.IntN(2) == 0, Rev: r.IntN(2) == 0, KeyPos: r.IntN(3)}}
		for k := range 12 {
			if r.IntN(4) == 0 {
				continue
			}
			id := fmt.Sprint("key", k)
			row := trace.Row{ID: id, Keys: []trace.Value{{Kind: trace.StringValue, Str: id}}, Value: r.Int64() - r.Int64(), Count: r.Uint64()}
			if r.IntN(3) > 0 { // as before
				row.Value, row.Count = int64(k), uint64(k)
			}
			if t.Func == trace.Quantize {
				from := r.IntN(20)
				for b := from; b < from+1+r.IntN(6); b++ {
					row.Buckets = append(row.Buckets, trace.Bucket{Label: fmt.Sprint(1 << b), Low: 1 << b, High: 2<<b - 1, Count: int64(r.IntN(3)) - 1})
				}
			}
			if i == 2 {
				row.PerCPU = []trace.Share{{CPU: 0, Value: r.Int64N(5)}, {CPU: 3, Value: -1}}
			}
			t.Rows = append(t.Rows, row)
		}
		s.Aggs = append(s.Aggs, t)
	}
	return s
}

// ordered returns a snapshot with its tables and rows in the order of their names.
func ordered(s trace.Snapshot) trace.Snapshot {
	slices.SortFunc(s.Aggs, func(a, b trace.Table) int { return strings.Compare(a.Name, b.Name) })
	for i := range s.Aggs {
		slices.SortFunc(s.Aggs[i].Rows, func(a, b trace.Row) int { return strings.Compare(a.ID, b.ID) })
	}
	return s
}

// TestWhatIsKeptIsWhatWas gives back every frame that is kept as it was added, thinned
// or not, at once or in slices.
func TestWhatIsKeptIsWhatWas(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 11))
		line := New(Budget)
		if seed%2 == 1 {
			line = New(40 << 10) // frames are dropped from the beginning
		}
		was := map[uint64]trace.Snapshot{}
		for n := 1; n <= 900; n++ {
			s := wild(r, n)
			was[s.Seq] = ordered(s)
			if seed%3 > 0 {
				line.Add(s)
				continue
			}
			line.Start(s)
			before := line.Len()
			for line.Entering() && r.IntN(9) > 0 { // else what is left is entered with the next
				if line.Len() != before || before > 0 && !reflect.DeepEqual(ordered(line.At(before-1)), was[s.Seq-1]) {
					t.Fatalf("seed %d: a frame that is not whole can be seen", seed)
				}
				line.Enter(1 + r.IntN(15))
			}
		}
		line.Enter(math.MaxInt)
		for i := range line.Len() {
			got := ordered(line.At(i))
			if !reflect.DeepEqual(got, was[got.Seq]) {
				t.Fatalf("seed %d, frame %d of %d:\n got %+v\nwant %+v", seed, i, line.Len(), got, was[got.Seq])
			}
		}
		if line.At(line.Len()-1).Seq != 900 {
			t.Errorf("seed %d: the newest frame is lost", seed)
		}
	}
}

// busy returns a snapshot of n keys that all have grown.
func busy(n, keys int, every time.Duration) trace.Snapshot {
	t := trace.Table{Name: "n", Normal: 1, KeyTypes: []string{"int"}}
	for k := range keys {
		t.Rows = append(t.Rows, trace.Row{ID: fmt.Sprint(k), Keys: []trace.Value{{Int: int64(k)}}, Value: int64(n*7 + k*n%5), Count: uint64(n * 7)})
	}
	return trace.Snapshot{Seq: uint64(n), Elapsed: time.Duration(n) * every, Aggs: []trace.Table{t}}
}

// TestADayStaysUnderItsBudget looks back on a day, at the distances that the package
// promises, or at rarer ones if the budget is short.
func TestADayStaysUnderItsBudget(t *testing.T) {
	for _, tt := range []struct {
		keys, budget int
		length       time.Duration
	}{{20, Budget, 24 * time.Hour}, {20, 300 << 10, 24 * time.Hour}, {400, 1 << 20, 2 * time.Hour}} {
		line := New(tt.budget)
		const every = 4 * time.Second
		for n := 1; n <= int(tt.length/every); n++ {
			line.Add(busy(n, tt.keys, every))
			if line.Bytes() > tt.budget {
				t.Fatalf("%d keys: %d bytes after %d frames", tt.keys, line.Bytes(), n)
			}
		}
		last := line.Elapsed(line.Len() - 1)
		if line.Elapsed(0) > 10*time.Minute*time.Duration(line.Rarer()) {
			t.Errorf("%d keys: the past begins at %v", tt.keys, line.Elapsed(0))
		}
		for i := 1; i < line.Len(); i++ {
			gap, age := line.Elapsed(i)-line.Elapsed(i-1), last-line.Elapsed(i)
			most := (max(apart(age+5*time.Minute), every) + group*every) * time.Duration(line.Rarer())
			if gap > most {
				t.Errorf("%d keys: between %v and %v is nothing, at most %v is meant", tt.keys, line.Elapsed(i-1), line.Elapsed(i), most)
			}
		}
		t.Logf("%d keys, %d of budget: %d frames in %d bytes, %d times rarer", tt.keys, tt.budget, line.Len(), line.Bytes(), line.Rarer())
	}
}

// TestNamesAloneCannotBreakTheBudget has every snapshot bring keys that no other has.
func TestNamesAloneCannotBreakTheBudget(t *testing.T) {
	line := New(256 << 10)
	for n := 1; n <= 2000; n++ {
		s := busy(n, 40, time.Second)
		for i := range s.Aggs[0].Rows {
			s.Aggs[0].Rows[i].ID = fmt.Sprint(n, "-", i)
		}
		line.Add(s)
		if line.Bytes() > 256<<10 {
			t.Fatalf("%d bytes", line.Bytes())
		}
	}
	if got := line.At(line.Len() - 1); got.Seq != 2000 || len(got.Aggs[0].Rows) != 40 {
		t.Errorf("the newest frame is %d with %d rows", got.Seq, len(got.Aggs[0].Rows))
	}
}

func TestFind(t *testing.T) {
	line := New(Budget)
	for n := 1; n <= 10; n++ {
		line.Add(busy(n, 1, time.Second))
	}
	for at, want := range map[time.Duration]int{0: 0, time.Second: 0, 1500 * time.Millisecond: 0, 2 * time.Second: 1, time.Hour: 9} {
		if got := line.Find(at); got != want {
			t.Errorf("Find(%v) = %d, want %d", at, got, want)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	line := New(Budget)
	s := busy(1, 5000, 200*time.Millisecond)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		s.Seq, s.Elapsed = uint64(n), time.Duration(n)*200*time.Millisecond
		for i := range s.Aggs[0].Rows {
			s.Aggs[0].Rows[i].Value += int64(i % 9)
		}
		line.Add(s)
	}
	b.ReportMetric(float64(line.Bytes())/float64(line.Len()), "bytes/frame")
}

func BenchmarkAt(b *testing.B) {
	line := New(Budget)
	for n := 1; n <= 100; n++ {
		line.Add(busy(n, 5000, 200*time.Millisecond))
	}
	for b.Loop() {
		line.At(99)
	}
}

// TestMarks sets marks and takes them away, keeps the frames at them when the past is
// thinned, and bounds how many there are.
func TestMarks(t *testing.T) {
	line := New(Budget)
	add := func(n int) {
		line.Add(trace.Snapshot{Seq: uint64(n), Elapsed: time.Duration(n) * 200 * time.Millisecond, Aggs: []trace.Table{{Normal: 1, Rows: []trace.Row{{Value: int64(n)}}}}})
	}
	const marked = 33 // is not at a whole second, nor minute
	for n := 1; n <= 20_000; n++ {
		if add(n); n == marked {
			line.Mark(line.Elapsed(line.Len() - 1))
		}
	}
	at := line.Marks()[0]
	if got := line.At(line.Find(at)); got.Seq != marked {
		t.Errorf("at the mark stands frame %d of %d, want %d", got.Seq, line.Len(), marked)
	}
	if line.Shrink(line.Frames() / 8); line.At(line.Find(at)).Seq != marked || line.At(line.Len()-1).Seq != 20_000 {
		t.Errorf("of %d frames none is at the mark or at the end", line.Len())
	}
	if set, ok := line.Mark(at); set || !ok || len(line.Marks()) != 0 {
		t.Error("the mark cannot be taken away")
	}
	for n := range mostMarks + 1 {
		set, ok := line.Mark(time.Duration(mostMarks - n))
		if want := n < mostMarks; set != want || ok != want {
			t.Errorf("mark %d: %t, %t", n, set, ok)
		}
	}
	if !slices.IsSorted(line.Marks()) {
		t.Errorf("marks in no order: %v", line.Marks())
	}
}
