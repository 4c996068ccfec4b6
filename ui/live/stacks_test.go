package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/widget"
)

// stacked returns @ by process, user and kernel stack: rows are "process user kernel value",
// the functions of a stack separated by commas, the innermost first.
func stacked(n int, rows ...string) trace.Snapshot {
	tab := trace.Table{KeyTypes: []string{"string", "stack", "stack"}, Normal: 1}
	for _, row := range rows {
		w := strings.Fields(row)
		r := trace.Row{ID: strings.Join(w[:3], " "), Keys: []trace.Value{{Kind: trace.StringValue, Str: w[0]}}}
		for i, kind := range []trace.ValueKind{trace.UstackValue, trace.StackValue} {
			v := trace.Value{Kind: kind}
			for _, fn := range strings.Split(strings.Trim(w[1+i], "-"), ",") {
				if fn != "" {
					v.Frames = append(v.Frames, trace.Frame{Module: []string{"prog", "vmlinux"}[i], Symbol: fn, Offset: 4})
				}
			}
			r.Keys = append(r.Keys, v)
		}
		fmt.Sscan(w[3], &r.Value)
		r.Count = uint64(max(r.Value, 0))
		tab.Rows = append(tab.Rows, r)
	}
	return snap(n, tab)
}

var someStacks = []string{"dd read,copy,main vfs_read,entry 60", "dd write,copy,main vfs_write,entry 30", "sh fork,main - 9", "swapper - idle 1"}

func flamed(t testing.TB, w, h int, keys ...string) *Model {
	m := pane(t, w, h)
	m.SetSnapshot(stacked(1, someStacks...))
	return press(t, m, keys...)
}

// under returns the frame under the cursor and what is said of it.
func underCursor(m *Model) string {
	lines := strings.Split(text(m), "\n")
	return strings.Join(strings.Fields(strings.Join(lines[len(lines)-2:], "; ")), " ")
}

// TestStacks goes through the pictures of stacks and back to the table.
func TestStacks(t *testing.T) {
	m := flamed(t, 80, 14, "i")
	for _, want := range []string{"@ count() icicle ", "▶all····", "▏dd···", "▏main─", "▏copy─", "▏read──", "▏entry═", "levels 1 to 7 of 7"} {
		if got := text(m); want != "levels 1 to 7 of 7" && !strings.Contains(got, want) {
			t.Errorf("the icicle lacks %q:\n%s", want, got)
		}
	}
	press(t, m, "i")
	for _, want := range []string{"@ count() tree ", "  100        ·  100.0%", "▾ all", "▾ prog`main", "vmlinux`vfs_read"} {
		if got := text(m); !strings.Contains(got, want) {
			t.Errorf("the tree lacks %q:\n%s", want, got)
		}
	}
	if got := text(press(t, m, "i")); strings.Contains(got, "icicle") || strings.Contains(got, " tree ") || !strings.Contains(got, "▾dd") {
		t.Errorf("the table does not come back:\n%s", got)
	}
}

// TestStackKeys walks through an icicle and a tree.
func TestStackKeys(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"i", "all; 100 total, 100.0% of all; 0 self"},
		{"i down", "key dd; 90 total, 90.0% of all; 0 self"},
		{"i down right", "key sh; 9 total, 9.0% of all; 0 self"},
		{"i down right right right", "key swapper; 1 total, 1.0% of all; 0 self"},
		{"i end", "kernel vmlinux`vfs_read; 60 total, 60.0% of all, 100.0% of parent; 60 self, 60.0%"},
		{"i end up up right", "user prog`write; 30 total, 30.0% of all, 33.3% of parent; 0 self"},
		{"i down down right", "user prog`main; 9 total, 9.0% of all, 100.0% of parent; 0 self"}, // of another process, on the same level
		{"i end home", "all; 100 total"},
		{"i e down", "user prog`main; 99 total, 99.0% of all; 0 self"},
		{"i e e down", "key dd; 90 total"},
		{"i i down down down", "user prog`copy; 90 total"},
		{"i i down left left up", "all; 100 total"},
		{"i i left down right", "all; 100 total"}, // closed: there is nothing below
		{"i i left right right", "key dd; 90 total"},
		{"i i end", "key swapper; 1 total"},
	} {
		m := flamed(t, 80, 16, strings.Fields(tt.keys)...)
		if got := underCursor(m); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q\n%s", tt.keys, got, tt.want, text(m))
		}
	}
}

// TestStackZoom gives a frame the whole width, step by step, and takes it back.
func TestStackZoom(t *testing.T) {
	m := flamed(t, 80, 14, "i", "down", "enter", "down", "down", "enter")
	if got := text(m); !strings.Contains(got, "icicle of copy") || !strings.Contains(got, "\n ▶copy──") {
		t.Errorf("zoomed to copy:\n%s", got)
	}
	if press(t, m, "enter"); m.Why() == "" {
		t.Error("zooms to what has the whole width")
	}
	esc := tea.KeyMsg{Type: tea.KeyEsc}
	if !m.Takes(esc, true) {
		t.Error("esc does not zoom out")
	}
	if got := text(press(t, m, "esc")); !strings.Contains(got, "icicle of dd") || !strings.Contains(got, "▶copy──") {
		t.Errorf("one step out:\n%s", got)
	}
	m.SetSnapshot(stacked(2, "dd write,copy,main - 50", "sh fork,main - 50"))
	if got := text(m); !strings.Contains(got, "icicle of dd") || !strings.Contains(got, "▶copy──") || !strings.Contains(got, "50 total, 50.0% of all") {
		t.Errorf("the next snapshot:\n%s", got)
	}
	if got := text(press(t, m, "backspace")); strings.Contains(got, "icicle of") {
		t.Errorf("all again:\n%s", got)
	}
	if m.Takes(esc, true) {
		t.Error("esc is taken with nothing to zoom out of")
	}
	m.Step(-1)
	if got := text(m); !strings.Contains(got, "90 total, 90.0% of all") {
		t.Errorf("a moment earlier:\n%s", got)
	}
}

// TestStackFind says what share of all lies under the frames found, and goes to them.
func TestStackFind(t *testing.T) {
	m := flamed(t, 80, 14, "i", "f")
	if !m.Typing() {
		t.Fatal("nothing can be typed")
	}
	write(m, "VFS")
	if got := text(m); !strings.Contains(got, "90.0% of all under 2 frames") || !strings.Contains(got, "*vfs_read") {
		t.Errorf("found:\n%s", got)
	}
	press(t, m, "enter")
	if got := underCursor(m); !strings.HasPrefix(got, "kernel vmlinux`vfs_read") || m.Typing() {
		t.Errorf("the widest is not %q", got)
	}
	press(t, m, "*")
	if got := underCursor(m); !strings.HasPrefix(got, "kernel vmlinux`vfs_write") {
		t.Errorf("the next is not %q", got)
	}
	press(t, m, "i")
	if got := text(m); !strings.Contains(got, "*vmlinux`vfs_write") {
		t.Errorf("in the tree:\n%s", got)
	}
	if press(t, m, "esc", "*"); m.Why() != "nothing has been looked for" {
		t.Errorf("why: %q", m.Why())
	}
	press(t, m, "f")
	write(m, "nobody")
	if press(t, m, "enter", "*"); m.Why() != "no frame has nobody in its name" {
		t.Errorf("why: %q", m.Why())
	}
}

// TestNoStacks says why nothing is merged.
func TestNoStacks(t *testing.T) {
	least := stacked(1, someStacks...)
	least.Aggs[0].Func = trace.Min
	for want, s := range map[string]trace.Snapshot{
		"no aggregation has arrived yet":                                            {},
		"no key of the aggregation is a stack() or ustack()":                        snap(1, counted("n", "dd", 1)),
		"only what count(), sum() and the histograms count adds up; min() does not": least,
	} {
		m := pane(t, 80, 12)
		m.SetSnapshot(s)
		if press(t, m, "i"); m.Why() != want {
			t.Errorf("why: %q, want %q", m.Why(), want)
		}
	}
	if m := press(t, flamed(t, 80, 12, "i"), "s"); !strings.HasPrefix(m.Why(), "this is for the table") {
		t.Errorf("s: %q", m.Why())
	}
	m := pane(t, 80, 12)
	m.SetSnapshot(stacked(1, "dd read,main - -5", "dd write,main - 7"))
	if got := text(press(t, m, "i")); !strings.Contains(got, "1 key below zero left out") {
		t.Errorf("a sum below zero:\n%s", got)
	}
}

// TestStacksOfAFilter merges what the filter leaves.
func TestStacksOfAFilter(t *testing.T) {
	m := flamed(t, 80, 14, "i", "/")
	write(m, "sh")
	if got := text(press(t, m, "enter")); !strings.Contains(got, "9 total, 100.0% of all") || strings.Contains(got, "▏dd") {
		t.Errorf("of sh alone:\n%s", got)
	}
}

// TestManyStacks are merged beside the screen, which shows the moment before meanwhile.
func TestManyStacks(t *testing.T) {
	m := pane(t, 80, 14)
	m.SetSnapshot(deepStacks(1))
	press(t, m, "i")
	if got := text(m); !strings.Contains(got, "stacks are being merged") {
		t.Errorf("before:\n%s", got)
	}
	work := m.Work()
	if work == nil || m.Work() != nil {
		t.Fatal("they are not merged once")
	}
	m.SetSnapshot(deepStacks(2))
	m.Update(work())
	if got := text(m); !strings.Contains(got, "2,000 total, 100.0% of all") {
		t.Errorf("the first moment:\n%s", got)
	}
	m.Update(m.Work()())
	if got := text(m); !strings.Contains(got, "4,000 total, 100.0% of all") || m.Work() != nil {
		t.Errorf("the second moment:\n%s", got)
	}
}

// deepStacks is a snapshot of 2,000 stacks of 20 frames.
func deepStacks(n int) trace.Snapshot {
	var rows []string
	for i := range 2000 {
		var fns []string
		for d := range 20 {
			fns = append(fns, fmt.Sprintf("f%d_%d", d, i>>(d/2)))
		}
		rows = append(rows, fmt.Sprintf("p%d %s - %d", i%7, strings.Join(fns, ","), n))
	}
	return stacked(n, rows...)
}

// TestStackMouse chooses and zooms with the button, and opens rows.
func TestStackMouse(t *testing.T) {
	m := flamed(t, 80, 14, "i")
	click(m, 5, 2)
	if got := underCursor(m); !strings.HasPrefix(got, "key dd") {
		t.Errorf("chosen is %q", got)
	}
	click(m, 60, 2)
	if got := text(m); !strings.Contains(got, "icicle of dd") {
		t.Errorf("clicked again:\n%s", got)
	}
	click(m, 5, 13) // below the picture
	press(t, m, "esc", "i")
	click(m, 30, 2)
	click(m, 30, 2)
	if got := text(m); !strings.Contains(got, "▸ all") {
		t.Errorf("the row is not closed:\n%s", got)
	}
	m.Update(tea.MouseMsg{Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft, X: 9, Y: 5})
	if m.pick != nil {
		t.Error("something is selected that is not shown")
	}
}

// TestStackCopy copies a stack as programs that draw flame graphs read it.
func TestStackCopy(t *testing.T) {
	m := flamed(t, 80, 14, "i", "end")
	msg, ok := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'y'}})().(widget.CopyMsg)
	if want := "dd;prog`main;prog`copy;prog`read;vmlinux`entry;vmlinux`vfs_read 60"; !ok || msg.Text != want {
		t.Errorf("copied %q, want %q", msg.Text, want)
	}
}

// TestStackLinesFit draws at all sizes, with names that are wide or would move the cursor.
func TestStackLinesFit(t *testing.T) {
	for w := 0; w <= 130; w += 13 {
		for _, h := range []int{0, 1, 2, 3, 5, 9, 10, 30} {
			for _, keys := range []string{"i", "i i", "i end f 漢 x", "i i end enter"} {
				m := pane(t, w, h)
				m.SetSnapshot(stacked(1, append([]string{"漢字\x1b[2J 漢字漢字,\x1b[2J,main - 50"}, someStacks...)...))
				press(t, m, strings.Fields(keys)...)
				lines := m.Rows()
				if len(lines) != h || slices.ContainsFunc(lines, func(s string) bool {
					return ansi.StringWidth(s) != w || strings.Contains(s, "[2J") && strings.Contains(s, "\x1b[2J")
				}) {
					t.Fatalf("%s at %dx%d:\n%q", keys, w, h, lines)
				}
			}
		}
	}
}

// BenchmarkStackKey is a key in an icicle of 2,000 stacks, with its picture.
func BenchmarkStackKey(b *testing.B) {
	m := pane(b, 200, 60)
	m.SetSnapshot(deepStacks(1))
	press(b, m, "i")
	m.Update(m.Work()())
	for i := 0; b.Loop(); i++ {
		press(b, m, []string{"down", "right", "left", "up"}[i%4])
		_ = m.Rows()
	}
}
