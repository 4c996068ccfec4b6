package live

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
)

// TestKeyKinds shows keys of every kind as dtrace(1) prints them, on one line each.
func TestKeyKinds(t *testing.T) {
	m := pane(t, 120, 12)
	row := func(id string, k trace.Value, n int64) trace.Row {
		return trace.Row{ID: id, Keys: []trace.Value{k}, Value: n, Count: uint64(n)}
	}
	m.SetSnapshot(snap(1, trace.Table{Name: "n", KeyTypes: []string{"k"}, Normal: 1, Rows: []trace.Row{
		row("a", trace.Value{Kind: trace.SymValue, Str: "libc.so.6", Frames: []trace.Frame{{Module: "libc.so.6"}}}, 5),
		row("b", trace.Value{Kind: trace.SymValue, Int: 7, Str: "libc.so.6`malloc+0x4", Frames: []trace.Frame{{Addr: 4, Module: "libc.so.6", Symbol: "malloc", Offset: 4}}}, 4),
		row("c", trace.Value{Kind: trace.BytesValue, Str: "eth0\x00\x00\x00\x00"}, 3),
		row("d", trace.Value{Kind: trace.BytesValue, Str: "\x03\x00\x00\x00x"}, 2),
		row("e", trace.Value{Kind: trace.UintValue, Size: 8, Int: -1}, 1),
	}}))
	view := ansi.Strip(strings.Join(m.Rows(), "\n"))
	for _, want := range []string{"libc.so.6 ", "libc.so.6`malloc+0x4", "eth0", "03 00 00 00 78", "18446744073709551615"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
}

// TestSortedByKey begins in the order that the script asks for.
func TestSortedByKey(t *testing.T) {
	for _, tt := range []struct {
		sorted trace.Sorted
		want   string
	}{
		{trace.Sorted{}, "bca"},
		{trace.Sorted{ByKey: true}, "abc"},
		{trace.Sorted{ByKey: true, Rev: true}, "cba"},
		{trace.Sorted{ByKey: true, KeyPos: 9}, "bca"}, // no such key
	} {
		m := pane(t, 100, 8)
		table := counted("n", "a", 1, "b", 3, "c", 2)
		table.Sorted = tt.sorted
		m.SetSnapshot(snap(1, table))
		got := ""
		for line := range strings.Lines(ansi.Strip(strings.Join(m.Rows(), "\n"))) {
			if f := strings.Fields(strings.TrimLeft(line, "▌ >")); len(f) > 1 && len(f[0]) == 1 && strings.Contains("abc", f[0]) {
				got += f[0]
			}
		}
		if got != tt.want {
			t.Errorf("%+v: keys %q, want %q\n%s", tt.sorted, got, tt.want, ansi.Strip(strings.Join(m.Rows(), "\n")))
		}
	}
}

// TestShares opens a key and finds what each CPU has added, divided as the value is.
func TestShares(t *testing.T) {
	m := pane(t, 100, 10)
	table := counted("n", "a", 50)
	table.Normal = 10
	table.Rows[0].PerCPU = []trace.Share{{CPU: 0, Value: 20}, {CPU: 3, Value: 30}}
	m.SetSnapshot(snap(1, table))
	if view := ansi.Strip(strings.Join(m.Rows(), "\n")); strings.Contains(view, "CPU") {
		t.Errorf("a closed key shows its CPUs:\n%s", view)
	}
	m = press(t, m, "enter")
	view := ansi.Strip(strings.Join(m.Rows(), "\n"))
	for _, want := range []string{"CPU 0  2", "CPU 3  3"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
}
