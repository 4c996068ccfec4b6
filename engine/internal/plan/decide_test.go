package plan

import "testing"

// TestPasses holds each pass to come after the one whose decisions it reads.
func TestPasses(t *testing.T) {
	before := map[string]bool{"": true}
	for _, p := range passes {
		if !before[p.after] {
			t.Errorf("%s comes before %s", p.name, p.after)
		}
		before[p.name] = true
	}
}
