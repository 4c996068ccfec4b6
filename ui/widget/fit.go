package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Cut returns s if it fits into w columns, else its beginning and a mark.
// Styled text may be cut: its escape sequences are kept whole.
func Cut(s string, w int) string {
	if len(s) <= w || w <= 0 && s == "" {
		return s // no character is wider than its bytes are many
	}
	switch {
	case w <= 0:
		return ""
	case w == 1:
		return ansi.Truncate(s, w, "")
	}
	return ansi.Truncate(s, w, "…")
}

// CutLeft returns s if it fits into w columns, else a mark and its end: what
// matters in a path or a function's name is last.
func CutLeft(s string, w int) string {
	n := ansi.StringWidth(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	}
	out := ansi.TruncateLeft(s, n-w+1, "")
	if ansi.StringWidth(out) >= w { // the cut went through a wide character and kept it
		out = ansi.TruncateLeft(s, n-w+2, "")
	}
	return strings.Repeat(" ", max(w-1-ansi.StringWidth(out), 0)) + "…" + out
}
