package ink

import "github.com/charmbracelet/x/ansi"

// Lay puts over, which is w cells wide, on a row from column x on, and returns a row as wide
// as before. A character of two cells of which an edge of over hides one is blank.
func Lay(row string, x, w int, over string) string {
	wide := ansi.StringWidth(row)
	head := ansi.Truncate(row, x, "")
	tail := ""
	// Where a character of two cells lies across the edge, some cuts leave the whole of it.
	for cut := x + w; cut < wide; cut++ {
		if tail = ansi.TruncateLeft(row, cut, ""); ansi.StringWidth(tail) <= wide-x-w {
			break
		}
	}
	return head + Blank(x-ansi.StringWidth(head)) + over + Blank(max(wide-x-w, 0)-ansi.StringWidth(tail)) + tail
}
