package widget

import (
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		in        string
		w         int
		cut, left string
	}{
		{"read", 6, "read  ", "  read"},
		{"read", 4, "read", "read"},
		{"vfs_read", 5, "vfs_…", "vfs_…"},
		{"漢字漢字", 5, "漢字…", "漢字…"},
		{"漢字漢字", 4, "漢… ", " 漢…"}, // half a character is a blank
		{"漢", 1, " ", " "},
		{"é́tude", 3, "é́t…", "é́t…"},
		{"x", 0, "", ""},
		{"x", -1, "", ""},
		{"", 2, "  ", "  "},
	} {
		if got := Fit(tt.in, tt.w); got != tt.cut {
			t.Errorf("Fit(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.cut)
		}
		if got := FitLeft(tt.in, tt.w); got != tt.left {
			t.Errorf("FitLeft(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.left)
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

func TestFitKeepsStyles(t *testing.T) {
	in := "\x1b[1mbold words\x1b[0m"
	got := Fit(in, 5)
	if Width(got) != 5 || !strings.HasPrefix(got, "\x1b[1m") || !strings.Contains(got, "\x1b[0m") {
		t.Errorf("Fit(%q) = %q", in, got)
	}
}

func TestBlockIsExact(t *testing.T) {
	got := Block([]string{"ab", "a long line", "漢字"}, 3, 4)
	want := "ab \na …\n漢 \n   "
	if got != want && got != "ab \na …\n漢…\n   " {
		t.Errorf("Block = %q, want %q", got, want)
	}
	for _, line := range strings.Split(got, "\n") {
		if Width(line) != 3 {
			t.Errorf("line %q is %d columns wide", line, Width(line))
		}
	}
	if Block(nil, 2, 0) != "" {
		t.Error("a block of no lines is not empty")
	}
	if got := Blank(300); len(got) != 300 {
		t.Errorf("Blank(300) has %d blanks", len(got))
	}
}
