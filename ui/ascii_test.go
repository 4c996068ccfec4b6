package ui

import "testing"

func TestASCIIOnly(t *testing.T) {
	for _, tt := range []struct{ picture, want string }{
		{"", ""},
		{"\x1b[1mplain\x1b[0m\n", "\x1b[1mplain\x1b[0m\n"},
		{"starting …", "starting ~"},
		{"│é│", "???"},
		{"a漢字b", "a????b"},
		{"e\u0301!", "e!"}, // an accent of its own takes no cell
		{"\x1b[7m…\x1b[0mx", "\x1b[7m~\x1b[0mx"},
	} {
		if got := asciiOnly(tt.picture); got != tt.want {
			t.Errorf("asciiOnly(%q) = %q, want %q", tt.picture, got, tt.want)
		}
	}
}
