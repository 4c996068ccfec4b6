package replay

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A day is a made run: keys, of which some are busy and most are not, as programs and files
// of a machine are, each with a histogram of latencies; and events.
type day struct {
	r       *rand.Rand
	keys    []trace.Row
	counts  [][]int64 // by key and power of two
	average []float64 // of the logarithms of its latencies
	zipf    *rand.Zipf
	seq     uint64
	began   time.Time
	every   int // a key frame is written each so many seconds, if that is not 0
}

// buckets is how many powers of two there are.
const buckets = 40

func newDay(keys int) *day {
	d := &day{r: rand.New(rand.NewPCG(1, 2)), began: time.Unix(1_750_000_000, 0)}
	d.zipf = rand.NewZipf(d.r, 1.1, 4, uint64(keys-1))
	for i := range keys {
		name, file := "worker-"+strconv.Itoa(i%97), fmt.Sprintf("/srv/data/%02x/%d.db", i%256, i)
		d.keys = append(d.keys, trace.Row{ID: name + "\x00" + file, Keys: []trace.Value{{Kind: trace.StringValue, Str: name}, {Kind: trace.StringValue, Str: file}}})
		d.counts = append(d.counts, make([]int64, buckets))
		d.average = append(d.average, 9+8*d.r.Float64())
	}
	return d
}

// second lets a second pass, in which so many firings went in, and returns the snapshot.
func (d *day) second(firings int) trace.Snapshot {
	touched := map[int]bool{}
	for range firings {
		k := int(d.zipf.Uint64())
		b := min(max(int(d.average[k]+1.5*d.r.NormFloat64()), 0), buckets-1)
		d.counts[k][b]++
		touched[k] = true
	}
	for k := range touched {
		row := &d.keys[k]
		row.Buckets, row.Value = nil, 0
		first, last := -1, -1
		for b, n := range d.counts[k] {
			if n > 0 && first < 0 {
				first = b
			}
			if n > 0 {
				last = b
			}
			row.Value += n
		}
		row.Count = uint64(row.Value)
		for b := max(first-1, 0); b <= min(last+1, buckets-1); b++ {
			row.Buckets = append(row.Buckets, trace.Bucket{Label: strconv.Itoa(1 << b), Low: 1 << b, High: 2<<b - 1, Count: d.counts[k][b]})
		}
	}
	d.seq++
	rows := make([]trace.Row, 0, len(d.keys))
	for _, row := range d.keys {
		if row.Value > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b trace.Row) int { return int(a.Value - b.Value) })
	at := time.Duration(d.seq) * time.Second
	return trace.Snapshot{Seq: d.seq, Time: d.began.Add(at), Elapsed: at,
		Aggs: []trace.Table{{Name: "latency", Func: trace.Quantize, KeyTypes: []string{"string", "string"}, Normal: 1, Rows: rows}}}
}

// events returns what was printed in the second.
func (d *day) events(n int) (list []trace.Event) {
	for range n {
		k := &d.keys[d.zipf.Uint64()]
		list = append(list, trace.Event{Time: d.began.Add(time.Duration(d.seq)*time.Second + time.Duration(d.r.IntN(1e9))), CPU: d.r.IntN(16), Clause: 1,
			Probe: trace.Probe{ID: 812, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"},
			Items: []trace.Item{{Kind: trace.PrintfItem, Text: fmt.Sprintf("%-16s read %d bytes of %s\n", k.Keys[0].Str, d.r.IntN(65536), k.Keys[1].Str)}}})
	}
	return list
}

// write writes so many seconds of it.
func (d *day) write(t testing.TB, w *Writer, seconds, firings, events int) (changed int) {
	t.Helper()
	put := func(m wire.Message) {
		if err := w.put(m); err != nil {
			t.Fatal(err)
		}
	}
	put(&wire.Begin{Script: trace.Script{Text: hourScript}, Began: d.began})
	var before []trace.Row
	for i := range seconds {
		at := time.Duration(i+1) * time.Second
		s := d.second(firings)
		changed += changes(before, s.Aggs[0].Rows)
		before = s.Aggs[0].Rows
		if d.every > 0 && i%d.every == d.every-1 {
			w.out.Key()
		}
		put(&wire.Events{At: at, List: d.events(events)})
		put(&wire.Snapshot{At: at, Snapshot: s})
		put(&wire.Status{At: at, Status: trace.Status{State: trace.Running, Elapsed: at, Events: uint64((i + 1) * events), Rate: float64(events), Probes: 2}})
	}
	at := time.Duration(seconds) * time.Second
	put(&wire.Status{At: at, Status: trace.Status{State: trace.Done, Elapsed: at, Events: uint64(seconds * events), Probes: 2}})
	put(&wire.End{At: at})
	return changed
}

const hourScript = "syscall::read:return { @latency[execname, file] = quantize(t); printf(\"…\"); }"

func changes(before, now []trace.Row) (n int) {
	counts := make(map[string]uint64, len(before))
	for i := range before {
		counts[before[i].ID] = before[i].Count
	}
	for i := range now {
		if counts[now[i].ID] != now[i].Count {
			n++
		}
	}
	return n
}

// TestHour records 10,000 keys, of which a tenth changes each second, and a hundred lines a
// second, then looks at it here and there. DSCOPE_HOUR=3600 makes a whole hour of it, which
// takes a minute and a half; without it what two minutes take is held to a thirtieth of what
// an hour may.
func TestHour(t *testing.T) {
	seconds, err := strconv.Atoi(cmp.Or(os.Getenv("DSCOPE_HOUR"), "120"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "hour.dscope")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := NewWriter(f, Header{Kernel: "made"})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d := newDay(10_000)
	d.second(1 << 20) // all keys are there from the start
	d.seq = 0
	changed := d.write(t, w, seconds, 2500, 100)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d s, %d keys, %.0f changed and 100 lines a second: %.1f MB, written in %.1f s with what is in it", seconds, len(d.keys), float64(changed)/float64(seconds), float64(info.Size())/1e6, time.Since(began).Seconds())
	if most := int64(100e6) * int64(seconds) / 3600; info.Size() > most {
		t.Errorf("%d bytes, want %d at most", info.Size(), most)
	}
	began = time.Now()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	opened := time.Since(began)
	if p.Broken() != nil || p.Length(0) != time.Duration(seconds)*time.Second {
		t.Errorf("%v, %v", p.Broken(), p.Length(0))
	}
	var longest, sum time.Duration
	const looks = 50
	r := rand.New(rand.NewPCG(3, 4))
	for range looks {
		second := r.IntN(seconds-1) + 1
		began := time.Now()
		run := p.PlayFrom(0, time.Duration(second)*time.Second)
		s := <-run.Snapshots()
		took := time.Since(began)
		if s.Seq != uint64(second) || len(s.Aggs[0].Rows) != len(d.keys) {
			t.Errorf("at %d s: snapshot %d of %d keys", second, s.Seq, len(s.Aggs[0].Rows))
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
		longest, sum = max(longest, took), sum+took
	}
	t.Logf("opened in %v with %d key frames; a moment is shown in %v, %v at most", opened, len(p.runs[0].keys), sum/looks, longest)
	scanned := time.Now()
	if _, err := Read(headless{p.source, p.source.Size()}, p.source.Size()); err != nil {
		t.Error(err)
	}
	t.Logf("without its index it opens in %v", time.Since(scanned))
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	t.Logf("memory ever taken from the system: %d MB", mem.Sys>>20)
}

// headless is a file whose tail is not there.
type headless struct {
	io.ReaderAt
	size int64
}

func (h headless) ReadAt(b []byte, at int64) (int, error) {
	n, err := h.ReaderAt.ReadAt(b, at)
	for i := range b[:n] {
		if at+int64(i) >= h.size-24 {
			b[i] = 0
		}
	}
	return n, err
}
