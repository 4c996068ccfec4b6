package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// runErrands lets all be done that is done beside the screen.
func runErrands(m *Model) {
	for cmd := m.Work(); cmd != nil; cmd = m.Work() {
		deliver(m, cmd())
	}
}

func deliver(m *Model, msg tea.Msg) {
	if list, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range list {
			deliver(m, cmd())
		}
		return
	}
	m.Update(msg)
}

// thick returns a pane behind which lie 60 snapshots of so many keys, too many for their trends to
// be read at once. The first keys change, each at a rate of its own; in the end each was twice as
// fast as before.
func thick(t *testing.T, keys int) *Model {
	m := pane(t, 90, 12)
	for n := 1; n <= 60; n++ {
		var pairs []any
		for k := range keys {
			v := 0
			if k < 9 {
				v = n * (k + 1)
				if n > 50 {
					v += (n - 50) * (k + 1)
				}
				v += 1000 - 10*k // so that the first is the greatest, and the slowest
			}
			pairs = append(pairs, fmt.Sprint(k), v)
		}
		s := snap(n, counted("n", pairs...))
		s.Elapsed = time.Duration(n) * 200 * time.Millisecond
		m.SetSnapshot(s)
	}
	return m
}

// TestMomentBeforeItsTrends shows what a moment holds at once, and says of rates and trends that
// they are not known yet, until they are.
func TestMomentBeforeItsTrends(t *testing.T) {
	m := thick(t, 9000)
	live := m.book.aggs[0].rows["3"].rate
	m.Step(-8)
	a := m.held.aggs[0]
	if a.lacks != lacksLast || a.rows["3"].sum != 52*4+2*4+970 {
		t.Fatalf("it lacks %d, and key 3 has %d", a.lacks, a.rows["3"].sum)
	}
	before := text(m)
	if n := strings.Count(before, "…"); n < 10 || strings.Contains(before, "/s  ") || strings.ContainsAny(before, "▁▂▃▄▅▆▇") {
		t.Errorf("what is not known is shown:\n%s", before)
	}
	runErrands(m)
	if a.lacks != lacksNothing || a.rows["3"].rate <= 0 || a.rows["3"].rate == live || len(a.rows["3"].ring) < 2 {
		t.Errorf("then it lacks %d, rate %v of %v, trend %v", a.lacks, a.rows["3"].rate, live, a.rows["3"].ring)
	}
	after := text(m)
	if strings.Contains(after, "…") || !strings.ContainsAny(after, "▁▂▃▄▅▆▇█") {
		t.Errorf("what is known is not shown:\n%s", after)
	}
	if firstKeys(before) != firstKeys(after) {
		t.Errorf("the rows are others:\n%s\n%s", before, after)
	}
}

// firstKeys are the first two words of each row.
func firstKeys(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n")[2:] {
		if f := strings.Fields(strings.Trim(line, "▌> ")); len(f) > 1 {
			out = append(out, f[0]+"="+f[1])
		}
	}
	return strings.Join(out, " ")
}

// TestMomentByRate is in the order of its rates from the first picture on, and shows what came in
// the last interval from the first picture on where that is what values mean.
func TestMomentByRate(t *testing.T) {
	m := thick(t, 9000)
	press(t, m, "s")
	if _, v := m.current(); !v.byRate(m.book.aggs[0]) {
		t.Fatal("it is not in the order of rates")
	}
	m.Step(-30)
	if got := strings.Join(strings.Fields(order(m))[:9], " "); got != "8 7 6 5 4 3 2 1 0" {
		t.Errorf("the order is %s", got)
	}
	before := rates(m)
	runErrands(m)
	if after := rates(m); after != before || !strings.HasPrefix(before, "5") {
		t.Errorf("rates of %s, then of %s", before, after)
	}

	m = thick(t, 9000)
	press(t, m, "c")
	m.Step(-5)
	if got := m.held.aggs[0].rows["3"].value; got != 8 {
		t.Errorf("%d came in the last interval, want 8", got)
	}
	press(t, m, "s") // now rates are needed
	if a, _ := m.current(); a.lacks > lacksTrends || a.rows["3"].rate == 0 {
		t.Errorf("in the order of rates it lacks %d", a.lacks)
	}
}

// rates are those of the first keys.
func rates(m *Model) string {
	var out []string
	for k := range 9 {
		out = append(out, perSecond(float64(m.held.aggs[0].rows[fmt.Sprint(k)].rate)))
	}
	return strings.Join(out, " ")
}

// TestErrandIsLate steps on while an errand is under way, and the run goes on: what it brings is
// not shown as that of another moment.
func TestErrandIsLate(t *testing.T) {
	m := thick(t, 9000)
	m.Step(-8)
	errand := m.Work()
	if errand == nil {
		t.Fatal("there is nothing to do")
	}
	came := make(chan tea.Msg)
	go func() { came <- errand() }()
	m.Step(-1)
	if m.Work() != nil {
		t.Error("two errands are under way")
	}
	for n := 61; n < 64; n++ {
		m.SetSnapshot(trace.Snapshot{Seq: uint64(n), Elapsed: time.Duration(n) * 200 * time.Millisecond, Aggs: []trace.Table{counted("n", "0", 9000)}})
	}
	deliver(m, <-came)
	if a := m.held.aggs[0]; a.lacks == lacksNothing {
		t.Error("what was found of one moment is taken for another's")
	}
	runErrands(m)
	if a := m.held.aggs[0]; a.lacks != lacksNothing || a.rows["3"].sum != 51*4+1*4+970 {
		t.Errorf("it lacks %d, and key 3 has %d", a.lacks, a.rows["3"].sum)
	}
	m.Now()
	runErrands(m)
	if got := text(m); strings.Contains(got, "…") {
		t.Errorf("now something is not known:\n%s", got)
	}
}

// TestFewAtOnce has no blank in what is small: its trends are there with the moment.
func TestFewAtOnce(t *testing.T) {
	m := thick(t, 30)
	m.Step(-8)
	if a := m.held.aggs[0]; a.lacks != lacksNothing || len(a.rows["3"].ring) < 40 {
		t.Errorf("it lacks %d", a.lacks)
	}
}
