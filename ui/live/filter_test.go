package live

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
)

// write types text, letter by letter.
func write(m *Model, s string) {
	for _, c := range s {
		m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
	}
}

// calls returns a pane with counts by two keys.
func calls(t testing.TB, w, h int) *Model {
	m := pane(t, w, h)
	m.SetSnapshot(callsAt(1))
	return m
}

func callsAt(n int) trace.Snapshot {
	tab := trace.Table{Name: "calls", KeyTypes: []string{"string", "int"}, Normal: 1}
	for i, name := range []string{"sshd", "dd", "cron", "ssh-agent"} {
		for k := range 3 {
			v := int64(n * (100 - 10*i - k))
			tab.Rows = append(tab.Rows, trace.Row{ID: fmt.Sprint(name, k), Value: v, Count: uint64(v),
				Keys: []trace.Value{{Kind: trace.StringValue, Str: name}, {Kind: trace.IntValue, Size: 4, Int: int64(k * 100)}}})
		}
	}
	return snap(n, tab)
}

// TestFilter types filters and finds the keys that they leave, and the rest summed up.
func TestFilter(t *testing.T) {
	for _, tt := range []struct{ keys, text, left, held, rest string }{
		{"/", "ssh", "sshd0 sshd1 sshd2 ssh-agent0 ssh-agent1 ssh-agent2", "6 of 12 keys", "6 other keys: count 504, 50%"},
		{"/", "ssh 200", "sshd2 ssh-agent2", "2 of 12 keys", "10 other keys: count 842, 84%"},
		{"/", "!ssh !dd 100", "cron1", "1 of 12 keys", "11 other keys: count 929, 92%"},
		{"!", "ssh", "dd0 dd1 dd2 cron0 cron1 cron2", "6 of 12 keys", "6 other keys: count 504, 50%"},
		{"/", "/^ssh.?$/ /^0$/", "sshd0", "1 of 12 keys", "11 other keys"},
		{"/", "~^(dd|cron)$", "dd0 dd1 dd2 cron0 cron1 cron2", "6 of 12 keys", ""},
		{"/", "~cron(", "cron0 cron1 cron2", "3 of 12 keys", "missing closing )"},
		{"/", "nobody", "", "0 of 12 keys", "12 other keys: count 1.01k, 100%"},
		{"/", " ", "sshd0 sshd1 sshd2 dd0 dd1 dd2 cron0 cron1 cron2 ssh-agent0 ssh-agent1 ssh-agent2", " 12 keys", ""},
	} {
		m := press(t, calls(t, 80, 20), tt.keys)
		write(m, tt.text)
		if got := order(m); got != tt.left {
			t.Errorf("%s%s leaves %q, want %q", tt.keys, tt.text, got, tt.left)
		}
		if got := text(m); !strings.Contains(got, tt.held) || !strings.Contains(got, tt.rest) {
			t.Errorf("%s%s: want %q and %q in\n%s", tt.keys, tt.text, tt.held, tt.rest, got)
		}
		if !m.Typing() {
			t.Errorf("%s%s: no longer typing", tt.keys, tt.text)
		}
	}
}

// TestFilterStays through snapshots and runs, until another is typed; escape goes back.
func TestFilterStays(t *testing.T) {
	m := press(t, calls(t, 80, 20), "/")
	write(m, "cron")
	press(t, m, "enter")
	check := func(when, want string) {
		t.Helper()
		if got := order(m); got != want {
			t.Errorf("%s: %q, want %q\n%s", when, got, want, text(m))
		}
	}
	if got := text(m); m.Typing() || !strings.Contains(got, "@calls count() cron") || !strings.Contains(got, "3 of 12 keys") {
		t.Errorf("taken:\n%s", got)
	}
	m.SetSnapshot(callsAt(2))
	check("the next snapshot", "cron0 cron1 cron2")
	m.Reset()
	m.SetSnapshot(callsAt(1))
	check("the next run", "cron0 cron1 cron2")
	press(t, m, "/") // the old text is selected
	write(m, "d")
	check("typed anew", "sshd0 sshd1 sshd2 dd0 dd1 dd2")
	m.SetSnapshot(callsAt(2))
	check("a snapshot while typing", "sshd0 sshd1 sshd2 dd0 dd1 dd2")
	press(t, m, "down", "esc")
	check("given up", "cron0 cron1 cron2")
	press(t, m, "/", "end")
	write(m, " 200")
	check("added to", "cron2")
	press(t, m, "esc", "/", "backspace", "enter")
	if v := m.view(m.book.aggs[0]); v.left != 12 || strings.Contains(text(m), " of ") {
		t.Errorf("emptied:\n%s", text(m))
	}
	press(t, m, "/")
	write(m, "~(")
	if press(t, m, "enter"); !m.Typing() || !strings.Contains(m.Why(), "missing closing )") {
		t.Errorf("a bad expression is taken: %q", m.Why())
	}
}

// TestTop cuts the table, and sums up what is cut away and filtered away together.
func TestTop(t *testing.T) {
	m := press(t, calls(t, 80, 24), "t")
	if got := text(m); !strings.Contains(got, "12 keys, top 10") || !strings.Contains(got, "2 other keys: count 137, 14%") {
		t.Errorf("top 10:\n%s", got)
	}
	press(t, m, "S") // the least first
	if got := order(m); !strings.HasPrefix(got, "ssh-agent2 ") || strings.Contains(got, "sshd0") {
		t.Errorf("the least 10 are %s", got)
	}
	press(t, m, "t", "/")
	write(m, "ssh")
	if got := text(m); !strings.Contains(got, "6 of 12 keys, top 20") || !strings.Contains(got, "6 other keys: count 504, 50%") {
		t.Errorf("top 20 of what is filtered:\n%s", got)
	}
	press(t, m, "esc", "t", "t")
	if got := text(m); strings.Contains(got, "other") || strings.Contains(got, "top") {
		t.Errorf("all again:\n%s", got)
	}
	least := callsAt(1)
	least.Aggs[0].Func = trace.Min
	m.Reset()
	m.SetSnapshot(least)
	press(t, m, "/")
	write(m, "dd 0 100")
	if got := text(m); !strings.Contains(got, " 11 other keys\n") {
		t.Errorf("of least values there is no sum:\n%s", got)
	}
}

// TestOthersAreInView at the bottom of a table that is too long, whose last key can be
// reached.
func TestOthersAreInView(t *testing.T) {
	m := press(t, calls(t, 80, 8), "t", "end")
	lines := strings.Split(text(m), "\n")
	if len(lines) != 8 || !strings.HasPrefix(lines[7], "  2 other keys") || !strings.Contains(lines[6], "ssh-agent    ") || !strings.HasPrefix(lines[6], "▌") {
		t.Errorf("the last keys:\n%s", text(m))
	}
	at := m.view(m.book.aggs[0]).at
	click(m, 3, 7) // on the line of the others, below which more keys would be
	press(t, m, "home")
	click(m, 3, 7)
	if v := m.view(m.book.aggs[0]); v.at != 0 || at != 9 {
		t.Errorf("a click on the line of the others goes to key %d (%d)", v.at, at)
	}
}

// TestFilterHolds in the heat map of all keys, in what is selected there, and in rows.
func TestFilterHolds(t *testing.T) {
	m := heated(t, 60, 14, slowInTheMiddle...)
	press(t, m, "h", "h", "/")
	write(m, "b")
	press(t, m, "enter")
	if got := text(m); !strings.Contains(got, "1024 │                                               █████") || strings.Contains(got, "8192 │                                                 ▓▓") {
		t.Errorf("the heat map of all keys that are left:\n%s", got)
	}
	press(t, m, "v")
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q 1024-2047 0s-2.5s b alone" {
		t.Errorf("a cell of it: %s", describe(got.Of))
	}
	press(t, m, "esc", "h", "/", "backspace", "enter", "home", "V", "down")
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q a b" {
		t.Fatalf("rows: %s", describe(got.Of))
	}
	press(t, m, "!")
	write(m, "a")
	press(t, m, "enter")
	if got, _ := asked(t, m, 'd'); describe(got.Of) != "@q b" {
		t.Errorf("rows that are left: %s", describe(got.Of))
	}
	press(t, m, "!")
	write(m, "a !b")
	if press(t, m, "enter"); m.pick != nil {
		t.Error("keys are selected that are filtered away")
	}
	if press(t, m, "v"); m.Why() != "the filter leaves no key to select" {
		t.Errorf("why: %q", m.Why())
	}
}

// TestNoFilterWithoutKeys says why not.
func TestNoFilterWithoutKeys(t *testing.T) {
	m := pane(t, 80, 12)
	m.SetSnapshot(snap(1, spread("q", "", 1, 2)))
	for _, key := range []string{"/", "!", "t"} {
		if press(t, m, key); m.Typing() || m.Why() != "the aggregation has no keys" {
			t.Errorf("%s: %q", key, m.Why())
		}
	}
}

// TestFilteredLinesFit draws filters and prompts at all sizes.
func TestFilteredLinesFit(t *testing.T) {
	for w := 0; w <= 120; w += 7 {
		for _, h := range []int{0, 1, 2, 3, 7, 20} {
			m := calls(t, w, h)
			press(t, m, "t", "/")
			write(m, "~"+strings.Repeat("漢x(", 20))
			lines := m.Rows()
			if len(lines) != h {
				t.Fatalf("%dx%d: %d lines", w, h, len(lines))
			}
			for _, line := range lines {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("%dx%d: a line is %d wide: %q", w, h, got, line)
				}
			}
		}
	}
}

// BenchmarkFilterKey is a key of a filter among 20,000 keys, with its picture.
func BenchmarkFilterKey(b *testing.B) {
	m := pane(b, 120, 50)
	var pairs []any
	for i := range 20_000 {
		pairs = append(pairs, fmt.Sprintf("/usr/lib/process-%d", i), i)
	}
	m.SetSnapshot(snap(1, counted("n", pairs...)))
	for _, typed := range []string{"", "7", "~[37]$"} {
		b.Run("after="+typed, func(b *testing.B) {
			press(b, m, "/", "backspace")
			write(m, typed)
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					write(m, "9")
				} else {
					press(b, m, "backspace")
				}
				_ = m.Rows()
			}
			press(b, m, "enter")
		})
	}
}
