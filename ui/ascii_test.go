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

func TestDrawsGlyphs(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "C.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8", "LC_ALL": "C"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, true},
		{map[string]string{"LANG": "C.UTF-8", "TERM": "linux"}, false},
	} {
		if got := drawsGlyphs(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("drawsGlyphs(%v) = %v, want %v", tt.env, got, tt.want)
		}
	}
}
