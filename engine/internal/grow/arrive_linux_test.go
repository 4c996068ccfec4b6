package grow

import "testing"

// A number that was given away again does not make a process a descendant.
func TestDescends(t *testing.T) {
	g := &Growth{family: map[int]bool{7: true}}
	g.descends(8, 7)
	g.descends(9, 8)
	g.descends(9, 9) // a thread
	if !g.family[8] || !g.family[9] {
		t.Errorf("children and theirs: %v", g.family)
	}
	g.descends(9, 1)
	if g.family[9] {
		t.Error("a process of others is taken for a descendant that had its number")
	}
}
