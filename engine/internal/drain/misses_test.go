package drain

import (
	"testing"
	"time"
)

// TestMisses tells at once, ever more rarely, and always at the end.
func TestMisses(t *testing.T) {
	var m misses
	begun := time.Unix(1000, 0)
	var told []int
	for s := range 200 {
		if m.due(begun.Add(time.Duration(s) * time.Second)) {
			told = append(told, s)
		}
	}
	want := []int{0, 2, 6, 14, 30, 62, 122, 182}
	if len(told) != len(want) {
		t.Fatalf("told after %v s, want %v", told, want)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Errorf("told after %v s, want %v", told, want)
			break
		}
	}
	if now := begun.Add(200 * time.Second); m.due(now) {
		t.Error("it was due once more")
	} else if m.last = true; !m.due(now) {
		t.Error("the end was not told")
	}
}

func TestMissesNamed(t *testing.T) {
	var m misses
	m.add(0, "nothing")
	m.add(7, "a")
	if got := m.say(); got != "a" {
		t.Errorf("said %q", got)
	}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		m.add(uint64(i+1), name)
	}
	m.add(9, "b")
	if got, want := m.say(), "b (11), e (5), d (4), 2 more"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := m.say(); got != "" {
		t.Errorf("said %q again", got)
	}
}
