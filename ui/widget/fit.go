package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the number of columns that s takes on the screen. Escape
// sequences of styles take none.
func Width(s string) int { return ansi.StringWidth(s) }

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
	n := Width(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	}
	out := ansi.TruncateLeft(s, n-w+1, "")
	if Width(out) >= w { // the cut went through a wide character and kept it
		out = ansi.TruncateLeft(s, n-w+2, "")
	}
	return strings.Repeat(" ", max(w-1-Width(out), 0)) + "…" + out
}

// Pad returns s with blanks after it up to w columns; it never cuts.
func Pad(s string, w int) string {
	return s + Blank(w-Width(s))
}

// PadLeft returns s with blanks before it up to w columns; it never cuts.
func PadLeft(s string, w int) string {
	return Blank(w-Width(s)) + s
}

// Fit returns s in exactly w columns: cut or padded on the right.
func Fit(s string, w int) string { return Pad(Cut(s, w), w) }

// FitLeft returns s in exactly w columns: cut, or padded on the left as
// numbers are.
func FitLeft(s string, w int) string { return PadLeft(Cut(s, w), w) }

// blanks serves Blank without an allocation.
const blanks = "                                                                                                                                "

// Blank returns n blanks; none if n is negative.
func Blank(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Block returns lines as exactly h lines of w columns, cut and padded: what a
// pane returns from View, so that frames beside it stay straight.
func Block(lines []string, w, h int) string {
	var b strings.Builder
	for i := range h {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		b.WriteString(Fit(line, w))
	}
	return b.String()
}
