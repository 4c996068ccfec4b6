package engine

import "testing"

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
