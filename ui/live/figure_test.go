package live

import (
	"slices"
	"testing"

	"dscope.dev/engine/trace"
)

// TestKinds goes through what fits: each key shows its kinds in order, then the table, and
// says why it has none.
func TestKinds(t *testing.T) {
	alone := spread("q", "", 1, 2)
	stacks := stacked(1, someStacks...).Aggs[0]
	for _, tt := range []struct {
		what string
		tab  trace.Table
		key  string
		want []string
	}{
		{"histograms", spread("q", "a", 1, 2), "h", []string{"heat map", "heat map of all keys", "table"}},
		{"one histogram", alone, "h", []string{"heat map", "table"}},
		{"counts", pairTable(trace.Count, 1, 1, 2), "h", []string{"curve", "curve of all keys", "table"}},
		{"averages", pairTable(trace.Avg, 1, 1, 2), "h", []string{"curve", "table"}},
		{"stacks", stacks, "i", []string{"icicle", "tree", "table"}},
		{"counts have no stacks", pairTable(trace.Count, 1, 1, 2), "i", []string{"table"}},
	} {
		m := pane(t, 60, 20)
		m.SetSnapshot(snap(1, tt.tab))
		var got []string
		for range tt.want {
			press(t, m, tt.key)
			_, v := m.current()
			got = append(got, kinds[v.kind].name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s goes through %q, want %q", tt.what, tt.key, got, tt.want)
		}
	}
	m := pane(t, 60, 20)
	m.SetSnapshot(snap(1, pairTable(trace.Count, 1, 1, 2)))
	if press(t, m, "i"); m.Why() != "no key of the aggregation is a stack() or ustack()" {
		t.Errorf("counts have no icicle since %q", m.Why())
	}
	// From one group of kinds to the other.
	m = pane(t, 60, 20)
	m.SetSnapshot(snap(1, stacks))
	for _, step := range []struct{ key, want string }{{"i", "icicle"}, {"h", "curve"}, {"i", "icicle"}, {"i", "tree"}, {"h", "curve"}} {
		press(t, m, step.key)
		if _, v := m.current(); kinds[v.kind].name != step.want {
			t.Errorf("%s shows a %s, want a %s", step.key, kinds[v.kind].name, step.want)
		}
	}
}
