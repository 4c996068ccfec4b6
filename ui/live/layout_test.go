package live

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
)

// dozen returns a pane with twelve aggregations of five keys; those of which empty says so have
// none yet.
func dozen(t *testing.T, w, h int, empty func(n int) bool) *Model {
	m := pane(t, w, h)
	m.SetSnapshot(snap(1, dozenTables(empty)...))
	return m
}

func dozenTables(empty func(n int) bool) (tables []trace.Table) {
	for n := range 12 {
		tab := counted(fmt.Sprintf("agg%d", n), "a", 5, "b", 4, "c", 3, "d", 2, "e", 1)
		if empty(n) {
			tab.Rows = nil
		}
		tables = append(tables, tab)
	}
	return tables
}

// titles returns the names of the aggregations that are in view with their keys.
func titles(m *Model) string {
	var out []string
	for _, line := range strings.Split(text(m), "\n") {
		if name, _, ok := strings.Cut(strings.Trim(line, " ▸"), " count()"); ok {
			out = append(out, strings.TrimPrefix(name, "@agg"))
		}
	}
	return strings.Join(out, " ")
}

// TestSeveralSections shows as many aggregations as there is room for, those with data first,
// and the selected one among them.
func TestSeveralSections(t *testing.T) {
	m := dozen(t, 84, 57, func(n int) bool { return n < 3 })
	if got := titles(m); got != "3 4 5 6 7 8 9 10" {
		t.Errorf("in view are %s:\n%s", got, text(m))
	}
	if a, _ := m.current(); a.name != "agg3" {
		t.Errorf("the first that has data is not selected, but %s", a.name)
	}
	press(t, m, "[") // around to the last
	if got := titles(m); !strings.HasSuffix(got, "0 1 2") || !strings.HasPrefix(text(m), "… @agg8  @agg9") {
		t.Errorf("in view are %s:\n%s", got, text(m))
	}
	press(t, m, "]", "]")
	if a, _ := m.current(); a.name != "agg4" || !strings.HasPrefix(titles(m), "3 4 5") {
		t.Errorf("the second is %s, in view are %s", a.name, titles(m))
	}
	// What the user has chosen stays; what gets data takes its place in the order.
	m.SetSnapshot(snap(2, dozenTables(func(n int) bool { return n == 0 })...))
	if a, _ := m.current(); a.name != "agg4" || !strings.HasPrefix(titles(m), "1 2 3 4") {
		t.Errorf("the second is %s, in view are %s", a.name, titles(m))
	}
	m.Reset() // in the next run others stay empty
	m.SetSnapshot(snap(1, dozenTables(func(n int) bool { return n > 3 })...))
	if !strings.HasPrefix(titles(m), "0 1 2 3 4") {
		t.Errorf("in the next run in view are %s", titles(m))
	}
	if all := dozen(t, 84, 90, func(n int) bool { return n < 3 }); titles(all) != "3 4 5 6 7 8 9 10 11 0 1 2" || strings.Contains(text(all), "[@agg") {
		t.Errorf("with room for all:\n%s", text(all))
	}
}

// TestTabs shows the names around the selected one where there is no room for all.
func TestTabs(t *testing.T) {
	m := dozen(t, 40, 10, func(int) bool { return false })
	for range 5 {
		press(t, m, "]")
	}
	if got := strings.Split(text(m), "\n")[0]; !strings.HasPrefix(got, "… @agg4 [@agg5] @agg6 …") {
		t.Errorf("the tabs are %q", got)
	}
	click(m, 0, 0)
	if a, _ := m.current(); a.name == "agg5" {
		t.Error("a click on the sign goes to no other")
	}
}

// TestAnySize presses keys at random in panes of all sizes: every figure draws lines that are as
// many and as wide as the pane, whatever is selected.
func TestAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := strings.Fields("h h h i v v V esc up down left right ] [ enter e t c s / x enter backspace , home end pgdown H u")
	for range 60 {
		m := heated(t, 80, 24, slowInTheMiddle...)
		s := snap(9, append(dozenTables(func(n int) bool { return n > 2 }), spread("q", "a", 99, 9, 9, 20))...)
		s.Aggs = append(s.Aggs, stacked(1, someStacks...).Aggs[0])
		m.SetSnapshot(s)
		m.Timeline().Mark(s.Elapsed)
		m.Marked()
		for range 60 {
			w, h := 1+r.IntN(120), 1+r.IntN(40)
			m.SetSize(w, h)
			key := keys[r.IntN(len(keys))]
			press(t, m, key)
			click(m, r.IntN(w), r.IntN(h))
			lines := m.Rows()
			if len(lines) != h {
				t.Fatalf("%s in %dx%d: %d lines", key, w, h, len(lines))
			}
			for _, line := range lines {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("%s in %dx%d: a line of %d cells: %q", key, w, h, got, line)
				}
			}
		}
	}
}
