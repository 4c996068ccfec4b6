package widget

import "testing"

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		in   string
		w    int
		want string
	}{
		{"read", 6, "read"},
		{"read", 4, "read"},
		{"vfs_read", 5, "vfs_…"},
		{"漢字漢字", 5, "漢字…"},
		{"漢字漢字", 4, "漢…"}, // half a character is left out
		{"漢", 1, ""},
		{"é́tude", 3, "é́t…"},
		{"x", 0, ""},
		{"x", -1, ""},
		{"", 2, ""},
		{"\x1b[1mbold words\x1b[0m", 5, "\x1b[1mbold…\x1b[0m"},
	} {
		if got := Cut(tt.in, tt.w); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}

func TestCutLeft(t *testing.T) {
	for _, tt := range []struct {
		in   string
		w    int
		want string
	}{
		{"/usr/lib/libc.so.6", 10, "…libc.so.6"},
		{"short", 10, "short"},
		{"漢字漢字", 4, " …字"},
		{"x", 0, ""},
	} {
		if got := CutLeft(tt.in, tt.w); got != tt.want {
			t.Errorf("CutLeft(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}
