package editor

import "testing"

// TestFoundCount says how many places are found as the question, the text and the cursor change.
func TestFoundCount(t *testing.T) {
	r := newRig(t, "|self->ts = timestamp;\nx = self->ts + self->ts;")
	for _, tt := range []struct{ keys, want string }{
		{"ctrl+f 'ts'", " 1 of 3"},
		{"down", " 2 of 3"},
		{"'+'", " 0 found"},
		{"backspace", " 1 of 3"},     // from where the search began
		{"tab 'y' enter", " 1 of 2"}, // of those that are left
		{"enter", " 1 of 1"},
	} {
		r.press(tt.keys)
		for range 2 { // as it is drawn again and again
			if got := r.m.foundCount(); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.keys, got, tt.want)
			}
		}
	}
}
