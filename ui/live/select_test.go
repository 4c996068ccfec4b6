package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/selection"
)

// asked presses a key and returns the question about the selection that it puts.
func asked(t *testing.T, m *Model, key rune) (selection.AskMsg, bool) {
	t.Helper()
	cmd := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{key}})
	if cmd == nil {
		return selection.AskMsg{}, false
	}
	msg, ok := cmd().(selection.AskMsg)
	return msg, ok
}

// describe writes a selection for a table.
func describe(s selection.Selection) string {
	out := "@" + s.Name
	if s.Buckets {
		out += fmt.Sprintf(" %d-%d", s.Low, s.High)
	}
	if s.Time {
		out += fmt.Sprintf(" %v-%v", s.From, s.To)
	}
	for _, r := range s.Rows {
		out += " " + r[0].Str
	}
	if s.Among {
		out += " alone"
	}
	return out
}

// Keys select cells of a heat map, buckets and rows; escape goes back step by step.
func TestSelectByKeys(t *testing.T) {
	heat := func(t *testing.T) *Model { return heated(t, 60, 14, slowInTheMiddle...) }
	table := func(t *testing.T) *Model {
		m := pane(t, 60, 14)
		m.SetSnapshot(snap(1, counted("n", "a", 5, "b", 4, "c", 3, "d", 2)))
		return m
	}
	for _, tt := range []struct {
		name string
		from func(*testing.T) *Model
		keys string
		want string
	}{
		{"the slow tail", heat, "h v", "@q 8192-16383 1s-2s a alone"},
		{"a cell further down and earlier", heat, "h v left down", "@q 4096-8191 1s-1.5s a alone"},
		{"stretched", heat, "h v left v left", "@q 8192-16383 500ms-1.5s a alone"},
		{"stretched both ways", heat, "h v left v left down", "@q 4096-16383 500ms-1.5s a alone"},
		{"back to one", heat, "h v v left down esc", "@q 4096-8191 1s-1.5s a alone"},
		{"of all keys", heat, "h h v", "@q 8192-16383 1s-2s"},
		{"not beyond what is kept", heat, "h v" + " left left left left left left left left", "@q 8192-16383 0s-500ms a alone"},
		{"a bucket", heat, "v", "@q 1024-2047 a alone"},
		{"buckets", heat, "v down v down", "@q 2048-8191 a alone"},
		{"keys of a histogram", heat, "V", "@q a"},
		{"the row without a selection", table, "down", "@n b"},
		{"a row", table, "v down", "@n b"},
		{"rows", table, "down v v down down", "@n b c d"},
		{"rows at once", table, "V down", "@n a b"},
		{"rows back to none", table, "V down esc", "@n b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.from(t)
			for k := range splitKeys(tt.keys) {
				press(t, m, k)
			}
			got, ok := asked(t, m, 'd')
			if !ok || got.For != selection.Differs || describe(got.Of) != tt.want {
				t.Errorf("selected %s, want %s (%s)\n%s", describe(got.Of), tt.want, m.Why(), text(m))
			}
		})
	}
	m := heat(t)
	press(t, m, "h")
	if _, ok := asked(t, m, 'x'); ok || m.Why() == "" {
		t.Errorf("a heat map without a selection is asked about: %q", m.Why())
	}
}

func splitKeys(keys string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		word := ""
		for _, c := range keys + " " {
			if c != ' ' {
				word += string(c)
				continue
			}
			if word != "" && !yield(word) {
				return
			}
			word = ""
		}
	}
}

func drag(m *Model, x, y, toX, toY int) {
	click(m, x, y)
	m.Update(tea.MouseMsg{X: (x + toX) / 2, Y: (y + toY) / 2, Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft})
	m.Update(tea.MouseMsg{X: toX, Y: toY, Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft})
	m.Update(tea.MouseMsg{X: toX, Y: toY, Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft})
	m.Update(tea.MouseMsg{X: 0, Y: 0, Action: tea.MouseActionMotion}) // with no button down
}

func TestSelectByMouse(t *testing.T) {
	m := heated(t, 60, 14, slowInTheMiddle...)
	press(t, m, "h")
	drag(m, 56, 1, 57, 2)
	if got, _ := asked(t, m, 'n'); describe(got.Of) != "@q 4096-16383 1s-2s a alone" || got.For != selection.Narrow {
		t.Errorf("cells: %s\n%s", describe(got.Of), text(m))
	}
	press(t, m, "esc", "h", "h", "h") // the heat map of all, those of both, then the table
	press(t, m, "esc")
	drag(m, 20, 4, 20, 5)
	if got, _ := asked(t, m, 'x'); describe(got.Of) != "@q 2048-8191 a alone" || got.For != selection.Examples {
		t.Errorf("buckets: %s\n%s", describe(got.Of), text(m))
	}
	n := pane(t, 60, 14)
	n.SetSnapshot(snap(1, counted("n", "a", 5, "b", 4, "c", 3, "d", 2)))
	drag(n, 5, 3, 5, 4)
	if got, _ := asked(t, n, 'x'); describe(got.Of) != "@n b c" {
		t.Errorf("rows: %s\n%s", describe(got.Of), text(n))
	}
}

// The bucket under the cursor is in view, however tall the histogram is.
func TestSelectedBucketIsInView(t *testing.T) {
	m := pane(t, 60, 7)
	counts := make([]int64, 30)
	counts[0] = 1
	m.SetSnapshot(snap(1, spread("q", "", counts...)))
	press(t, m, "v")
	for range 40 {
		press(t, m, "down")
	}
	if last := fmt.Sprint(1024 << 29); !strings.Contains(text(m), last) {
		t.Errorf("%s is not in view:\n%s", last, text(m))
	}
	for range 40 {
		press(t, m, "up")
	}
	if got := text(m); !strings.Contains(got, " 1024 ") {
		t.Errorf("1024 is not in view:\n%s", got)
	}
}

// What is selected is seen, and stays what it is while the run goes on.
func TestSelectionIsDrawn(t *testing.T) {
	m := heated(t, 60, 14, slowInTheMiddle...)
	marked := func() int {
		n := 0
		for _, c := range text(m) {
			if c == '·' {
				n++
			}
		}
		return n
	}
	press(t, m, "h")
	none := marked() // of the legend
	press(t, m, "v", "left", "left", "v", "down")
	before, _ := asked(t, m, 'd')
	if marked() <= none || m.Title() != "selected @q  4096 to 16383  0.5s to 1.0s  a  2.5s" {
		t.Errorf("title %q:\n%s", m.Title(), text(m))
	}
	for n := 6; n < 9; n++ {
		m.SetSnapshot(snap(n, spread("q", "a", 30, 0, 0, 30)))
	}
	if after, _ := asked(t, m, 'd'); describe(after.Of) != describe(before.Of) || after.Of.To > 2*time.Second {
		t.Errorf("%s became %s", describe(before.Of), describe(after.Of))
	}
	m.Reset()
	if m.pick != nil {
		t.Error("a new run begins with the selection of the last")
	}
}
