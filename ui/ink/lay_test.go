package ink

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What lies over a row leaves it as wide as it was, wherever characters of two cells are.
func TestLay(t *testing.T) {
	for _, tt := range []struct {
		row  string
		x    int
		want string
	}{
		{"abcdefgh", 2, "ab[]efgh"},
		{"abcdefgh", 0, "[]cdefgh"},
		{"abcdefgh", 6, "abcdef[]"},
		{"a世界fgh", 2, "a [] fgh"}, // across both edges
		{"a世界fgh", 1, "a[]界fgh"},
		{"世界世界", 1, " [] 世界"},
		{"\x1b[31ma世界b\x1b[0mcd", 2, "a [] bcd"},
		{"ab", 1, "a[]"},
	} {
		got := Lay(tt.row, tt.x, 2, "[]")
		if ansi.Strip(got) != tt.want || ansi.StringWidth(got) != max(ansi.StringWidth(tt.row), tt.x+2) {
			t.Errorf("%q at %d: %q, want %q", tt.row, tt.x, ansi.Strip(got), tt.want)
		}
	}
}
