package engine

import (
	"testing"

	"dscope.dev/engine/sideband"
)

// A number that was given away again does not make a process a descendant.
func TestDescends(t *testing.T) {
	f := &follower{family: map[int]bool{7: true}}
	f.descends(8, 7)
	f.descends(9, 8)
	f.descends(9, 9) // a thread
	if !f.family[8] || !f.family[9] {
		t.Errorf("children and theirs: %v", f.family)
	}
	f.descends(9, 1)
	if f.family[9] {
		t.Error("a process of others is taken for a descendant that had its number")
	}
}

// Notices that were lost are made up for even if none comes after them.
func TestPatience(t *testing.T) {
	f := &follower{ears: &sideband.Ears{}}
	if got := f.patience(); got != -1 {
		t.Errorf("waits for %d ms with nothing lost", got)
	}
	f.ears.Lost++
	if got := f.patience(); got < 0 || got > int(relook.Milliseconds()) {
		t.Errorf("waits for %d ms with notices lost", got)
	}
}
