package live

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/timeline"
)

// A day is a run of a day at the moments of a simulated clock. It has histograms and counts,
// examples of what was counted, and keys that come and go: of those that are new each hour
// the old ones are truncated.
type day struct {
	rows []trace.Row
	hist []trace.Row
	seq  uint64
	at   time.Duration
}

const (
	dayKeys  = 150
	dayEvery = 4 * time.Second
)

func (d *day) next() trace.Snapshot {
	hour := int(d.at / time.Hour)
	if d.at%time.Hour == 0 {
		d.rows, d.hist = nil, nil
		for k := range dayKeys {
			id := fmt.Sprint("key-", hour, "-", k)
			row := trace.Row{ID: id, Keys: []trace.Value{{Kind: trace.StringValue, Str: id}}}
			d.rows, d.hist = append(d.rows, row), append(d.hist, row)
		}
	}
	d.seq++
	d.at += dayEvery
	rows, hist := make([]trace.Row, dayKeys), make([]trace.Row, dayKeys)
	copy(rows, d.rows)
	copy(hist, d.hist)
	for k := range rows {
		n := int64(d.seq) * int64(k%9) // of some keys nothing comes
		rows[k].Value, rows[k].Count = n, uint64(n)
		hist[k].Value, hist[k].Count = 2*n, uint64(2*n)
		hist[k].Buckets = []trace.Bucket{{Label: "1", Low: 1, High: 1}, {Label: "2", Low: 2, High: 3, Count: n}, {Label: "4", Low: 4, High: 7, Count: n}, {Label: "8", Low: 8, High: 15}}
	}
	s := trace.Snapshot{Seq: d.seq, Elapsed: d.at, Aggs: []trace.Table{
		{Name: "n", Normal: 1, KeyTypes: []string{"string"}, Rows: rows},
		{Name: "size", Func: trace.Quantize, Normal: 1, KeyTypes: []string{"string"}, Rows: hist},
	}}
	for range 8 {
		s.Examples = append(s.Examples, trace.Example{Agg: 1, Value: int64(d.seq % 8), Weight: 1, Facts: []trace.Value{{Kind: trace.StringValue, Str: "a fact of its firing"}}})
	}
	return s
}

// TestADayOfMemory runs for a simulated day. What the pane holds is no more at its end than
// after some hours, the past and its examples keep their budgets, and where the past was
// thinned for that the title says so.
func TestADayOfMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a day takes ten seconds")
	}
	m := pane(t, 120, 40)
	m.line = timeline.New(2 << 20) // of a budget that a day fills many times
	var d day
	var peak, first uint64
	for d.at < 24*time.Hour {
		m.SetSnapshot(d.next())
		if m.line.Bytes() > 2<<20 || m.line.Examples().Bytes() > timeline.ExampleBudget {
			t.Fatalf("at %v the past takes %d bytes and its examples %d", d.at, m.line.Bytes(), m.line.Examples().Bytes())
		}
		if d.at%(2*time.Hour) == 0 {
			peak = max(peak, held())
		}
		if d.at == 4*time.Hour {
			first = peak
		}
	}
	t.Logf("after four hours %d KB, at most %d KB; %d frames in %d KB, %d times rarer, from %v", first>>10, peak>>10, m.line.Len(), m.line.Bytes()>>10, m.line.Rarer(), m.line.Begun())
	if most := first + timeline.ExampleBudget + 4<<20; peak > most { // examples have not filled their budget by then
		t.Errorf("a day takes %d bytes, after four hours it was %d", peak, first)
	}
	if m.line.Rarer() == 1 && m.line.Begun() == 0 {
		t.Error("the budget was never short")
	}
	if got := m.Title(); !strings.Contains(got, "past") {
		t.Errorf("the title says nothing of the past that was given up: %q", got)
	}
	for range 200 { // and all that is left can be looked at
		m.Step(-1)
	}
	if text(m) == "" {
		t.Error("nothing is shown")
	}
}

// held returns what is in use once garbage is gone.
func held() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
