package live

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// TestLargeSnapshots shows what is new in large snapshots at once. What is entered later is entered
// before anybody steps there, and before the next snapshot, even if nobody has had the time.
func TestLargeSnapshots(t *testing.T) {
	large := func(n int) trace.Snapshot {
		pairs := []any{"first", 1_000_000 * n}
		for i := range 2 * enterAtOnce {
			pairs = append(pairs, fmt.Sprint("key", i), 1+n*i)
		}
		return snap(n, counted("n", pairs...), counted("other", "a", n))
	}
	prompt, slow := pane(t, 120, 40), pane(t, 120, 40)
	for n := 1; n <= 6; n++ {
		for _, m := range []*Model{prompt, slow} {
			m.SetSnapshot(large(n))
			if !m.Late() {
				t.Fatal("all is entered at once")
			}
			if want := fmt.Sprintf("%d", 1_000_000*n); !strings.Contains(text(m), want) {
				t.Fatalf("snapshot %d is not shown at once: no %s in\n%s", n, want, text(m))
			}
		}
		for prompt.Late() {
			prompt.Update(EnterMsg{})
		}
	}
	if got := slow.line.Len(); got != 5 {
		t.Errorf("%d frames have been entered of six snapshots, of which the last waits", got)
	}
	for _, m := range []*Model{prompt, slow} {
		if at, ok := m.Step(-1); !ok || at != large(5).Elapsed {
			t.Fatalf("the step before the last leads to %v, %v", at, ok)
		}
	}
	if a, b := text(prompt), text(slow); a != b || !strings.Contains(a, "5000000") {
		t.Errorf("the moment before, where there was time:\n%s\nand where there was none:\n%s", a, b)
	}
	if a, b := prompt.Timeline().Len(), slow.Timeline().Len(); a != 6 || b != 6 {
		t.Errorf("%d and %d frames are kept of six", a, b)
	}
}
